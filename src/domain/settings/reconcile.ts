// Reconciliation: what a registry does to its application's monitors, as one action for each monitor. Pure: reads and
// writes no rows; transition.ts decides what an action does to a monitor's slots and incidents.

import { isActive, type PauseKind, type Pauses, type Watch } from "../monitor/monitor.ts";
import type { Signal } from "../monitor/transition.ts";
import { declaredAfter } from "./declared.ts";
import type { Declared } from "./settings.ts";

export interface RegistryEntry {
  readonly key: string;
  /** Null: the registry does not set it, and the known value stays (R42). */
  readonly declared: Declared;
  /** As JSON; null as above. */
  readonly metadata: string | null;
}

/** An entry that we cannot accept as declared (R29). */
export interface EntryFault {
  /** Empty when it has no readable key. */
  readonly key: string;
  readonly error: string;
  /** Whether its schedule is invalid or its key unreadable: then we do not know what the registry means. */
  readonly blocksRemoval: boolean;
}

export interface Registry {
  readonly source: string;
  /** The integration's version, for diagnostics alone; null: it sent none. */
  readonly version: string | null;
  /** Whether to pause monitors of this source that the registry does not name (R28). */
  readonly authoritative: boolean;
  /** In the order they were sent. */
  readonly entries: readonly (RegistryEntry | EntryFault)[];
}

/** A monitor of the application as it stands; we need all that the registry names, and all that it may withdraw. */
export interface KnownMonitor {
  readonly id: number;
  readonly key: string;
  /** The registry that declared it last; null: no registry did (R30). */
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
  /** It would be active again, but the plan has no room: the plan pauses it from now on, if it did not before. */
  readonly limited: boolean;
}

export type Action =
  | { readonly action: "created" | "created_plan_limited"; readonly entry: RegistryEntry }
  | Update
  | { readonly action: "paused_removed"; readonly known: KnownMonitor };

export interface Reconciliation {
  readonly actions: readonly Action[];
  /** For each key that cannot be taken its last entry, and all entries without a readable key. */
  readonly faults: readonly EntryFault[];
  /** Earlier entries of a key that still withhold removal (R29), by key. */
  readonly superseded: readonly EntryFault[];
  /** Monitors that would be withdrawn if no fault withheld that, by key. */
  readonly withheld: readonly KnownMonitor[];
}

const isFault = (entry: RegistryEntry | EntryFault): entry is EntryFault => "error" in entry;
const isEntry = (entry: RegistryEntry | EntryFault): entry is RegistryEntry => !isFault(entry);

/**
 * What happens to every monitor: first those that are withdrawn, since others may take their room, then known ones,
 * then new ones, each by key. So the registry's order decides only which of two declarations of one key is the last.
 * `capacity`: how many more monitors may be active now, Infinity without a limit (R34); the plan pauses those that find
 * no room. Nothing is ever deleted. An invalid schedule withholds removal, even where a later declaration of the same
 * key is valid (R29).
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

/** For each key its last entry; an entry without a readable key stands for itself. */
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
  // A monitor that a person paused without an end takes no room when its other pauses end.
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

/** The signals an update sends to its monitor, in this order; `watch`: the values it puts in force. */
export function signalsOf({ known, declared, limited, lifts }: Update, watch: Watch): readonly Signal[] {
  const signals: Signal[] = [];
  if (declared !== known.declared) signals.push({ kind: "declare", watch });
  // Before we lift the other pause, because nothing is watched between the two.
  if (limited && !known.pauses.plan) signals.push(PAUSE_BY_PLAN);
  for (const pause of lifts) signals.push({ kind: "resume", pause });
  return signals;
}
