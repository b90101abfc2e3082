// Says what a job is doing now, in one sentence after its name: "failed 2 min ago, for the 3rd time in a row: disk
// full". The sentence is made again each time it is shown, so no screen repeats an old one. Pure.

import { offsetPeriodAt } from "../schedule/zone.ts";
import type { TroubledLately } from "../telling/flapping.ts";
import { cleanLine } from "../text.ts";
import { type Instant, SECOND } from "../time.ts";
import { CAUSES, failedLast, troublesInWords } from "./causes.ts";
import { ownWordsIn } from "./own-words.ts";
import { pauseAskedInParts, pauseWord } from "./paused.ts";
import { CHANGING_TIMES, dayAndTime, span } from "./short-time.ts";
import { counted } from "./spoken-time.ts";
import type { JobNow, SaidMoment, UnwordedPart } from "./types.ts";

export const SAID_AS = ["ago", "until", "for", "when"] as const satisfies readonly SaidMoment["as"][];

/** A part of the sentence. `text` is its present wording. A part with an instant can be worded again later. */
export type WordedPart = Readonly<{ text: string; at: Instant | null; as: SaidMoment["as"] | null }>;

const saidMoment = (at: Instant, as: SaidMoment["as"]): SaidMoment => ({ at, as });

/** Says what the job is doing now. The sentence begins with a verb and has no full stop. */
export const sentenceNow = (job: JobNow, now: Instant): WordedPart[] => wordedAt(clauses(job, now), now, job.timezone);

export const wordedAt = (parts: readonly UnwordedPart[], now: Instant, timezone: string): WordedPart[] =>
  parts
    .filter((part) => part !== "")
    .map((part) =>
      typeof part === "string"
        ? { text: part, at: null, as: null }
        : { text: momentAs(part.as, part.at, now, timezone), ...part },
    );

export const sentenceText = (parts: readonly Pick<WordedPart, "text">[]): string =>
  parts.map(({ text }) => text).join("");

/** Words an instant in one of the four ways that `SaidMoment` lists. `timezone` is used only by `when`. */
export const momentAs = (as: SaidMoment["as"], at: Instant, now: Instant, timezone: string): string =>
  as === "when" ? dayAndTime(at, now, offsetPeriodAt(timezone, at).offset) : CHANGING_TIMES[as](at, now);

/** How often the job came into trouble lately, such as `10 incidents in 9 h`. */
const latelyInWords = ({ times, since }: TroubledLately): UnwordedPart[] => [
  `${times} incidents in `,
  saidMoment(since, "for"),
];

/** What the job is doing. If it often came into trouble lately, that is added, even if the job is well now. */
const clauses = (job: JobNow, now: Instant): UnwordedPart[] => [
  ...doing(job, now),
  ...(job.lately === null ? [] : ["; ", ...latelyInWords(job.lately)]),
];

function doing(job: JobNow, now: Instant): UnwordedPart[] {
  if (job.status === "paused") return ["is ", ...pausedAs(job)];
  if (job.incident !== null)
    return [...troubleOf(job, job.incident), ...(job.run === null ? [] : runningSince(job.run))];
  if (job.run !== null) return running(job, job.run, now);
  return quiet(job, now);
}

function pausedAs({ pauses: { manual, discovery, plan, suspension } }: JobNow): UnwordedPart[] {
  if (manual !== null) {
    const end: UnwordedPart = manual.until === null ? "it is resumed" : saidMoment(manual.until, "when");
    return [`${pauseWord(manual)} until `, end, ...pauseAskedInParts(manual)];
  }
  if (suspension) return ["paused while its application is suspended"];
  if (discovery) return ["paused until its source declares it again"];
  return [plan ? "paused until its source declares it while its application has room" : "paused"];
}

// The words for an open incident: the missing report and the failures, the newer of the two first.

function troubleOf(job: JobNow, incident: NonNullable<JobNow["incident"]>): UnwordedPart[] {
  const missed = incident.causes.includes("missed") ? CAUSES.missed.now(job, incident, []) : null;
  const ended = incident.causes.some((cause) => cause !== "missed") ? ending(job, incident) : null;
  if (missed === null || ended === null) return missed ?? ended ?? ["is in trouble"];
  const isMissNewer = (incident.expectedAt ?? 0) > (job.lastFailureAt ?? 0);
  return isMissNewer ? [...missed, "; ", ...ended] : [...ended, "; ", ...missed];
}

