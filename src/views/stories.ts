// What was told of incidents, to whom, and whether it arrived, in the words of the messages themselves.

import { type Refusal, refuse } from "../domain/errors.ts";
import type { AlertMessage } from "../domain/message/alert.ts";
import { isAlert, messageFrom } from "../domain/message/message.ts";
import type { Instant } from "../domain/time.ts";
import { stateOf } from "../domain/wording/subject.ts";
import { wordingOf } from "../domain/wording/wording.ts";
import { type StoredPing, WALKED } from "../store/pings.ts";
import type { RecentAlert, RecentDelivery } from "../store/recent.ts";
import type { IncidentStory, Notified } from "./answers/incidents.ts";
import { unnotifiedOf } from "./attention.ts";
import type { ViewSource } from "./context.ts";
import { incidentSummaryOf } from "./incidents.ts";
import { sentencesNow } from "./jobs-now.ts";
import { loadMonitor, type MonitorRecord } from "./monitor-records.ts";
import { createReportReader } from "./reports.ts";

/** What was told of each incident, oldest first; three queries for any number of incidents. */
export function notifiedOf(
  { store }: Pick<ViewSource, "store">,
  incidentIds: readonly number[],
): ReadonlyMap<number, readonly Notified[]> {
  const alerts = store.recent.alerts(incidentIds);
  const deliveries = Map.groupBy(store.recent.deliveries(alerts.map(({ id }) => id)), ({ alertId }) => alertId);
  const messages = alerts.flatMap((alert) => {
    const message = messageOf(alert);
    return message === null
      ? []
      : [{ incidentId: alert.incidentId, message: messageInWords(message, deliveries.get(alert.id) ?? []) }];
  });
  const byIncident = Map.groupBy(messages, ({ incidentId }) => incidentId);
  return new Map(incidentIds.map((id) => [id, (byIncident.get(id) ?? []).map(({ message }) => message)]));
}

export function showIncident(
  context: ViewSource,
  { id }: { readonly id: number },
  now: Instant,
): IncidentStory | Refusal {
  const found = context.store.incidents.find(id);
  if (found === null)
    return refuse("NOT_FOUND", `id: there is no incident ${id}; \`rollcall incident list\` shows them`);
  const record = loadMonitor(context, found.monitorId)!;
  const { openedAt, closedAt } = found.incident;
  return {
    incident: incidentSummaryOf(context, found),
    timezone: record.monitor.watch.timezone,
    now: [...sentencesNow(context, [record.id], now).get(record.id)!],
    unnotified: closedAt === null ? (unnotifiedOf(context, [id], now).get(id) ?? []) : [],
    notified: [...(notifiedOf(context, [id]).get(id) ?? [])],
    ...reportsOf(context, record, openedAt, closedAt ?? Number.MAX_SAFE_INTEGER),
  };
}

/** A story with more of them hides what was told. */
const REPORTS_SHOWN = 60;

function reportsOf(
  { store }: ViewSource,
  { id, heads }: MonitorRecord,
  since: Instant,
  until: Instant,
): Pick<IncidentStory, "reports" | "isWhole"> {
  const span = { since, until, walked: WALKED, limit: REPORTS_SHOWN + 1 };
  const found = store.pings.between(id, heads.lastPingId, span);
  const oldest = found.at(-1);
  const reachesBack = oldest === undefined ? heads.lastPingId === null : isBefore(oldest, since);
  const read = createReportReader(store, id, OUTPUTS_SHOWN)(found.slice(0, REPORTS_SHOWN));
  const reports = read.map(({ shown, output }) => {
    const { at, kind, message, durationSeconds, durationMilliseconds, outcome } = shown;
    return { at, kind, message, output, durationSeconds, durationMilliseconds, outcome };
  });
  return {
    reports: reports.reverse().sort((a, b) => a.at - b.at),
    isWhole: reachesBack && found.length <= REPORTS_SHOWN,
  };
}

/** Each may be long, and the newest ones say most. */
export const OUTPUTS_SHOWN = 10;

const isBefore = ({ at, previousId }: StoredPing, since: Instant): boolean => at < since || previousId === null;

/** Null when it is no alert, or the file was damaged since. */
function messageOf({ type, at, data }: RecentAlert): AlertMessage | null {
  const message = messageFrom(type, at, data);
  return message !== null && isAlert(message) ? message : null;
}

function messageInWords(message: AlertMessage, deliveries: readonly RecentDelivery[]): Notified {
  // As it was told then: what has happened since is in the later messages.
  const { story, toDo, quote } = wordingOf({ ...message, data: { ...message.data, since: null } }, message.at);
  return {
    at: message.at,
    kind: message.data.kind,
    state: stateOf(message.data),
    story: [...story],
    toDo,
    quote: quote?.value ?? null,
    deliveries: deliveries.map(({ alertId: _, outcome, claimedAt, nextAttemptAt, ...delivery }) => ({
      ...delivery,
      state: outcome ?? (claimedAt === null ? "waiting" : "under_way"),
      nextAttemptAt: claimedAt === null ? nextAttemptAt : null,
    })),
  };
}
