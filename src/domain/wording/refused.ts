// The notice about refused reports (R33). Failures come first, because no other message tells of them.

import { MESSAGE_LENGTH } from "../limits.ts";
import type { ListedRefused, NoticeData, NoticeMessage, RefusedDetails } from "../message/notice.ts";
import { MAIL_RULE, wasKeyRevoked } from "../message/refused-report.ts";
import { cleanLine, cleanLines } from "../text.ts";
import { commandTo } from "./advice-words.ts";
import { jobItems, jobsInWords } from "./job-names.ts";
import type { Times } from "./message-times.ts";
import type { Item, NoticeWords } from "./types.ts";

type Refused = ListedRefused["refused"][number];

interface RefusalReason {
  readonly isOf: (refused: Refused, isWatched: boolean) => boolean;
  readonly subject: (jobs: string) => string;
  readonly story: (jobs: string, isOne: boolean) => string[];
  readonly toDo: (isOne: boolean, refused: readonly Refused[]) => string;
  readonly advice: readonly string[];
}

const isLimited = ({ error }: Refused): boolean => error === "RATE_LIMIT_EXCEEDED";
/** Whether the entry is a mail that says neither success nor failure. Such a mail was not refused but stored (R47). */
const isUnclear = ({ field }: Refused): boolean => field === MAIL_RULE;
const isWrong = ({ error, field }: Refused): boolean =>
  field !== MAIL_RULE && !wasKeyRevoked(error) && error !== "RATE_LIMIT_EXCEEDED" && error !== "STORAGE_UNAVAILABLE";

const correct = (isOne: boolean): string =>
  isOne
    ? "Correct the request that the job sends, or the name in it."
    : "Correct these requests, or the names in them.";

/** The words for each reason of a refusal, the most important reason first. */
const REASONS: readonly RefusalReason[] = [
  {
    isOf: (refused, isWatched) => isWrong(refused) && !isWatched,
    subject: (jobs) => `Not watched: ${jobs}, report refused`,
    story: (jobs, isOne) => [
      `${jobs} ${isOne ? "is not watched: its" : "are not watched: their"} reports are refused.`,
      `Until a report of ${isOne ? "the job" : "each"} is accepted, no message comes when it does not run.`,
    ],
    toDo: correct,
    advice: ["You are told only once of a job that is not watched."],
  },
  {
    isOf: ({ error }) => wasKeyRevoked(error),
    subject: (jobs) => `Revoked key used: ${jobs}`,
    story: (jobs) => [`${jobs} reported with a revoked key. Such a report counts for nothing.`],
    toDo: () => "Give the job another key. If none of your jobs sends this, somebody else has the old one.",
    advice: [],
  },
  {
    isOf: isLimited,
    subject: (jobs) => `Rate limit refused reports: ${jobs}`,
    story: (jobs) => [
      `The rate limit refused reports of ${jobs}: more came than it allows.`,
      "Such a report shows that its job is alive, and nothing more. Whether the run it was about went well is unknown.",
    ],
    toDo: (_, refused) => {
      // The settings of the limits that refused. The limit on wrong addresses of other services has no setting (R45).
      const settings = new Set(refused.filter(isLimited).flatMap(({ field }) => (field === "" ? [] : [field])));
      return settings.size === 0
        ? "Find out which of your computers asks for wrong addresses."
        : `Raise ${[...settings].sort().join(" and ")}, or give busy jobs a key of their own.`;
    },
    advice: [
      "The value 0 means no limit. While this goes on you hear of it once an hour at most, and sooner when another job reports a failure.",
    ],
  },
  {
    isOf: isUnclear,
    subject: (jobs) => `Mail says neither success nor failure: ${jobs}`,
    story: (jobs, isOne) => [
      `A mail for ${jobs} says neither a success nor a failure, so it counted as neither.`,
      `If it was ${isOne ? "the job's" : "a job's"} success, the job counts as missed.`,
    ],
    toDo: () => "Read the mail, and say what such mails mean: `rollcall monitor set JOB --mail-rule RULE`.",
    advice: ["You are told by the first such mail of a job; `rollcall monitor refused` counts the others."],
  },
  // Wrong reports of a job that has a monitor. The notice names such a report only if it was a failure or a mail.
  {
    isOf: (refused, isWatched) => isWrong(refused) && isWatched,
    subject: (jobs) => `Report refused: ${jobs}`,
    story: () => [],
    toDo: correct,
    advice: [],
  },
];

export function refusedWords({ data }: NoticeMessage, details: RefusedDetails, times: Times): NoticeWords {
  const { monitors, monitorsTotal, failingTotal } = details;
  const failing = jobsInWords(monitors, failingTotal, data);
  const reasons = REASONS.flatMap(({ isOf, subject, story, toDo, advice }) => {
    const its = monitors.filter(({ refused, watched }) => refused.some((one) => isOf(one, watched)));
    if (its.length === 0) return [];
    const total = its.length === monitors.length ? monitorsTotal : its.length;
    const jobs = jobsInWords(its, total, data);
    const refused = its.flatMap((monitor) => monitor.refused);
    return { subject: subject(jobs), story: story(jobs, total === 1), toDo: toDo(total === 1, refused), advice };
  });
  const failed = {
    subject: `Failed: ${failing}, report refused`,
    story: [`${failing} reported a failure, but the report was refused.`, "No other message tells of it."],
    toDo: `Read the log of ${failingTotal === 1 ? "that job" : "each job"}.`,
    advice: [],
  };
  const [first = failed, ...others] = failingTotal > 0 ? [failed, ...reasons] : reasons;
  return {
    subject: first.subject,
    story: [first, ...others].flatMap(({ story }) => story),
    toDo: first.toDo,
    items: refusedItems(monitors, monitorsTotal, data, times),
    advice: [...new Set([...others.map(({ toDo }) => toDo), ...[first, ...others].flatMap(({ advice }) => advice)])],
    commands: [commandTo("List all that was refused", "rollcall monitor refused", data)],
  };
}

export const refusedItems = (
  monitors: readonly ListedRefused[],
  total: number,
  instance: NoticeData,
  times: Times,
): Item[] =>
  jobItems(
    monitors,
    total,
    instance,
    ({ refused, timezone }) =>
      refused.map((one) => {
        const { at, report, reason, firstAt, times: count } = one;
        const when = times.say(at, timezone);
        const often = count > 1 ? ` (${count} times since ${times.say(firstAt, timezone)})` : "";
        const said = `${often}: ${cleanLine(reason, MESSAGE_LENGTH)}`;
        if (isUnclear(one)) return `mail of ${when}${said}`;
        return `${report === "fail" ? "failure" : "report"} of ${when} refused${said}`;
      }),
    ({ refused }) => cleanLines(refused.find(({ message }) => message)?.message ?? "", MESSAGE_LENGTH) || null,
  );
