// The streak of R13 against a second opinion that knows all reports of a job and applies the ruling afresh to each.
// Random reports near the slots of a few schedules; imports only types, the slots and the transition from the core.

import { expect } from "bun:test";
import fc from "fast-check";
import { newMonitor, type Watch } from "../../../src/domain/monitor/monitor.ts";
import { CHECKS_PASSED } from "../../../src/domain/monitor/reported-outcomes.ts";
import { type Signal, transition } from "../../../src/domain/monitor/transition.ts";
import { nextSlot } from "../../../src/domain/schedule/slots.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../../src/domain/time.ts";
import { DEFAULT_WATCH } from "../../support/timeline-table.ts";

const FIXED = ["0 2 * * *", "30 2,3 * * *", "0 6,18 * * *", "15 4 * * 1-5", "0 9-17/4 * * *", "0 0 * * *"];
const SCHEDULES = [...FIXED, ...FIXED, "*/30 * * * *", "0 */8 * * *", "0 0-23 * * *"];
const ZONES = ["UTC", "Europe/Berlin", "Asia/Kolkata", "Pacific/Auckland", "Pacific/Honolulu"];
const BEGINNINGS = ["2026-01-10", "2026-03-26", "2026-10-22"].map((day) => Date.parse(day));

const OFFSETS = [0, 60, 60, 60, 60, -60, -60, -60, 15, 90, -120, 330, -345, 600, -660, 720, -780, 67, 1200];
const BESIDE = [0, 0, 0, 0, SECOND, 90 * SECOND, 2 * MINUTE, -2 * MINUTE, 2 * MINUTE + 1, -2 * MINUTE - 1];

type Does = "heartbeat" | "run" | "unpaired end" | "fail" | "twice" | "refused" | "wake" | "zone" | "grace" | "rebase";

interface Move {
  readonly does: Does;
  /** Minutes from a slot that comes, and milliseconds beside that. */
  readonly offset: number;
  readonly beside: number;
  /** How long a run takes, or how much later a report is repeated. */
  readonly length: number;
}

const anyMove: fc.Arbitrary<Move> = fc.record({
  does: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<Does>("heartbeat", "run") },
    { weight: 1, arbitrary: fc.constantFrom<Does>("unpaired end", "fail", "twice", "refused", "wake") },
    { weight: 1, arbitrary: fc.constantFrom<Does>("zone", "grace", "rebase") },
  ),
  offset: fc.constantFrom(...OFFSETS),
  beside: fc.constantFrom(...BESIDE),
  length: fc.constantFrom(MINUTE, 3 * MINUTE, 4 * MINUTE, 4 * MINUTE + 1, 15 * MINUTE, HOUR),
});

/** Half of the jobs keep to one offset, as jobs do. */
const anyMoves = fc
  .tuple(fc.boolean(), fc.constantFrom(...OFFSETS), fc.array(anyMove, { minLength: 1, maxLength: 12, size: "max" }))
  .map(([steady, offset, moves]) => (steady ? moves.map((move) => ({ ...move, offset })) : moves));

interface Drift {
  readonly minutes: number;
  readonly reports: number;
}

const NONE: Drift = { minutes: 0, reports: 0 };

/** After each signal the core's streak is what the ruling says of all the reports so far. */
export const streaksAsRuled = fc.property(
  fc.constantFrom(...SCHEDULES),
  fc.constantFrom(...ZONES),
  fc.constantFrom(...BEGINNINGS),
  anyMoves,
  (schedule, timezone, beginning, moves) => {
    let monitor = newMonitor({ ...DEFAULT_WATCH, schedule, timezone }, beginning);
    let expected = NONE;
    let now = beginning;
    let lastReport: Instant | null = null;
    let runs = 0;

    for (const move of moves) {
      const { watch } = monitor;
      const slot = nextSlot(schedule, watch.timezone, Math.max(now, now - move.offset * MINUTE))!;
      now = Math.max(now, slot + move.offset * MINUTE + move.beside);
      runs += 1;
      for (const { wait, signal, counts } of signalsOf(move, watch, `run ${runs}`)) {
        now += wait;
        monitor = transition(monitor, signal, now, []).monitor;
        if (signal.kind === "rebase" || (signal.kind === "declare" && signal.watch.timezone !== watch.timezone))
          expected = NONE;
        if (counts) expected = drifted(expected, offsetOf(monitor.watch, now), lastReport, now);
        if (isReport(signal)) lastReport = now;
        expect({ drift: monitor.drift, after: signal.kind }).toEqual({ drift: expected, after: signal.kind });
      }
    }
  },
);

