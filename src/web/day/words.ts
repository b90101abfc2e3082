// A row in words: the story of each slot, what follows one another without trouble in one sentence, and a summary of
// all. Whatever is drawn is said here too.

import { type Instant, MINUTE } from "../../domain/time.ts";
import { span as lengthOf } from "../../domain/wording/short-time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { inWords, OUTCOMES, type Outcome, tallyOf } from "../../views/outcomes.ts";
import type { Timeline, TimelineEntry, TimelineRun } from "../../views/timeline.ts";
import type { ClockWords } from "./axis.ts";
import { bandsOf, type TimeBand } from "./marks.ts";

export type DayLine = Readonly<{ from: Instant; to: Instant; outcome: TimelineEntry["outcome"]; text: string }>;

/** Beyond so many, those of one kind in a row become one line. */
const LINES_ALONE = 40;
const LINES_MAX = 120;

export function linesOf({ entries }: Pick<Timeline, "entries">, clock: ClockWords): DayLine[] {
  const expected = entries.filter(({ outcome }) => outcome === "expected").length;
  const isShort = entries.length - expected <= LINES_ALONE;
  const lines = bandsOf(entries, ofMany).flatMap((band): DayLine[] =>
    (isShort && band.first.outcome !== "expected") || band.entries.length === 1
      ? band.entries.map((entry) => lineOf(entry, clock))
      : [together(band, clock)],
  );
  // Where it changes with nearly every slot, the newest are worth most.
  return lines.slice(-LINES_MAX);
}

const lineOf = (entry: TimelineEntry, clock: ClockWords): DayLine => ({
  from: entry.at,
  to: entry.run?.to ?? entry.at,
  outcome: entry.outcome,
  text: `${clock.moment(entry.at)} ${saidOf(entry, clock)}${heardOf(entry, clock)}`,
});

/** What the job's client could send only later (R43). */
const heardOf = ({ slot }: TimelineEntry, clock: ClockWords): string =>
  slot?.heardAt == null ? "" : `, heard at ${clock.moment(slot.heardAt)}`;

function saidOf({ at, outcome, slot, run }: TimelineEntry, clock: ClockWords): string {
  switch (outcome) {
    case "succeeded":
      if (slot === null) return run?.from == null ? "reported" : `ran${tookOf(run)}`;
      return `${slot.heardAt == null ? "came" : "ran"} ${sinceSlot(at, slot.reportAt ?? at)}${tookOf(run)}`;
    case "failed":
    case "wrong":
    case "warned":
    case "overran":
      return `${OUTCOMES[outcome].says}${run?.from == null ? "" : ` after ${lengthOf(run.to - run.from)}`}`;
    case "unfinished":
    case "incomplete":
      return OUTCOMES[outcome].says;
    case "running":
      return "runs since then";
    case "missed":
      if (slot?.reportAt == null) return OUTCOMES.missed.says;
      return `missed; ${slot.heardAt == null ? "came" : "ran"} at ${clock.moment(slot.reportAt)}, ${lengthOf(slot.reportAt - at)} late`;
    case "unknown":
    case "covered":
    case "late":
    case "silent":
      return OUTCOMES[outcome].says;
    case "expected":
    case "paused":
    case "maintenance":
    case "unread":
      return OUTCOMES[outcome].word;
    default:
      return outcome satisfies never;
  }
}

/** A cron job starts some seconds after its minute; that is in time. */
function sinceSlot(slot: Instant, reportAt: Instant): string {
  const after = reportAt - slot;
  if (after < 0) return `${lengthOf(-after)} early`;
  return after < MINUTE ? "in time" : `${lengthOf(after)} after it`;
}

const tookOf = (run: TimelineRun | null): string => (run?.from == null ? "" : `, took ${lengthOf(run.to - run.from)}`);

/** As said of many like it. */
function ofMany({ outcome, slot }: TimelineEntry): string {
  switch (outcome) {
    case "succeeded":
      return slot === null ? "reports" : "in time";
    case "missed":
      return slot?.reportAt == null ? OUTCOMES.missed.word : "missed, and came late";
    default:
      return OUTCOMES[outcome].word;
  }
}

function together({ kind, first, last, entries }: TimeBand<TimelineEntry, string>, clock: ClockWords): DayLine {
  const to = last.run?.to ?? last.at;
  const when = clock.between({ from: first.at, to: last.at });
  return { from: first.at, to, outcome: first.outcome, text: `${when}: ${entries.length} ${kind}${rangeOf(entries)}` };
}

/** `, took 3 s to 14 s`. */
function rangeOf(entries: readonly TimelineEntry[]): string {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const { run } of entries) {
    if (run?.from == null) continue;
    least = Math.min(least, run.to - run.from);
    most = Math.max(most, run.to - run.from);
  }
  if (least > most) return "";
  return least === most ? `, took ${lengthOf(least)}` : `, took ${lengthOf(least)} to ${lengthOf(most)}`;
}

/** A slot that a run from before covered is no run in time. `isThinned`: some slots were left out, and not counted. */
function cameInWords(inTime: number, covered: number, isThinned: boolean): string | null {
  if (inTime + covered === 0) return null;
  if (isThinned) return covered === 0 ? "all in time" : "none missed";
  const parts = [
    ...(inTime > 0 ? [`${inTime} in time`] : []),
    ...(covered > 0 ? [`${covered} ${OUTCOMES.covered.word}`] : []),
  ];
  return parts.join(", ");
}

/** The worst two of it, or how many came; `nothing`: said where there was nothing. */
export function summaryOf(
  { entries, isThinned }: Pick<Timeline, "entries" | "isThinned">,
  nothing = "nothing due",
): { readonly text: string; readonly isTrouble: boolean } {
  const tally = tallyOf(entries.map(({ outcome }) => outcome));
  const isTrouble = tally.some(([outcome]) => OUTCOMES[outcome].counted !== null && outcome !== "unknown");
  const worst = tally.filter(([outcome]) => isSaid(outcome)).slice(0, 2);
  if (worst.length > 0) return { text: worst.map(inTwoWords).join(", "), isTrouble };
  const inTime = entries.filter(({ outcome, slot }) => outcome === "succeeded" && slot !== null).length;
  const counts = new Map(tally);
  const came = cameInWords(inTime, counts.get("covered") ?? 0, isThinned);
  if (came !== null) return { text: came, isTrouble };
  const ran = counts.get("succeeded") ?? 0;
  if (ran > 0) return { text: counted(ran, "report"), isTrouble };
  if (counts.has("paused") || counts.has("maintenance") || counts.has("silent"))
    return { text: OUTCOMES.paused.word, isTrouble };
  return { text: counts.has("expected") ? "to come" : nothing, isTrouble };
}

/** What needs to be known first. */
const isSaid = (outcome: Outcome): boolean =>
  OUTCOMES[outcome].counted !== null || outcome === "late" || outcome === "incomplete" || outcome === "running";

/** There is at most one that is late, and hardly ever a second that runs. */
const inTwoWords = (entry: readonly [Outcome, number]): string =>
  entry[0] === "late" || entry[0] === "running" ? OUTCOMES[entry[0]].word : inWords([entry]);
