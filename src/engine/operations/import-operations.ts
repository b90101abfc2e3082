// The operations that import monitors from another service. `import preview` shows what would be done; `import` does
// everything, or nothing.

import Type from "typebox";
import { isRefusal, problemOf, type Refusal, refuseField } from "../../domain/errors.ts";
import { importedPauseReason } from "../../domain/imported-pause.ts";
import { type InPieces, wholeOf } from "../../domain/in-pieces.ts";
import { IMPORTED_MAX } from "../../domain/limits.ts";
import { isActive } from "../../domain/monitor/monitor.ts";
import type { Signal } from "../../domain/monitor/transition.ts";
import { type Actor, nameOfActor } from "../../domain/people/person.ts";
import { declaredAfter } from "../../domain/settings/declared.ts";
import { monitorPolicy, watchOf } from "../../domain/settings/policy.ts";
import { type Declared, sameApplied } from "../../domain/settings/settings.ts";
import { cleanLine } from "../../domain/text.ts";
import type { Instant } from "../../domain/time.ts";
import type { OldAddressRow } from "../../store/old-address-rows.ts";
import { type MonitorRecord, namedMonitorWithPolicy } from "../../views/completed-monitors.ts";
import { findApplication } from "../../views/find-named.ts";
import { summaryById } from "../../views/monitor-summaries.ts";
import { IMPORT, type ImportAnswer, type Imported } from "../../views/schemas/address-schemas.ts";
import { listOf, nullable, object, TEXT } from "../../views/schemas/schema-kinds.ts";
import { DECLARED_VALUES } from "../../views/schemas/setting-schemas.ts";
import { refuseMore } from "../capacity.ts";
import { type AfterCommit, armOnly, type EngineContext } from "../engine-context.ts";
import { addOldAddress, addressTaken, knownAddress } from "../keep-old-addresses.ts";
import { makeMonitor } from "../new-monitors.ts";
import { applySignals, declareSignal } from "../record.ts";
import { aboutOwner } from "./about.ts";
import { changesTo } from "./change-monitor.ts";
import { optionalText, text } from "./fields.ts";
import { AT_ONCE, type ReadEntry, readImportEntries } from "./import-entries.ts";
import { judgeRouting, ROUTING_INPUT } from "./import-routing.ts";
import { type Asked, acts, looks, type OperationContext, withoutAfterCommit } from "./operation.ts";

// An import creates monitors, changes existing ones that differ, and makes their old addresses work here. First it is
// judged as a whole. Then all of it is done in one transaction.

/** How many code points (characters) the reason for a pause may have. Longer ones are cut. */
const REASON_LENGTH = 200;
const ALL = Number.MAX_SAFE_INTEGER;

function* previewImport(context: OperationContext, request: Asked<typeof INPUT>): InPieces<ImportAnswer | Refusal> {
  const judged = yield* judge(context, request);
  return isRefusal(judged) ? judged : answerOf(judged, routingOf(context, judged, request));
}

const routingOf = (context: OperationContext, { owner, entries }: JudgedImport, request: Asked<typeof INPUT>) =>
  judgeRouting(context, owner.slug, request, new Map(entries.map(({ entry, key }) => [entry.key, key])));

interface JudgedImport {
  readonly owner: { readonly id: number; readonly slug: string };
  readonly entries: readonly JudgedEntry[];
}

function* judge(
  context: OperationContext,
  { service, application, monitors }: Asked<typeof INPUT>,
): InPieces<JudgedImport | Refusal> {
  const owner = findApplication(context, application);
  if (isRefusal(owner)) return owner;
  const read = yield* readImportEntries(monitors);
  if (isRefusal(read)) return read;
  const entries: JudgedEntry[] = [];
  const keys = new Map<string, ReadEntry>();
  const deleted = new Set(context.store.deletedMonitors.newest(owner.id, 0, ALL).map(({ key }) => key));
  for (const [place, entry] of read.entries()) {
    if (place % AT_ONCE === AT_ONCE - 1) yield;
    const judged = judgeEntry(context, { owner, deleted, service }, entry);
    if (isRefusal(judged)) return judged;
    const other = keys.get(judged.key);
    if (other !== undefined) return sameMonitor(entry, other, judged.key);
    keys.set(judged.key, entry);
    entries.push(judged);
  }
  return refuseMore(context, owner, entries.filter(activated).length) ?? { owner, entries };
}

