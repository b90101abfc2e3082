// Serves `/jobs/APPLICATION/KEY`, which shows everything that is known about one job.

import { Elysia } from "elysia";
import { isRefusal, type Refusal } from "../../domain/errors.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import { isPlainMonitorKey } from "../../domain/monitor-key.ts";
import type { Instant } from "../../domain/time.ts";
import { troublesInWords } from "../../domain/wording/causes.ts";
import {
  clientValues,
  crontabLine,
  isForCron,
  reportLine,
  reportUrl,
  runLine,
  scriptLine,
  systemdLinesInWords,
} from "../../domain/wording/job-lines.ts";
import { LIST_MAX } from "../../engine/operations/fields.ts";
import type { JobPast } from "../../views/job-past.ts";
import { incidentState } from "../../views/rows/incident-rows.ts";
import { linkedAddresses } from "../../views/rows/monitor-facts.ts";
import { REFUSED_COLUMNS } from "../../views/rows/received-rows.ts";
import type { IncidentSummary } from "../../views/schemas/incident-schemas.ts";
import { HISTORY, type ShownMonitor } from "../../views/schemas/shown-monitor-schemas.ts";
import { writtenAnswer } from "../../views/schemas/written.ts";
import { pageResponse } from "../document.tsx";
import { livePage } from "../live/live-page.ts";
import { Live, livePath, Part, type Shown, shownParts } from "../live/live-part.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { CopyLine } from "../parts/act.tsx";
import { Ago, type Clocked } from "../parts/moment.tsx";
import { NotifiedLine, notifiedAddressesOf, Unnotified } from "../parts/notified-line.tsx";
import { Cells, RowParts } from "../parts/row-parts.tsx";
import { Shape } from "../parts/shapes.tsx";
import { incidentPath, type JobAddress, jobPath } from "../paths.ts";
import { csvResponse } from "../response.ts";
import { nameOnPage, pageLine } from "../shown.ts";
import { type Asking, signedIn } from "../signed-in.ts";
import type { Viewer } from "../viewer.ts";
import { type ViewerZones, viewerZones, zoneOf } from "../viewer-zone.ts";
import { Calendar, Durations, UnderWay } from "./calendar.tsx";
import { Edit, type OriginOf, originsIn } from "./edit.tsx";
import { Facts, NextSlots } from "./facts.tsx";
import { JobActs, JobHead, toneOf } from "./job-acts.tsx";
import { readStoryQuery, StoryEvents, StoryHead, type StoryQuery, storyPath, WHOLE_STORY } from "./story-part.tsx";

const PATH = "/jobs/:application/:key";

const EVENTS_SHOWN = { all: 150, runs: 50, incidents: 20, changes: 50, reports: 50 } as const;

export function jobRoutes(parts: PagesParts) {
  const { views } = parts.engine;

  function* look({ operate, search, request }: Asking, { application, key }: JobAddress): InPieces<JobView | Refusal> {
    const monitor = operate("monitor show", { application, key });
    if (isRefusal(monitor)) return monitor;
    const query = readStoryQuery(search);
    const asked = {
      ...query,
      before: query.before ?? Number.MAX_SAFE_INTEGER,
      limit: EVENTS_SHOWN[query.part],
      timezone: zoneOf(request, monitor.timezone),
    };
    yield;
    const past = yield* views.job(application, key, asked);
    const { now } = views.viewContext();
    return isRefusal(past) ? past : { monitor, past, query, now, zones: viewerZones(request, monitor.timezone, now) };
  }

  const page = livePage<JobView, JobAddress>(parts, {
    at: PATH,
    look,
    shown: (job, viewer) => jobShown(job, viewer, originsIn(parts.inForce, job.monitor)),
    page: (asking, job, shown) =>
      jobPage(asking, job, shown, { ...parts, address: parts.address ?? new URL(asking.request.url).origin }),
    // Only the job's id is looked up here. What happened to the job is read when the page is made, once for all who
    // have it open.
    monitorOf: ({ operate }, { application, key }) => {
      const monitor = operate("monitor show", { application, key });
      return isRefusal(monitor) ? monitor : views.monitorId(application, key);
    },
  });
  return new Elysia({ name: "job" })
    .use(signedIn(parts))
    .get(PATH, ({ asking, params }) => page(asking, params))
    .get(`${PATH}/reports.csv`, ({ asking, params }) => reportsCsv(asking, params));
}

