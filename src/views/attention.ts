// Finds what needs attention now, in all applications or some: the open incidents. First come those about which no
// message has arrived, then those that wait for a person, then those that a person has acknowledged.

import { isRefusal, type Refusal } from "../domain/errors.ts";
import type { InPieces } from "../domain/in-pieces.ts";
import { SEVERITIES } from "../domain/message/presentation.ts";
import { isLaterThanUsual, STATUSES, type Status, statusOf } from "../domain/monitor/monitor.ts";
import { zonesInForce } from "../domain/schedule/zone.ts";
import { severityOf } from "../domain/settings/policy.ts";
import { unheardOf } from "../domain/telling/reach.ts";
import { DAY, type Instant, MINUTE } from "../domain/time.ts";
import type { WordedPart } from "../domain/wording/now.ts";
import { unnotifiedInWords } from "../domain/wording/unnotified.ts";
import type { ApplicationRow } from "../store/applications.ts";
import type { MonitorOutline } from "../store/monitor-pages.ts";
import { policyOfOutline } from "./completed-monitors.ts";
import { findListed, monitorIdOf } from "./find-named.ts";
import { incidentSummaryOf } from "./incident-summaries.ts";
import { sentencesNow } from "./jobs-now.ts";
import { eachMonitorPage, monitorSummary } from "./monitor-summaries.ts";
import type { AttendedIncident, IncidentSummary } from "./schemas/incident-schemas.ts";
import type { StatusSummary } from "./schemas/status-schemas.ts";
import type { ViewSource } from "./view-source.ts";

/**
 * How urgent an open incident is, the most urgent first: no message about it has arrived; no person has acknowledged
 * it; a person has.
 */
const ATTENTION_ORDER: readonly AttendedIncident["attention"][] = ["unnotified", "open", "taken"];

type JobPlace = Pick<IncidentSummary, "application" | "key">;

const jobPlace = ({ application, key }: JobPlace): string => `${application}/${key}`;

/** Reading stops at this many open incidents of jobs that are not paused, the newest ones. More would take too long. */
const OPEN_READ = 10_000;
const OPEN_AT_ONCE = 100;
/** For how many milliseconds a message counts as on its way, before it is said that it has not arrived. */
const ON_ITS_WAY = MINUTE;

/**
 * Finds the open incidents. `needing` has those of jobs that are not paused, sorted by `ATTENTION_ORDER`, then by
 * severity, then with the oldest first. `openOfPausedJobs` is the number of the others, whose jobs are paused (R18).
 */
export function* openIncidents(
  context: ViewSource,
  applications: readonly string[] | null,
  isPaused: (job: JobPlace) => boolean,
  now: Instant,
): InPieces<{ readonly needing: AttendedIncident[]; readonly openOfPausedJobs: number }> {
  const { store, policy } = context;
  const open: AttendedIncident[] = [];
  let openOfPausedJobs = 0;
  const severities = new Map<number, number>();
  for (let before = Number.MAX_SAFE_INTEGER, more = true; more && open.length < OPEN_READ; ) {
    const { ids } = store.pageLists.incidentIds({ applications, state: "open", before, limit: OPEN_AT_ONCE });
    const unnotified = unnotifiedOf(context, ids, now);
    for (const record of store.incidents.list(ids)) {
      const incident = incidentSummaryOf(context, record);
      severities.set(incident.id, SEVERITIES.indexOf(severityOf(policyOfOutline(policy, record))));
      const why = unnotified.get(incident.id) ?? [];
      const attention = incident.acknowledgedAt !== null ? "taken" : why.length > 0 ? "unnotified" : "open";
      if (isPaused(incident)) openOfPausedJobs++;
      else open.push({ ...incident, attention, unnotified: attention === "taken" ? [] : why });
    }
    [before, more] = [ids.at(-1) ?? 0, ids.length === OPEN_AT_ONCE];
    yield;
  }
  const rankOf = ({ id, attention }: AttendedIncident) => ATTENTION_ORDER.indexOf(attention) * 10 + severities.get(id)!;
  const ranks = new Map(open.map((one) => [one, rankOf(one)]));
  return { needing: open.sort((a, b) => ranks.get(a)! - ranks.get(b)! || a.id - b.id), openOfPausedJobs };
}

/**
 * Says why no message about an incident has arrived, by the incident's id. An incident is left out when a message about
 * it has arrived or may still be on its way. Takes one query.
 */
