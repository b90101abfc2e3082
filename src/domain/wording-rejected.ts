// What a notice says of reports that were refused for what is wrong with them (R33): the job runs, and nobody watches it; or
// it failed, and nobody heard.

import { cleanLine } from "./clean-text.ts";
import { MESSAGE_LENGTH } from "./limits.ts";
import type { ListedRejected, RejectedDetails } from "./notice-details.ts";
import type { Item } from "./wording.ts";
import { momentOf } from "./wording-details.ts";
import { andMore, itemName, jobsInWords, NAMED_MAX } from "./wording-items.ts";
import type { NoticeWords } from "./wording-notice.ts";

/** The words of such a notice. */
export function rejectedWords({ monitors, monitorsTotal, failingTotal }: RejectedDetails): NoticeWords {
  const failed = failingTotal > 0;
  const failing = jobsInWords(monitors, failingTotal);
  const unwatched = monitors.filter(({ watched }) => !watched);
  const jobs = jobsInWords(unwatched, monitorsTotal - monitors.length + unwatched.length);
  const notWatched = `Reports of ${jobs} were refused. Until one is accepted, nobody hears when that job does not run.`;
  return {
    subject: failed ? `Failed: ${failing}, report refused` : `Not watched: ${jobs}, report refused`,
    story: [
      ...(failed ? [`${failing} reported a failure, but the report was refused. No other message tells of it.`] : []),
      ...(unwatched.length > 0 ? [notWatched] : []),
    ],
    items: [
      ...monitors.slice(0, NAMED_MAX).map(itemOf),
      ...andMore(monitorsTotal - Math.min(monitors.length, NAMED_MAX)),
    ],
    advice: [
      "Correct the request that the job sends, or the monitor's name in it. `rollcall refused list` shows all that was refused.",
      "Of a job that is not watched you are told once.",
    ],
    facts: [],
  };
}

const itemOf = (monitor: ListedRejected): Item => ({
  name: itemName(monitor),
  details: monitor.refused.map(
    ({ at, report, reason }) =>
      `${report === "fail" ? "failure" : "report"} of ${momentOf(at, monitor.timezone)} refused: ${cleanLine(reason, MESSAGE_LENGTH)}`,
  ),
  quote: null,
});
