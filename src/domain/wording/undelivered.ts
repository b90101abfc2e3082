// The notice about messages that a destination did not take (R36): where they were lost, which jobs they were about,
// and how to send them again. It goes to another destination, because people may never look at the first.

import { SCHEDULE_LENGTH } from "../limits.ts";
import type { ListedLost, NoticeMessage, UndeliveredDetails } from "../message/notice.ts";
import { cleanLine } from "../text.ts";
import { commandTo } from "./advice.ts";
import type { Times } from "./message-times.ts";
import { andMore, itemName, jobsInWords, NAMED_MAX } from "./names.ts";
import { counted } from "./spoken-time.ts";
import { alertTitle } from "./subject.ts";
import type { Item, NoticeWords } from "./types.ts";

export function undeliveredWords({ data }: NoticeMessage, details: UndeliveredDetails, times: Times): NoticeWords {
  const { destination, removed, since, messagesTotal, monitorsTotal, monitors } = details;
  const messages = counted(messagesTotal, "message");
  const about = monitorsTotal === 0 ? "" : ` about ${jobsInWords(monitors, monitorsTotal, data)}`;
  const answer = cleanLine(details.answer ?? "", SCHEDULE_LENGTH);
  const first = times.say(since, data.timezone);
  const items = lostItems(monitors, monitorsTotal, data, times);
  return {
    subject: `Not delivered to ${destination}: ${messages}${about}`,
    story: [
      removed === true
        ? `${destination} was taken out of the configuration while ${messages}${about} waited there.`
        : `The destination ${destination} did not take ${messages}${about}, and rollcall has given up.`,
      `The people who read there have not been told. The ${messagesTotal === 1 ? "" : "first "}message was to go out at ${first}.${answer === "" || removed === true ? "" : ` The last answer was: ${answer}`}`,
    ],
    toDo: removed === true ? "Tell these people, if it matters." : `Repair the destination ${destination}.`,
    items,
    advice: removed === true ? [] : ["While this goes on you hear of it once an hour at most."],
    commands: [
      ...(removed === true
        ? []
        : [commandTo(`Check ${destination} when it is repaired`, `rollcall notify test ${destination}`, data)]),
      commandTo("List what was given up", "rollcall notify list --given-up", data),
      // One can be sent again only to a destination that is configured.
      ...(removed === true ? [] : [commandTo("Send one again, by its number", "rollcall notify resend NUMBER", data)]),
    ],
  };
}

export function lostItems(
  monitors: readonly ListedLost[],
  total: number,
  instance: NoticeMessage["data"],
  times: Times,
): Item[] {
  const named = monitors.slice(0, NAMED_MAX);
  return [...named.map((monitor) => itemOf(monitor, instance, times)), ...andMore(total - named.length)];
}

/** The messages of one job; the others are counted. */
const SHOWN_MAX = 5;

function itemOf(monitor: ListedLost, instance: NoticeMessage["data"], times: Times): Item {
  const { messages, messagesTotal, timezone } = monitor;
  const shown = messages.slice(0, SHOWN_MAX);
  const left = messagesTotal - shown.length;
  return {
    name: itemName(monitor, instance),
    details: [
      ...shown.map(
        ({ deliveryId, recipient, kind, at }) =>
          `"${alertTitle(kind)}" of ${times.say(at, timezone)}${recipient === null ? "" : `, to ${cleanLine(recipient, SCHEDULE_LENGTH)}`}: number ${deliveryId}`,
      ),
      ...(left > 0 ? [`and ${left} more`] : []),
    ],
    quote: null,
  };
}
