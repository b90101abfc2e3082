// A lane's slots in the order of time, those of one kind that follow one another as one band: what is drawn and what is
// said of a lane both begin here. Pure.

import type { Instant } from "../../domain/time.ts";
import type { DayRun, MonitorDay } from "../../views/day.ts";
import type { SlotOutcome } from "../../views/slot-outcomes.ts";

/** A slot with the run that filled it, or a run without a slot. */
export interface DayMoment {
  readonly at: Instant;
  /** The worse of what became of the slot and of the run that filled it. */
  readonly outcome: SlotOutcome["outcome"] | DayRun["outcome"];
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
    const outcome = slot.outcome === "succeeded" && run !== null ? run.outcome : slot.outcome;
    return { at: slot.slot, outcome, slot, run };
  });
  for (const run of runs) {
    if (used.has(run) || (isThinned && run.outcome === "succeeded")) continue;
    moments.push({ at: run.from ?? run.to, outcome: run.outcome, slot: null, run });
  }
  return moments.sort((a, b) => a.at - b.at);
}

/** Moments of one kind, one after the other. */
export interface DayBand<Kind> {
  readonly kind: Kind;
  readonly first: DayMoment;
  readonly last: DayMoment;
  readonly moments: readonly DayMoment[];
}

/** `distance`: moments further apart than this stand alone. */
export function bandsOf<Kind>(
  moments: readonly DayMoment[],
  kindOf: (moment: DayMoment) => Kind,
  distance = Number.POSITIVE_INFINITY,
): DayBand<Kind>[] {
  const groups: { readonly kind: Kind; readonly moments: DayMoment[] }[] = [];
  for (const moment of moments) {
    const kind = kindOf(moment);
    const group = groups.at(-1);
    if (group !== undefined && group.kind === kind && moment.at - group.moments.at(-1)!.at <= distance)
      group.moments.push(moment);
    else groups.push({ kind, moments: [moment] });
  }
  return groups.map((group) => ({ ...group, first: group.moments[0]!, last: group.moments.at(-1)! }));
}
