// Writes what a transition decided about a monitor: its facts, runs and incidents, its alerts and their deliveries. It
// runs inside the caller's transaction and returns the work that is left for after the commit.

import { type Alert, alertMessage, type RefusedReport } from "../domain/message/alert.ts";
import { alertSilence } from "../domain/message/alert-gaps.ts";
import { notAfter } from "../domain/message/not-after.ts";
import { runsOnIn, runsOnOf } from "../domain/message/presentation.ts";
import { explainsAlertSince } from "../domain/message/refused-report.ts";
import { gapsTouching } from "../domain/monitor/doubt.ts";
import { pauseBegin } from "../domain/monitor/draft.ts";
import type { FoundGap } from "../domain/monitor/gap.ts";
import type { Incident } from "../domain/monitor/incident.ts";
import { startHeardAtIfLate } from "../domain/monitor/late.ts";
import { isPaused, unstoredPause, type Watch } from "../domain/monitor/monitor.ts";
import { matteringRuns } from "../domain/monitor/run.ts";
import { usualLength } from "../domain/monitor/run-lengths.ts";
import { wakeAt } from "../domain/monitor/settle.ts";
import type { Signal, Transition } from "../domain/monitor/transition.ts";
import { closingDelay } from "../domain/monitor/window.ts";
import { byTheClock } from "../domain/monitor/wrong-clock.ts";
import { intervalOfRhythm } from "../domain/schedule/rhythm.ts";
import { countSlots, nextSlot } from "../domain/schedule/slots.ts";
import { monitorName, presentationOf, zonesNear } from "../domain/settings/policy.ts";
import { type AppliedValues, DECLARED_FIELDS, type Declared, WATCHED_FIELDS } from "../domain/settings/settings.ts";
import { hasPauseOfMessagesChanged } from "../domain/telling/lane.ts";
import { type Instant, SECOND, toIso } from "../domain/time.ts";
import { orElse } from "../domain/unless-missing.ts";
import type { UnknownRow } from "../store/gaps.ts";
import type { ChangedValue, SettingChangeRow } from "../store/monitor-settings.ts";
import type { Heads } from "../store/monitor-state.ts";
import { PINGS_WALKED_MAX, type StoredPing } from "../store/pings.ts";
import { NO_RUNS } from "../store/runs.ts";
import type { Store } from "../store/store.ts";
import type { MonitorRecord } from "../views/completed-monitors.ts";
import type { Ping } from "./api.ts";
import { decide } from "./decide.ts";
import { type AfterCommit, type EngineContext, NONE, type RaisedAlert, thisInstance } from "./engine-context.ts";
import { payOwed } from "./pay-owed.ts";
import { dropAcknowledged, planAlert, planMonitorAgain, seriesToldBy, storePlan } from "./telling.ts";
import { tellUnusual } from "./unusual-notice.ts";

/** The report that a transition came from, as the table `pings` has it. `output` has its own table (R46). */
type PingFacts = Pick<StoredPing, "kind" | "at" | "happenedAt" | "attempt" | "message" | "outcomes"> &
  Readonly<{ output: string | null }> &
  Pick<Ping, "host" | "user">;

/**
 * Decides what signals that come from no report mean for the monitor now, and writes that. Must be called in a
 * transaction.
 */
export function applySignals(
  context: EngineContext,
  before: MonitorRecord,
  signals: readonly [Signal, ...Signal[]],
  now: Instant,
): Readonly<{ monitor: Transition["monitor"]; afterCommit: AfterCommit }> {
  const decision = decide(context, before, signals, now);
  return { monitor: decision.monitor, afterCommit: record(context, before, decision, now, null) };
}

/**
 * Makes the signal that a monitor's settings have changed to `watch`. Its `byHand` is the end that a person gave to the
 * present pause; `null` when nobody did. A maintenance may have prolonged the pause. If `watch` has no such maintenance
 * any more, the pause ends at `byHand` again (R24).
 */
export const declareSignal = (
  { store }: Pick<EngineContext, "store">,
  { id, monitor }: MonitorRecord,
  watch: Watch,
) => {
  const byHand = monitor.pauses.manual === null ? null : (store.pausesByHand.find(id)?.until ?? null);
  return { kind: "declare", watch, byHand } as const;
};

