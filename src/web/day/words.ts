// A lane in words: the story of each slot, what follows one another without trouble in one sentence, and a summary of all.
// Whatever is drawn is said here too.

import { type Instant, MINUTE } from "../../domain/time.ts";
import { span as lengthOf } from "../../domain/wording/short-time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { DayRun, MonitorDay } from "../../views/day.ts";
import { bandsOf, countsOf, type DayBand, type DayMoment, type ShownOutcome } from "./bands.ts";
import type { ClockWords } from "./clock-words.ts";

/** One line of a lane's story. */
export interface DayLine {
  readonly from: Instant;
  readonly to: Instant;
  readonly shown: ShownOutcome;
  readonly text: string;
}

/** Beyond so many, those of one kind in a row become one line. */
const LINES_ALONE = 40;
const LINES_MAX = 120;

export function linesOf(moments: readonly DayMoment[], clock: ClockWords): DayLine[] {
  const expected = moments.filter(({ shown }) => shown === "expected").length;
  const isShort = moments.length - expected <= LINES_ALONE;
  const lines = bandsOf(moments).flatMap((band): DayLine[] =>
    (isShort && band.shown !== "expected") || band.moments.length === 1
      ? band.moments.map((moment) => lineOf(moment, clock))
      : [together(band, clock)],
  );
  // Where it changes with nearly every slot, the newest are worth most.
  return lines.slice(-LINES_MAX);
}

const lineOf = (moment: DayMoment, clock: ClockWords): DayLine => ({
  from: moment.at,
  to: moment.run?.to ?? moment.at,
  shown: moment.shown,
  text: `${clock.moment(moment.at)} ${saidOf(moment, clock)}${heardOf(moment, clock)}`,
});

/** What the job's client could send only later (R43). */
const heardOf = ({ slot }: DayMoment, clock: ClockWords): string =>
  slot?.heardAt == null ? "" : `, heard at ${clock.moment(slot.heardAt)}`;

function saidOf({ at, shown, slot, run }: DayMoment, clock: ClockWords): string {
  switch (shown) {
    case "well":
      return `${slot?.heardAt == null ? "came" : "ran"} ${sinceSlot(at, slot?.reportAt ?? at)}${tookOf(run)}`;
    case "ran":
      return run?.from == null ? "reported" : `ran${tookOf(run)}`;
    case "failed":
      return `failed${run?.from == null ? "" : ` after ${lengthOf(run.to - run.from)}`}`;
    case "unended":
      return "began and did not finish";
    case "lost":
      return "began; rollcall could not hear its end";
    case "running":
      return "runs since then";
    case "covered":
      return "no start of its own: the run before was under way";
    case "late":
      return `missed; ${slot?.heardAt == null ? "came" : "ran"} at ${clock.moment(slot?.reportAt ?? at)}, ${lengthOf((slot?.reportAt ?? at) - at)} late`;
    case "missed":
      return "missed: nothing came";
    case "unknown":
      return "unknown: rollcall could not hear";
    case "open":
      return "has not come yet";
    case "expected":
      return "expected";
    case "paused":
      return "paused";
    case "silent":
      return "nothing came, and it was no miss: paused, or tolerated";
    case "unread":
      return "not looked up";
    default:
      return shown satisfies never;
  }
}

/** A cron job starts some seconds after its minute; that is in time. */
function sinceSlot(slot: Instant, reportAt: Instant): string {
  const after = reportAt - slot;
  if (after < 0) return `${lengthOf(-after)} early`;
  return after < MINUTE ? "in time" : `${lengthOf(after)} after it`;
}

const tookOf = (run: DayRun | null): string => (run?.from == null ? "" : `, took ${lengthOf(run.to - run.from)}`);

/** Each kind as said of many. */
const OF_MANY: Readonly<Record<ShownOutcome, string>> = {
  well: "in time",
  ran: "reports",
  failed: "failed",
  unended: "not finished",
  lost: "whose end rollcall could not hear",
  running: "run",
  covered: "under a run from before",
  late: "came late",
  missed: "missed",
  unknown: "unknown: rollcall could not hear",
  open: "have not come yet",
  expected: "expected",
  paused: "paused",
  silent: "without a report, and no miss: paused, or tolerated",
  unread: "not looked up",
};

function together({ shown, first, last, moments }: DayBand, clock: ClockWords): DayLine {
  const to = last.run?.to ?? last.at;
  const when = clock.between({ from: first.at, to: last.at });
  return { from: first.at, to, shown, text: `${when}: ${moments.length} ${OF_MANY[shown]}${rangeOf(moments)}` };
}

/** `, took 3 s to 14 s`. */
function rangeOf(moments: readonly DayMoment[]): string {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const { run } of moments) {
    if (run?.from == null) continue;
    least = Math.min(least, run.to - run.from);
    most = Math.max(most, run.to - run.from);
  }
  if (least > most) return "";
  return least === most ? `, took ${lengthOf(least)}` : `, took ${lengthOf(least)} to ${lengthOf(most)}`;
}

/** What needs to be known first. */
const WORST: readonly (readonly [ShownOutcome, (count: number) => string])[] = [
  ["missed", (count) => `${count} missed`],
  ["late", (count) => `${count} late`],
  ["failed", (count) => `${count} failed`],
  ["unended", (count) => `${count} not finished`],
  ["unknown", (count) => `${count} unknown`],
  ["lost", (count) => `${count} unheard`],
  ["open", () => "overdue"],
  ["running", () => "running"],
];

/** A slot that a run from before covered is no run in time. `isThinned`: some slots were left out, and not counted. */
function cameInWords(well: number, covered: number, isThinned: boolean): string | null {
  if (well + covered === 0) return null;
  if (isThinned) return covered === 0 ? "all in time" : "none missed";
  const parts = [...(well > 0 ? [`${well} in time`] : []), ...(covered > 0 ? [`${covered} ${OF_MANY.covered}`] : [])];
  return parts.join(", ");
}

export interface DaySummary {
  readonly text: string;
  readonly isTrouble: boolean;
}

/** The worst two of it, or how many came; `nothing`: said where there was nothing. */
export function summaryOf(
  moments: readonly DayMoment[],
  { slotCount, slots }: Pick<MonitorDay, "slotCount" | "slots">,
  nothing = "nothing due",
): DaySummary {
  const counts = countsOf(moments);
  const worst = WORST.flatMap(([shown, said]) => {
    const count = counts.get(shown) ?? 0;
    return count === 0 ? [] : [{ shown, text: said(count) }];
  }).slice(0, 2);
  const isTrouble = worst.some(({ shown }) => shown !== "running" && shown !== "open");
  if (worst.length > 0) return { text: worst.map(({ text }) => text).join(", "), isTrouble };
  const came = cameInWords(counts.get("well") ?? 0, counts.get("covered") ?? 0, slotCount > slots.length);
  if (came !== null) return { text: came, isTrouble };
  const ran = counts.get("ran") ?? 0;
  if (ran > 0) return { text: counted(ran, "report"), isTrouble };
  if (counts.has("paused") || counts.has("silent")) return { text: "paused", isTrouble };
  return { text: counts.has("expected") ? "to come" : nothing, isTrouble };
}
