// Applies the configuration and planned maintenance to every monitor. A start does it for all monitors at once, a
// reload for some in each turn. If a start finds that both are in force already, it goes by the stored due times and
// reads the monitors later.

import { type InPieces, piecesOf, wholeOf } from "../../domain/in-pieces.ts";
import type { Watch } from "../../domain/monitor/monitor.ts";
import { isOneTimeMaintenance, sameWindows } from "../../domain/schedule/maintenance.ts";
import { hasSlots } from "../../domain/schedule/rhythm.ts";
import { formerZone, keepZone, zoneText } from "../../domain/schedule/zone.ts";
import { type Policy, watchOf } from "../../domain/settings/policy.ts";
import { DEFAULTS, sameApplied } from "../../domain/settings/settings.ts";
import type { Instant } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";
import { monitorWithPolicy } from "../../views/completed-monitors.ts";
import type { AfterCommit, EngineContext } from "../engine-context.ts";
import type { NoticeTools } from "../outbox/review.ts";
import { applySignals, declareSignal, saveConfigured } from "../record.ts";
import type { MonitorMemory } from "./monitor-memory.ts";
import { moveMaintenances, withPlannedMaintenance } from "./planned-maintenance.ts";
import { rulesBeforeByRuntime } from "./rules-before.ts";
import { rearmUnchangedMonitor } from "./wake.ts";
import type { Wheel } from "./wheel.ts";

const READ_A_PIECE = 100;
/** How many monitors a reload changes in one turn. */
export const DECLARED_A_PIECE = 50;
const ARMED_AT_ONCE = 1_000;

export type ApplyParts = Omit<NoticeTools, "gaps"> & Readonly<{ memory: MonitorMemory; wheel: Wheel }>;

/**
 * Applies the configuration at a start. Must be called once, after the configured applications and monitors were
 * created.
 */
export function applyConfiguration(parts: ApplyParts): void {
  const { context, wheel, background, clock, committer } = parts;
  const { store } = context;
  useZonesOf(parts);
  const now = clock.now();
  committer.one(() => moveMaintenances(store, now));
  Object.assign(context, { policy: withPlannedMaintenance(context.policy, store, now) });
  const { policy } = context;
  if (store.liveness.applied() !== fingerprintOf(policy) || changedZones(store).size > 0) {
    wholeOf(declareAll(parts, Number.POSITIVE_INFINITY));
    return;
  }
  // Until each monitor has been read, the wheel goes by the stored due times. A due time that is too early does no
  // harm, because looking at a monitor early changes nothing (R19).
  for (const page of store.monitors.wakes(ARMED_AT_ONCE))
    for (const { monitorId, wakeAt } of page) wheel.arm(monitorId, wakeAt);
  background.laterThrough(readAll(parts));
}

/**
 * Applies the configuration to each monitor, to `atOnce` of them in one transaction. Ends early when the configuration
 * changes meanwhile. Throws when storage fails; another call of this function, or the next start, then does the rest.
 * `applicationId` limits it to one application, because the configuration is in force for all others; `null` means all.
 */
export function* declareAll(
  parts: ApplyParts,
  atOnce = DECLARED_A_PIECE,
  applicationId: number | null = null,
): InPieces<void> {
  const { context, clock, committer, memory, log } = parts;
  const { store, policy } = context;
  const fingerprint = fingerprintOf(policy);
  const changed = changedZones(store);
  if (store.liveness.applied() === fingerprint && changed.size === 0) return;
  // The stored fingerprint says which configuration is in force for every monitor. It is removed first: if this work is
  // interrupted, some monitors have the new configuration and others still have the former one.
  committer.one(() => store.liveness.keepApplied(null));
  for (const ids of piecesOf([...store.monitors.ids(applicationId)], atOnce)) {
    if (context.policy !== policy) return;
    const now = clock.now();
    const declared = memory.applyToEach(ids, (id) => declareConfigured(context, id, now, changed), now);
    memory.finish(declared);
    for (const one of declared) if (one?.unwatched) log("warn", "monitor_without_schedule", one.unwatched);
    yield;
  }
  // If a monitor could not be read, the fingerprint stays removed, so that the next start tries again.
  if (memory.unreadable.size > 0) return;
  committer.one(() => {
    store.liveness.keepApplied(fingerprint);
    for (const name of changed.keys()) store.zones.replace({ name, rules: zoneText(name)! });
    zonesOfWindows(policy).forEach(store.zones.use);
  });
  if (changed.size > 0) log("info", "zones_changed", { zones: [...changed.keys()] });
}

// Below: the rules of time zones. When they change, so do the schedules of all monitors in the zone (R12).

/** Returns the zones in use whose rules have changed since they were stored, with the former rules as text. */
function changedZones({ zones }: Store): ReadonlyMap<string, string> {
  const changed = zones.all().filter(({ name, rules }) => (zoneText(name) ?? rules) !== rules);
  return new Map(changed.map(({ name, rules }) => [name, rules]));
}

/**
 * Stores the rules of each zone in use that has none stored. If this release has no rules for a zone, the stored rules
 * go on being used, and the log says so.
 */