/**
 * Writes the transition of the monitor `before`. `now` is the clock's time, from which the age of deliveries counts.
 * `ping` is `null` when the transition comes from no report.
 */
export function record(
  context: EngineContext,
  before: MonitorRecord,
  decided: Transition,
  now: Instant,
  ping: PingFacts | null,
): AfterCommit {
  const { store } = context;
  const decision = before.monitor.changedAt > now ? byTheClock(decided, before.monitor, now) : decided;
  const { monitor } = decision;
  const { runs, runsThatMatter } = saveRuns(store, before, decision);
  const { raised, openIncidentId, touchedIncidents, hasReplanned } = saveIncidents(
    context,
    before,
    decision,
    now,
    ping,
  );
  let heads: Heads = { ...before.heads, runsThatMatter, openIncidentId };
  if (ping !== null) {
    const runRow = decision.run === null ? null : (runs.get(decision.run.number)?.id ?? null);
    heads = appendPing(store, before.id, heads, ping, { runRow, ...judgedOf(ping, decision) });
  }
  const isTold = raised.length > 0 || hadEnded(before, decision);
  const seconds = ping === null || isTold ? null : durationOf(ping, decision);
  const isGood = ping?.kind !== "fail" && monitor.incident === null;
  const ended = seconds === null ? null : { endedAt: ping?.happenedAt ?? now, ms: seconds * SECOND, isGood };
  const notices = tellUnusual(context, before, decision, ended, now);
  for (const unknown of decision.unknowns) store.unknowns.insert(before.id, unknown);
  if (ping !== null && ping.happenedAt !== null) forgetUnknown(store, before.id, decision);
  const wake = wakeAt(monitor, context.gaps.undecided());
  store.monitors.saveState(before.id, monitor, heads, wake);
  if (monitor.pauses !== before.monitor.pauses) savePauses(store, before, decision, now);
  if (monitor.pauses !== before.monitor.pauses || openIncidentId !== before.heads.openIncidentId)
    store.monitors.saveForQueries(before.id);
  const quietChanged = hasPauseOfMessagesChanged(before.monitor.pauses, monitor.pauses);
  const takenBack = isTakenBack(before.monitor, monitor);
  const isSooner =
    ((quietChanged || takenBack) &&
      planAgain(context, { ...before, monitor, heads }, { quietChanged, takenBack }, now)) ||
    hasReplanned;
  context.active.noteChange(before.applicationId, before.monitor.pauses, monitor.pauses);
  return {
    monitorId: before.id,
    wakeAt: wake,
    changedAt: monitor.changedAt,
    raised,
    notices,
    touchedIncidents: takenBack ? [...touchedIncidents, openIncidentId!] : touchedIncidents,
    isSooner,
  };
}

/**
 * Plans the waiting messages again, and writes those that receivers should have but were never sent (R38). Called when
 * a person paused or resumed the job or its application, or took an acknowledgement back. Returns whether the notifier
 * must look at the deliveries again.
 */
function planAgain(
  context: EngineContext,
  after: MonitorRecord,
  { quietChanged, takenBack }: Readonly<Record<"quietChanged" | "takenBack", boolean>>,
  now: Instant,
): boolean {
  const { id } = after;
  const { openIncidentId } = after.heads;
  const hasChanged = quietChanged && planMonitorAgain(context, after, openIncidentId, now);
  if (openIncidentId === null) return hasChanged;
  const hasDropped = takenBack && dropAcknowledged(context, id, openIncidentId, now);
  return payOwed(context, id, after, now) > 0 || hasDropped || hasChanged;
}

/** Stores since when the monitor is paused, and when it was watched again (R24). */
function savePauses({ pausedSpans }: Store, { id, monitor: before }: MonitorRecord, decided: Transition, now: Instant) {
  const { monitor, pauseChanges } = decided;
  const [first] = pauseChanges;
  const wasPaused = first === undefined ? isPaused(monitor) : !first.paused;
  // The clock is behind, and `decide` has put back a pause that a wrong clock had ended (R26). So the monitor is stored
  // as paused again.
  if (wasPaused && !isPaused(before)) pausedSpans.begin(id, pauseBegin(monitor, now));
  for (const change of pauseChanges) {
    if (change.paused) pausedSpans.begin(id, change);
    else pausedSpans.end(id, change, unstoredPause(before));
  }
}

