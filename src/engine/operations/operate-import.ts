// What an import does: it creates monitors, changes what differs of those that are there, and lets their old addresses work.
// First it is judged as a whole; then all of it is done in one transaction, or nothing.

import { cleanLine } from "../../domain/clean-text.ts";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { isActive } from "../../domain/monitor/monitor.ts";
import type { Signal } from "../../domain/monitor/transition.ts";
import { type Actor, nameOfActor } from "../../domain/people/person.ts";
import { declaredAnew } from "../../domain/settings/declared.ts";
import { watchOf } from "../../domain/settings/policy.ts";
import { type Declared, sameApplied } from "../../domain/settings/settings.ts";
import type { Instant } from "../../domain/time.ts";
import { type AfterCommit, lookAgain } from "../after-commit.ts";
import { refuseMore } from "../capacity.ts";
import type { EngineContext } from "../context.ts";
import { type MonitorRecord, makeMonitor } from "../monitor-records.ts";
import { findApplication } from "../reads/find-named.ts";
import { type InStretches, wholeOf } from "../reads/in-stretches.ts";
import { applySignals } from "../record.ts";
import type { ImportAnswer } from "./answers/imports.ts";
import { type ImportEntry, type ReadEntry, readEntries, STRETCH } from "./import-entries.ts";
import { type Judged, judgeEntry } from "./judge-import.ts";
import { addOldAddress } from "./operate-addresses.ts";
import { type Operated, type OperationContext, unchanged } from "./operation.ts";

interface ImportRequest {
  readonly service: string;
  /** Null: the only one there is. */
  readonly application: string | null;
  readonly monitors: readonly ImportEntry[];
}

/** Code points. */
const REASON_LENGTH = 200;
const ALL = Number.MAX_SAFE_INTEGER;

export function* previewImport(context: OperationContext, request: ImportRequest): InStretches<ImportAnswer | Refusal> {
  const judged = yield* judge(context, request);
  return isRefusal(judged) ? judged : answerOf(judged);
}

/** Refused as a whole, so that nobody has to find out what was done and what was not. */
export function importMonitors(
  context: OperationContext,
  request: ImportRequest,
  now: Instant,
  by: Actor,
): Operated<ImportAnswer | Refusal> {
  const judged = wholeOf(judge(context, request));
  if (isRefusal(judged)) return unchanged(judged);
  const afterCommit = judged.entries.flatMap((one) => take(context, judged, one, now, by) ?? []);
  context.keyring.forget();
  return { answer: answerOf(judged), afterCommit };
}

interface JudgedImport {
  readonly owner: { readonly id: number; readonly slug: string };
  readonly entries: readonly Judged[];
}

function* judge(
  context: OperationContext,
  { service, application, monitors }: ImportRequest,
): InStretches<JudgedImport | Refusal> {
  const owner = findApplication(context, application);
  if (isRefusal(owner)) return owner;
  const read = yield* readEntries(monitors);
  if (isRefusal(read)) return read;
  const entries: Judged[] = [];
  const keys = new Map<string, ReadEntry>();
  const deleted = new Set(context.store.deletedMonitors.newest(owner.id, 0, ALL).map(({ key }) => key));
  for (const [place, entry] of read.entries()) {
    if (place % STRETCH === STRETCH - 1) yield;
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
  refuse(
    "INVALID_REQUEST",
    `${other.field}, ${one.field}: both are monitor ${JSON.stringify(key)}, each must be its own`,
  );

/** Those that would be active and are not now (R34). */
const activated = ({ before, entry, imported }: Judged): boolean =>
  before === null
    ? entry.pausedBecause === null
    : imported.pause === "resumed" && isActive({ ...before.monitor.pauses, manual: null });

/** Null: there is nothing left to do for it. */
function take(
  context: OperationContext,
  { owner }: JudgedImport,
  { key, before, entry, imported }: Judged,
  now: Instant,
  by: Actor,
): AfterCommit | null {
  const made = before ?? makeMonitor(context, owner, key, entry.declared, now);
  const done = changeIt(context, made, before === null ? made.declared : entry.declared, { entry, imported }, now, by);
  // Judged before: it is free, or reports this monitor.
  for (const address of entry.addresses)
    addOldAddress(context, { address, owner, monitorKey: key, prefix: null }, now, false);
  return done ?? (before === null ? lookAgain(made, made.wakeAt) : null);
}

/** Null: nothing of it changes. */
function changeIt(
  context: EngineContext,
  before: MonitorRecord,
  said: Declared,
  { entry: { pausedBecause }, imported: { pause } }: Pick<Judged, "entry" | "imported">,
  now: Instant,
  by: Actor,
): AfterCommit | null {
  const signals: Signal[] = [];
  const declared = declaredAnew(before.declared, said);
  if (declared !== before.declared) {
    const watch = watchOf(before.policy, declared);
    context.store.monitors.saveSettings(before.id, declared, watch, now);
    signals.push(sameApplied(watch, before.monitor.watch) ? { kind: "wake" } : { kind: "declare", watch });
  }
  if (pause === "paused") {
    const reason = cleanLine(pausedBecause ?? "", REASON_LENGTH) || null;
    context.store.pausesByHand.save({ monitorId: before.id, at: now, until: null, name: nameOfActor(by), reason });
    signals.push({ kind: "pause", pause: "manual", until: null });
  }
  if (pause === "resumed") signals.push({ kind: "resume", pause: "manual" });
  const [first, ...others] = signals;
  if (first === undefined) return null;
  return applySignals(context, before, [first, ...others], now).afterCommit;
}

const answerOf = ({ owner, entries }: JudgedImport): ImportAnswer => ({
  application: owner.slug,
  monitors: entries.map(({ imported }) => imported),
});
