// The answers of `monitor show`, which tells all that is known of a monitor, and of `app list`.

import { isRefusal, type Refusal } from "../domain/errors.ts";
import type { Monitor } from "../domain/monitor/monitor.ts";
import type { Run } from "../domain/monitor/run.ts";
import { usualLength } from "../domain/monitor/run-lengths.ts";
import { runDeadline } from "../domain/monitor/run-start.ts";
import { zoneHint } from "../domain/monitor/zone-hint.ts";
import { reachOf } from "../domain/settings/alert-routes.ts";
import {
  drillEveryOf,
  expectationsOf,
  labelsOf,
  type MonitorPolicy,
  mailRuleOf,
  monitorName,
  noteOf,
  presentationOf,
  severityOf,
  zonesNear,
} from "../domain/settings/policy.ts";
import {
  DECLARED_FIELDS,
  DECLARED_SETTINGS,
  type DeclaredField,
  type ValuesInForce,
} from "../domain/settings/settings.ts";
import { drillDueAt, drillVerdict, lastToEach } from "../domain/telling/drill-rules.ts";
import { type Failing, whyUnreachable } from "../domain/telling/reach.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import { zoneHintInWords } from "../domain/wording/zone-words.ts";
import { LAST_KEPT } from "../store/retention.ts";
import type { StoredRun } from "../store/runs.ts";
import type { MonitorRecord } from "./completed-monitors.ts";
import { findMonitor, type MonitorName } from "./find-named.ts";
import { incidentSummaryOf } from "./incident-summaries.ts";
import { sentencesNow } from "./jobs-now.ts";
import { maintenancesFor } from "./maintenances.ts";
import { summaryById } from "./monitor-summaries.ts";
import { refusedOf } from "./received.ts";
import { shownPing } from "./reports.ts";
import type { ApplicationSummary } from "./schemas/application-schemas.ts";
import type { ShownSetting, ShownSettings, ValueSource } from "./schemas/setting-schemas.ts";
import type { ShownMonitor } from "./schemas/shown-monitor-schemas.ts";
import { deliverySummaryOf } from "./shown-deliveries.ts";
import type { MonitorReads, ViewSource } from "./view-source.ts";

/** On what the words of every screen depend: the present instant, the zone, and whether to name an application. */
export type ViewContext = Readonly<ReturnType<typeof viewContextAt>>;

export const viewContextAt = ({ store, policy }: ViewSource, now: Instant) => ({
  now,
  /** The server's zone, for screens about more than one monitor. */
  timezone: policy.timezone,
  /** True when there is only one application, so that its name need not be shown. */
  onlyApplication: store.applications.list().length === 1,
});

/** Lists the applications, sorted by slug, each with its number of monitors. */
export function listApplications({ store, policy }: ViewSource): ApplicationSummary[] {
  const monitors = store.monitorPages.counts();
  return store.applications.list().map(({ id, slug, name, createdAt, suspendedAt }) => ({
    slug,
    name: policy.applications.get(slug)?.name ?? name,
    monitors: monitors.get(id) ?? 0,
    createdAt,
    suspendedAt,
  }));
}

export function showMonitor(context: ViewSource, name: MonitorName, now: Instant): ShownMonitor | Refusal {
  const { store, failing } = context;
  const record = findMonitor(context, name);
  if (isRefusal(record)) return record;
  const { id, heads, storedRuns } = record;
  const incident = heads.openIncidentId === null ? null : store.incidents.find(heads.openIncidentId);
  const pings = store.pings.last(id, heads.lastPingId, LAST_KEPT);
  const ofPings = store.runs.some(
    id,
    pings.flatMap(({ runRow }) => runRow ?? []),
  );
  const runs = new Map([...ofPings, ...[...storedRuns.values()].map((stored) => [stored.id, stored] as const)]);
  const output = store.outputs.newest(id);
  const weeks = store.runLengths.of([id]).get(id) ?? [];
  const hint = zoneHint(record.monitor, zonesNear(record.policy));
  return {
    ...summaryById(context, id, now),
    now: [...sentencesNow(context, [id], now).get(id)!],
    settings: shownSettings(record),
    sender: senderOf(context, id),
    oldAddresses: oldAddressesOf(context, record),
    declaration: declarationOf(context, id),
    maintenance: maintenancesFor(record.application, record.policy, record.monitor.watch.timezone, now),
    runLimit: runLimitOf(record.monitor, now),
    runLengths: { usual: usualLength(weeks), weeks: [...weeks] },
    routing: routingOf(failing(), record, now),
    incident: incident === null ? null : incidentSummaryOf(context, incident),
    drill: drillSummaryOf(context, record),
    zoneHint: hint === null ? null : zoneHintInWords(hint, record.monitor.watch.timezone),
    refused: refusedOf(context, record),
    lastOutput: output && { at: output.at, text: output.text, ofLastFailure: output.id === heads.lastFailurePingId },
    pings: pings.map((ping) => shownPing(ping, runs.get(ping.runRow ?? 0)?.run ?? null)),
    runs: newestFirst(runs),
    unknowns: store.unknowns.last(id, LAST_KEPT),
  };
}