/** Whether the acknowledgement of the open incident was taken back. */
const isTakenBack = ({ incident: before }: Transition["monitor"], { incident }: Transition["monitor"]): boolean =>
  before !== null &&
  incident?.number === before.number &&
  before.acknowledgedAt !== null &&
  incident.acknowledgedAt === null;

/**
 * Whether the end of the reported run was stored already. A client sends an end again when the response to it was lost.
 */
const hadEnded = ({ storedRuns }: MonitorRecord, { run }: Transition): boolean =>
  run !== null && (storedRuns.get(run.number)?.run.endedAt ?? null) !== null;

/** Returns how long the report's run took, in seconds; `null` when that is unknown, and for every start. */
const durationOf = ({ kind }: PingFacts, { measuredSeconds, run }: Transition): number | null =>
  kind === "start" ? null : (measuredSeconds ?? run?.durationSeconds ?? null);

const judgedOf = (ping: PingFacts, decision: Transition): Pick<StoredPing, "durationSeconds" | "verdict"> => ({
  durationSeconds: durationOf(ping, decision),
  verdict: decision.verdict,
});

function appendPing(
  store: Store,
  monitorId: number,
  heads: Heads,
  ping: PingFacts,
  judged: Pick<StoredPing, "runRow" | "durationSeconds" | "verdict">,
): Heads {
  const pingCount = heads.pingCount + 1;
  const previousId = heads.lastPingId;
  const lastPingId = store.pings.append({ ...ping, ...judged, monitorId, number: pingCount, previousId });
  if (ping.output !== null) store.outputs.keep({ id: lastPingId, monitorId, at: ping.at, text: ping.output });
  const lastFailurePingId = ping.kind === "fail" ? lastPingId : heads.lastFailurePingId;
  return { ...heads, pingCount, lastPingId, lastFailurePingId };
}

function saveRuns(store: Store, before: MonitorRecord, { monitor }: Transition) {
  if (monitor.runs.length === 0) return { runs: NO_RUNS, runsThatMatter: 0 };
  const mattering = matteringRuns(monitor.runs, monitor.changedAt);
  const runs = store.runs.save(before.id, before.storedRuns, monitor.runs, mattering);
  return { runs, runsThatMatter: mattering.size };
}

/**
 * Writes the incidents that alerts are about, and the open incident. Each alert carries the incident as it was when the
 * alert was raised. So an incident that opened and closed within this transition is written too.
 */
function saveIncidents(
  context: EngineContext,
  before: MonitorRecord,
  decision: Transition,
  now: Instant,
  ping: PingFacts | null,
) {
  const { incident } = decision.monitor;
  const known = incident === before.monitor.incident ? before.heads.openIncidentId : undefined;
  if (decision.alerts.length === 0 && known !== undefined)
    return { raised: NONE, touchedIncidents: NONE, openIncidentId: known, hasReplanned: false };
  const raised: RaisedAlert[] = [];
  const touchedIncidents: number[] = [];
  let hasReplanned = false;
  let saved: SavedIncident | null = null;
  for (const alert of decision.alerts) {
    saved = saveIncident(context, before, alert.incident, saved);
    if (alert.kind === "Acknowledged" || alert.kind === "Recovered") touchedIncidents.push(saved.id);
    const one = raise(context, before, decision.monitor, alert, saved.id, now, ping);
    if (one.raised !== null) raised.push(one.raised);
    hasReplanned = one.hasChanged || hasReplanned;
  }
  if (incident === null) return { raised, touchedIncidents, openIncidentId: null, hasReplanned };
  return {
    raised,
    touchedIncidents,
    hasReplanned,
    openIncidentId: known ?? saveIncident(context, before, incident, saved).id,
  };
}

type SavedIncident = Readonly<{ incident: Incident; id: number }>;

/** Writes the incident, unless it is the same object that was written last. */
const saveIncident = (
  { store }: EngineContext,
  before: MonitorRecord,
  incident: Incident,
  last: SavedIncident | null,
): SavedIncident => (last?.incident === incident ? last : { incident, id: store.incidents.save(before.id, incident) });

