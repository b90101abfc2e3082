// A lane's slots in the order of time, those of one kind that follow one another as one band: what is drawn and what is
// said of a lane both begin here. Pure.

import type { Instant } from "../../domain/time.ts";
import type { DayRun, MonitorDay } from "../../views/day.ts";
import type { SlotOutcome } from "../../views/slot-outcomes.ts";

/** What a slot or a run is shown as: the worse of what became of the slot and of the run that filled it. */
export type ShownOutcome =
  | Exclude<SlotOutcome["became"], "filled">
  | "well"
  | "failed"
  | "unended"
  | "running"
  | "lost"
  | "ran";

/** A slot with the run that filled it, or a run without a slot. */
export interface DayMoment {
  readonly at: Instant;
  readonly shown: ShownOutcome;
  /** Null: it was a run without a slot. */
  readonly slot: SlotOutcome | null;
  /** Null: none filled it. */
  readonly run: DayRun | null;
}

/** Ascending. Where only some slots are judged, a run without a slot says nothing unless it went wrong. */
export function momentsOf({ runs, slots, slotCount }: Pick<MonitorDay, "runs" | "slots" | "slotCount">): DayMoment[] {
  const isThinned = slotCount > slots.length;
  const byReport = new Map<Instant, DayRun>();
  for (const run of runs) for (const at of [run.to, run.from]) if (at !== null) byReport.set(at, run);
  const used = new Set<DayRun>();
  const moments = slots.map((slot): DayMoment => {
    const run = slot.reportAt === null ? null : (byReport.get(slot.reportAt) ?? null);
    if (run !== null) used.add(run);
    return { at: slot.slot, shown: shownAs(slot, run), slot, run };
  });
  for (const run of runs) {
    if (used.has(run) || (isThinned && run.became === "well")) continue;
    moments.push({ at: run.from ?? run.to, shown: run.became === "well" ? "ran" : shownRun(run), slot: null, run });
  }
  return moments.sort((a, b) => a.at - b.at);
}

function shownAs({ became }: SlotOutcome, run: DayRun | null): ShownOutcome {
  if (became !== "filled") return became;
  return run === null ? "well" : shownRun(run);
}

const shownRun = ({ became }: DayRun): ShownOutcome => (became === "unknown" ? "lost" : became);

/** Moments of one kind, one after the other. */
export interface DayBand {
  readonly shown: ShownOutcome;
  readonly first: DayMoment;
  readonly last: DayMoment;
  readonly moments: readonly DayMoment[];
}

/** `distance`: moments further apart than this stand alone. */
export function bandsOf(moments: readonly DayMoment[], distance = Number.POSITIVE_INFINITY): DayBand[] {
  const groups: DayMoment[][] = [];
  for (const moment of moments) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (last !== undefined && last.shown === moment.shown && moment.at - last.at <= distance) group!.push(moment);
    else groups.push([moment]);
  }
  return groups.map((group) => ({ shown: group[0]!.shown, first: group[0]!, last: group.at(-1)!, moments: group }));
}

/** How many of each kind. */
export function countsOf(moments: readonly DayMoment[]): ReadonlyMap<ShownOutcome, number> {
  const counts = new Map<ShownOutcome, number>();
  for (const { shown } of moments) counts.set(shown, (counts.get(shown) ?? 0) + 1);
  return counts;
}
