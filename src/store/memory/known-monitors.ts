// What was read of monitors' rows, by their keys, so that a report reads them once: they change seldom, and jobs report
// every minute. Holds nothing that a rollback could take back, and so needs none.

import type { Instant } from "../../domain/time.ts";
import { type SharedSettings, sharedIn } from "../monitor-settings.ts";
import type { TransactionMemory } from "./transaction-memory.ts";

/** Identity and settings: all of a monitor that its reports do not change. `applied`: in force at the last save. */
export interface MonitorIdentity extends SharedSettings {
  readonly id: number;
  readonly applicationId: number;
  readonly key: string;
  readonly createdAt: Instant;
  /** R29: moves with declared or configured values, not with pings. */
  readonly updatedAt: Instant;
}

/** So many are kept; others are read for each report. */
const KEPT = 131_072;
/** Different settings that are held once for all monitors that share them. */
const SHARED_KEPT = 4_096;

const nothing = (): void => {};

export function createKnownMonitors() {
  const byApplication = new Map<number, Map<string, MonitorIdentity>>();
  const shared = new Map<string, SharedSettings>();
  let count = 0;
  /** The transaction under way has changed a row: what it reads from now on may be taken back. */
  let isChanging = false;

  /** What this text of SHARED_AS_TEXT says: the same objects for all that share it. */
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
    /** Null: it is not known, or there is none. */
    get: (applicationId: number, key: string) =>
      isChanging ? null : (byApplication.get(applicationId)?.get(key) ?? null),
    sharing,
    /** Remembers a monitor that was read, if there is room. */
    keep,
    /** To be called in a transaction that inserts a row: nothing that is known has changed. */
    adding: (): void => {
      isChanging = true;
    },
    /** To be called in a transaction that changes a row: forgets all, for that happens seldom. */
    changing: (): void => {
      isChanging = true;
      byApplication.clear();
      shared.clear();
      count = 0;
    },
    /** With a new transaction, the one before has been committed or taken back. */
    memory: { begin: settled, mark: () => nothing } satisfies TransactionMemory,
  };
}

export type KnownMonitors = ReturnType<typeof createKnownMonitors>;
