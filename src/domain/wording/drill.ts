// The notice about a drill that failed somewhere: where an alert would be lost, and what the receiver answered. test.ts
// words the drill's own message.

import { cleanLine } from "../clean-text.ts";
import { SCHEDULE_LENGTH } from "../limits.ts";
import type { DrillDetails } from "../message/notice-details.ts";
import type { NoticeMessage } from "../message/notice-message.ts";
import { commandTo } from "./advice.ts";
import { jobsInWords } from "./items.ts";
import type { Times } from "./told-times.ts";
import type { Item, NoticeWords } from "./types.ts";

/** The words of such a notice. */
export function drillWords({ data }: NoticeMessage, details: DrillDetails, times: Times): NoticeWords {
  const { monitor, drilledAt, addresses } = details;
  const job = jobsInWords([monitor], 1, data);
  const lost = addresses.filter(({ delivered }) => !delivered);
  const arrived = addresses.filter(({ delivered }) => delivered);
  const nowhere = addresses.length === 0;
  const names = [...new Set(lost.map(({ destination }) => destination))];
  return {
    subject: `Drill failed: alerts of ${job} ${nowhere ? "go nowhere" : "do not arrive everywhere"}`,
    story: [
      nowhere
        ? `The job ${job} has no destination: nobody would hear of a failure.`
        : `A drill of the alerts of ${job} did not arrive everywhere.`,
      `The drill went out at ${times.say(drilledAt, monitor.timezone)}.${nowhere ? "" : " It did not arrive at:"}`,
    ],
    toDo: nowhere
      ? "Give it a destination."
      : `Repair the destination${names.length === 1 ? "" : "s"} ${names.join(", ")}.`,
    items: lost.map(itemOf),
    advice: [
      "The drill says nothing of the job itself. Until this is repaired, an alert would be lost in the same place.",
    ],
    commands: names.map((name) => commandTo(`Check ${name} when it is repaired`, `rollcall notify test ${name}`, data)),
    facts: arrived.length === 0 ? [] : [{ label: "Arrived at", value: arrived.map(addressOf).join(", ") }],
  };
}

type DrillAddress = DrillDetails["addresses"][number];

const addressOf = ({ destination, recipient }: DrillAddress): string =>
  recipient === null ? destination : `${destination} (${cleanLine(recipient, SCHEDULE_LENGTH)})`;

const itemOf = (address: DrillAddress): Item => ({
  name: addressOf(address),
  details: [cleanLine(address.answer ?? "no answer", SCHEDULE_LENGTH)],
  quote: null,
});
