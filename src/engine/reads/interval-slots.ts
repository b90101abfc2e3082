// What is written of the slots of a monitor that must report every so often (R44). They follow from each report anew, so of
// the past there are only those that were missed or stayed unknown. Pure.

import type { Span } from "../../domain/monitor/window.ts";
import type { Instant } from "../../domain/time.ts";
import type { IncidentInSpan, UnknownInSpan } from "../../store/spans.ts";
import type { SlotOutcome } from "./slot-outcomes.ts";

export interface IntervalEvidence {
  /** Milliseconds. */
  readonly interval: number;
  /** How long after it a slot closes. Milliseconds. */
  readonly delay: number;
  readonly incidents: readonly IncidentInSpan[];
  readonly unknowns: readonly UnknownInSpan[];
}

/** Those in the span, ascending; of one incident the newest `most`. */
export function intervalSlots(
  { interval, delay, incidents, unknowns }: IntervalEvidence,
  span: Span,
  now: Instant,
  most: number,
): SlotOutcome[] {
  /** `count` slots from `first` on, as far as they have closed. */
  const judged = (became: "missed" | "unknown", first: Instant, count: number): SlotOutcome[] => {
    const last = Math.min(first + (count - 1) * interval, span.to, now - delay);
    const begin = Math.max(0, Math.ceil((span.from - first) / interval));
    const end = Math.floor((last - first) / interval);
    const from = Math.max(begin, end - most + 1);
    return Array.from({ length: Math.max(0, end - from + 1) }, (_, place) => {
      return { slot: first + (from + place) * interval, became, reportAt: null, heardAt: null };
    });
  };
  const missed = incidents.flatMap(({ isMissed, expectedAt, closedAt, missedSlots }) =>
    isMissed === 0 || expectedAt === null
      ? []
      : judged("missed", expectedAt, closedAt === null ? Number.POSITIVE_INFINITY : missedSlots),
  );
  const unknown = unknowns.flatMap(({ slot, slots }) => (slot === null ? [] : judged("unknown", slot, slots)));
  const isUnknown = new Set(unknown.map(({ slot }) => slot));
  return [...missed.filter(({ slot }) => !isUnknown.has(slot)), ...unknown].sort((a, b) => a.slot - b.slot);
}
