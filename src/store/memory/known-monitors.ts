// Keeps what was read of monitors' rows, by their keys, so that a report need not read them: they change rarely, and
// jobs report every minute. It holds nothing that a rollback could undo, so it needs no rollback itself.

import type { Instant } from "../../domain/time.ts";
import { type SharedSettings, sharedIn } from "../monitor-settings.ts";
import type { TransactionMemory } from "./transaction-memory.ts";

/**
 * Everything about a monitor that its reports do not change: its identity and its settings. `applied` was in force at
 * the last save.
 */
export interface MonitorIdentity extends SharedSettings {
  readonly id: number;
  readonly applicationId: number;
  readonly key: string;
  readonly createdAt: Instant;
  /** When declared or configured values last changed; pings do not count (R29). */
  readonly updatedAt: Instant;
}

/** How many monitors are kept; others are read for each report. */
const KEPT = 131_072;
/** How many different settings are kept. All monitors with the same settings share one object. */
const SHARED_KEPT = 4_096;

const nothing = (): void => {};

export function createKnownMonitors() {
  const byApplication = new Map<number, Map<string, MonitorIdentity>>();
  const shared = new Map<string, SharedSettings>();
  let count = 0;
  /** True when the current transaction has changed a row, so that what it reads from now on may be rolled back. */
  let isChanging = false;

  /** Reads the settings in a text that SHARED_AS_TEXT made. Monitors with equal settings get the same objects. */
  function sharing(text: string): SharedSettings {
    const known = shared.get(text);
    if (known !== undefined) return known;
    const settings = sharedIn(text);
    if (shared.size < SHARED_KEPT) shared.set(text, settings);
    return settings;
  }

  function keep(monitor: MonitorIdentity): void {
    if (isChanging || count >= KEPT) return;
    const { applicationId, key } = monitor;
    const ofApplication = byApplication.get(applicationId) ?? new Map<string, MonitorIdentity>();
    byApplication.set(applicationId, ofApplication);
    ofApplication.set(key, monitor);
    count++;
  }

  function settled(): () => void {
    isChanging = false;
    return nothing;
  }

  return {
    /** The id of the monitor; `null` when it is not known here, or does not exist. */
    get: (applicationId: number, key: string) =>
      isChanging ? null : (byApplication.get(applicationId)?.get(key) ?? null),
    sharing,
    /** Remembers a monitor that was read, if there is room. */
    keep,
    /**
     * Notes that the transaction inserts a row, which changes nothing that is known. Must be called in that
     * transaction.
     */
    adding: (): void => {
      isChanging = true;
    },
    /**
     * Forgets everything, because a row is changed, which happens rarely. Must be called in the transaction that
     * changes it.
     */
    changing: (): void => {
      isChanging = true;
      byApplication.clear();
      shared.clear();
      count = 0;
    },
    /** When a new transaction begins, the one before has been committed or rolled back. */
    memory: { begin: settled, mark: () => nothing } satisfies TransactionMemory,
  };
}

export type KnownMonitors = ReturnType<typeof createKnownMonitors>;