/** The most characters of a job's message that are shown, because the sentence is one line of a list. */
const MESSAGE_SHOWN = 120;

const saidAs = (message: string): string => cleanLine(ownWordsIn(message)?.line ?? message, MESSAGE_SHOWN);

/**
 * The words for failures. An incident stores each cause only once, so with several causes it is not known which came
 * last. Then all are named.
 */
function ending(job: JobNow, incident: NonNullable<JobNow["incident"]>): UnwordedPart[] {
  const causes = incident.causes.filter((cause) => cause !== "missed");
  const times = incident.troubles - (incident.causes.length - causes.length);
  const [cause] = causes;
  const again = times > 1 ? `, for the ${ordinal(times)} time in a row` : "";
  // A job's message becomes a separate `WordedPart`, because the job may write from right to left.
  const because = incident.message === null ? [] : [": ", saidAs(incident.message)];
  if (causes.length > 1 || cause === undefined) {
    const all = troublesInWords({ opening: "InitialFailure", causes: [causes[0]!, ...causes.slice(1)] });
    return [`is in trouble (${all.toLowerCase()}), last`, ...failedLast(job), ...because];
  }
  return CAUSES[cause].now(job, incident, [again, ...because]);
}

export function ordinal(count: number): string {
  const isTeen = count % 100 >= 11 && count % 100 <= 13;
  return `${count}${(isTeen ? undefined : ["th", "st", "nd", "rd"][count % 10]) ?? "th"}`;
}

const runningSince = ({ startedAt }: NonNullable<JobNow["run"]>): UnwordedPart[] =>
  startedAt === null ? ["; running now"] : ["; running for ", saidMoment(startedAt, "for")];

function running(job: JobNow, { startedAt, deadline }: NonNullable<JobNow["run"]>, now: Instant): UnwordedPart[] {
  const since: UnwordedPart[] =
    startedAt === null ? ["is running"] : ["has been running for ", saidMoment(startedAt, "for")];
  const usual = job.lastRunMs === null ? [] : [`, the last took ${span(job.lastRunMs)}`];
  const limit: UnwordedPart[] =
    deadline === null || deadline < now ? [] : [", and has time until ", saidMoment(deadline, "when")];
  const slot: UnwordedPart[] =
    startedAt !== null && job.lateSince !== null && job.lateSince < startedAt - job.graceSeconds * SECOND
      ? ["; it began ", span(Math.floor((startedAt - job.lateSince) / SECOND) * SECOND), " late"]
      : [];
  return [...since, ...usual, ...limit, ...slot];
}

// The words for a job without an open incident.

function quiet(job: JobNow, now: Instant): UnwordedPart[] {
  const { lateSince, nextAt, graceSeconds, lastSuccessAt, lastFailureAt, misses, failures, unheard } = job;
  if (lateSince !== null) {
    const closesAt = lateSince + graceSeconds * SECOND;
    const left: UnwordedPart[] = closesAt > now ? [", and may come until ", saidMoment(closesAt, "when")] : [];
    return [
      "is ",
      saidMoment(lateSince, "for"),
      " late, due ",
      saidMoment(lateSince, "when"),
      ...left,
      ...tolerated(misses),
    ];
  }
  const next: UnwordedPart[] = nextAt === null ? [] : [", next due ", saidMoment(nextAt, "until")];
  if (unheard) return ["may have run while rollcall could not hear it", ...next];
  if (failures > 0 && lastFailureAt !== null)
    return ["failed ", saidMoment(lastFailureAt, "ago"), `, ${counted(failures, "time")}: tolerated so far`, ...next];
  if (misses > 0) return [`did not report ${counted(misses, "time")}: tolerated so far`, ...next];
  if (lastSuccessAt === null) return ["waits for its first report", ...next];
  const warned = job.status === "warning" ? ", with a warning" : "";
  return ["succeeded ", saidMoment(lastSuccessAt, "ago"), warned, ...next];
}

const tolerated = (misses: number): string[] =>
  misses === 0 ? [] : [`; it did not report ${counted(misses, "time")} before, tolerated so far`];

/**
 * Takes the present words out of a part of a sentence and leaves its instant, so that each screen words the instant
 * itself. A part without an instant stays a text.
 */
export const partWithInstant = ({ text, at, as }: WordedPart): UnwordedPart =>
  at === null || as === null ? text : { at, as };
