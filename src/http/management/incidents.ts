// The management socket's paths of incidents: to list, acknowledge and resolve them (R23).

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { toIso, toIsoOrNull } from "../../domain/time.ts";
import type { Engine } from "../../engine/api.ts";
import type { ChangedIncident, IncidentSummary } from "../../engine/operations/operators-contract.ts";
import { type Query, readText } from "../api/query.ts";
import { refusalAnswer } from "../errors.ts";
import type { ChangedIncidentAnswer, ListedIncident, ListedIncidents } from "./contract.ts";
import { answer, idOf, limitOf, type ManagementRoute, queryOf } from "./fields.ts";

export const incidentRoutes = (engine: Engine): readonly ManagementRoute[] => [
  {
    method: "GET",
    path: "/incidents",
    handle: (request) => list(engine, queryOf(request)),
  },
  {
    method: "POST",
    path: "/incidents/:id/acknowledge",
    handle: (_, id) => change(id, engine.acknowledgeIncident),
  },
  {
    method: "POST",
    path: "/incidents/:id/resolve",
    handle: (_, id) => change(id, engine.resolveIncident),
  },
];

const LIMIT_DEFAULT = 500;

function list(engine: Engine, query: Query): Response {
  const application = readText(query, "application");
  if (isRefusal(application)) return refusalAnswer(application);
  const open = readText(query, "open") ?? "false";
  if (isRefusal(open)) return refusalAnswer(open);
  if (open !== "true" && open !== "false")
    return refusalAnswer(refuse("INVALID_REQUEST", "open: it is neither true nor false"));
  const limit = limitOf(query, LIMIT_DEFAULT);
  if (isRefusal(limit)) return refusalAnswer(limit);
  return answer(
    engine.listIncidents({ application, openOnly: open === "true", limit }),
    ({ incidents, more }): ListedIncidents => ({ incidents: incidents.map(listedIncident), more }),
  );
}

function change(text: string, apply: (id: number) => ChangedIncident | Refusal): Response {
  const id = idOf(text);
  if (isRefusal(id)) return refusalAnswer(id);
  return answer(
    apply(id),
    ({ changed, incident, status }): ChangedIncidentAnswer => ({ changed, incident: listedIncident(incident), status }),
  );
}

export const listedIncident = (incident: IncidentSummary): ListedIncident => ({
  id: incident.id,
  application: incident.application,
  key: incident.key,
  name: incident.name,
  opening: incident.opening,
  openedAt: toIso(incident.openedAt),
  causes: incident.causes,
  troubles: incident.troubles,
  missedSlots: incident.missedSlots,
  unheardSlots: incident.unheardSlots,
  message: incident.message,
  runId: incident.runId,
  expectedAt: toIsoOrNull(incident.expectedAt),
  acknowledgedAt: toIsoOrNull(incident.acknowledgedAt),
  remindAt: toIsoOrNull(incident.remindAt),
  remindersSent: incident.remindersSent,
  closedAt: toIsoOrNull(incident.closedAt),
  closedBy: incident.closedBy,
});
