// The notice after a time in which rollcall could not hear reports (R26). It asks whether the jobs ran, and claims no
// failure.

import { RUN_ID_LENGTH } from "../limits.ts";
import type { ListedUnknown, NoticeMessage, UnheardDetails } from "../message/notice.ts";
import type { FoundGap, GapReason } from "../monitor/gap.ts";
import { cleanLine } from "../text.ts";
import { type Instant, SECOND } from "../time.ts";
import { gapLengthInWords } from "./gap-words.ts";
import { jobItems, jobsInWords } from "./job-names.ts";
import type { Times } from "./message-times.ts";
import { counted } from "./spoken-time.ts";
import type { NoticeWords } from "./types.ts";

export function unheardWords({ at, data }: NoticeMessage, details: UnheardDetails, times: Times): NoticeWords {
  const { reason, monitors, monitorsTotal, awaitedTotal = 0 } = details;
  const jobs = jobsInWords(monitors, monitorsTotal, data);
  const [they, their] = monitorsTotal === 1 ? ["it", "its"] : ["they", "their"];
  return {
    subject: `Did ${they} run? ${jobs}: ${outageInWords(details)}`,
    story: [
      ...whatAndWhen(details, data.timezone, times),
      `No report of ${jobs} came in ${their} time, nor soon after. One that was sent while rollcall could not hear is lost, so rollcall cannot know whether ${they} ran.`,
      ...notJudgedYet(awaitedTotal),
      `This is a question, not an alarm: no incident was opened for it. If ${their} next report is missed as well, that raises an alert as usual.`,
    ],
    toDo: `If it matters, check whether ${monitorsTotal === 1 ? jobs : "the jobs below"} ran.`,
    items: jobItems(monitors, monitorsTotal, data, (monitor) => [
      ...unknownSlots(monitor, times),
      ...unknownRuns(monitor, times),
      ...nextReport(monitor, at, times),
    ]),
    advice: [TO_CHECK[reason]],
  };
}

/** The sentence about jobs that are not judged yet. If their reports do not come, another message tells of them. */
function notJudgedYet(jobs: number): string[] {
  if (jobs === 0) return [];
  const [reports, they] = jobs === 1 ? ["report", "it does"] : ["reports", "they do"];
  return [`The ${reports} of ${counted(jobs, "more job")} may still come; if ${they} not, another message asks.`];
}

/** What happened to rollcall and for how long, such as `rollcall was down for at most 2 minutes`. */
function outageInWords({ reason, seconds, times }: Pick<UnheardDetails, "reason" | "seconds" | "times">): string {
  const happened = OUTAGES[reason];
  if (reason === "restored") return happened;
  const length = gapLengthInWords(reason, seconds * SECOND);
  if (times > 1) return `${happened} ${times} times, ${length} in all`;
  return `${happened} ${reason === "clock" ? "by" : "for"} ${length}`;
}

/** What happened to rollcall during this gap, such as `rollcall was suspended for 3 minutes`. */
export const ownOutageInWords = ({
  reason,
  silentMs,
  outages,
}: Pick<FoundGap, "reason" | "silentMs" | "outages">): string =>
  outageInWords({ reason, seconds: Math.round(silentMs / SECOND), times: outages });

export const OUTAGES: Readonly<Record<GapReason, string>> = {
  stopped: "rollcall was down",
  stalled: "rollcall was suspended",
  clock: "rollcall's clock jumped ahead",
  storage: "rollcall could not store anything",
  restored: "a backup of rollcall was restored",
  several: "rollcall could not hear",
};

function whatAndWhen(details: UnheardDetails, timezone: string, times: Times): [string, string] {
  const from = times.say(details.from, timezone);
  const to = times.say(details.to, timezone);
  if (details.reason === "restored")
    return [
      `rollcall's data are from ${from}: a backup was restored.`,
      `What was reported from then to ${to} is lost, unless it came again.`,
    ];
  return [`${outageInWords(details)}.`, whenWas(details, from, to)];
}

const whenWas = (details: UnheardDetails, from: string, to: string): string =>
  details.times > 1 ? `That was between ${from} and ${to}.` : `That was from ${from} to ${to}.`;

const TO_CHECK: Record<GapReason, string> = {
  stopped: "If rollcall or its computer was not stopped on purpose, the system's log may say why.",
  stalled: "Check whether rollcall's computer was suspended or too busy.",
  clock: "If rollcall's computer was not asleep, look for what set its clock ahead.",
  storage: "Check that the disk with rollcall's data has space left and works.",
  restored: "What rollcall knew and told since then is not in its data. Incidents of that time are closed.",
  several: "The log of rollcall, and that of its computer's system, may say what happened.",
};

function unknownSlots({ firstSlot, slotsTotal, timezone }: ListedUnknown, times: Times): string[] {
  if (firstSlot === null) return [];
  const moment = times.say(firstSlot, timezone);
  return [slotsTotal > 1 ? `${slotsTotal} reports were due, the first at ${moment}` : `a report was due at ${moment}`];
}

function unknownRuns({ runs, runsTotal, timezone }: ListedUnknown, times: Times): string[] {
  const [oldest] = runs;
  if (oldest === undefined) return [];
  const moment = times.say(oldest.startedAt, timezone);
  if (runsTotal > 1) return [`${counted(runsTotal, "run")} began, the first at ${moment}, and no end was heard`];
  const runId = cleanLine(oldest.runId ?? "", RUN_ID_LENGTH);
  const run = runId === "" ? "a run" : `run ${runId}`;
  return [`${run} began at ${moment}, and no end was heard`];
}

function nextReport({ expectedAt, timezone }: ListedUnknown, at: Instant, times: Times): string[] {
  if (expectedAt === null) return [];
  const moment = times.say(expectedAt, timezone);
  return [Date.parse(expectedAt) > at ? `next report due at ${moment}` : `the report due at ${moment} is awaited now`];
}
