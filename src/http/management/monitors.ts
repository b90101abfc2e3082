// The management socket's paths of monitors. Their keys may hold any character, so they come in bodies and queries and
// never as part of a path.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { Status } from "../../domain/monitor/monitor.ts";
import type { Run } from "../../domain/monitor/run.ts";
import { toIso, toIsoOrNull } from "../../domain/time.ts";
import type { Engine } from "../../engine/api.ts";
import type {
  ChangedMonitor,
  DeletedMonitor,
  MonitorDetails,
  MonitorName,
  MonitorSummary,
  NewMonitor,
  PingSummary,
  UnknownSummary,
} from "../../engine/operations/operators-contract.ts";
import { type Query, readText } from "../api/query.ts";
import { refusalAnswer } from "../errors.ts";
import type {
  ChangedMonitorAnswer,
  DeletedMonitorAnswer,
  ListedMonitor,
  ListedMonitors,
  ShownDeclaration,
  ShownMonitor,
  ShownPing,
  ShownRun,
  ShownUnknown,
} from "./contract.ts";
import { shownDrill } from "./deliveries.ts";
import {
  answer,
  type Fields,
  type ManagementRoute,
  optionalNumberOf,
  optionalTextOf,
  queryOf,
  readFields,
  textOf,
} from "./fields.ts";
import { listedIncident } from "./incidents.ts";
import { listedRefused } from "./received.ts";

export const monitorRoutes = (engine: Engine): readonly ManagementRoute[] => [
  { method: "GET", path: "/monitors", handle: (request) => list(engine, queryOf(request)) },
  { method: "GET", path: "/monitors/show", handle: (request) => show(engine, queryOf(request)) },
  {
    method: "POST",
    path: "/monitors",
    handle: async (request) => {
      const monitor = newMonitorOf(await readFields(request));
      return isRefusal(monitor) ? refusalAnswer(monitor) : answer(engine.createMonitor(monitor), listedMonitor);
    },
  },
  {
    method: "POST",
    path: "/monitors/pause",
    handle: async (request) => {
      const fields = await readFields(request);
      const name = nameOf(fields);
      if (isRefusal(name)) return refusalAnswer(name);
      const seconds = optionalNumberOf(fields, "durationSeconds");
      if (isRefusal(seconds)) return refusalAnswer(seconds);
      return answer(engine.pauseMonitor(name, seconds), changedMonitor);
    },
  },
  {
    method: "POST",
    path: "/monitors/resume",
    handle: async (request) => {
      const name = nameOf(await readFields(request));
      return isRefusal(name) ? refusalAnswer(name) : answer(engine.resumeMonitor(name), changedMonitor);
    },
  },
  {
    method: "POST",
    path: "/monitors/delete",
    handle: async (request) => {
      const name = nameOf(await readFields(request));
      return isRefusal(name) ? refusalAnswer(name) : answer(engine.deleteMonitor(name), deletedMonitor);
    },
  },
];

function list(engine: Engine, query: Query): Response {
  const application = readText(query, "application");
  if (isRefusal(application)) return refusalAnswer(application);
  const status = readText(query, "status");
  if (isRefusal(status)) return refusalAnswer(status);
  if (status !== null && !isStatus(status))
    return refusalAnswer(refuse("INVALID_REQUEST", `status: it is not one of ${STATUSES.join(", ")}`));
  return answer(
    engine.listMonitors(application, status),
    ({ monitors, unreadable }): ListedMonitors => ({ monitors: monitors.map(listedMonitor), unreadable }),
  );
}

function show(engine: Engine, query: Query): Response {
  const application = readText(query, "application");
  if (isRefusal(application)) return refusalAnswer(application);
  const key = readText(query, "key");
  if (isRefusal(key)) return refusalAnswer(key);
  if (key === null) return refusalAnswer(refuse("INVALID_REQUEST", "key: it is missing, a text is needed"));
  return answer(engine.showMonitor({ application, key }), shownMonitor);
}

const STATUSES: readonly string[] = ["pending", "healthy", "warning", "critical", "paused"] satisfies Status[];

const isStatus = (text: string): text is Status => STATUSES.includes(text);

function nameOf(fields: Fields): MonitorName | Refusal {
  const application = optionalTextOf(fields, "application");
  if (isRefusal(application)) return application;
  const key = textOf(fields, "key");
  return isRefusal(key) ? key : { application, key };
}

