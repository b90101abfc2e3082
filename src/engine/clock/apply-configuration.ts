// Puts the configuration, and maintenance that people planned, in force for every monitor: at a start all at once, at a
// reload a piece a turn. If a start finds it in force, it fills the wheel from stored times, and reads the monitors in
// later turns.

import { type InPieces, piecesOf, wholeOf } from "../../domain/in-pieces.ts";
import type { Watch } from "../../domain/monitor/monitor.ts";
import { reachOf } from "../../domain/pattern.ts";
import { isOnce, sameWindows } from "../../domain/schedule/maintenance.ts";
import { hasSlots } from "../../domain/schedule/rhythm.ts";
import { formerZone, keepZone, zoneText } from "../../domain/schedule/zone.ts";
import { NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import { maintenanceByRules } from "../../domain/settings/planned.ts";
import { isMadeAtStart, type Policy, watchOf, withNotified } from "../../domain/settings/policy.ts";
import { DEFAULTS, sameApplied } from "../../domain/settings/settings.ts";
import type { Instant } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";
import { loadMonitor } from "../../views/completed-monitors.ts";
import type { AfterCommit, EngineContext } from "../engine-context.ts";
import { makeMonitor } from "../new-monitors.ts";
import { planAllAgain } from "../outbox/plan-again.ts";
import type { NoticeTools } from "../outbox/review.ts";
import { applySignals, declaring, saveConfigured } from "../record.ts";
import type { MonitorMemory } from "./monitor-memory.ts";
import { runtimeZoneText } from "./rules-before.ts";
import { rearm } from "./wake.ts";
import type { Wheel } from "./wheel.ts";

const READ_A_TURN = 100;
/** Monitors that a reload puts under the configuration in one turn. */
const DECLARED_A_TURN = 50;
const ARMED_AT_ONCE = 1_000;

type ApplyParts = Omit<NoticeTools, "gaps"> & Readonly<{ memory: MonitorMemory; wheel: Wheel }>;

/** To be called once at a start, after the configured applications and monitors have been created. */
export function applyConfiguration(parts: ApplyParts): void {
  const { context, wheel, turns, clock, committer } = parts;
  const { store } = context;
  useZonesOf(parts);
  const now = clock.now();
  committer.one(() => moveMaintenances(store, now));
  Object.assign(context, { policy: withPlans(context.policy, store, now) });
  const { policy } = context;
  if (store.liveness.applied() !== fingerprintOf(policy) || changedZones(store).size > 0) {
    wholeOf(declareAll(parts, Number.POSITIVE_INFINITY));
    return;
  }
  // An early look changes nothing (R19), so stored times will do until each monitor has been read.
  for (const page of store.monitors.wakes(ARMED_AT_ONCE))
    for (const { monitorId, wakeAt } of page) wheel.arm(monitorId, wakeAt);
  turns.laterThrough(readAll(parts));
}

/**
 * Puts the configuration in force for each monitor, `atOnce` of them in one transaction; nothing is left to do when it
 * is. Ends early when the configuration changes meanwhile. Throws what SQLite throws: another call, or the next start,
 * does it then. `applicationId`: for all others it is in force already.
 */
export function* declareAll(
  parts: ApplyParts,
  atOnce = DECLARED_A_TURN,
  applicationId: number | null = null,
): InPieces<void> {
  const { context, clock, committer, memory, log } = parts;
  const { store, policy } = context;
  const fingerprint = fingerprintOf(policy);
  const changed = changedZones(store);
  if (store.liveness.applied() === fingerprint && changed.size === 0) return;
  // Whatever configuration comes next: some monitors may have this one then.
  committer.one(() => store.liveness.keepApplied(null));
  for (const ids of piecesOf([...store.monitors.ids(applicationId)], atOnce)) {
    if (context.policy !== policy) return;
    const now = clock.now();
    const declared = memory.applyToEach(ids, (id) => declareConfigured(context, id, now, changed), now);
    memory.finish(declared);
    for (const one of declared) if (one?.unwatched) log("warn", "monitor_without_schedule", one.unwatched);
    yield;
  }
  // A monitor that we could not read waits for a start at which we can.
  if (memory.unreadable.size > 0) return;
  committer.one(() => {
    store.liveness.keepApplied(fingerprint);
    for (const name of changed.keys()) store.zones.replace({ name, rules: zoneText(name)! });
    zonesOfWindows(policy).forEach(store.zones.use);
  });
  if (changed.size > 0) log("info", "zones_changed", { zones: [...changed.keys()] });
}

// A zone whose rules have changed is a changed schedule for every monitor in it (R12).

/** The zones that monitors are in whose rules are no longer what they were, each with what it had, as text. */
function changedZones({ zones }: Store): ReadonlyMap<string, string> {
  const changed = zones.all().filter(({ name, rules }) => (zoneText(name) ?? rules) !== rules);
  return new Map(changed.map(({ name, rules }) => [name, rules]));
}

/** Keeps the rules of each zone in use. One that no release has any more goes on as it was, and is named. */
function useZonesOf({ context: { store, policy }, committer, log }: ApplyParts): void {
  const known = new Map(store.zones.all().map(({ name, rules }) => [name, rules]));
  const inUse = [...new Set([...store.zones.inUse(), ...zonesOfWindows(policy)])];
  const missing = inUse.filter((name) => !known.has(name));
  // Of a version that stored none: its slots are those of the runtime's rules, and the change to ours raises no alarm.
  const isOlder = known.size === 0 && store.liveness.applied() !== null;
  const keep = (name: string): void => {
    const before = isOlder ? runtimeZoneText(name) : null;
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

/** Maintenance whose times were named in a zone is when its clocks show them, also by other rules. In a transaction. */
export function moveMaintenances({ maintenances }: Store, now: Instant): void {
  for (const row of maintenances.named(now)) {
    const { from, until } = maintenanceByRules(row, row, now);
    if (from !== row.from || until !== row.until) maintenances.move(row.id, { from, until });
  }
}

/** What the monitor was watched by, if rules of its zones have changed since; null: none of them have. */
function formerWatch(watch: Watch, changed: ReadonlyMap<string, string>): Watch | null {
  const former = (zone: string): string => {
    const rules = changed.get(zone);
    return rules === undefined ? zone : formerZone(zone, rules);
  };
  const timezone = former(watch.timezone);
  const maintenance = watch.maintenance.map((window) =>
    isOnce(window) || window.timezone === null ? window : { ...window, timezone: former(window.timezone) },
  );
  const isSame = timezone === watch.timezone && sameWindows(maintenance, watch.maintenance);
  return isSame ? null : { ...watch, timezone, maintenance };
}

/** The zones that windows of maintenance name, whether they stand in the configuration or were planned. */
function zonesOfWindows({ applications, planned }: Policy): string[] {
  const configured = [...applications.values()].flatMap(({ maintenance, monitors }) => [
    ...(maintenance ?? []),
    ...[...monitors.values()].flatMap((rules) => rules.maintenance ?? []),
  ]);
  const windows = [...configured, ...[...(planned?.values() ?? [])].flat().map(({ window }) => window)];
  return windows.flatMap((window) => (isOnce(window) ? [] : (window.timezone ?? [])));
}

// Planned maintenance (R24). The rows are what counts; in memory it stands beside the configuration.

/** With it stand the people who are notified in a browser (R38), who change as seldom. */
export const withPlans = (policy: Policy, { maintenances, browsers }: Store, now: Instant): Policy => {
  const open = maintenances.open(now).map((row) => ({ ...row, reaches: reachOf(row.targets) }));
  return { ...withNotified(policy, browsers.owners()), planned: Map.groupBy(open, ({ application }) => application) };
};

export type Plans = Pick<ReturnType<typeof createPlans>, "begin">;

export function createPlans(parts: ApplyParts) {
  const { context, clock, committer, turns } = parts;
  const { store } = context;
  let isLeftUndone = false;
  let isMoveDue = false;
  let areHearersOther = false;
  let reviewedAt = clock.now();

  function* follow(applicationId: number | null): InPieces<void> {
    try {
      if (isMoveDue) {
        committer.one((now) => moveMaintenances(store, now));
        isMoveDue = false;
        Object.assign(context, { policy: withPlans(context.policy, store, clock.now()) });
      }
      yield* declareAll(parts, DECLARED_A_TURN, applicationId);
      if (areHearersOther) yield* planAllAgain(parts);
      areHearersOther = false;
    } catch (error) {
      isLeftUndone = true;
      throw error;
    }
  }

  /** To be called when what is planned, or who is notified, has changed: of this application; null: perhaps of all. */
  function begin(applicationId: number | null): void {
    isLeftUndone = false;
    const { policy: before } = context;
    const isWhole = store.liveness.applied() === fingerprintOf(before);
    Object.assign(context, { policy: withPlans(before, store, clock.now()) });
    areHearersOther ||= !Bun.deepEquals(before.notified, context.policy.notified);
    turns.laterThrough(follow(isWhole ? applicationId : null));
  }

  return {
    begin,
    /** To be called when other zone rules are in force. */
    zonesChanged: (): void => {
      isMoveDue = true;
      begin(null);
    },
    /**
     * Once a second: takes out what is over, brings back what was over only by a clock that was ahead (R26), and goes
     * on where nothing could be stored.
     */
    review: (): void => {
      const now = clock.now();
      const planned = [...(context.policy.planned?.values() ?? [])].flat();
      const isOver = planned.some(({ window }) => isOnce(window) && window.until <= now);
      const isBack = now < reviewedAt;
      reviewedAt = now;
      if (isOver || isBack || (isLeftUndone && committer.failing() === null)) begin(null);
    },
  };
}

/** Arms each monitor by what it says, and finds those that cannot be read: a piece a turn, so no ping waits. */
function* readAll({ context, clock, memory }: ApplyParts): InPieces<void> {
  const read = (id: number) => {
    const record = loadMonitor(context, id);
    return record === null ? null : rearm(context, record);
  };
  for (const some of piecesOf(context.store.monitors.ids(), READ_A_TURN)) {
    memory.finish(memory.applyToEach(some, read, clock.now()));
    yield;
  }
}

/** Covers everything that decides when we next look at a monitor, and this release's defaults. */
function fingerprintOf({ timezone, reminders, applications, planned }: Policy): string {
  const rules = [...applications].map(([slug, { timezone, maintenance, monitors }]) => {
    return [slug, timezone, maintenance, [...monitors]];
  });
  const all = [DEFAULTS, timezone, reminders, rules, [...(planned ?? [])]];
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(all)).digest("hex");
}

// Brings configured names into the store: missing applications and monitors, and changed values (R12, R31).

const FIRST_APPLICATION = "default";

export const isFirstStart = ({ applications }: Store): boolean => applications.list().length === 0;

/** Slugs of the applications to create: those configured that are missing; `default` when there would be none. */
function missingApplications({ store, policy }: EngineContext): string[] {
  const missing = [...policy.applications.keys()].filter((slug) => store.applications.find(slug) === null);
  return missing.length === 0 && isFirstStart(store) ? [FIRST_APPLICATION] : missing;
}

/** Slugs of the applications that a start creates and that never had a key, as a failed start may leave them. */
export function awaitingFirstKey({ store, policy }: EngineContext): string[] {
  return [FIRST_APPLICATION, ...policy.applications.keys()].filter((slug, place, all) => {
    const application = store.applications.find(slug);
    return application !== null && all.indexOf(slug) === place && store.keys.list(application.id).length === 0;
  });
}

/**
 * Creates the applications that are missing, and monitors that are configured with a schedule. A first start also keeps
 * its time zone: whatever happens to the computer, no schedule may change its meaning by itself (R13). In a
 * transaction.
 */
export function createConfigured(context: EngineContext, now: Instant): void {
  const { store, policy } = context;
  if (isFirstStart(store)) store.liveness.keepTimezone(policy.timezone);
  for (const slug of missingApplications(context)) store.applications.create(slug, now);
  for (const [slug, { monitors }] of policy.applications) {
    const application = store.applications.find(slug)!;
    for (const [key, rules] of monitors) {
      if (!isMadeAtStart(rules) || store.monitors.find(application.id, key) !== null) continue;
      makeMonitor(context, application, key, NOTHING_DECLARED, now);
    }
  }
}

export interface Declaration extends AfterCommit {
  /** Whose only schedule went with a section of the configuration: it is never missed again. Null: it has one. */
  readonly unwatched: { readonly application: string; readonly monitor: string } | null;
}

/** Puts the configuration's present values in force for a monitor, in a transaction. Null: it is there no more. */
function declareConfigured(
  context: EngineContext,
  monitorId: number,
  now: Instant,
  changed: ReadonlyMap<string, string>,
): Declaration | null {
  const before = loadMonitor(context, monitorId);
  if (before === null) return null;
  const watch = watchOf(before.policy);
  const former = formerWatch(before.monitor.watch, changed);
  const isSame = sameApplied(watch, before.monitor.watch);
  if (isSame && former === null) return { ...rearm(context, before), unwatched: null };
  if (!isSame) saveConfigured(context.store, before, watch, now);
  const unwatched = !isSame && !hasSlots(watch) ? { application: before.application, monitor: before.key } : null;
  if (former === null) {
    return { ...applySignals(context, before, [declaring(context, before, watch)], now).afterCommit, unwatched };
  }
  // What is due by now is settled first, so that no message has the name of former rules.
  const settled = applySignals(context, before, [{ kind: "wake" }], now);
  const due = loadMonitor(context, monitorId)!;
  const formerly = { ...due, monitor: { ...due.monitor, watch: former } };
  const declared = applySignals(context, formerly, [declaring(context, formerly, watch)], now);
  return { ...bothOf(settled.afterCommit, declared.afterCommit), unwatched };
}

const bothOf = (first: AfterCommit, second: AfterCommit): AfterCommit => ({
  ...second,
  raised: [...first.raised, ...second.raised],
  notices: [...first.notices, ...second.notices],
  answered: [...first.answered, ...second.answered],
  isSooner: first.isSooner || second.isSooner,
});