const isReport = ({ kind }: Signal): boolean => ["heartbeat", "start", "complete", "fail"].includes(kind);

/** "In a row": a report of another offset begins a new streak, one that repeats the report before it counts once. */
function drifted(before: Drift, minutes: number, lastReport: Instant | null, now: Instant): Drift {
  if (minutes === 0) return NONE;
  if (before.minutes !== minutes) return { minutes, reports: 1 };
  const repeated = lastReport !== null && now - lastReport <= 4 * MINUTE;
  return repeated ? before : { minutes, reports: before.reports + 1 };
}

/** Of the two slots it lies between, where it would be on time in a zone that there is; in minutes, 0 for none. */
function offsetOf({ schedule, timezone }: Watch, at: Instant): number {
  if (!FIXED.includes(schedule!)) return 0;
  let before = nextSlot(schedule!, timezone, at - 8 * DAY)!;
  let after = before;
  while (after <= at) [before, after] = [after, nextSlot(schedule!, timezone, after)!];
  if (at - before <= 2 * MINUTE || after - at <= 2 * MINUTE) return 0;

  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone).offsetNanoseconds / 1e6;
  const inSomeZone = [before, after]
    .map((slot) => at - slot)
    .filter((offset) => local - offset >= -11 * HOUR && local - offset <= 14 * HOUR)
    .toSorted((one, other) => Math.abs(one) - Math.abs(other));
  const [near, far] = inSomeZone;
  if (near === undefined || (far !== undefined && Math.abs(far) < 2 * Math.abs(near))) return 0;
  for (let minutes = -24 * 60; minutes <= 24 * 60; minutes += 15) {
    if (minutes !== 0 && Math.abs(near - minutes * MINUTE) <= 2 * MINUTE) return minutes;
  }
  return 0;
}

interface Sent {
  readonly wait: number;
  readonly signal: Signal;
  /** Whether it says when a run was due. */
  readonly counts: boolean;
}

function signalsOf({ does, length }: Move, watch: Watch, runId: string): readonly Sent[] {
  const mark = { runId: null, attempt: null };
  const sent = (signal: Signal, counts: boolean, wait = 0): Sent => ({ signal, counts, wait });
  const heartbeat = { kind: "heartbeat", ...mark, checks: CHECKS_PASSED } as const;
  switch (does) {
    case "heartbeat":
      return [sent(heartbeat, true)];
    case "run":
      return [
        sent({ kind: "start", ...mark, runId }, true),
        sent({ kind: "complete", ...mark, runId, checks: CHECKS_PASSED }, false, length),
      ];
    case "unpaired end":
      return [sent({ kind: "complete", ...mark, runId, checks: CHECKS_PASSED }, true)];
    case "fail":
      return [sent({ kind: "fail", ...mark, runId, message: null }, true)];
    case "twice":
      return [sent(heartbeat, true), sent(heartbeat, true, length)];
    case "refused":
      return [sent({ kind: does, further: false }, false)];
    case "wake":
      return [sent({ kind: does }, false)];
    case "rebase":
      return [sent({ kind: does, backMs: 0 }, false)];
    case "zone": {
      const timezone = ZONES[(ZONES.indexOf(watch.timezone) + 1) % ZONES.length]!;
      return [sent({ kind: "declare", watch: { ...watch, timezone } }, false)];
    }
    case "grace":
      return [sent({ kind: "declare", watch: { ...watch, graceSeconds: watch.graceSeconds + 1 } }, false)];
    default:
      return does satisfies never;
  }
}
