// Changes a monitor for a person or program: its settings and its key. It also brings a deleted monitor back. Each
// function runs inside a transaction. When it refuses, nothing has changed.

import { isRefusal, type Refusal, refuse, refuseField } from "../../domain/errors.ts";
import { KEEP_DELETED, UNDO_FOR } from "../../domain/limits.ts";
import { checkMonitorKey } from "../../domain/monitor-key.ts";
import { type Actor, nameOfActor } from "../../domain/people/person.ts";
import { checkDeclared, operatorName, relabelled } from "../../domain/settings/declaration.ts";
import { declaredAfter } from "../../domain/settings/declared.ts";
import { routeSectionName } from "../../domain/settings/kept.ts";
import { isMadeAtStart, monitorPolicy, type Policy, watchOf } from "../../domain/settings/policy.ts";
import {
  DECLARED_FIELDS,
  type Declared,
  type DeclaredField,
  sameApplied,
  settingOption,
} from "../../domain/settings/settings.ts";
import type { Instant } from "../../domain/time.ts";
import type { ApplicationRow } from "../../store/applications.ts";
import { type MonitorRecord, monitorWithPolicy } from "../../views/completed-monitors.ts";
import { type About, findApplication, findMonitor, type MonitorName } from "../../views/find-named.ts";
import { summaryById } from "../../views/monitor-summaries.ts";
import type {
  ChangedMonitor,
  DeclaredChange,
  RenamedMonitor,
  SetMonitor,
} from "../../views/schemas/monitor-schemas.ts";
import { refuseOneMore } from "../capacity.ts";
import { withPlannedMaintenance } from "../clock/planned-maintenance.ts";
import type { EngineContext } from "../engine-context.ts";
import { withOwed } from "../pay-owed.ts";
import { applySignals, declareSignal, saveConfigured, saveDeclared } from "../record.ts";
import { type Operated, type OperationContext, withoutAfterCommit } from "./operation.ts";

/**
 * Changes settings of a monitor for a person, or takes the last such change back. The change counts like a declaration
 * of a job: the newest one counts, and the configuration overrides all of them (R12, R31).
 */
export function setMonitor(
  context: EngineContext,
  request: MonitorName & Declared & { readonly unset: string | null; readonly undo: boolean },
  now: Instant,
  by: Actor,
): Operated<SetMonitor | Refusal> {
  const before = findMonitor(context, request);
  if (isRefusal(before)) return withoutAfterCommit(before);
  const labels = relabelled(before.declared.labels ?? before.policy.own.labels ?? null, request.labels);
  const said = checkDeclared({ ...request, labels }, "five", operatorName);
  const unset = isRefusal(said) ? said : unsetIn(request.unset);
  if (isRefusal(said)) return withoutAfterCommit(said);
  if (isRefusal(unset)) return withoutAfterCommit(unset);
  if (labels === "") unset.push("labels");
  const named = DECLARED_FIELDS.filter((field) => said[field] !== null || unset.includes(field));
  if (request.undo && named.length > 0) return withoutAfterCommit(UNDO_ALONE);
  if (named.length === 0 && !request.undo) return withoutAfterCommit(NOTHING_TO_SET);
  const both = unset.find((field) => said[field] !== null);
  if (both !== undefined) return withoutAfterCommit(refuseField("unset", `${settingOption(both)} is set and unset`));
  const nothing = Object.fromEntries(unset.map((field) => [field, null]));
  const changed = declaredAfter(before.declared, said);
  const declared = request.undo
    ? withoutLastChange(context, before, now)
    : unset.some((field) => changed[field] !== null)
      ? { ...changed, ...nothing }
      : changed;
  if (isRefusal(declared)) return withoutAfterCommit(declared);
  const { policy } = before;
  const answer = () => ({
    changed: declared !== before.declared,
    changes: changesTo(declared, before),
    monitor: summaryById(context, before.id, now),
    overridden: named.filter((field) => policy.own[field] !== undefined).map(settingOption),
    source: context.store.registries.declaration(before.id)?.source ?? null,
  });
  if (declared === before.declared) return withoutAfterCommit(answer());
  const afterCommit = declare(context, before, { key: before.key, declared, by }, now);
  return { answer: answer(), afterCommit };
}