const csvPath = (job: JobAddress): string => `${jobPath(job)}/reports.csv`;

function reportsCsv({ operate }: Asking, { application, key }: JobAddress): Response | Refusal {
  const history = operate("monitor history", { application, key, limit: LIST_MAX });
  if (isRefusal(history)) return history;
  return csvResponse(`reports-of-${key}`.replaceAll(/[^\w.-]/g, "-"), writtenAnswer(HISTORY, history).entries);
}

// Draws a job's page: its state and what can be done, the lengths of its runs, its days, where each value comes from,
// and its story.

type JobView = Readonly<{
  monitor: ShownMonitor;
  past: JobPast;
  query: StoryQuery;
  now: Instant;
  zones: ViewerZones;
}>;

const jobPage = (asking: Asking, { monitor, query }: JobView, shown: Shown, reached: ReachedBy): Response =>
  pageResponse(
    asking,
    { title: nameOnPage(monitor), tone: toneOf(monitor) },
    <Live path={livePath(storyPath(monitor, query), shown)}>
      <Part of={shown} id="headline" />
      <Part of={shown} id="job-run" />
      <div class="job-acts">
        <Part of={shown} id="job-acts" />
        <Part of={shown} id="job-edit" />
      </div>
      <Part of={shown} id="job-open" />
      <div class="columns">
        <div>
          <Part of={shown} id="job-durations" />
          <Part of={shown} id="job-days" />
          <Part of={shown} id="job-incidents" />
        </div>
        <div>
          <Part of={shown} id="job-slots" />
          <Part of={shown} id="job-facts" />
          <Reporting monitor={monitor} {...reached} />
        </div>
      </div>
      <StoryHead job={monitor} query={query} />
      <Part of={shown} id="job-refused" />
      <Part of={shown} id="job-story" />
      <p class="note">
        <a href={csvPath(monitor)}>Its newest {String(LIST_MAX)} reports as CSV</a>
      </p>
    </Live>,
  );

const jobShown = ({ monitor, past, query, now, zones }: JobView, viewer: Viewer, originOf: OriginOf): InPieces<Shown> =>
  shownParts({
    headline: <JobHead monitor={monitor} now={now} isRunning={past.run !== null} />,
    "job-run": <UnderWay {...past} now={now} timezone={monitor.timezone} />,
    "job-acts": <JobActs monitor={monitor} viewer={viewer} />,
    "job-edit": <Edit originOf={originOf} monitor={monitor} now={now} viewer={viewer} />,
    "job-open": <OpenIncident {...past} monitor={monitor} now={now} />,
    "job-durations": <Durations runs={past.runs} monitor={monitor} />,
    "job-days": <Calendar job={monitor} days={past.days} timezone={monitor.timezone} />,
    "job-incidents": (
      <Incidents
        incidents={past.incidents}
        more={past.moreIncidents ? `${storyPath(monitor, { ...WHOLE_STORY, part: "incidents" })}#story` : null}
        now={now}
        timezone={monitor.timezone}
      />
    ),
    "job-refused": <RefusedReports refused={monitor.refused} now={now} timezone={monitor.timezone} />,
    "job-story": <StoryEvents job={monitor} query={query} story={past.story} zones={zones} now={now} />,
    "job-slots": <NextSlots monitor={monitor} now={now} />,
    "job-facts": <Facts monitor={monitor} now={now} />,
  });

/**
 * The open incident: the message of its newest failure, the job's note, and who was notified of it. The job's story
 * tells everything else.
 */
const OpenIncident = ({ monitor, now, notified, unnotified }: JobPast & Pick<JobView, "monitor" | "now">) => {
  const { incident, settings, timezone } = monitor;
  const quote = notified.findLast((message) => message.quote !== null)?.quote ?? null;
  return (
    <section id="job-open" aria-label="Open incident" hidden={incident === null}>
      {quote === null ? null : <blockquote class="quote">{quote}</blockquote>}
      {settings.note.value === null ? null : (
        <p>
          <RowParts parts={linkedAddresses(settings.note.value)} now={now} timezone={timezone} />
        </p>
      )}
      <Unnotified why={unnotified} timezone={timezone} />
      {incident === null ? null : (
        <p class="note">
          <NotifiedLine notified={notifiedAddressesOf(notified)} now={now} timezone={timezone} /> ·{" "}
          <a href={incidentPath(incident.id)}>the story of incident {incident.id}</a>
        </p>
      )}
    </section>
  );
};

