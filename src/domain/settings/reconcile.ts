// Reconciliation: what a registry does to its application's monitors, as one action for each monitor. Pure: it reads
// and writes no rows; transition.ts decides what an action does to a monitor's slots and incidents.

import { isActive, type PauseKind, type Pauses, type Watch } from "../monitor/monitor.ts";
import type { Signal } from "../monitor/transition.ts";
import { declaredAfter } from "./declared.ts";
import type { Declared } from "./settings.ts";

export interface RegistryEntry {
  readonly key: string;
  /** A `null` field is not set by the registry, so the known value stays (R42). */
  readonly declared: Declared;
  /** The metadata as JSON; `null` when the registry sets none. */
  readonly metadata: string | null;
}

/** An entry that cannot be accepted as declared (R29). */
export interface EntryFault {
  /** Empty when the entry has no readable key. */
  readonly key: string;
  readonly error: string;
  /** True when the schedule is invalid or the key unreadable, because the registry's intention is then unknown. */
  readonly blocksRemoval: boolean;
}

export interface Registry {
  readonly source: string;
  /** The integration's version, used only for diagnosis; `null` when it sent none. */
  readonly version: string | null;
  /** Whether monitors of this source that the registry does not name are paused (R28). */
  readonly authoritative: boolean;
  /** The entries in the order in which they were sent. */
  readonly entries: readonly (RegistryEntry | EntryFault)[];
}

/** A monitor of the application as it is now. The caller must give all that the registry names or may withdraw. */
export interface KnownMonitor {
  readonly id: number;
  readonly key: string;
  /** The registry that declared the monitor last; `null` when no registry did (R30). */
  readonly source: string | null;
  readonly declared: Declared;
  readonly metadata: string | null;
  readonly pauses: Pauses;
}

export interface Update {
  readonly action: "updated" | "unchanged";
  readonly entry: RegistryEntry;
  readonly known: KnownMonitor;
  readonly declared: Declared;
  readonly metadata: string | null;
  readonly lifts: readonly PauseKind[];
  /** True when the monitor would become active but the plan has no room for it, so the plan pauses it. */
  readonly limited: boolean;
}

export type Action =
  | { readonly action: "created" | "created_plan_limited"; readonly entry: RegistryEntry }
  | Update
  | { readonly action: "paused_removed"; readonly known: KnownMonitor };

export interface Reconciliation {
  readonly actions: readonly Action[];
  /** The last entry of each key that cannot be accepted, and every entry without a readable key. */
  readonly faults: readonly EntryFault[];
  /** Earlier entries of a key that still prevent removal (R29), by key. */
  readonly superseded: readonly EntryFault[];
  /** Monitors that would be withdrawn if no fault prevented it, by key. */
  readonly withheld: readonly KnownMonitor[];
}

const isFault = (entry: RegistryEntry | EntryFault): entry is EntryFault => "error" in entry;
const isEntry = (entry: RegistryEntry | EntryFault): entry is RegistryEntry => !isFault(entry);

/**
 * Decides what happens to every monitor: first those that are withdrawn, because others may need their room, then known
 * ones, then new ones, each sorted by key. So the registry's order only decides which of two entries of one key is the
 * last. `capacity` is how many more monitors may be active now, Infinity without a limit (R34); the plan pauses those
 * for which there is no room. Monitors are never deleted. An invalid schedule prevents removal, even when a later entry
 * of the same key is valid (R29).
 */
export function reconcile(registry: Registry, known: readonly KnownMonitor[], capacity: number): Reconciliation {
  const last = lastDeclarations(registry.entries);
  const entries = last.filter(isEntry).sort(byKey);
  const faults = last.filter(isFault).sort(byKey);
  const named = new Set(last.map(({ key }) => key));
  const byTheirKey = new Map(known.map((monitor) => [monitor.key, monitor]));
  const gone = registry.authoritative ? known.filter((monitor) => isGone(monitor, registry.source, named)) : [];
  const blocking = registry.entries.filter(isFault).filter(({ blocksRemoval }) => blocksRemoval);
  const withdrawn = blocking.length === 0 ? gone : [];

  let room = capacity + withdrawn.filter(({ pauses }) => isActive(pauses)).length;
  const takeRoom = (): boolean => {
    if (room < 1) return false;
    room--;
    return true;
  };
  const removals = withdrawn.sort(byKey).map((known): Action => ({ action: "paused_removed", known }));
  const updates = entries.flatMap((entry) => {
    const monitor = byTheirKey.get(entry.key);
    return monitor === undefined ? [] : [updateOf(monitor, entry, takeRoom)];
  });
  const creations = entries
    .filter(({ key }) => !byTheirKey.has(key))
    .map((entry): Action => ({ action: takeRoom() ? "created" : "created_plan_limited", entry }));
  return {
    actions: [...removals, ...updates, ...creations],
    faults,
    superseded: blocking.filter((fault) => !last.includes(fault)).sort(byKey),
    withheld: blocking.length === 0 ? [] : gone.sort(byKey),
  };
}

/** The last entry of each key, and every entry without a readable key. */
function lastDeclarations(entries: readonly (RegistryEntry | EntryFault)[]): (RegistryEntry | EntryFault)[] {
  const lastPlaces = new Map(entries.map(({ key }, place) => [key, place]));
  return entries.filter(({ key }, place) => key === "" || lastPlaces.get(key) === place);
}

const isGone = ({ key, source, pauses }: KnownMonitor, from: string, named: ReadonlySet<string>): boolean =>
  source === from && !named.has(key) && !pauses.discovery;

function updateOf(known: KnownMonitor, entry: RegistryEntry, takeRoom: () => boolean): Action {
  const declared = declaredAfter(known.declared, entry.declared);
  const metadata = entry.metadata ?? known.metadata;
  const { manual, discovery, plan } = known.pauses;
  // Whether the plan pauses the monitor. One that a person paused without an end needs no room when its other pauses
  // end.
  const limited = (discovery || plan) && isActive({ manual, discovery: false, plan: false }) && !takeRoom();
  const lifts: PauseKind[] = [];
  if (discovery) lifts.push("discovery");
  if (plan && !limited) lifts.push("plan");
  const changed = declared !== known.declared || metadata !== known.metadata || lifts.length > 0;
  return { action: changed ? "updated" : "unchanged", entry, known, declared, metadata, lifts, limited };
}

const byKey = (one: { readonly key: string }, other: { readonly key: string }): number =>
  one.key < other.key ? -1 : Number(one.key > other.key);

export const PAUSE_BY_PLAN = { kind: "pause", pause: "plan" } as const;

/** The signals that an update sends to its monitor, in this order. `watch` holds the values that come into force. */
export function signalsOf({ known, declared, limited, lifts }: Update, watch: Watch): readonly Signal[] {
  const signals: Signal[] = [];
  if (declared !== known.declared) signals.push({ kind: "declare", watch });
  // The plan pauses before the other pause is lifted, so that the monitor is not watched between the two.
  if (limited && !known.pauses.plan) signals.push(PAUSE_BY_PLAN);
  for (const pause of lifts) signals.push({ kind: "resume", pause });
  return signals;
}
