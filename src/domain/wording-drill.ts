// What a notice says of a drill that did not arrive everywhere: where an alert would be lost, and what was said there. The
// drill's own message is wording-test.ts.

import { cleanLine } from "./clean-text.ts";
import { SCHEDULE_LENGTH } from "./limits.ts";
import type { DrillDetails } from "./notice-details.ts";
import type { Item } from "./wording.ts";
import { momentOf } from "./wording-details.ts";
import { jobsInWords } from "./wording-items.ts";
import type { NoticeWords } from "./wording-notice.ts";

/** The words of such a notice. */
export function drillWords({ monitor, drilledAt, addresses }: DrillDetails): NoticeWords {
  const job = jobsInWords([monitor], 1);
  const lost = addresses.filter(({ delivered }) => !delivered);
  const arrived = addresses.filter(({ delivered }) => delivered);
  const nowhere = addresses.length === 0;
  return {
    subject: `Drill failed: alerts of ${job} ${nowhere ? "go nowhere" : "do not arrive everywhere"}`,
    story: [
      `A drill of the alerts of ${job} went out at ${momentOf(drilledAt, monitor.timezone)}. ${
        nowhere ? "The job has no destination: nobody would hear of a failure." : "Not everybody got it:"
      }`,
    ],
    items: lost.map(itemOf),
    advice: [
      "The job itself is fine, as far as this shows. Until this is repaired, an alert would be lost in the same place.",
      ...lost
        .map(({ destination }) => destination)
        .filter((name, place, all) => all.indexOf(name) === place)
        .map((name) => `Repair the destination ${name}, then check it with: rollcall notify test ${name}`),
    ],
    facts: arrived.length === 0 ? [] : [{ label: "Arrived at", value: arrived.map(addressOf).join(", ") }],
  };
}

type Address = DrillDetails["addresses"][number];

const addressOf = ({ destination, recipient }: Address): string =>
  recipient === null ? destination : `${destination} (${cleanLine(recipient, SCHEDULE_LENGTH)})`;

const itemOf = (address: Address): Item => ({
  name: addressOf(address),
  details: [cleanLine(address.answer ?? "no answer", SCHEDULE_LENGTH)],
  quote: null,
});
