// A status page as it was a moment ago, made at most once in some seconds however many ask for it, and in pieces between
// which others have their turn.

import type { StatusPageSettings } from "../../domain/people/status-page-settings.ts";
import { SECOND } from "../../domain/time.ts";
import type { Clock } from "../../engine/api.ts";
import type { Engine } from "../../engine/parts.ts";
import { inTurns } from "../turns.ts";
import { chosenBy, DAYS_SHOWN, JOBS_SHOWN, type Status, statusOf } from "./status.ts";

/** Milliseconds for which a page stays as it is. */
export const FRESH = 10 * SECOND;

/** `make` says what is kept of a page's status; it is called once for each look. Rejects with what SQLite throws. */
export function createSnapshot<Kept>(
  { engine, clock }: { readonly engine: Pick<Engine, "lookBack">; readonly clock: Pick<Clock, "monotonic"> },
  settings: StatusPageSettings,
  make: (status: Status) => Kept,
): () => Promise<Kept> {
  const asked = {
    application: settings.application,
    isChosen: chosenBy(settings.jobs),
    days: DAYS_SHOWN,
    limit: JOBS_SHOWN,
  };
  let kept: { readonly at: number; readonly made: Promise<Kept> } | null = null;
  return () => {
    const now = clock.monotonic();
    if (kept !== null && now - kept.at < FRESH) return kept.made;
    const mine = { at: now, made: inTurns(engine.lookBack(asked)).then((past) => make(statusOf(settings, past))) };
    kept = mine;
    mine.made.catch(() => {
      if (kept === mine) kept = null;
    });
    return mine.made;
  };
}