function useZonesOf({ context: { store, policy }, committer, log }: ApplyParts): void {
  const known = new Map(store.zones.all().map(({ name, rules }) => [name, rules]));
  const inUse = [...new Set([...store.zones.inUse(), ...zonesOfWindows(policy)])];
  const missing = inUse.filter((name) => !known.has(name));
  // An earlier version stored no rules and used those of the runtime. These are stored as the former rules. So the move
  // to this release's rules counts as a change of the zone and raises no alarm.
  const isOlder = known.size === 0 && store.liveness.applied() !== null;
  const keep = (name: string): void => {
    const before = isOlder ? rulesBeforeByRuntime(name) : null;
    if (before === null) store.zones.use(name);
    else store.zones.replace({ name, rules: before });
  };
  if (missing.length > 0) committer.one(() => missing.forEach(keep));
  for (const zone of inUse) {
    if (zoneText(zone) !== null) continue;
    const rules = known.get(zone);
    if (rules !== undefined) keepZone(zone, rules);
    log("warn", "zone_unknown", { zone, rule: `no release of zone rules has ${zone}: give its monitors another zone` });
  }
}

/** Returns the monitor's settings with the former rules of its zones; `null` when none of its zones has changed. */
function formerWatch(watch: Watch, changed: ReadonlyMap<string, string>): Watch | null {
  const former = (zone: string): string => {
    const rules = changed.get(zone);
    return rules === undefined ? zone : formerZone(zone, rules);
  };
  const timezone = former(watch.timezone);
  const maintenance = watch.maintenance.map((window) =>
    isOneTimeMaintenance(window) || window.timezone === null
      ? window
      : { ...window, timezone: former(window.timezone) },
  );
  const isSame = timezone === watch.timezone && sameWindows(maintenance, watch.maintenance);
  return isSame ? null : { ...watch, timezone, maintenance };
}

function zonesOfWindows({ applications, planned }: Policy): string[] {
  const configured = [...applications.values()].flatMap(({ maintenance, monitors }) => [
    ...(maintenance ?? []),
    ...[...monitors.values()].flatMap((rules) => rules.maintenance ?? []),
  ]);
  const windows = [...configured, ...[...(planned?.values() ?? [])].flat().map(({ window }) => window)];
  return windows.flatMap((window) => (isOneTimeMaintenance(window) ? [] : (window.timezone ?? [])));
}

/** Reads each monitor, some in each turn, to set its due time in the wheel and to find those that cannot be read. */
function* readAll({ context, clock, memory }: ApplyParts): InPieces<void> {
  const read = (id: number) => {
    const record = monitorWithPolicy(context, id);
    return record === null ? null : rearmUnchangedMonitor(context, record);
  };
  for (const some of piecesOf(context.store.monitors.ids(), READ_A_PIECE)) {
    memory.finish(memory.applyToEach(some, read, clock.now()));
    yield;
  }
}

/** Returns a fingerprint of all that decides when a monitor is due, including the defaults of this release. */
export function fingerprintOf({ timezone, reminders, applications, planned }: Policy): string {
  const rules = [...applications].map(([slug, { timezone, maintenance, monitors }]) => {
    return [slug, timezone, maintenance, [...monitors]];
  });
  const all = [DEFAULTS, timezone, reminders, rules, [...(planned ?? [])]];
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(all)).digest("hex");
}

export interface Declaration extends AfterCommit {
  /**
   * The monitor, when a removed section of the configuration held its only schedule, so that it can no longer be
   * missed; otherwise `null`. The log names it.
   */
  readonly unwatched: { readonly application: string; readonly monitor: string } | null;
}

/**
 * Applies the configuration to one monitor. `changed` has the former rules of the zones that have changed. Must be
 * called in a transaction. Returns `null` when the monitor no longer exists.
 */
function declareConfigured(
  context: EngineContext,
  monitorId: number,
  now: Instant,
  changed: ReadonlyMap<string, string>,
): Declaration | null {
  const before = monitorWithPolicy(context, monitorId);
  if (before === null) return null;
  const watch = watchOf(before.policy);
  const former = formerWatch(before.monitor.watch, changed);
  const isSame = sameApplied(watch, before.monitor.watch);
  if (isSame && former === null) return { ...rearmUnchangedMonitor(context, before), unwatched: null };
  if (!isSame) saveConfigured(context.store, before, watch, now);
  const unwatched = !isSame && !hasSlots(watch) ? { application: before.application, monitor: before.key } : null;
  if (former === null) {
    return { ...applySignals(context, before, [declareSignal(context, before, watch)], now).afterCommit, unwatched };
  }
  // What is overdue is judged first, under the former rules of the zone. So no message about it names the new rules.
  const settled = applySignals(context, before, [{ kind: "wake" }], now);
  const due = monitorWithPolicy(context, monitorId)!;
  const formerly = { ...due, monitor: { ...due.monitor, watch: former } };
  const declared = applySignals(context, formerly, [declareSignal(context, formerly, watch)], now);
  return { ...bothOf(settled.afterCommit, declared.afterCommit), unwatched };
}

const bothOf = (first: AfterCommit, second: AfterCommit): AfterCommit => ({
  ...second,
  raised: [...first.raised, ...second.raised],
  notices: [...first.notices, ...second.notices],
  touchedIncidents: [...first.touchedIncidents, ...second.touchedIncidents],
  isSooner: first.isSooner || second.isSooner,
});