function newMonitorOf(fields: Fields): NewMonitor | Refusal {
  const named = nameOf(fields);
  if (isRefusal(named)) return named;
  const schedule = textOf(fields, "schedule");
  if (isRefusal(schedule)) return schedule;
  const name = optionalTextOf(fields, "name");
  if (isRefusal(name)) return name;
  const timezone = optionalTextOf(fields, "timezone");
  if (isRefusal(timezone)) return timezone;
  const graceSeconds = optionalNumberOf(fields, "graceSeconds");
  if (isRefusal(graceSeconds)) return graceSeconds;
  const maxRuntimeSeconds = optionalNumberOf(fields, "maxRuntimeSeconds");
  if (isRefusal(maxRuntimeSeconds)) return maxRuntimeSeconds;
  return { ...named, schedule, name, timezone, graceSeconds, maxRuntimeSeconds };
}

const listedMonitor = (monitor: MonitorSummary): ListedMonitor => ({
  application: monitor.application,
  key: monitor.key,
  name: monitor.name,
  status: monitor.status,
  schedule: monitor.schedule,
  timezone: monitor.timezone,
  graceSeconds: monitor.graceSeconds,
  maxRuntimeSeconds: monitor.maxRuntimeSeconds,
  expectedAt: toIsoOrNull(monitor.expectedAt),
  lastPingAt: toIsoOrNull(monitor.lastPingAt),
  lastSuccessAt: toIsoOrNull(monitor.lastSuccessAt),
  pauses: { ...monitor.pauses, manual: monitor.pauses.manual && { until: toIsoOrNull(monitor.pauses.manual.until) } },
  incidentId: monitor.incidentId,
  createdAt: toIso(monitor.createdAt),
  updatedAt: toIso(monitor.updatedAt),
});

const shownMonitor = (details: MonitorDetails): ShownMonitor => ({
  ...listedMonitor(details),
  zoneHint: details.zoneHint,
  settings: details.settings,
  declaration: details.declaration && shownDeclaration(details.declaration),
  maintenance: details.maintenance.map(({ next, ...window }) => ({
    ...window,
    next: next && { from: toIso(next.from), until: toIso(next.until) },
  })),
  runLimit: details.runLimit,
  routing: {
    ...details.routing,
    failing: details.routing.failing.map(({ since, ...each }) => ({ ...each, since: toIso(since) })),
  },
  incident: details.incident && listedIncident(details.incident),
  drill: details.drill && shownDrill(details.drill),
  refused: details.refused.map(listedRefused),
  pings: details.pings.map(shownPing),
  runs: details.runs.map(shownRun),
  unknowns: details.unknowns.map(shownUnknown),
});

const shownDeclaration = ({
  declaredAt,
  metadata,
  ...said
}: NonNullable<MonitorDetails["declaration"]>): ShownDeclaration => ({
  ...said,
  declaredAt: toIso(declaredAt),
  metadata: metadata === null ? null : JSON.parse(metadata),
});

const shownPing = (ping: PingSummary): ShownPing => ({ ...ping, at: toIso(ping.at) });

const shownRun = (run: Run): ShownRun => ({
  ...run,
  startedAt: toIsoOrNull(run.startedAt),
  deadline: toIsoOrNull(run.deadline),
  endedAt: toIsoOrNull(run.endedAt),
  durationMilliseconds:
    run.durationSeconds === null || run.startedAt === null || run.endedAt === null
      ? null
      : Math.max(0, run.endedAt - run.startedAt),
});

const shownUnknown = ({ at, slot, slots, runId, runStartedAt, gap }: UnknownSummary): ShownUnknown => ({
  at: toIso(at),
  slot: toIsoOrNull(slot),
  slots,
  runId,
  runStartedAt: toIsoOrNull(runStartedAt),
  gap: { from: toIso(gap.from), to: toIso(gap.to), reason: gap.reason },
});

const changedMonitor = ({ changed, monitor }: ChangedMonitor): ChangedMonitorAnswer => ({
  changed,
  monitor: listedMonitor(monitor),
});

const deletedMonitor = (deleted: DeletedMonitor): DeletedMonitorAnswer => ({
  ...deleted,
  historyUntil: toIso(deleted.historyUntil),
});