/**
 * Writes an alert and its deliveries. `monitor` is the monitor after the transition. No alert is written, and `raised`
 * is `null`, when the alert has receivers and none of them needs the message. An alert without receivers is written all
 * the same, for the log. An acknowledgement without receivers is not written. `hasChanged` is true when other messages,
 * which waited before, are planned differently now.
 */
function raise(
  context: EngineContext,
  before: MonitorRecord,
  monitor: Transition["monitor"],
  alert: Alert,
  incidentId: number,
  now: Instant,
  ping: PingFacts | null,
): Readonly<{ raised: RaisedAlert | null; hasChanged: boolean }> {
  const { store } = context;
  const { application, key, declared, policy } = before;
  const flapping = seriesToldBy(context, before, alert);
  const planned = planAlert(context, before, { alert, incidentId, series: flapping, monitor }, now);
  const deliveries = planned.lanes.filter(({ own }) => own !== null).length;
  if (deliveries === 0 && !planned.isOwed && (planned.wanted > 0 || alert.kind === "Acknowledged"))
    return { raised: null, ...storePlan(context, before.id, planned.lanes, { alertId: 0, incidentId, at: now }) };
  const written = alertMessage(alert, monitor, {
    incidentId,
    application,
    key,
    name: monitorName(policy, declared),
    notifiedAs: alert.reason === "opened" ? null : store.alerts.firstNames(incidentId),
    presentation: presentationOf(policy, store.applications.byId(before.applicationId)?.name ?? null),
    instance: thisInstance(context),
    zones: zonesNear(policy),
    refusedReport: refusedReportOf(context, before, alert),
    startHeardAt: startHeardLate(context, before, alert),
    flapping,
    usualMs:
      alert.run === null ? null : (usualLength(store.runLengths.of([before.id]).get(before.id) ?? [])?.usualMs ?? null),
    runsOn: runsOnOf(
      ping,
      orElse(null, () => runsOnIn(store.registries.declaration(before.id)?.metadata ?? null)),
    ),
    gaps: gapsNamedBy(context, before, alert),
    url: context.incidentUrl(incidentId),
  });
  const message = notAfter(written, now);
  const alertId = store.alerts.insert(incidentId, message);
  const { joined, hasChanged } = storePlan(context, before.id, planned.lanes, { alertId, incidentId, at: now });
  return { raised: { message, deliveries, joined }, hasChanged };
}

/**
 * Returns the refused report that explains why a report or the end of a run is missing (R33). With it in the alert,
 * people look for a wrong parameter and not for a dead job. `null` when no report was refused while the missing one was
 * awaited, and for alerts of other causes.
 */
function refusedReportOf({ store }: EngineContext, before: MonitorRecord, alert: Alert): RefusedReport | null {
  const since = explainsAlertSince(alert, before.monitor.createdAt);
  if (since === null) return null;
  // A report that could not be stored is left out, because nothing was wrong with it. The alert names the gap in which
  // it came instead (R26).
  const refused = store.refusedReports
    .ofMonitor(before.applicationId, before.key)
    .find(({ code, at }) => code !== "STORAGE_UNAVAILABLE" && at > since && at <= alert.at);
  if (refused === undefined) return null;
  return { at: toIso(refused.at), report: refused.kind, error: refused.code, reason: refused.reason };
}

/**
 * Returns when the start of an unfinished run arrived, if the start came late and so gave the run five minutes more
 * (R43). Otherwise returns `null`. The instant is computed from the run's deadline. It is returned only if a stored
 * start of this run arrived at exactly that instant.
 */
function startHeardLate(
  { store }: EngineContext,
  before: MonitorRecord,
  { cause, reason, run }: Alert,
): Instant | null {
  const heardAt = cause !== "unfinished" || isRepeated(reason) || run === null ? null : startHeardAtIfLate(run);
  if (heardAt === null) return null;
  const span = { since: heardAt, until: heardAt, walked: PINGS_WALKED_MAX, limit: PINGS_WALKED_MAX };
  const found = store.pings.between(before.id, before.heads.lastPingId, span);
  const isStart = ({ kind, at, happenedAt }: StoredPing) =>
    kind === "start" && at === heardAt && happenedAt === run!.startedAt;
  return found.some(isStart) ? heardAt : null;
}

const isRepeated = (reason: Alert["reason"]): boolean => reason !== "opened" && reason !== "new_cause";

