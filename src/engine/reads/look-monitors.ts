// What operators look at beside lists: where they are, applications, and everything that is known of a monitor. Changes
// nothing.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import type { Run } from "../../domain/monitor/run.ts";
import { zoneHint, zoneHintInWords } from "../../domain/monitor/zone-hint.ts";
import { zonesNear } from "../../domain/settings/policy.ts";
import type { Instant } from "../../domain/time.ts";
import { LAST_KEPT } from "../../store/retention.ts";
import type { StoredRun } from "../../store/runs.ts";
import type { EngineContext } from "../context.ts";
import type { MonitorRecord } from "../monitor-records.ts";
import type { ApplicationSummary } from "../operations/answers/applications.ts";
import type { ShownMonitor } from "../operations/answers/shown-monitor.ts";
import { drillSummaryOf } from "../telling/drills.ts";
import { findMonitor, type MonitorName } from "./find-named.ts";
import { incidentSummaryOf } from "./look-incidents.ts";
import { summaryById } from "./monitor-pages.ts";
import { plannedWindows, routingOf, runLimitOf, settingsOf } from "./monitor-settings.ts";
import { refusedOf } from "./refused-reports.ts";
import { shownPing } from "./shown-pings.ts";

/** What the words of any screen depend on. */
export interface Bearings {
  readonly now: Instant;
  /** The server's, for screens about more than one monitor. */
  readonly timezone: string;
  /** There is no other application, so naming it says nothing. */
  readonly onlyApplication: boolean;
}

export const bearingsAt = ({ store, policy }: EngineContext, now: Instant): Bearings => ({
  now,
  timezone: policy.timezone,
  onlyApplication: store.applications.list().length === 1,
});

/** By slug, with how many monitors each has. */
export function listApplications({ store, policy }: EngineContext): ApplicationSummary[] {
  const monitors = store.monitorPages.counts();
  return store.applications.list().map(({ id, slug, name, createdAt, suspendedAt }) => ({
    slug,
    name: policy.applications.get(slug)?.name ?? name,
    monitors: monitors.get(id) ?? 0,
    createdAt,
    suspendedAt,
  }));
}

/** Everything that is known of one monitor. */
export function showMonitor(context: EngineContext, name: MonitorName, now: Instant): ShownMonitor | Refusal {
  const { store, failing } = context;
  const record = findMonitor(context, name);
  if (isRefusal(record)) return record;
  const { id, heads, storedRuns } = record;
  const incident = heads.openIncidentId === null ? null : store.incidents.find(heads.openIncidentId);
  const pings = store.pings.last(id, heads.lastPingId, LAST_KEPT);
  const runs = new Map([...storedRuns.values()].map((stored) => [stored.id, stored]));
  for (const { runRow } of pings) {
    const stored = runRow === null || runs.has(runRow) ? null : store.runs.find(id, runRow);
    if (stored !== null) runs.set(stored.id, stored);
  }
  const output = store.outputs.newest(id);
  const hint = zoneHint(record.monitor, zonesNear(record.policy));
  return {
    ...summaryById(context, id, now),
    settings: settingsOf(record),
    sender: senderOf(context, id),
    oldAddresses: oldAddressesOf(context, record),
    declaration: declarationOf(context, id),
    maintenance: plannedWindows(record.monitor.watch, now),
    runLimit: runLimitOf(record.monitor, now),
    routing: routingOf(failing(), record),
    incident: incident === null ? null : incidentSummaryOf(context, incident),
    drill: drillSummaryOf(context, record),
    zoneHint: hint === null ? null : zoneHintInWords(hint, record.monitor.watch.timezone),
    refused: refusedOf(context, record),
    lastOutput: output && { at: output.at, text: output.text, ofLastFailure: output.id === heads.lastFailurePingId },
    pings: pings.map((ping) => shownPing(ping, ping.runRow === null ? undefined : runs.get(ping.runRow)?.run)),
    runs: newestFirst(runs),
    unknowns: store.unknowns.last(id, LAST_KEPT),
  };
}

function senderOf({ store }: EngineContext, id: number): ShownMonitor["sender"] {
  const found = store.senders.of(id);
  return found && { ...found, oldAddress: store.oldAddresses.find(found.keyId)?.shown ?? null };
}

const oldAddressesOf = ({ store }: EngineContext, { applicationId, key }: MonitorRecord): string[] =>
  store.oldAddresses
    .after(0, { applicationId, monitorKey: key }, LAST_KEPT)
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ shown }) => shown);

function declarationOf({ store }: EngineContext, id: number): ShownMonitor["declaration"] {
  const found = store.registries.declaration(id);
  return found && { ...found, metadata: found.metadata === null ? null : JSON.parse(found.metadata) };
}

const newestFirst = (runs: ReadonlyMap<number, StoredRun>): ShownMonitor["runs"] =>
  [...runs.values()].map(({ run }) => shownRun(run)).sort((a, b) => b.number - a.number);

const shownRun = (run: Run): ShownMonitor["runs"][number] => ({
  ...run,
  durationMilliseconds:
    run.durationSeconds === null || run.startedAt === null || run.endedAt === null
      ? null
      : Math.max(0, run.endedAt - run.startedAt),
});