const sameMonitor = (one: ReadEntry, other: ReadEntry, key: string): Refusal =>
  refuseField(`${other.field}, ${one.field}`, `both are monitor ${JSON.stringify(key)}, each must be its own`);

/**
 * Whether the entry creates or resumes an active monitor, so that it needs room in the application's paid plan (R34).
 */
const activated = ({ before, entry, imported }: JudgedEntry): boolean =>
  before === null
    ? entry.pausedBecause === null
    : imported.pause === "resumed" && isActive({ ...before.monitor.pauses, manual: null });

/** Carries out one entry. Returns the work for after the commit, or `null` when there is none. */
function importEntry(
  context: OperationContext,
  { owner }: JudgedImport,
  { key, before, entry, imported }: JudgedEntry,
  now: Instant,
  by: Actor,
): AfterCommit | null {
  const made = before ?? makeMonitor(context, owner, key, entry.declared, now);
  const done = changeByImport(
    context,
    made,
    before === null ? made.declared : entry.declared,
    { entry, imported },
    now,
    by,
  );
  // Judging has made sure that each address is free or reports this very monitor.
  for (const address of entry.addresses)
    addOldAddress(context, { address, owner, monitorKey: key, prefix: null }, now, false);
  return done ?? (before === null ? armOnly(made, made.wakeAt) : null);
}

/** Gives the monitor the settings and the pause that the import has for it. Returns `null` when nothing changes. */
function changeByImport(
  context: EngineContext,
  before: MonitorRecord,
  said: Declared,
  { entry: { pausedBecause }, imported: { pause } }: Pick<JudgedEntry, "entry" | "imported">,
  now: Instant,
  by: Actor,
): AfterCommit | null {
  const signals: Signal[] = [];
  const declared = declaredAfter(before.declared, said);
  if (declared !== before.declared) {
    const watch = watchOf(monitorPolicy(context.policy, before.application, before.key, declared));
    context.store.monitors.saveSettings(before.id, declared, watch, now);
    signals.push(sameApplied(watch, before.monitor.watch) ? { kind: "wake" } : declareSignal(context, before, watch));
  }
  if (pause === "paused") {
    const reason = cleanLine(pausedBecause ?? "", REASON_LENGTH) || null;
    context.store.pausesByHand.save({ monitorId: before.id, at: now, until: null, name: nameOfActor(by), reason });
    signals.push({ kind: "pause", pause: "manual", until: null });
  }
  if (pause === "resumed") {
    context.store.pausesByHand.end(before.id);
    signals.push({ kind: "resume", pause: "manual" });
  }
  const [first, ...others] = signals;
  if (first === undefined) return null;
  return applySignals(context, before, [first, ...others], now).afterCommit;
}

const answerOf = (
  { owner, entries }: JudgedImport,
  { save: _save, ...routing }: ReturnType<typeof judgeRouting>,
): ImportAnswer => ({
  ...routing,
  application: owner.slug,
  monitors: entries.map(({ imported }) => imported),
});

// Below: judges what an import would do to one monitor. Nothing is changed.

interface JudgedEntry {
  readonly entry: ReadEntry;
  readonly key: string;
  /** The monitor as it is now; `null` when the import creates it. */
  readonly before: MonitorRecord | null;
  readonly imported: Imported;
}

interface Move {
  readonly owner: { readonly id: number; readonly slug: string };
  readonly deleted: ReadonlySet<string>;
  readonly service: string;
}

/**
 * Judges one entry. If one of its addresses works here already, the entry means the monitor of that address, whatever
 * key it has now. Otherwise it means the monitor with the entry's key.
 */
