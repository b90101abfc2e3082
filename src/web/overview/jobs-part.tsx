// Draws one page of the list of jobs on the overview, in their groups.

import { raw } from "hono/html";
import type { Instant } from "../../domain/time.ts";
import { discoverLine, firstReportLine } from "../../domain/wording/job-lines.ts";
import { slowerInShort, slowerInWords } from "../../domain/wording/run-length-words.ts";
import { scheduleInWords } from "../../domain/wording/schedule-words.ts";
import { aboutSpan } from "../../domain/wording/short-time.ts";
import { counted, intervalInWords } from "../../domain/wording/spoken-time.ts";
import { type ApplicationKeys, newestKeyId } from "../keys/keys-by-application.tsx";
import { maintenanceFormTimes, PLAN_AMONG } from "../maintenance/maintenance-routes.tsx";
import { Act, ButtonLink, CopyLine, ManyActs, Paused } from "../parts/act.tsx";
import { Ago, For, Sentence, Until } from "../parts/moment.tsx";
import { Chips, Pager, SearchField, Select, ShowButton } from "../parts/narrow.tsx";
import { Fields } from "../parts/operation-form.tsx";
import { Shape } from "../parts/shapes.tsx";
import { Strip } from "../parts/strip.tsx";
import { DESTINATIONS_PATH, jobPath, KEYS_PATH, NEW_JOB_PATH } from "../paths.ts";
import { nameOnPage, pageLine } from "../shown.ts";
import { type JobGroup, type OverviewQuery, overviewPath, SHOWN, type ShownJob } from "./model.ts";
import type { Overview } from "./overview.ts";

interface JobsProps extends Pick<Overview, "groups" | "found" | "pages" | "query" | "counts" | "timezone"> {
  /** The HTML of each row by its id. */
  readonly rows: ReadonlyMap<string, string>;
  readonly mayAct: boolean;
}

export const JobsPart = ({ groups, found, pages, query, counts, rows, mayAct, timezone }: JobsProps) => (
  <div id="jobs">
    {found === 0 && counts.all > 0 ? <Nothing query={query} /> : null}
    {groups.map((group) => (
      <section key={group.name} class="group" aria-label={headOf(group, query)}>
        <h2 class="group-head jobs-head">
          <span>
            {headOf(group, query)} <small>{counted(group.total, "job")}</small>
          </span>
          {COLUMN_HEADS.map(([column, head]) => (
            <small key={column} class={`head-${column}`} aria-hidden="true">
              {head}
            </small>
          ))}
        </h2>
        <ul class="rows">{group.jobs.map((job) => raw(rows.get(rowId(job)) ?? ""))}</ul>
      </section>
    ))}
    {mayAct ? (
      <ManyActs back={overviewPath(query)}>
        <Fields of={PLAN_AMONG} shown={maintenanceFormTimes(timezone)} among />
      </ManyActs>
    ) : null}
    <Pager
      page={query.page}
      pages={pages}
      path={(page) => overviewPath({ ...query, page })}
      words={["Earlier", "Later"]}
    />
  </div>
);

/** The columns of a row after the job's name, with their heads. Each cell can also be understood without its head. */
const COLUMN_HEADS = [
  ["schedule", "due"],
  ["length", "duration"],
  ["last", "last report"],
  ["next", "next"],
  ["strip", "last 30 runs"],
] as const;

const UNGROUPED_WORDS: Readonly<Record<OverviewQuery["group"], string>> = {
  application: "",
  source: "not from a registry",
  environment: "of no environment",
  owner: "of nobody",
};

const headOf = ({ name }: JobGroup, { group }: OverviewQuery): string => pageLine(name) || UNGROUPED_WORDS[group];

const Nothing = ({ query }: { query: OverviewQuery }) => (
  <p class="nothing">
    {query.find === "" ? "No job stands like this." : `No job has “${pageLine(query.find)}” in its name or key.`}{" "}
    <a href={overviewPath({ ...query, find: "", show: "all", page: 1 })}>Show all</a>
  </p>
);

// Shows three ways to a first report while there are no jobs, with the real address and a button that makes a key.

export interface FirstReportProps {
  /** The address at which jobs reach this rollcall, without a slash at its end. */
  readonly address: string;
  readonly commandLine: string;
  /** The keys of each application for which the viewer may make a key; empty when there is none. */
  readonly rings: readonly ApplicationKeys[];
}

export const FirstReport = ({ address, commandLine, rings }: FirstReportProps) => (
  <section id="filters" class="first">
    <p>There are three ways in; put a key in the place of KEY. This page shows a job as soon as it reports.</p>
    <h2>One job, by curl</h2>
    <CopyLine text={firstReportLine(address, "KEY")} />
    <h2>All jobs of a machine, with rollcall on it</h2>
    <p class="note">Finds what cron and systemd start there, shows what it would change, and asks before it does.</p>
    <CopyLine text={discoverLine(address, "KEY")} />
    <h2>The checks of Healthchecks, Uptime Kuma, Cronitor or another rollcall</h2>
    <p class="note">On rollcall's own machine, from the other's database, an export or its API.</p>
    <CopyLine text={`${commandLine} import healthchecks hc.sqlite --dry-run`} />
    {rings.length === 0 ? (
      <p class="note">
        The first key stands in what rollcall printed at its first start; an administrator can make more.
      </p>
    ) : (
      <div class="acts">
        {rings.map((ring) => (
          <Act
            key={ring.slug}
            to={KEYS_PATH}
            back="/"
            fields={{ application: ring.slug, newest: String(newestKeyId(ring)) }}
            kind="strong"
          >
            Make a key for {ring.slug}
          </Act>
        ))}
        <ButtonLink to={DESTINATIONS_PATH} kind="plain">
          Say where alerts go
        </ButtonLink>
      </div>
    )}
  </section>
);

