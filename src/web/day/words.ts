// Tells a row of the day page in words: a line for each slot, or one line for successive slots that went alike, and a
// summary of all. Everything that the row draws is told here, too.

import type { Instant } from "../../domain/time.ts";
import { RESULTS, type Result, tallyInWords, tallyOf } from "../../domain/wording/results.ts";
import { span as lengthOf } from "../../domain/wording/short-time.ts";
import { storyEntryInWords } from "../../views/story.ts";
import type { Timeline, TimelineEntry } from "../../views/timeline.ts";
import { bandsOfAlikeEntries, type TimeBand } from "../parts/time-bands.ts";
import type { ClockWords } from "./axis.ts";

export type DayLine = Readonly<{ from: Instant; to: Instant; result: TimelineEntry["result"]; text: string }>;

/**
 * If a row has at most this many entries, not counting expected ones, each entry gets its own line. With more,
 * successive entries of one kind share a line.
 */
const LINES_ALONE = 40;
const LINES_MAX = 120;

export function dayLinesOf({ entries }: Pick<Timeline, "entries">, clock: ClockWords): DayLine[] {
  const expected = entries.filter(({ result }) => result === "expected").length;
  const isShort = entries.length - expected <= LINES_ALONE;
  const lines = bandsOfAlikeEntries(entries, sharedLineWords).flatMap((band): DayLine[] =>
    (isShort && band.first.result !== "expected") || band.entries.length === 1
      ? band.entries.map((entry) => dayLine(entry, clock))
      : [together(band, clock)],
  );
  // When the result changes with nearly every slot there are too many lines. Then only the newest lines are kept.
  return lines.slice(-LINES_MAX);
}

const dayLine = (entry: TimelineEntry, clock: ClockWords): DayLine => {
  const says = storyEntryInWords(entry).map((part) => (typeof part === "string" ? part : clock.moment(part.at)));
  const { at, run, result } = entry;
  return { from: at, to: run?.to ?? at, result, text: `${clock.moment(at)} ${says.join("")}` };
};

/** The words for an entry in a row where entries share lines: successive entries with the same words share one line. */
const sharedLineWords = ({ result, slot }: TimelineEntry): string =>
  `${RESULTS[result].word}${result === "missed" && slot?.reportAt != null ? ", and came late" : ""}`;

function together({ kind, first, last, entries }: TimeBand<TimelineEntry, string>, clock: ClockWords): DayLine {
  const to = last.run?.to ?? last.at;
  const when = clock.between({ from: first.at, to: last.at });
  return { from: first.at, to, result: first.result, text: `${when}: ${entries.length} ${kind}${rangeOf(entries)}` };
}

/** Tells the shortest and longest run: `, took 3 s to 14 s`; empty when no length is known. */
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

/**
 * Tells the two worst results of a row, or how many slots went well. `nothing` is the text for a row without slots.
 * `isThinned` says that `entries` has only some of the slots.
 */
export function rowSummary(
  { entries, isThinned }: Pick<Timeline, "entries" | "isThinned">,
  nothing = "nothing due",
): { readonly text: string; readonly isTrouble: boolean } {
  const tally = tallyOf(entries.map(({ result }) => result));
  const isTrouble = tally.some(([result]) => RESULTS[result].tone === "bad");
  return { text: textOf(tally, isThinned) ?? nothing, isTrouble };
}

/** The summary of a row in words; `null` when the row has no slots. */
function textOf(tally: readonly (readonly [Result, number])[], isThinned: boolean): string | null {
  const worst = tally.filter(([result]) => isSaid(result)).slice(0, 2);
  if (worst.length > 0) return worst.map(inTwoWords).join(", ");
  const has = (...wanted: Result[]): boolean => tally.some(([result]) => wanted.includes(result));
  // A slot is `covered` when an earlier run went on through its time. No run succeeded for it, so it is told apart from
  // the slots that succeeded.
  const came = tally.filter(([result]) => result === "succeeded" || result === "covered").toReversed();
  if (came.length > 0 && isThinned) return has("covered") ? "none missed" : `all ${RESULTS.succeeded.word}`;
  if (came.length > 0) return tallyInWords(came);
  if (has("paused", "maintenance")) return RESULTS.paused.word;
  if (has("silent")) return RESULTS.silent.word;
  if (has("unread")) return RESULTS.unread.word;
  return has("expected") ? "to come" : null;
}

/**
 * Whether the summary tells of this result. Only when a row has no such result does the summary say how many slots went
 * well.
 */
const isSaid = (result: Result): boolean => result === "running" || !["quiet", "well"].includes(RESULTS[result].tone);

/**
 * Tells a result with the number of its slots. `late` and `running` are told without a number: at most one slot is
 * late, and two runs at once are rare.
 */
const inTwoWords = (entry: readonly [Result, number]): string =>
  entry[0] === "late" || entry[0] === "running" ? RESULTS[entry[0]].word : tallyInWords([entry]);
