// What a notice says after a time in which rollcall could not hear (R26): which jobs were due then and have not been heard
// since. A question, not an alarm: it must not claim that a job failed.

import { cleanLine } from "./clean-text.ts";
import type { GapReason } from "./gap.ts";
import { RUN_ID_LENGTH } from "./limits.ts";
import type { NoticeMessage } from "./notice.ts";
import type { ListedUnknown, UnheardDetails } from "./notice-details.ts";
import { counted, durationInWords } from "./spoken-time.ts";
import { type Instant, SECOND } from "./time.ts";
import type { Item } from "./wording.ts";
import { momentOf } from "./wording-details.ts";
import { andMore, itemName, jobsInWords, NAMED_MAX } from "./wording-items.ts";
import type { NoticeWords } from "./wording-notice.ts";

/** The words of such a notice. */
export function unheardWords({ at, data: { timezone } }: NoticeMessage, details: UnheardDetails): NoticeWords {
  const { from, to, reason, monitors, monitorsTotal } = details;
  const until = momentOf(to, timezone);
  const jobs = jobsInWords(monitors, monitorsTotal);
  const [they, their] = monitorsTotal === 1 ? ["it", "its"] : ["they", "their"];
  const named = monitors.slice(0, NAMED_MAX);
  return {
    subject: `Did ${they} run? ${jobs}: ${whatWas(details)}`,
    story: [
      `${whatWas(details)}, ${whenWas(details, timezone)}.`,
      `No report of ${jobs} came in ${their} time, nor soon after. One that was sent while rollcall could not hear is lost, so rollcall cannot know whether ${they} ran.`,
      `This is a question, not an alarm: no incident was opened for it. If it matters, check whether ${they} ran. If ${their} next report is missed as well, that raises an alert as usual.`,
    ],
    items: [...named.map((monitor) => item(monitor, at)), ...andMore(monitorsTotal - named.length)],
    advice: [TO_CHECK[reason]],
    facts: [
      { label: "From", value: momentOf(from, timezone) },
      { label: "Until", value: until },
    ],
  };
}

function whatWas({ reason, seconds, times }: UnheardDetails): string {
  const length = durationInWords(seconds * SECOND);
  if (times > 1) return `${AGAIN_AND_AGAIN[reason]} ${times} times, ${length} in all`;
  switch (reason) {
    case "stopped":
      return `rollcall was not running for ${length}`;
    case "stalled":
      return `rollcall stood still for ${length}`;
    case "clock":
      return `rollcall's clock jumped ahead by ${length}`;
    case "storage":
      return `rollcall could not store anything for ${length}`;
    case "several":
      return `rollcall could not hear for ${length}`;
    default:
      return reason satisfies never;
  }
}

const AGAIN_AND_AGAIN: Record<GapReason, string> = {
  stopped: "rollcall stopped",
  stalled: "rollcall stood still",
  clock: "rollcall's clock jumped ahead",
  storage: "rollcall could not store anything",
  several: "rollcall could not hear",
};

function whenWas({ from, to, reason, times }: UnheardDetails, timezone: string): string {
  const until = momentOf(to, timezone);
  if (times > 1) return `between ${momentOf(from, timezone)} and ${until}`;
  return `${reason === "clock" ? "to" : "until"} ${until}`;
}

const TO_CHECK: Record<GapReason, string> = {
  stopped: "If nobody stopped rollcall or its computer on purpose, the system's log may say why it stopped.",
  stalled: "Check whether rollcall's computer was suspended or too busy.",
  clock: "If rollcall's computer was not asleep, look for what set its clock ahead.",
  storage: "Check that the disk with rollcall's data has space left and works.",
  several: "The log of rollcall, and that of its computer's system, may say what happened.",
};

function item(monitor: ListedUnknown, at: Instant): Item {
  return {
    name: itemName(monitor),
    details: [...unknownSlots(monitor), ...unknownRuns(monitor), ...nextReport(monitor, at)],
    quote: null,
  };
}

function unknownSlots({ firstSlot, slotsTotal, timezone }: ListedUnknown): string[] {
  if (firstSlot === null) return [];
  const moment = momentOf(firstSlot, timezone);
  return [slotsTotal > 1 ? `${slotsTotal} reports were due, the first at ${moment}` : `a report was due at ${moment}`];
}

function unknownRuns({ runs, runsTotal, timezone }: ListedUnknown): string[] {
  const [oldest] = runs;
  if (oldest === undefined) return [];
  const moment = momentOf(oldest.startedAt, timezone);
  if (runsTotal > 1) return [`${counted(runsTotal, "run")} began, the first at ${moment}, and no end was heard`];
  const runId = cleanLine(oldest.runId ?? "", RUN_ID_LENGTH);
  const run = runId === "" ? "a run" : `run ${runId}`;
  return [`${run} began at ${moment}, and no end was heard`];
}

function nextReport({ expectedAt, timezone }: ListedUnknown, at: Instant): string[] {
  if (expectedAt === null) return [];
  const moment = momentOf(expectedAt, timezone);
  return [Date.parse(expectedAt) > at ? `next report due at ${moment}` : `the report due at ${moment} is awaited now`];
}