// Draws the plain form that narrows, groups and sorts the list. Its fields are in the page's address.

const SHOW_WORDS: Readonly<Record<OverviewQuery["show"], string>> = {
  all: "All",
  trouble: "Attention",
  taken: "Taken on",
  late: "Late",
  waiting: "Waiting",
  well: "Well",
  paused: "Paused",
  slow: "Getting slow",
};

const SORT_WORDS: Readonly<Record<OverviewQuery["sort"], string>> = {
  trouble: "trouble first",
  name: "by name",
  last: "last report first",
  next: "next first",
  length: "longest first",
};

const GROUP_WORDS: Readonly<Record<OverviewQuery["group"], string>> = {
  application: "by application",
  source: "by source",
  environment: "by environment",
  owner: "by owner",
};

export const Filters = ({ query, counts, mayMake }: Pick<Overview, "query" | "counts"> & { mayMake: boolean }) => (
  <div id="filters" class="filters">
    <Chips
      label="Which jobs"
      of={SHOWN.filter((show) => counts[show] > 0 || show === query.show)}
      words={SHOW_WORDS}
      chosen={query.show}
      path={(show) => overviewPath({ ...query, show, page: 1 })}
      counts={counts}
    />
    <form class="find" method="get" action="/">
      {query.show === "all" ? null : <input type="hidden" name="show" value={query.show} />}
      <Select name="group" label="Group" of={Object.entries(GROUP_WORDS)} chosen={query.group} />
      <Select name="sort" label="Sort" of={Object.entries(SORT_WORDS)} chosen={query.sort} />
      <SearchField label="Search by name or key" hint="Search" text={query.find} />
      <ShowButton />
      {mayMake ? (
        <ButtonLink to={NEW_JOB_PATH} kind="plain">
          New job
        </ButtonLink>
      ) : null}
    </form>
  </div>
);

// Draws one job in the list: its state, its schedule in words, its last report, its next slot, and its last runs.

export const rowId = ({ id }: Pick<ShownJob, "id">): string => `job-${id}`;

export const Row = ({ job, now, mayAct }: { job: ShownJob; now: Instant; mayAct: boolean }) => (
  <li id={rowId(job)} class={`row is-${job.health}`}>
    {mayAct ? (
      <label class="pick">
        <input
          type="checkbox"
          form="many"
          name="job"
          value={`${job.application}/${job.key}`}
          aria-label={`Select ${nameOnPage(job)}`}
        />
        <Shape health={job.health} />
      </label>
    ) : (
      <Shape health={job.health} />
    )}
    <a class="row-name" href={jobPath(job)} dir="auto" data-row>
      {nameOnPage(job)}
      {job.apart === null ? null : <small> {pageLine(job[job.apart])}</small>}
      {job.lately === null ? null : (
        <small class="is-often">
          {" "}
          {job.lately.times} incidents in <For at={job.lately.since} now={now} timezone={job.timezone} />
        </small>
      )}
    </a>
    {job.sentence.length === 0 ? null : (
      <span class="unseen">
        <Sentence parts={job.sentence} timezone={job.timezone} />
      </span>
    )}
    <span class="row-schedule">{scheduleOf(job)}</span>
    <span class="row-length">
      <Length length={job.length} />
    </span>
    <span class="row-last">
      {job.lastPingAt === null ? "no report yet" : <Ago at={job.lastPingAt} now={now} timezone={job.timezone} />}
    </span>
    <span class="row-next">
      <Next job={job} now={now} />
    </span>
    <Strip runs={job.runs} />
  </li>
);

/** The schedule in words; a cron expression is shown as written when words would mislead. */
function scheduleOf({ schedule, everySeconds }: ShownJob): string {
  if (everySeconds !== null) return `at least ${intervalInWords(everySeconds)}`;
  return schedule === null ? "no schedule" : (scheduleInWords(schedule) ?? schedule);
}

const Length = ({ length }: Pick<ShownJob, "length">) => {
  if (length === null) return null;
  const { usualMs, slower } = length;
  return (
    <>
      {slower === null ? `takes ${aboutSpan(usualMs)}` : <span>{`takes ${aboutSpan(usualMs)}`}</span>}
      {slower === null ? null : <em title={slowerInWords(slower)}>{slowerInShort(slower)}</em>}
    </>
  );
};

const Next = ({ job: { status, lateSince, nextAt, pauses, timezone }, now }: { job: ShownJob; now: Instant }) => {
  if (pauses.manual !== null) return <Paused pause={pauses.manual} now={now} timezone={timezone} />;
  if (status === "paused") return <>paused</>;
  const at = lateSince ?? nextAt;
  return at === null ? null : <Until at={at} now={now} timezone={timezone} />;
};
