// What `/metrics` tells of the engine: numbers that are at hand. Changes nothing.

import type { Instant } from "../../domain/time.ts";
import { databaseSize } from "../../store/file/settings.ts";
import type { EngineContext } from "../context.ts";
import type { SeenIntake } from "../intake/intake-counts.ts";
import type { VitalSigns } from "./vital-signs.ts";

export interface Measures {
  readonly intake: SeenIntake;
  readonly tickedAt: Instant | null;
  readonly committedAt: Instant | null;
  readonly database: { readonly bytes: number; readonly free: number };
  /** `ever`: how many this database has had; `last`: null while there is none. */
  readonly gaps: {
    readonly ever: number;
    readonly last: { readonly endedAt: Instant; readonly silentMs: number } | null;
  };
}

type MeasuresParts = Readonly<{ context: EngineContext; seen: () => SeenIntake; vitalSigns: VitalSigns }>;

/** What is at hand now; a few queries. Throws what SQLite throws. */
export function measuresOf({ context, seen, vitalSigns }: MeasuresParts): Measures {
  const { store } = context;
  const [last] = store.gaps.last(1);
  return {
    intake: seen(),
    tickedAt: vitalSigns.tickedAt(),
    committedAt: vitalSigns.committedAt(),
    database: databaseSize(store.database),
    gaps: {
      ever: store.gaps.lastId(),
      last: last === undefined ? null : { endedAt: last.silentTo, silentMs: last.silentMs },
    },
  };
}