function senderOf({ store }: ViewSource, id: number): ShownMonitor["sender"] {
  const found = store.senders.of(id);
  return found && { ...found, oldAddress: store.oldAddresses.find(found.keyId)?.shown ?? null };
}

const oldAddressesOf = ({ store }: ViewSource, { applicationId, key }: MonitorRecord): string[] =>
  store.oldAddresses
    .after(0, { applicationId, monitorKey: key }, LAST_KEPT)
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ shown }) => shown);

function declarationOf({ store }: ViewSource, id: number): ShownMonitor["declaration"] {
  const found = store.registries.declaration(id);
  return found && { ...found, metadata: found.metadata === null ? null : JSON.parse(found.metadata) };
}

const newestFirst = (runs: ReadonlyMap<number, StoredRun>): ShownMonitor["runs"] =>
  [...runs.values()].map(({ run }) => shownRun(run)).sort((a, b) => b.number - a.number);

const shownRun = ({ usual: _usual, ...run }: Run): ShownMonitor["runs"][number] => ({
  ...run,
  durationMilliseconds:
    run.durationSeconds === null || run.startedAt === null || run.endedAt === null
      ? null
      : Math.max(0, run.endedAt - run.startedAt),
});

// Where each value in force for a monitor comes from, for people who wonder why (R13, R31, R38). Pure.

function shownSettings({ declared, policy, monitor: { watch } }: MonitorRecord): ShownMonitor["settings"] {
  const described = { severity: severityOf(policy), note: noteOf(policy), labels: labelsOf(policy) };
  const mailRule = mailRuleOf(policy);
  const inForce: ValuesInForce<DeclaredField> = {
    ...watch,
    ...described,
    mailRule,
    name: monitorName(policy, declared),
  };
  const shown = DECLARED_FIELDS.map((field) => [
    field,
    shownSetting<unknown>(inForce[field], policy.own[field], declared[field], otherwiseSource(field, policy)),
  ]);
  return {
    ...(Object.fromEntries(shown) as ShownSettings),
    outcomes: [...expectationsOf(policy)].map(([name, expectation]) => ({ name, ...expectation })),
  };
}

/** The source of a value that was neither configured nor declared. */
function otherwiseSource(field: DeclaredField, { application, labelled, whole }: MonitorPolicy): ValueSource {
  const { from } = DECLARED_SETTINGS[field].otherwise;
  if (field !== "severity") return from === "application" && application.timezone === undefined ? "server" : from;
  if (labelled.some(({ severity }) => severity !== undefined)) return "label";
  if (application.severity !== undefined) return "application";
  return whole.team.severity === undefined ? "default" : "team";
}

function runLimitOf({ watch, lastRunMs }: Monitor, now: Instant): ShownMonitor["runLimit"] {
  const milliseconds = runDeadline(watch, now, lastRunMs) - now;
  const seconds = Math.round(milliseconds / SECOND);
  if (watch.maxRuntimeSeconds !== null) return { seconds, from: "max_runtime" };
  if (milliseconds > runDeadline(watch, now, null) - now) return { seconds, from: "last_run" };
  if (watch.everySeconds !== null) return { seconds, from: "every" };
  return { seconds, from: watch.schedule === null ? "no_schedule" : "schedule" };
}

function shownSetting<Value>(
  value: Value,
  configured: Value | undefined,
  declared: Value | null,
  otherwise: ValueSource,
): ShownSetting<Value> {
  if (configured !== undefined) return { value, from: "configuration", declared };
  return { value, from: declared === null ? otherwise : "declared", declared };
}

function routingOf(failing: Failing, { policy }: MonitorRecord, now: Instant): ShownMonitor["routing"] {
  const { severity, owner, environment, links } = presentationOf(policy);
  const destinations = [...reachOf(policy, now).names];
  return {
    destinations,
    failing: destinations.flatMap((destination) => {
      const failure = failing.get(destination);
      return failure === undefined ? [] : [{ destination, answer: failure.answer, since: failure.since }];
    }),
    unreachable: whyUnreachable(policy, failing, "operator", now),
    severity,
    owner,
    environment,
    links,
  };
}

function drillSummaryOf({ store }: MonitorReads, { id, policy, monitor }: MonitorRecord): ShownMonitor["drill"] {
  const everySeconds = drillEveryOf(policy);
  if (everySeconds === null) return null;
  const last = store.drills.last(id);
  const deliveries = last === null ? [] : lastToEach(store.outgoing.ofAlert(last.alertId));
  return {
    everySeconds,
    dueAt: drillDueAt(everySeconds, monitor.createdAt, last?.at ?? null),
    last: last && {
      at: last.at,
      outcome: deliveries.length > 0 ? drillVerdict(deliveries) : last.outcome,
      deliveries: deliveries.map(deliverySummaryOf),
    },
  };
}