export function unnotifiedOf(
  { store, failing }: ViewSource,
  ids: readonly number[],
  now: Instant,
): ReadonlyMap<number, WordedPart[]> {
  const fails = failing();
  const messages = Map.groupBy(store.recent.unarrived(ids), ({ incidentId }) => incidentId);
  return new Map(
    [...messages].flatMap(([id, tried]) => {
      const isNew = tried.some(
        ({ outcome, attempts, destination, createdAt }) =>
          destination !== null &&
          outcome === null &&
          attempts === 0 &&
          !fails.has(destination) &&
          (createdAt ?? 0) > now - ON_ITS_WAY,
      );
      const told = tried.map((one) => ({ ...one, perhapsTaken: Boolean(one.perhapsTaken) }));
      return isNew ? [] : [[id, unnotifiedInWords(told, (name) => fails.get(name)?.answer ?? null, now)] as const];
    }),
  );
}

// The answer of `rollcall status`: what needs attention in one or all applications, and the number of jobs by status.

/** How many incidents are listed at most, and how many jobs with a warning. More would not fit on a screen. */
const INCIDENTS_LISTED_MAX = 20;

export function statusOfAll(
  context: ViewSource & { readonly ownTroubles: () => string[] },
  { application }: { readonly application: string | null },
  now: Instant,
): InPieces<StatusSummary> | Refusal {
  const owner = findListed(context, application);
  if (isRefusal(owner)) return owner;

  function* read(): InPieces<StatusSummary> {
    const { store, policy, failing, ownTroubles } = context;
    const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
    const warnings: MonitorOutline[] = [];
    const paused = new Set<string>();
    let [unreadable, takenOn] = [0, 0];
    yield* eachMonitorPage(store, application, (listed) => {
      const outlines = store.monitorPages.outlines(listed.map(({ id }) => id)).filter(({ readable }) => readable);
      unreadable += listed.length - outlines.length;
      for (const outline of outlines) {
        const status = statusOf(outline, now);
        counts[status]++;
        if (status === "critical" && outline.takenOn) takenOn++;
        if (status === "paused") paused.add(jobPlace(outline));
        if (status === "warning" && warnings.length < INCIDENTS_LISTED_MAX && isLaterThanUsual(outline, now))
          warnings.push(outline);
      }
    });
    const isPaused = (job: JobPlace): boolean => paused.has(jobPlace(job));
    const slugs = application === null ? null : [application];
    const { needing: open, openOfPausedJobs } = yield* openIncidents(context, slugs, isPaused, now);
    const placed = open
      .slice(0, INCIDENTS_LISTED_MAX)
      .map((one) => ({ one, id: monitorIdOf(context, one.application, one.key) }));
    const ids = [...placed.map(({ id }) => id), ...warnings.map(({ id }) => id)].filter((id) => id !== null);
    const sentences = sentencesNow(context, ids, now);
    const sentenceOf = (id: number | null) => [...((id === null ? undefined : sentences.get(id)) ?? [])];
    const applications = store.applications.list().filter(({ slug }) => (application ?? slug) === slug);
    return {
      troubles: ownTroubles(),
      counts,
      incidents: placed.map(({ one, id }) => ({ ...one, now: sentenceOf(id) })),
      moreIncidents: open.length > INCIDENTS_LISTED_MAX,
      pausedIncidents: openOfPausedJobs,
      unnotified: open.filter(({ attention }) => attention === "unnotified").length,
      takenOn,
      warnings: warnings.map((outline) => ({ ...monitorSummary(policy, outline, now), now: sentenceOf(outline.id) })),
      unreadable,
      failing: [...failing()].map(([destination, { answer, since }]) => ({ destination, answer, since })),
      // `unheardOf` gets an empty map, as if no destination were failing. Otherwise it would tell of the failing
      // destinations a second time: `failing` lists them already.
      unheard: unheardOf(policy, new Map(), applications.filter(isActive), "operator", now),
      ...besideJobs(context, applications, now),
      ...(owner === null ? {} : { plainHttp: [] }),
    };
  }
  return read();
}

/** The part of the status that is about rollcall itself. The page of rollcall's own health shows it too. */
export function besideJobs(
  { plainRefusals }: Pick<ViewSource, "plainRefusals">,
  applications: readonly Pick<ApplicationRow, "slug" | "suspendedAt">[],
  now: Instant,
): Pick<StatusSummary, "suspended" | "plainHttp" | "zoneRules"> {
  const { version, origin } = zonesInForce();
  return {
    suspended: applications.filter((one) => !isActive(one)).map(({ slug }) => slug),
    plainHttp: plainRefusals.all().filter(({ at }) => at >= now - DAY),
    zoneRules: { version, origin },
  };
}

const isActive = ({ suspendedAt }: { readonly suspendedAt: Instant | null }): boolean => suspendedAt === null;
