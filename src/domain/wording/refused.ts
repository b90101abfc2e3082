// The notice about reports that the rate limit refused (R33). No other message reports a refused failure, so failures
// come first in every part.

import { MESSAGE_LENGTH } from "../limits.ts";
import type {
  ListedRefused,
  ListedRejected,
  NoticeData,
  NoticeMessage,
  RateLimitedDetails,
  RejectedDetails,
} from "../message/notice.ts";
import { isRevoked } from "../message/refused-report.ts";
import { cleanLine, cleanLines } from "../text.ts";
import { MINUTE } from "../time.ts";
import { commandTo } from "./advice.ts";
import type { Times } from "./message-times.ts";
import { andMore, itemName, jobsInWords, NAMED_MAX } from "./names.ts";
import { counted, durationInWords } from "./spoken-time.ts";
import type { Item, NoticeWords } from "./types.ts";

export function refusedWords({ data }: NoticeMessage, details: RateLimitedDetails, times: Times): NoticeWords {
  const { from, to, monitors, monitorsTotal, failsTotal } = details;
  const jobs = jobsInWords(monitors, monitorsTotal, data);
  const span = Date.parse(to) - Date.parse(from);
  const long = span >= MINUTE ? ` for ${durationInWords(span)}` : "";
  const why = [
    `The rate limit refused reports of ${jobs}${long}: more came with one key than ${details.settings.join(" or ")} allows.`,
    "A refused report shows that its job is alive, and nothing more. Whether the run it was about went well is unknown.",
  ];
  const raise = `Raise ${details.settings.join(" and ")}, or give busy jobs a key of their own.`;
  const more =
    "The value 0 means no limit. While this goes on you hear of it once an hour at most, and sooner when another job reports a failure.";
  const failed = failsTotal > 0;
  const story = failed ? failures(details, data) : why;
  const items = itemsOf(details, data, times);
  return {
    subject: failed
      ? `Failed: ${jobsInWords(monitors, details.failingTotal, data)}, report${failsTotal === 1 ? "" : "s"} refused by the rate limit`
      : `Rate limit refused reports: ${jobs}`,
    story,
    toDo: failed ? `Read the log of ${details.failingTotal === 1 ? "that job" : "each job"}.` : raise,
    items,
    advice: failed ? [...why, raise, more] : [more],
    facts: [
      { label: "First refused", value: times.say(from, data.timezone) },
      { label: "Last refused", value: times.say(to, data.timezone) },
    ],
  };
}

function failures({ monitors, failingTotal, failsTotal }: RateLimitedDetails, instance: NoticeData): string[] {
  const jobs = jobsInWords(monitors, failingTotal, instance);
  if (failsTotal === 1) {
    return [
      `${jobs} reported a failure, and the rate limit refused the report.`,
      "It opened no incident, and no other message tells of it.",
    ];
  }
  return [
    `${jobs} reported ${failsTotal} failures, and the rate limit refused the reports.`,
    "They opened no incident, and no other message tells of them.",
  ];
}

function itemsOf(
  { monitors, monitorsTotal, failingTotal }: RateLimitedDetails,
  instance: NoticeData,
  times: Times,
): Item[] {
  const named = monitors.slice(0, NAMED_MAX);
  const each = Math.max(1, Math.floor(NAMED_MAX / Math.max(1, Math.min(failingTotal, NAMED_MAX))));
  return [
    ...named.flatMap((monitor) =>
      monitor.fails.length > 0 ? failed(monitor, each, instance, times) : [refused(monitor, instance)],
    ),
    ...andMore(monitorsTotal - named.length),
  ];
}

/** One line for each failure, newest first; the last line says how many came before. */
function failed(monitor: ListedRefused, most: number, instance: NoticeData, times: Times): Item[] {
  const shown = monitor.fails.slice(0, most);
  const left = monitor.failsTotal - shown.length;
  return shown.map(({ at, message }, index) => ({
    name: `Failed: ${itemName(monitor, instance)}`,
    details: [
      `at ${times.say(at, monitor.timezone)}${message === null ? ", without a message" : ""}`,
      ...(index === shown.length - 1 && left > 0 ? [`and ${counted(left, "time")} before`] : []),
    ],
    quote: cleanLines(message ?? "", MESSAGE_LENGTH) || null,
  }));
}

const refused = (monitor: ListedRefused, instance: NoticeData): Item => ({
  name: itemName(monitor, instance),
  details: [`reports refused in ${monitor.minutes === 1 ? "one minute" : `${monitor.minutes} different minutes`}`],
  quote: null,
});

// The notice about reports that were refused because something is wrong with them (R33): the job runs without a
// monitor, or it failed and no other message says so.

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
  };
}

const correct = (jobs: number): string =>
  jobs === 1
    ? "Correct the request that the job sends, or the name in it."
    : "Correct these requests, or the names in them.";

const GIVE_A_KEY = "Give the job another key. If none of your jobs sends this, somebody else has the old one.";

const isUnstored = ({ refused }: ListedRejected): boolean =>
  refused.length > 0 && refused.every(({ error }) => error === "STORAGE_UNAVAILABLE");

const itemOf = (monitor: ListedRejected, instance: NoticeMessage["data"], times: Times): Item => ({
  name: itemName(monitor, instance),
  details: monitor.refused.map(
    ({ at, report, reason }) =>
      `${report === "fail" ? "failure" : "report"} of ${times.say(at, monitor.timezone)} refused: ${cleanLine(reason, MESSAGE_LENGTH)}`,
  ),
  quote: null,
});