export const changesTo = (after: Declared, { declared, policy }: MonitorRecord): DeclaredChange[] =>
  DECLARED_FIELDS.filter((field) => after[field] !== declared[field]).map((field) => ({
    setting: settingOption(field),
    from: textOf(declared[field]),
    to: textOf(after[field]),
    overridden: policy.own[field] !== undefined,
  }));

const textOf = (value: string | number | null): string | null => (value === null ? null : String(value));

/**
 * Returns the settings with the last change by a person taken back. Refused when that change is too old, or one of its
 * settings was changed again since.
 */
function withoutLastChange(
  { store }: EngineContext,
  { id, declared }: MonitorRecord,
  now: Instant,
): Declared | Refusal {
  const last = store.settingChanges.of(id, now + 1, UNDO_SEARCHED).find(({ by }) => by === "person");
  if (last === undefined || last.at < now - UNDO_FOR) return NOTHING_TO_UNDO;
  const values = JSON.parse(last.changes) as readonly (readonly [DeclaredField, ...Values: [unknown, unknown]])[];
  const again = values.find(([field, , since]) => declared[field] !== since);
  return again === undefined
    ? ({ ...declared, ...Object.fromEntries(values) } as Declared)
    : refuseField("undo", `${settingOption(again[0])} has been changed again since`);
}

/** How many changes are searched for the last one by a person. Newer ones may be those of jobs and registries. */
const UNDO_SEARCHED = 20;
const UNDO_ALONE = refuseField("undo", "it takes back what was changed, and sets nothing else");
const NOTHING_TO_UNDO = refuseField("undo", "no one has changed its settings in the last 10 minutes");

const NOTHING_TO_SET = refuse(
  "INVALID_REQUEST",
  `nothing is to be set: name at least one of ${DECLARED_FIELDS.map((field) => `--${settingOption(field)}`).join(", ")} or --unset`,
);

function unsetIn(list: string | null): DeclaredField[] | Refusal {
  const fields: DeclaredField[] = [];
  for (const word of list === null ? [] : list.split(",")) {
    const field = DECLARED_FIELDS.find((one) => settingOption(one) === word.trim());
    if (field === undefined) {
      const known = DECLARED_FIELDS.map(settingOption).join(", ");
      return refuseField("unset", `${JSON.stringify(word)} is refused, it must be some of ${known}`);
    }
    fields.push(field);
  }
  return fields;
}

/** Saves the declared settings, and puts them in force together with the configuration's rules for this key. */
function declare(
  context: EngineContext,
  before: MonitorRecord,
  {
    key,
    declared,
    by,
    policy = context.policy,
  }: Readonly<{ key: string; declared: Declared; by: Actor; policy?: Policy }>,
  now: Instant,
) {
  const watch = watchOf(monitorPolicy(policy, before.application, key, declared));
  saveDeclared({ store: context.store, id: before.id, now }, before.declared, declared, watch, {
    by: "person",
    source: nameOfActor(by),
  });
  const signal = sameApplied(watch, before.monitor.watch)
    ? ({ kind: "wake" } as const)
    : declareSignal(context, before, watch);
  return withOwed(context, before.id, applySignals(context, before, [signal], now).afterCommit, now);
}

/**
 * Gives a monitor another key. Its history, its addresses of other services and maintenance that names it stay with it.
 * Reports under the old key belong to another monitor from then on.
 */
