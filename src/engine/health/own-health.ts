// Tells how rollcall itself is. First: whether this process does its work, for `/metrics` and for the pings by which
// another monitoring service watches rollcall (`[self]`). Then: what stops a report or an alert now (`/readyz`). Last:
// counts of reports and gaps, and the size of the database, for `/metrics`.

import { STORAGE_FAULT_WORDS } from "../../domain/storage-fault.ts";
import { type ReachedAudience, unheardOf } from "../../domain/telling/reach.ts";
import { type Instant, SECOND } from "../../domain/time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { databaseSize } from "../../store/file/pragmas.ts";
import { stuckDestinations } from "../../views/shown-deliveries.ts";
import type { ClockWatch } from "../clock/clock-watch.ts";
import type { MonitorMemory } from "../clock/monitor-memory.ts";
import type { EngineContext, EngineTools } from "../engine-context.ts";
import type { SeenIntake } from "../intake/intake.ts";

/**
 * How many milliseconds may pass after the work of a tick was done before the clock's work counts as stuck. A tick
 * begins each second.
 */
const TICK_LATE = 10 * SECOND;
/**
 * How many milliseconds may pass after a commit before this process counts as not writing. It writes a sign of life
 * every ten seconds (R26).
 */
const COMMIT_LATE = 30 * SECOND;

export type VitalSigns = ReturnType<typeof createVitalSigns>;

export function createVitalSigns({ context, clock, committer, background }: EngineTools) {
  let tickedAt: number | null = null;

  const instantOf = (seenAt: number | null): Instant | null =>
    seenAt === null ? null : Math.round(clock.now() - (clock.monotonic() - seenAt));

  const isLate = (seenAt: number | null, limit: number): boolean =>
    seenAt === null || clock.monotonic() - seenAt > limit;

  /** Returns why this process does not do its work (`[self]`); empty when it does. Throws when storage fails. */
  function failing(): string[] {
    const fault = committer.failing()?.fault;
    const stuck = stuckDestinations(context, clock.now());
    return [
      isLate(tickedAt, TICK_LATE) && "the clock is not looked at",
      fault !== undefined && STORAGE_FAULT_WORDS[fault],
      fault === undefined && isLate(committer.committedAt(), COMMIT_LATE) && "nothing is written",
      stuck.length > 0 && `messages are stuck at ${stuck.join(", ")}`,
    ].filter((why) => why !== false);
  }

  return {
    /**
     * Notes when the work of this tick is done. Must be called at the end of each tick: `background` runs its work in
     * order, so the note is made after the other work of the tick.
     */
    ticked: () =>
      background.later(() => {
        tickedAt = clock.monotonic();
      }),
    /** When the work of the last tick was done; `null` before the first tick is done. */
    tickedAt: () => instantOf(tickedAt),
    committedAt: () => instantOf(committer.committedAt()),
    failing,
  };
}

// Below: says in sentences what stops a report from being recorded or an alert from being delivered now (`/readyz`).

interface TroublesParts extends EngineTools {
  readonly clockWatch: ClockWatch;
  readonly memory: MonitorMemory;
  readonly hostTrouble: () => string | null;
}

export function createTroubles(parts: TroublesParts) {
  const { context, committer, clockWatch, clock, memory, hostTrouble } = parts;

  function ours(): string[] {
    const fault = committer.failing()?.fault;
    const storage = fault === undefined ? null : STORAGE_FAULT_WORDS[fault];
    return [storage, clockWatch.trouble(clock.now()), hostTrouble()].filter((trouble) => trouble !== null);
  }

  /**
   * Returns one sentence for each thing that stops a report or an alert now; empty when all is well. For the audience
   * `anyone` the sentences name no application and no destination, and repeat no answer of a receiver. `slugs` limits
   * the sentences to these applications; `null` means all.
   */
  function all(audience: ReachedAudience = "operator", slugs: readonly string[] | null = null): readonly string[] {
    const { size } = memory.unreadable;
    // The application of an unreadable monitor is unknown, so such monitors are left out when `slugs` are given.
    const unread = size === 0 || slugs !== null ? [] : [`${counted(size, "monitor")} cannot be read, the log has more`];
    const applications = context.store.applications.list().filter(({ slug }) => slugs === null || slugs.includes(slug));
    const unheard = unheardOf(context.policy, context.failing(), applications, audience, clock.now());
    return [...ours(), ...unread, ...unheard];
  }

  return { ours, all };
}

// Below: for `/metrics`, counts of reports and gaps, times of the last work, and the size of the database. Reading them
// changes nothing.

export interface Measures {
  readonly intake: SeenIntake;
  readonly tickedAt: Instant | null;
  readonly committedAt: Instant | null;
  readonly database: { readonly bytes: number; readonly free: number };
  /** `ever` is how many gaps this database has ever had. `last` is the newest one; `null` when there was none. */
  readonly gaps: {
    readonly ever: number;
    readonly last: { readonly endedAt: Instant; readonly silentMs: number } | null;
  };
}

type MeasuresParts = Readonly<{ context: EngineContext; seen: () => SeenIntake; vitalSigns: VitalSigns }>;

/** Reads the counts, times and sizes that `/metrics` shows. Throws when storage fails. */
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