type IncidentsProps = Clocked & { readonly incidents: readonly IncidentSummary[]; readonly more: string | null };

/**
 * The list of the job's last incidents. `more` is the address at which all are listed; `null` when all are in this
 * list.
 */
const Incidents = ({ incidents, more, now, timezone }: IncidentsProps) => (
  <section id="job-incidents" class="panel">
    <h2>Incidents</h2>
    {incidents.length === 0 ? <p class="note">It has had none.</p> : null}
    <ul>
      {incidents.map((incident) => (
        <Line key={incident.id} incident={incident} now={now} timezone={timezone} />
      ))}
    </ul>
    {more === null ? null : (
      <p class="note">
        <a href={more}>Earlier ones</a>
      </p>
    )}
  </section>
);

const Line = ({ incident, now, timezone }: { incident: IncidentSummary } & Clocked) => {
  const { id, message, openedAt, closedAt } = incident;
  return (
    <li class="past-incident">
      <Shape health={closedAt === null ? "critical" : "healthy"} />
      <p>
        <a href={incidentPath(id)}>{troublesInWords(incident)}</a>{" "}
        <span class="note">{message === null ? "" : pageLine(message)}</span>
      </p>
      <p class="note">
        <Ago at={openedAt} now={now} timezone={timezone} />
        {", "}
        <RowParts parts={incidentState(incident)} now={now} timezone={timezone} />
      </p>
    </li>
  );
};

// Shows how this job reports, as lines to copy. Keys are not stored, so a person puts their key in.

type ReachedBy = Readonly<{ address: string; mailDomain: string | null }>;

const Reporting = ({ monitor, address, mailDomain }: ReachedBy & Pick<JobView, "monitor">) => {
  const { application, schedule, everySeconds } = monitor;
  const url = reportUrl(address, monitor.key);
  const [run, script] = [runLine(monitor), scriptLine(monitor, address)];
  return (
    <section id="job-reporting" class="panel">
      <h2>How it reports</h2>
      {run === null ? null : (
        <>
          <p class="note">
            With rollcall on its machine, where client.toml has the address <code>{address}</code> and a key of{" "}
            {application}:
          </p>
          <CopyLine text={run} />
        </>
      )}
      <details open={run === null}>
        <summary>{mailDomain === null ? "With curl alone" : "With curl or mail alone"}</summary>
        <p class="note">Put a key of {application} in the place of KEY:</p>
        <CopyLine text={reportLine(url, "KEY", monitor)} />
        {isForCron(schedule) ? <CopyLine text={crontabLine(schedule, url, "KEY")} /> : null}
        {script === null ? null : (
          <>
            <p class="note">
              Start, end and duration by a script for curl or wget; what stands before && gets it, once:
            </p>
            <CopyLine text={script} />
          </>
        )}
        {mailDomain === null || !isPlainMonitorKey(monitor.key) ? null : (
          <CopyLine text={`${monitor.key}+KEY@${mailDomain}`} />
        )}
      </details>
      <details>
        <summary>As a systemd service</summary>
        <p class="note">For `systemctl edit` of its service:</p>
        <CopyLine text={systemdLinesInWords(url, "KEY")} />
      </details>
      <details>
        <summary>In sh, Python, PHP or Node</summary>
        <p class="note">
          The scripts in docs/clients.md take these
          {everySeconds === null ? "" : ", and “every” in the place of “schedule”"}:
        </p>
        <CopyLine text={clientValues(monitor, address)} />
      </details>
    </section>
  );
};

// Lists the refused reports of a job, one for each reason.

const RefusedReports = ({ refused, ...clock }: Clocked & { refused: ShownMonitor["refused"] }) => (
  <section id="job-refused" class="group" hidden={refused.length === 0}>
    <h2 class="group-head">
      <span>
        <Shape health="warning" /> Refused reports
      </span>
    </h2>
    <ul class="keys">
      {refused.map((report) => (
        <li key={report.at} class="key">
          <Cells columns={REFUSED_COLUMNS} of={report} {...clock} />
        </li>
      ))}
    </ul>
  </section>
);
