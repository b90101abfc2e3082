// The notice about reports that were refused because something is wrong with them (R33): the job runs without a
// monitor, or it failed and no other message says so.

import { cleanLine } from "../clean-text.ts";
import { MESSAGE_LENGTH } from "../limits.ts";
import type { ListedRejected, RejectedDetails } from "../message/notice-details.ts";
import type { NoticeMessage } from "../message/notice-message.ts";
import { isRevoked } from "../message/refused-report.ts";
import { commandTo } from "./advice.ts";
import { andMore, itemName, jobsInWords, NAMED_MAX } from "./items.ts";
import type { Times } from "./told-times.ts";
import type { Item, NoticeWords } from "./types.ts";

/** The words of such a notice. */
export function rejectedWords({ data }: NoticeMessage, details: RejectedDetails, times: Times): NoticeWords {
  const { monitors, monitorsTotal, failingTotal } = details;
  const failed = failingTotal > 0;
  const failing = jobsInWords(monitors, failingTotal, data);
  const unwatched = monitors.filter((monitor) => !monitor.watched && !isUnstored(monitor));
  // The two are never told together.
  const allUnstored = monitors.every(isUnstored);
  const unwatchedTotal = allUnstored ? 0 : monitorsTotal - monitors.length + unwatched.length;
  const jobs = jobsInWords(unwatched, unwatchedTotal, data);
  const [is, each] = unwatchedTotal === 1 ? ["is", "the job"] : ["are", "each"];
  const byRevoked = monitors.filter((monitor) => monitor.refused.some(({ error }) => isRevoked(error)));
  const revoked = jobsInWords(byRevoked, byRevoked.length, data);
  const onlyRevoked = !failed && unwatched.every((monitor) => byRevoked.includes(monitor)) && byRevoked.length > 0;
  return {
    subject: failed
      ? `Failed: ${failing}, report refused`
      : onlyRevoked
        ? `Revoked key used: ${revoked}`
        : `Not watched: ${jobs}, report refused`,
    story: [
      ...(failed
        ? [
            `${failing} reported a failure, but the report was refused.`,
            allUnstored ? "It could not be stored, and opened no incident." : "No other message tells of it.",
          ]
        : []),
      ...(byRevoked.length > 0 ? [`${revoked} reported with a revoked key. Such a report counts for nothing.`] : []),
      ...(unwatched.length > 0
        ? [
            `${jobs} ${is} not watched: ${unwatchedTotal === 1 ? "its" : "their"} reports are refused.`,
            `Until a report of ${each} is accepted, no message comes when it does not run.`,
          ]
        : []),
    ],
    toDo: failed
      ? `Read the log of ${failingTotal === 1 ? "that job" : "each job"}.`
      : onlyRevoked
        ? GIVE_A_KEY
        : correct(monitorsTotal),
    items: [
      ...monitors.slice(0, NAMED_MAX).map((monitor) => itemOf(monitor, data, times)),
      ...andMore(monitorsTotal - Math.min(monitors.length, NAMED_MAX)),
    ],
    advice: [
      ...(failed && !allUnstored ? [correct(monitorsTotal)] : []),
      ...(unwatched.length > 0 ? ["You are told only once of a job that is not watched."] : []),
    ],
    commands: [commandTo("List all that was refused", "rollcall refused list", data)],
    facts: [],
  };
}

const correct = (jobs: number): string =>
  jobs === 1
    ? "Correct the request that the job sends, or the name in it."
    : "Correct these requests, or the names in them.";

const GIVE_A_KEY = "Give the job another key. If none of your jobs sends this, somebody else has the old one.";

const isUnstored = ({ refused }: ListedRejected): boolean =>
  refused.length > 0 && refused.every(({ error }) => error === "STORAGE_UNAVAILABLE");

const itemOf = (monitor: ListedRejected, house: NoticeMessage["data"], times: Times): Item => ({
  name: itemName(monitor, house),
  details: monitor.refused.map(
    ({ at, report, reason }) =>
      `${report === "fail" ? "failure" : "report"} of ${times.say(at, monitor.timezone)} refused: ${cleanLine(reason, MESSAGE_LENGTH)}`,
  ),
  quote: null,
});