/**
 * Returns the gaps that the alert names: those in which the missing report may have been lost. A gap counts also after
 * all monitors that it left in doubt were judged.
 */
function gapsNamedBy({ gaps }: EngineContext, { monitor }: MonitorRecord, alert: Alert): readonly FoundGap[] {
  const silence = alertSilence(monitor, alert);
  return silence === null ? NONE : gapsTouching(gaps.since(silence.from), silence);
}

// Below: a late report fills a slot or ends a run that a gap had left unknown (R43). That slot or run is removed from
// the unknown ones, so that neither the notice about the gap nor a page names it.

/**
 * Removes from the rows of unknowns what a late report has filled or ended. Must be called after the transition's own
 * unknowns were written.
 */
function forgetUnknown({ unknowns }: Pick<Store, "unknowns">, monitorId: number, decision: Transition): void {
  const { lateSlot, run, monitor } = decision;
  if (lateSlot !== null) {
    const row = unknowns.before(monitorId, lateSlot);
    const left = row === null ? null : withoutSlot(row, lateSlot, monitor.watch);
    if (row !== null && left !== null) unknowns.replace(row.id, left);
  }
  if (run?.startedAt != null && run.endedAt !== null) unknowns.removeRun(monitorId, run.startedAt);
}

type SlotRange = Pick<UnknownRow, "slot" | "slots">;

/**
 * Returns what is left of a row of unknown slots without `slot`: the slots before it and those after it. `null` when
 * `slot` is not in the row.
 */
function withoutSlot({ slot: first, slots }: UnknownRow, slot: Instant, watch: Watch): readonly SlotRange[] | null {
  const { schedule, timezone } = watch;
  const interval = intervalOfRhythm(watch);
  // With an interval, `slot` lies one interval after the event of which the late report tells. If the row's first slot
  // had not closed yet at that event, the job was in time. Then none of the row's slots stays unknown (R44).
  if (first !== null && interval !== null) return first + closingDelay(watch) >= slot - interval ? [] : null;
  if (first === null || schedule === null) return null;
  const before = slot === first ? 0 : countSlots(schedule, timezone, first - 1, slot - 1);
  if (before >= slots) return null;
  const next = nextSlot(schedule, timezone, slot);
  const after = slots - before - 1;
  return [
    ...(before === 0 ? [] : [{ slot: first, slots: before }]),
    ...(after === 0 || next === null ? [] : [{ slot: next, slots: after }]),
  ];
}

// Below: saves changed settings and who changed them. Must be called in the transaction of the change.

/**
 * Who changed settings. `source` is the name of the registry or person; `null` for a command, or when the name is
 * unknown.
 */
export type ChangedBy = Pick<SettingChangeRow, "by" | "source">;

type Changed = Readonly<{ store: Store; id: number; now: Instant }>;

export function saveDeclared(
  { store, id, now }: Changed,
  before: Declared,
  declared: Declared,
  watch: AppliedValues,
  by: ChangedBy,
): void {
  store.monitors.saveSettings(id, declared, watch, now);
  const changes = DECLARED_FIELDS.map((field): ChangedValue => [field, before[field], declared[field]]);
  note({ store, id, now }, changes, by);
}

/**
 * Saves the settings that the configuration now gives to the monitor. When only the monitor's maintenance windows
 * differ, the stored time of its last change (`updatedAt`) stays as it was.
 */
export function saveConfigured(store: Store, before: MonitorRecord, watch: Watch, now: Instant): void {
  const { id, declared, updatedAt, monitor } = before;
  const isOther = WATCHED_FIELDS.some((field) => monitor.watch[field] !== watch[field]);
  store.monitors.saveSettings(id, declared, watch, isOther ? now : updatedAt);
  const changes = WATCHED_FIELDS.map((field): ChangedValue => [field, monitor.watch[field], watch[field]]);
  note({ store, id, now }, changes, { by: "configuration", source: null });
}

function note({ store, id, now }: Changed, values: readonly ChangedValue[], by: ChangedBy): void {
  const changes = values.filter(([, before, since]) => before !== since);
  if (changes.length === 0) return;
  store.settingChanges.insert({ ...by, monitorId: id, at: now, changes: JSON.stringify(changes) });
}
