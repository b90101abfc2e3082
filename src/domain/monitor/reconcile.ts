// Reconciliation: compares the list that a registry sends with the application's monitors, and decides one action for
// each. Pure; it reads and writes no rows. What an action means for slots and incidents is decided by transition.ts.

import { declaredAfter } from "../settings/declared.ts";
import type { Declared } from "../settings/settings.ts";
import { isActive, type PauseKind, type Pauses, type Watch } from "./monitor.ts";
import type { Signal } from "./transition.ts";

export interface RegistryEntry {
  readonly key: string;
  /** A field that is `null` declares nothing, so the known value stays (R42). */
  readonly declared: Declared;
  /** The metadata as JSON; `null` when the registry sent none. */
  readonly metadata: string | null;
}

/** An entry of the registry's list that cannot be accepted (R29). */
export interface EntryFault {
  /** The key of the entry; empty when it cannot be read. */
  readonly key: string;
  readonly error: string;
  /**
   * Whether no monitor may be withdrawn because of this fault. That is so when the schedule is invalid or the key
   * unreadable, because what the registry wants is then unknown.
   */
  readonly blocksRemoval: boolean;
}

export interface Registry {
  readonly source: string;
  /** The version of the registry's program, which only people read; `null` when it sent none. */
  readonly version: string | null;
  /** Whether the list is complete: monitors of this source that it does not name are then paused (R28). */
  readonly authoritative: boolean;
  readonly entries: readonly (RegistryEntry | EntryFault)[];
}

/** A monitor as it is now. The caller must pass all that the registry's list names or that may be withdrawn. */
export interface KnownMonitor {
  readonly id: number;
  readonly key: string;
  /** The source of the registry that declared the monitor last; `null` when no registry did (R30). */
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
  /** True when the paid plan has no room for the monitor to become active (R34). Then the pause `plan` is in force. */
  readonly limited: boolean;
}

export type Action =
  | { readonly action: "created" | "created_plan_limited"; readonly entry: RegistryEntry }
  | Update
  | { readonly action: "paused_removed"; readonly known: KnownMonitor };

export interface Reconciliation {
  readonly actions: readonly Action[];
  /**
   * The entries that cannot be accepted, sorted by key. Of several entries with one key only the last counts. Entries
   * without a readable key all count.
   */
  readonly faults: readonly EntryFault[];
  /**
   * Faulty entries that keep all monitors from being withdrawn, although a later entry of the same key replaced them
   * (R29). Sorted by key.
   */
  readonly superseded: readonly EntryFault[];
  /** The monitors that would be withdrawn if no fault prevented it, sorted by key. */
  readonly withheld: readonly KnownMonitor[];
}

const isFault = (entry: RegistryEntry | EntryFault): entry is EntryFault => "error" in entry;
const isEntry = (entry: RegistryEntry | EntryFault): entry is RegistryEntry => !isFault(entry);

/**
 * Decides what happens to every monitor. Withdrawn monitors come first, because each leaves room for another under the
 * limit of the paid plan; then known ones, then new ones, each sorted by key. Of several entries with one key the last
 * counts. `capacity` is how many more monitors may be active now, Infinity without a limit; those beyond it are paused
 * (R34). No monitor is ever deleted. A fault that blocks removal prevents every withdrawal, even when a later entry of
 * the same key is valid (R29).
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

/** The last entry of each key, and all entries without a readable key. */
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
  // A monitor that a person has paused without an end does not count towards the limit of the paid plan.
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

/** The signals that an update sends to its monitor, in this order. `watch` has the values that come into force. */
export function signalsOf({ known, declared, limited, lifts }: Update, watch: Watch): readonly Signal[] {
  const signals: Signal[] = [];
  if (declared !== known.declared) signals.push({ kind: "declare", watch });
  // The pause by the paid plan begins before the other pause ends, so that the monitor is not watched in between.
  if (limited && !known.pauses.plan) signals.push(PAUSE_BY_PLAN);
  for (const pause of lifts) signals.push({ kind: "resume", pause });
  return signals;
}