function judgeEntry(context: EngineContext, move: Move, entry: ReadEntry): JudgedEntry | Refusal {
  const { owner } = move;
  const known = entry.addresses.map((address) => knownAddress(context, address));
  const working = known.filter((one): one is OldAddressRow => one !== null && one.revokedAt === null);
  const key = working.find(({ application }) => application === owner.slug)?.monitorKey ?? entry.key;
  const taken = working.find((one) => one.application !== owner.slug || one.monitorKey !== key);
  if (taken !== undefined) {
    const refused = addressTaken(taken);
    return refuseField(`${entry.field}.addresses`, problemOf(refused), refused.refusal);
  }
  const before = namedMonitorWithPolicy(context, owner.id, key, null);
  const added = known.filter((one) => one === null).length;
  const changes = before === null ? [] : changesTo(declaredAfter(before.declared, entry.declared), before);
  const pause = pauseOf(context, before, entry, move);
  const differs = changes.length > 0 || pause !== null || added > 0;
  const imported: Imported = {
    key,
    askedAs: key === entry.key ? null : entry.key,
    done: before === null ? "created" : differs ? "changed" : "unchanged",
    found: foundOf(move, key, before, known),
    changes,
    pause,
    addresses: { added, there: working.length, revoked: known.length - added - working.length },
  };
  return { entry, key, before, imported };
}

/**
 * Says what this rollcall already has under the entry's key: nothing, a deleted monitor, or a monitor. An import stores
 * the addresses of its entry. So a monitor counts as made here (`own`) when the entry has addresses and none of them is
 * stored. Every other monitor is `other`.
 */
function foundOf(
  { deleted }: Move,
  key: string,
  before: MonitorRecord | null,
  known: readonly (OldAddressRow | null)[],
): Imported["found"] {
  if (before === null) return deleted.has(key) ? "deleted" : "nothing";
  return known.length > 0 && known.every((one) => one === null) ? "own" : "other";
}

/**
 * Decides what the import does to the monitor's pause by hand; `null` for nothing. It ends a pause that an earlier
 * import made, when the job is no longer paused at the other service. It leaves a pause that a person made here.
 */
function pauseOf(
  context: EngineContext,
  before: MonitorRecord | null,
  { pausedBecause }: ReadEntry,
  { service }: Move,
): Imported["pause"] {
  if (before === null || before.monitor.pauses.manual === null) return pausedBecause === null ? null : "paused";
  if (pausedBecause !== null) return null;
  const asked = summaryById(context, before.id, before.monitor.changedAt).pauses.manual?.asked;
  return asked?.reason === importedPauseReason(service) ? "resumed" : null;
}

const ENTRY = object({
  key: TEXT,
  ...DECLARED_VALUES,
  /** Why the monitor is paused at the other service, so that it is paused here too; `null` when it is not. */
  pausedBecause: nullable(TEXT),
  /** The secret addresses at the other service to which its jobs report now. */
  addresses: listOf(TEXT),
});

const INPUT = {
  service: text({ description: "the name of the service from which they come, for people" }),
  application: optionalText({ description: "the application that gets them (default: the only one)" }),
  monitors: Type.Array(ENTRY, {
    minItems: 1,
    maxItems: IMPORTED_MAX,
    secret: true,
    description: `the monitors, 1 to ${IMPORTED_MAX}: settings are null where nothing is declared`,
  }),
  ...ROUTING_INPUT,
};

const IMPORTING = {
  examples: [],
  noCommand: "`rollcall import SERVICE` reads the other service, and asks for it",
  input: INPUT,
  answer: IMPORT,
  role: "admin" as const,
  about: (context: OperationContext, { application }: { readonly application: string | null }) =>
    aboutOwner(context, application),
};

export const IMPORT_OPERATIONS = {
  import: acts({
    ...IMPORTING,
    summary: "take over the monitors of another service: create them, or change what differs, with their old addresses",
    inAudit: "imported jobs of another service",
    /** When any part is refused, the whole import is, so that a person never has to find out which part was done. */
    run: (context, request, now, by) => {
      const judged = wholeOf(judge(context, request));
      if (isRefusal(judged)) return withoutAfterCommit(judged);
      const routing = routingOf(context, judged, request);
      const refused = routing.save.length === 0 ? null : context.kept.change(routing);
      if (refused !== null) return withoutAfterCommit(refused);
      const afterCommit = judged.entries.flatMap((one) => importEntry(context, judged, one, now, by) ?? []);
      context.keyring.forget();
      return { answer: answerOf(judged, routing), afterCommit };
    },
  }),
  "import preview": looks({
    ...IMPORTING,
    summary: "say what an import would do, and change nothing",
    run: previewImport,
  }),
};
