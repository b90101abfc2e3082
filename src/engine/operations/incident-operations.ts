// The operations on incidents (R23), and two that explain a job: `why` says why it is as it is, `replay` what other
// settings would have done.

import { isRefusal, type Refusal, refuseField } from "../../domain/errors.ts";
import { statusOf } from "../../domain/monitor/monitor.ts";
import type { Signal } from "../../domain/monitor/transition.ts";
import { readNumberRanges } from "../../domain/number-ranges.ts";
import { nameOfActor } from "../../domain/people/person.ts";
import { NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import { type Instant, toIso } from "../../domain/time.ts";
import type { IncidentRecord } from "../../store/incidents.ts";
import { monitorWithPolicy } from "../../views/completed-monitors.ts";
import { type About, findListed } from "../../views/find-named.ts";
import { showIncident } from "../../views/incident-story.ts";
import { incidentSummaryOf, listIncidents } from "../../views/incident-summaries.ts";
import { replayOf } from "../../views/replay-history.ts";
import {
  ACKNOWLEDGED,
  CHANGED_INCIDENT,
  type ChangedIncident,
  INCIDENT_STORY,
  INCIDENTS,
  UNACKNOWLEDGED,
} from "../../views/schemas/incident-schemas.ts";
import { REPLAYED, WHY } from "../../views/schemas/why-schemas.ts";
import { whyOf } from "../../views/why.ts";
import type { EngineContext } from "../engine-context.ts";
import { applySignals } from "../record.ts";
import { aboutApplication, aboutMonitor } from "./about.ts";
import {
  AT,
  beforeField,
  flag,
  limitField,
  listedApplication,
  monitorField,
  ONE_MONITOR,
  optionalText,
  rowNumber,
  sinceField,
} from "./fields.ts";
import { JUDGED } from "./monitor-operations.ts";
import { acts, looks, type Operated, withoutAfterCommit } from "./operation.ts";

const ONE_INCIDENT = {
  id: rowNumber({ description: "the incident's number, as `incident list` shows it", argument: "id" }),
};

/** How many open incidents `incident ack-all` looks at. There are more only when almost nothing works. */
const OPEN_MAX = 1_000;

const LISTED_STANDARD = 500;

/** How many incidents one call of `incident ack-all` acknowledges. More would hold up reports. */
const AT_ONCE = 100;

const EVERY_NUMBER = [[0, Number.MAX_SAFE_INTEGER - 1]] as const;

export const INCIDENT_OPERATIONS = {
  why: looks({
    summary: "say why a job stands as it does, who was told of it, and who was not",
    examples: ["nightly-backup", "nightly-backup --at 2026-03-01T02:10"],
    input: {
      ...ONE_MONITOR,
      at: AT,
    },
    answer: WHY,
    about: aboutMonitor,
    run: whyOf,
  }),
  replay: looks({
    summary: "say which alarms a job's history would have raised under other settings",
    notes: `The stored reports are judged again, as they came, with pauses by hand and
incidents that people closed. Without a setting it is as it is.`,
    examples: ["nightly-backup --grace 30m", "nightly-backup --max-runtime 2h --since 7d"],
    input: {
      ...ONE_MONITOR,
      sinceSeconds: sinceField(" (default: 30d)"),
      ...JUDGED,
    },
    answer: REPLAYED,
    about: aboutMonitor,
    run: (context, { application, key, sinceSeconds, ...said }, now) =>
      replayOf(context, { application, key, sinceSeconds, settings: { ...NOTHING_DECLARED, ...said } }, now),
  }),
  "incident list": looks({
    summary: "list incidents, the newest first",
    examples: ["--open", "--monitor nightly-backup --since 30d", "--app prod --json", "--limit 20 --before 4711"],
    input: {
      open: flag({ description: "only those that are open", option: "open" }),
      application: listedApplication(),
      monitor: monitorField(),
      sinceSeconds: sinceField(),
      before: beforeField(),
      limit: limitField(LISTED_STANDARD),
    },
    answer: INCIDENTS,
    about: (context, { application }) => aboutApplication(context, application),
    run: listIncidents,
  }),
  "incident show": looks({
    summary: "show an incident's reports, what was told of it, to whom, and whether it arrived",
    examples: ["12", "12 --json"],
    input: ONE_INCIDENT,
    answer: INCIDENT_STORY,
    about: aboutIncident,
    run: showIncident,
  }),
  "incident ack": acts({
    summary: "acknowledge an incident: its reminders stop, new causes and the recovery are still told",
    examples: ["12"],
    input: ONE_INCIDENT,
    answer: CHANGED_INCIDENT,
    about: aboutIncident,
    inAudit: "acknowledged an incident",
    inStory: "Acknowledged",
    run: (context, { id }, now, by) => {
      const found = findOpen(context, id, "acknowledge");
      if (isRefusal(found)) return withoutAfterCommit(found);
      return found.incident.acknowledgedAt === null
        ? changeIncident(context, found, { kind: "acknowledge", by: nameOfActor(by) }, now)
        : unchangedIncident(context, found, now);
    },
  }),
  "incident unack": acts({
    summary: "take an acknowledgement back: reminders go on, and what it held back is told",
    notes: `Pagers that were told of the acknowledgement go on showing it, as it cannot be
taken back there. They are named.`,
    examples: ["12"],
    input: ONE_INCIDENT,
    answer: UNACKNOWLEDGED,
    about: aboutIncident,
    inAudit: "took back the acknowledgement of an incident",
    inStory: "Acknowledgement taken back",
    run: (context, { id }, now) => {
      const found = findOpen(context, id, "take back");
      if (isRefusal(found)) return withoutAfterCommit(found);
      const { answer, afterCommit } =
        found.incident.acknowledgedAt === null
          ? unchangedIncident(context, found, now)
          : changeIncident(context, found, { kind: "unacknowledge" }, now);
      const told = context.deliveries.toldAcknowledged.all({ incidentId: found.id });
      return { answer: { ...answer, pagers: [...new Set(told.map(({ destination }) => destination))] }, afterCommit };
    },
  }),
  "incident ack-all": acts({
    summary: `acknowledge all open incidents, ${AT_ONCE} at once: their reminders stop`,
    examples: ["", "--app prod", "--only 12,15-20"],
    input: {
      application: listedApplication(),
      only: optionalText({
        description: "only incidents with these numbers, such as 12,15-20",
        option: "only",
        value: "numbers",
      }),
    },
    answer: ACKNOWLEDGED,
    about: (context, { application }) => aboutApplication(context, application),
    inAudit: "acknowledged open incidents",
    run: (context, { application, only }, now, by) => {
      const owner = findListed(context, application);
      if (isRefusal(owner)) return withoutAfterCommit(owner);
      const ranges = only === null ? EVERY_NUMBER : readNumberRanges(only);
      if (ranges === null)
        return withoutAfterCommit(refuseField("only", "it must be numbers and ranges, such as 12,15-20"));
      const { store } = context;
      const { ids } = store.pageLists.incidentIds({
        applications: application === null ? null : [application],
        state: "unacknowledged",
        before: Math.max(...ranges.map(([, last]) => last)) + 1,
        limit: OPEN_MAX,
      });
      const asked = ids.filter((id) => ranges.some(([first, last]) => first <= id && id <= last));
      const signal = { kind: "acknowledge", by: nameOfActor(by) } as const;
      const done = store.incidents
        .list(asked.slice(0, AT_ONCE))
        .map((found) => changeIncident(context, found, signal, now));
      return {
        answer: { acknowledged: done.length, left: asked.length - done.length },
        afterCommit: done.flatMap(({ afterCommit }) => afterCommit ?? []),
      };
    },
  }),
  "incident resolve": acts({
    summary: "close an incident by hand; the recovery is told",
    examples: ["12"],
    input: ONE_INCIDENT,
    answer: CHANGED_INCIDENT,
    about: aboutIncident,
    inAudit: "closed an incident",
    inStory: "Closed the incident",
    run: (context, { id }, now) => {
      const found = findIncident(context, id);
      if (isRefusal(found)) return withoutAfterCommit(found);
      return found.incident.closedAt === null
        ? changeIncident(context, found, { kind: "resolve" }, now)
        : unchangedIncident(context, found, now);
    },
  }),
};

function aboutIncident({ store }: EngineContext, { id }: { readonly id: number }): About | null {
  const found = store.incidents.find(id);
  return found === null ? null : { application: found.application, monitorKey: found.key };
}

/**
 * Returns the incident with this number. If it is closed, but messages about a later, open incident still carry its
 * number (R38), returns that one.
 */
function findIncident({ store: { incidents } }: EngineContext, id: number): IncidentRecord | Refusal {
  const found = incidents.find(id);
  if (found !== null) return incidents.openInstead(found, null);
  return refuseField("id", `there is no incident ${id}; \`rollcall incident list\` shows them`, "NOT_FOUND");
}

/** Like `findIncident`, but refuses a closed one. `act` says what cannot be done to it, such as `acknowledge`. */
function findOpen(context: EngineContext, id: number, act: string): IncidentRecord | Refusal {
  const found = findIncident(context, id);
  if (isRefusal(found) || found.incident.closedAt === null) return found;
  return refuseField(
    "id",
    `incident ${id} is closed since ${toIso(found.incident.closedAt)}, there is nothing to ${act}`,
  );
}

/** Applies a signal to the monitor of this incident. The incident must be open. */
function changeIncident(
  context: EngineContext,
  { id, monitorId }: IncidentRecord,
  signal: Signal,
  now: Instant,
): Operated<ChangedIncident> {
  const { store } = context;
  const before = monitorWithPolicy(context, monitorId)!;
  const { monitor, afterCommit } = applySignals(context, before, [signal], now);
  const incident = incidentSummaryOf(context, store.incidents.find(id)!);
  return { answer: { changed: true, incident, status: statusOf(monitor, now) }, afterCommit };
}

function unchangedIncident(context: EngineContext, found: IncidentRecord, now: Instant): Operated<ChangedIncident> {
  const { monitor } = monitorWithPolicy(context, found.monitorId)!;
  const incident = incidentSummaryOf(context, found);
  return withoutAfterCommit({ changed: false, incident, status: statusOf(monitor, now) });
}
