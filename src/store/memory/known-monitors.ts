// Keeps in memory what was read of monitors' rows, because jobs report every minute and these rows change rarely. What
// a transaction has changed is not kept before its commit, so a rollback needs no undoing here.

import type { Instant } from "../../domain/time.ts";
import { type SharedSettings, storedSharedSettings } from "../monitor-settings.ts";
import type { TransactionMemory } from "./transaction-memory.ts";

/**
 * A monitor's identity and settings, which an ordinary report does not change. `applied` has the settings in force as
 * they were last saved.
 */
export interface MonitorIdentity extends SharedSettings {
  readonly id: number;
  readonly applicationId: number;
  readonly key: string;
  readonly createdAt: Instant;
  /**
   * When declared or configured values last changed. A report changes `updatedAt` only if the report changes such a
   * value (R29).
   */
  readonly updatedAt: Instant;
}

/** How many monitors are kept in memory at most. The row of any further one is read for each of its reports. */
const KEPT = 131_072;
/** How many different sets of settings are kept at most. Monitors with equal settings share one object. */
const SHARED_KEPT = 4_096;

const nothing = (): void => {};

export function createKnownMonitors() {
  const byApplication = new Map<number, Map<string, MonitorIdentity>>();
  const shared = new Map<string, SharedSettings>();
  let count = 0;
  /**
   * True when the present transaction has changed a monitor's row. Monitors that are read from then on are not kept in
   * memory, because the change may be rolled back.
   */
  let isChanging = false;

  /**
   * Returns the settings that `SHARED_AS_TEXT` wrote as `text`. While there is room, equal texts get the same object.
   */
  function sharing(text: string): SharedSettings {
    const known = shared.get(text);
    if (known !== undefined) return known;
    const settings = storedSharedSettings(text);
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
    /** A monitor that is kept in memory; `null` when none with this key is. The monitor may exist all the same. */
    get: (applicationId: number, key: string) =>
      isChanging ? null : (byApplication.get(applicationId)?.get(key) ?? null),
    sharing,
    keep,
    /**
     * Must be called in a transaction that inserts a monitor: monitors that are read from then on are not kept in
     * memory. Those that are kept already stay.
     */
    adding: (): void => {
      isChanging = true;
    },
    /**
     * Must be called in a transaction that changes a monitor's row. Forgets all monitors in memory, because such
     * changes are rare.
     */
    changing: (): void => {
      isChanging = true;
      byApplication.clear();
      shared.clear();
      count = 0;
    },
    /**
     * After `adding` or `changing`, monitors that are read are not kept until the transaction ends. It has ended when
     * the next one begins.
     */
    memory: { begin: settled, mark: () => nothing } satisfies TransactionMemory,
  };
}

export type KnownMonitors = ReturnType<typeof createKnownMonitors>;