export function renameMonitor(
  context: OperationContext,
  { newKey, ...name }: MonitorName & { readonly newKey: string },
  now: Instant,
  by: Actor,
): Operated<RenamedMonitor | Refusal> {
  const { store, policy, keyring, plans, kept } = context;
  const before = findMonitor(context, name);
  if (isRefusal(before)) return withoutAfterCommit(before);
  const wrong = checkMonitorKey("newKey", newKey);
  if (wrong !== null) return withoutAfterCommit(wrong);
  if (store.monitors.find(before.applicationId, newKey) !== null) {
    const problem = `monitor ${JSON.stringify(newKey)} exists already in application "${before.application}"`;
    return withoutAfterCommit(refuseField("newKey", problem));
  }
  const route = kept.find(routeSectionName(before.application, before.key));
  if (route !== null) {
    const moved = { ...route, name: routeSectionName(before.application, newKey) };
    const refused = kept.change({ save: [moved], remove: [route.name] });
    if (refused !== null) return withoutAfterCommit(refused);
  }
  store.monitors.rename(before.id, newKey);
  store.oldAddresses.rename(before.applicationId, before.key, newKey);
  const isPlanned = store.maintenances.rename(before.applicationId, before.key, newKey);
  keyring.forget();
  const renamed = { key: newKey, declared: before.declared, by, policy: withPlannedMaintenance(policy, store, now) };
  const afterCommit = declare(context, before, renamed, now);
  const answer = {
    was: before.key,
    monitor: summaryById(context, before.id, now),
    source: store.registries.declaration(before.id)?.source ?? null,
    returnsAtStart: isMadeAtStart(policy.applications.get(before.application)?.monitors.get(before.key)),
  };
  return { answer, afterCommit, ...(isPlanned ? { begins: () => plans.begin(before.applicationId) } : {}) };
}

/**
 * Brings back a deleted monitor, within the days for which its history is kept (R25). It comes back as from a
 * suspension: nothing was missed meanwhile, and a pause by hand that would have ended meanwhile ends now.
 */
export function undeleteMonitor(
  context: EngineContext,
  name: MonitorName,
  now: Instant,
): Operated<ChangedMonitor | Refusal> {
  const { store } = context;
  const since = Math.min(now, context.certain()) - KEEP_DELETED;
  const owner = findDeletedOwner(context, name, since);
  if (isRefusal(owner)) return withoutAfterCommit(owner);
  const { key } = name;
  if (store.monitors.find(owner.id, key) !== null) {
    const problem = `there is another monitor ${JSON.stringify(key)} by now; rename it first`;
    return withoutAfterCommit(refuseField("key", problem));
  }
  const refused = refuseOneMore(context, owner, key);
  if (refused !== null) return withoutAfterCommit(refused);
  const id = store.deletedMonitors.find(owner.id, key, since)!;
  store.deletedMonitors.unmark(id);
  context.active.forget();
  const before = monitorWithPolicy(context, id)!;
  const signal =
    owner.suspendedAt === null ? ({ kind: "resume", pause: "suspension" } as const) : ({ kind: "wake" } as const);
  // The configuration and planned maintenance may have changed since the deletion.
  const watch = watchOf(before.policy);
  saveConfigured(store, before, watch, now);
  const { afterCommit } = applySignals(context, before, [declareSignal(context, before, watch), signal], now);
  return { answer: { changed: true, monitor: summaryById(context, id, now) }, afterCommit };
}

export function aboutDeletedMonitor(context: EngineContext, name: MonitorName): About | null {
  const found = findDeletedOwner(context, name, 0);
  return isRefusal(found) ? null : { application: found.slug, monitorKey: name.key };
}

function findDeletedOwner(
  context: EngineContext,
  { application, key }: MonitorName,
  since: Instant,
): ApplicationRow | Refusal {
  const { applications, deletedMonitors } = context.store;
  const named = application === null ? null : findApplication(context, application);
  if (isRefusal(named)) return named;
  const owners = (named === null ? applications.list() : [named]).filter(
    ({ id }) => deletedMonitors.find(id, key, since) !== null,
  );
  if (owners.length === 1) return owners[0]!;
  if (owners.length > 1)
    return refuseField("application", `${owners.length} had a monitor ${JSON.stringify(key)}, name one with --app`);
  return refuseField("key", `no monitor ${JSON.stringify(key)} was deleted in the last 7 days`, "MONITOR_NOT_FOUND");
}
