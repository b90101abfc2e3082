// What a notice says of messages that a destination did not take (R36): where they were lost, of which jobs, and how to send
// them again. It comes another way, to people who may never look at the first.

import type { ToldKind } from "./alert.ts";
import { cleanLine } from "./clean-text.ts";
import { SCHEDULE_LENGTH } from "./limits.ts";
import type { NoticeMessage } from "./notice.ts";
import type { ListedLost, UndeliveredDetails } from "./notice-messages.ts";
import { counted } from "./spoken-time.ts";
import type { Item } from "./wording.ts";
import { momentOf } from "./wording-details.ts";
import { andMore, itemName, jobsInWords, NAMED_MAX } from "./wording-items.ts";
import type { NoticeWords } from "./wording-notice.ts";

/** The words of such a notice. */
export function undeliveredWords({ data: { timezone } }: NoticeMessage, details: UndeliveredDetails): NoticeWords {
  const { destination, since, messagesTotal, monitorsTotal, monitors } = details;
  const messages = counted(messagesTotal, "message");
  const about = monitorsTotal === 0 ? "" : ` about ${jobsInWords(monitors, monitorsTotal)}`;
  const answer = cleanLine(details.answer ?? "", SCHEDULE_LENGTH);
  return {
    subject: `Not delivered to ${destination}: ${messages}${about}`,
    story: [
      `rollcall has given up on ${messages}${about}: the destination ${destination} did not take ${messagesTotal === 1 ? "it" : "them"}. Whoever reads there does not know.`,
      `The first of them was to go out at ${momentOf(since, timezone)}.${answer === "" ? "" : ` The last answer was: ${answer}`}`,
    ],
    items: lostItems(monitors, monitorsTotal),
    advice: [
      `Repair the destination ${destination}, then check it with: rollcall notify test ${destination}`,
      "What was given up is listed by: rollcall notify list --given-up. Each can be sent again with rollcall notify resend and its number.",
      "While this goes on you hear of it once an hour at most.",
    ],
    facts: [],
  };
}

/** Each job with its messages. */
export function lostItems(monitors: readonly ListedLost[], total: number): Item[] {
  const named = monitors.slice(0, NAMED_MAX);
  return [...named.map(itemOf), ...andMore(total - named.length)];
}

/** Of one job; the others are counted. */
const SHOWN_MAX = 5;

function itemOf(monitor: ListedLost): Item {
  const { messages, messagesTotal, timezone } = monitor;
  const shown = messages.slice(0, SHOWN_MAX);
  const left = messagesTotal - shown.length;
  return {
    name: itemName(monitor),
    details: [
      ...shown.map(
        ({ deliveryId, recipient, kind, at }) =>
          `${TOLD[kind]} of ${momentOf(at, timezone)}${recipient === null ? "" : `, to ${cleanLine(recipient, SCHEDULE_LENGTH)}`}: number ${deliveryId}`,
      ),
      ...(left > 0 ? [`and ${left} more`] : []),
    ],
    quote: null,
  };
}

const TOLD: Record<ToldKind, string> = {
  InitialFailure: "the alarm",
  NeverExecuted: "the alarm",
  ContinuedFailure: "the reminder",
  Acknowledged: "the acknowledgement",
  Recovered: "the recovery",
};
