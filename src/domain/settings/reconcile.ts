// Reconciliation: what a registry means for the monitors of its application, as one action for each of them. Pure: it
// reads no row and writes none, and what an action means for a monitor's slots and incidents is transition.ts's business.

import { isActive, type PauseKind, type Pauses, type Watch } from "../monitor/monitor.ts";
import type { Signal } from "../monitor/transition.ts";
import { declaredAnew } from "./declared.ts";
import type { Declared } from "./settings.ts";

/** One monitor as a registry declares it. */
export interface RegistryEntry {
  readonly key: string;
  /** Null: nothing is said of it, and what is known stays (R42). */
  readonly declared: Declared;
  /** As JSON; null as above. */
  readonly metadata: string | null;
}

/** One that cannot be taken as it was declared (R29). */
export interface EntryFault {
  /** Empty when it has none that can be read. */
  readonly key: string;
  /** A sentence for people. */
  readonly error: string;
  /** Whether its schedule is invalid or its key unreadable: then we do not know what the registry means. */
  readonly blocksRemoval: boolean;
}

export interface Registry {
  readonly source: string;
  /** Of the integration, for diagnostics alone; null: it did not say. */
  readonly version: string | null;
  /** Whether monitors of this source that it does not name are to be paused (R28). */
  readonly authoritative: boolean;
  /** In the order in which they were sent. */
  readonly entries: readonly (RegistryEntry | EntryFault)[];
}

/** A monitor of the application as it stands; all that are named by the registry, or belong to its source, are needed. */
export interface KnownMonitor {
  readonly id: number;
  readonly key: string;
  /** Who declared it last; null: no registry did (R30). */
  readonly source: string | null;
  readonly declared: Declared;
  readonly metadata: string | null;
  readonly pauses: Pauses;
}

/** A declaration of a monitor that exists. */
export interface Update {
  readonly action: "updated" | "unchanged";
  readonly entry: RegistryEntry;
  readonly known: KnownMonitor;
  readonly declared: Declared;
  readonly metadata: string | null;
  /** What of its pauses ends. */
  readonly lifts: readonly PauseKind[];
  /** It would be active again, but for the plan: that pauses it from now on, if it did not before. */
  readonly limited: boolean;
}

export type Action =
  | { readonly action: "created" | "created_plan_limited"; readonly entry: RegistryEntry }
  | Update
  | { readonly action: "paused_removed"; readonly known: KnownMonitor };

export interface Reconciliation {
  readonly actions: readonly Action[];
  /** Of each key that cannot be taken its last entry, and all without a readable key. */
  readonly faults: readonly EntryFault[];
  /** Earlier entries of a key that still withhold removal (R29); by key. */
  readonly superseded: readonly EntryFault[];
  /** What would be withdrawn, did no fault withhold it; by key. */
  readonly withheld: readonly KnownMonitor[];
}

const isFault = (entry: RegistryEntry | EntryFault): entry is EntryFault => "error" in entry;
const isEntry = (entry: RegistryEntry | EntryFault): entry is RegistryEntry => !isFault(entry);

/**
 * What becomes of every monitor: of those withdrawn first, whose room others may take; then of the known ones, then of
 * new ones, each by key, so that the order of the registry decides nothing but which of two declarations of a key is the
 * last. `capacity`: how many more monitors may be active now, Infinity without a limit (R34); what it has no room for is
 * paused by the plan. Nothing is ever deleted. An invalid schedule removes nothing, even where a later declaration of the
 * same key is valid (R29).
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

/** Of the entries with one key the last; each that has no readable key stands for itself. */
function lastDeclarations(entries: readonly (RegistryEntry | EntryFault)[]): (RegistryEntry | EntryFault)[] {
  const lastPlaces = new Map(entries.map(({ key }, place) => [key, place]));
  return entries.filter(({ key }, place) => key === "" || lastPlaces.get(key) === place);
}

const isGone = ({ key, source, pauses }: KnownMonitor, from: string, named: ReadonlySet<string>): boolean =>
  source === from && !named.has(key) && !pauses.discovery;

function updateOf(known: KnownMonitor, entry: RegistryEntry, takeRoom: () => boolean): Action {
  const declared = declaredAnew(known.declared, entry.declared);
  const metadata = entry.metadata ?? known.metadata;
  const { manual, discovery, plan } = known.pauses;
  // Who is paused by hand for good takes no room when the rest of its pauses ends.
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

/** What an update says to its monitor, in this order; `watch`: what is in force by it. */
export function signalsOf({ known, declared, limited, lifts }: Update, watch: Watch): readonly Signal[] {
  const signals: Signal[] = [];
  if (declared !== known.declared) signals.push({ kind: "declare", watch });
  // Before the other pause is lifted, because nothing is watched between the two.
  if (limited && !known.pauses.plan) signals.push(PAUSE_BY_PLAN);
  for (const pause of lifts) signals.push({ kind: "resume", pause });
  return signals;
}
