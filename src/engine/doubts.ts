// The doubts a gap leaves: which monitors have a slot or run it touches that is still to be judged (R26). When none has
// any more the gap is decided, and what it left unknown is told. Looks at stored monitors; changes none.

import type { FoundGap } from "../domain/gap.ts";
import { RETRY_AFTER_GAP } from "../domain/limits.ts";
import { isDoubtful } from "../domain/settle.ts";
import type { Instant } from "../domain/time.ts";
import { rulesOf } from "./ingest.ts";
import type { Desk } from "./record.ts";

/** Monitors looked at in one turn of the event loop. */
const MONITORS_A_TURN = 200;

export interface Doubts {
  /** Looks for monitors in doubt, some a turn, and hands over each gap that leaves no doubt any more. */
  review(now: Instant): void;
  /** Something changed about this monitor: what was doubtful may have been judged. */
  touch(monitorId: number): void;
}

export interface DoubtsParts {
  readonly desk: Desk;
  readonly gaps: () => readonly FoundGap[];
  /** Nothing is in doubt any more because of this gap. */
  readonly decided: (gap: FoundGap, now: Instant) => void;
  /** Runs in a later turn of the event loop. */
  readonly inLaterTurn: (run: () => void) => void;
}

/** Keeps, for each undecided gap, the monitors it leaves in doubt; a new process finds them again by a scan. */
export function createDoubts({ desk, gaps, decided, inLaterTurn }: DoubtsParts): Doubts {
  /** By the beginning of the gap. */
  const suspects = new Map<Instant, Set<number>>();
  const touched = new Set<number>();
  let scanning = false;

  function review(now: Instant): void {
    if (scanning) return;
    const undecided = gaps();
    if (undecided.length === 0) return;
    const fresh = undecided.filter(({ from, to }) => !suspects.has(from) && to + RETRY_AFTER_GAP <= now);
    if (fresh.length > 0) scan(fresh);
    else settleDoubts(undecided, now);
  }

  /** Not before clients have had time to retry: until then nothing can have been judged by these gaps. */
  function scan(fresh: readonly FoundGap[]): void {
    const ids = desk.store.monitors.ids();
    scanning = true;
    for (const { from } of fresh) suspects.set(from, new Set());
    const scanFrom = (place: number): void => {
      for (const id of ids.slice(place, place + MONITORS_A_TURN)) suspect(id, fresh);
      const next = place + MONITORS_A_TURN;
      if (next < ids.length) return inLaterTurn(() => scanFrom(next));
      scanning = false;
    };
    scanFrom(0);
  }

  function suspect(id: number, fresh: readonly FoundGap[]): void {
    const doubtful = doubtfulOf(id, fresh);
    for (const gap of doubtful) suspects.get(gap.from)?.add(id);
  }

  function settleDoubts(undecided: readonly FoundGap[], now: Instant): void {
    const ids = [...touched].slice(0, MONITORS_A_TURN);
    for (const id of ids) {
      touched.delete(id);
      const doubtful = doubtfulOf(id, undecided);
      for (const [from, monitors] of suspects) if (!doubtful.some((gap) => gap.from === from)) monitors.delete(id);
    }
    if (touched.size > 0) return;
    for (const gap of undecided) {
      if (suspects.get(gap.from)?.size !== 0) continue;
      decided(gap, now);
      suspects.delete(gap.from);
    }
  }

  /** Of these gaps, those that leave the monitor in doubt. One that cannot be read must not keep the others waiting. */
  function doubtfulOf(id: number, undecided: readonly FoundGap[]): readonly FoundGap[] {
    try {
      const monitor = desk.store.monitors.loadById(id, rulesOf(desk.policy))?.monitor;
      return monitor === undefined ? [] : undecided.filter((gap) => isDoubtful(monitor, gap));
    } catch {
      return [];
    }
  }

  return {
    review,
    touch: (monitorId) => {
      if (suspects.size > 0) touched.add(monitorId);
    },
  };
}
