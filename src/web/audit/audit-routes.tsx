// Serves `/audit`, which tells who did what. Only administrators who may see all applications get it.

import { Elysia } from "elysia";
import { isRefusal } from "../../domain/errors.ts";
import { actedIn, actionInWords, GROUPS, OPERATIONS } from "../../engine/operations/operations.ts";
import { doInPieces } from "../../http/yield.ts";
import { type AuditEntry, aboutWhat, askedWhat, fromWhere, whoActed } from "../../views/rows/audit-rows.ts";
import type { AuditList } from "../../views/schemas/person-schemas.ts";
import { pageResponse } from "../document.tsx";
import { applicationsFor, numberParameter, pathWithQuery, textParameter } from "../list-query.ts";
import type { PagesParts } from "../pages-parts.ts";
import { Head } from "../parts/headline.tsx";
import { type Clocked, DateAndTime } from "../parts/moment.tsx";
import { Further, Select, ShowButton } from "../parts/narrow.tsx";
import { RowParts } from "../parts/row-parts.tsx";
import { AUDIT_PATH } from "../paths.ts";
import { type Asking, signedIn } from "../signed-in.ts";
import { viewerZone } from "../viewer-zone.ts";

const SHOWN = 50;

export const auditRoutes = (parts: PagesParts) =>
  new Elysia({ name: "audit" }).use(signedIn(parts)).get(AUDIT_PATH, async ({ asking }) => {
    const query = readAuditQuery(asking.search);
    const list = asking.operate("audit", { ...asked(await byKey(asking, parts, query)), limit: SHOWN });
    if (isRefusal(list)) return list;
    const people = asking.operate("user list", {});
    const names = isRefusal(people) ? [] : people.people.map(({ name }) => name);
    return auditPage(asking, list, { query, names, applications: applicationsFor(asking.engine, asking.viewer) });
  });

/**
 * If exactly one job has the name that the person typed, the query gets the key and the application of that job. Any
 * other text stays, because it may be the key of a deleted job.
 */
async function byKey({ engine }: Asking, { catchUp }: PagesParts, query: AuditQuery): Promise<AuditQuery> {
  if (query.job === "") return query;
  await catchUp();
  const { views, scheduler } = engine;
  const isMeant = ({ name, application }: { name: string; application: string }): boolean =>
    name.toLowerCase() === query.job.toLowerCase() && (query.app === "" || query.app === application);
  const [found, another] = await doInPieces(scheduler, views.board.monitors(views.viewContext().now, isMeant));
  return found === undefined || another !== undefined ? query : { ...query, app: found.application, job: found.key };
}

const asked = ({ by, kind, app, job, before }: AuditQuery) => ({
  name: by || null,
  kind: kind || null,
  application: app || null,
  monitorKey: job || null,
  ...(before === null ? {} : { before }),
});

type AuditChoice = Readonly<{ query: AuditQuery; names: readonly string[]; applications: readonly string[] }>;

function auditPage(asking: Asking, { entries, more }: AuditList, choice: AuditChoice): Response {
  const { query } = choice;
  const timezone = viewerZone(asking);
  const { now } = asking.engine.views.viewContext();
  const several = choice.applications.length > 1;
  const isNarrowed = auditPath({ ...query, before: null }) !== AUDIT_PATH;
  const oldest = entries.at(-1)?.id ?? null;
  return pageResponse(
    asking,
    { title: "Who did what", path: AUDIT_PATH },
    <>
      <Head says="Who did what." />
      <p class="note lead">
        What people and commands changed, and who signed in. What is only looked at is not recorded. Entries stay for a
        year. Times are in {timezone}.
      </p>
      <Filters {...choice} isNarrowed={isNarrowed} />
      {entries.length === 0 ? (
        <p class="nothing">
          {isNarrowed || query.before !== null ? "Nothing like that was done." : "Nothing was done yet."}
        </p>
      ) : (
        <ul class="audit">
          {entries.map((entry) => (
            <ActionEntry key={entry.id} entry={entry} several={several} now={now} timezone={timezone} />
          ))}
        </ul>
      )}
      <Further
        newest={query.before === null ? null : auditPath({ ...query, before: null })}
        older={more ? auditPath({ ...query, before: oldest }) : null}
      />
    </>,
  );
}

type ActionProps = Clocked & Readonly<{ entry: AuditEntry; several: boolean }>;

const ActionEntry = ({ entry, several, ...clock }: ActionProps) => {
  const about = aboutWhat(entry, several);
  const asked = askedWhat(entry);
  return (
    <li class="audit-entry">
      <span class="audit-when">
        <DateAndTime at={entry.at} timezone={clock.timezone} />
      </span>
      <span class="audit-what">
        <RowParts parts={[...whoActed(entry), ` ${actionInWords(entry.action)}`]} {...clock} />
        {about.length === 0 ? null : <RowParts parts={[": ", ...about]} {...clock} />}
        {asked.length === 0 ? null : (
          <small class="note">
            <RowParts parts={asked} {...clock} />
          </small>
        )}
      </span>
      <span class="audit-from">
        from <RowParts parts={fromWhere(entry)} {...clock} />
      </span>
    </li>
  );
};

/** The filters of the page. A chosen name or application stays among the choices when it does not exist any more. */
const Filters = ({ query, names, applications, isNarrowed }: AuditChoice & { isNarrowed: boolean }) => (
  <form class="make" method="get" action={AUDIT_PATH}>
    <Select name="by" label="By whom" none="everybody" chosen={query.by} of={withChosen(names, query.by)} />
    <Select name="kind" label="About what" none="everything" chosen={query.kind} of={KINDS} />
    <Select
      name="app"
      label="Application"
      none="all applications"
      chosen={query.app}
      of={withChosen(applications, query.app)}
    />
    <label for="job">Job</label>
    <input
      id="job"
      name="job"
      value={query.job}
      placeholder="its name or key"
      autocapitalize="none"
      spellcheck={false}
    />
    <ShowButton />
    {isNarrowed ? <a href={AUDIT_PATH}>Show all</a> : null}
  </form>
);

const withChosen = (words: readonly string[], chosen: string): readonly (readonly [string, string])[] =>
  [...new Set(chosen === "" ? words : [...words, chosen])].map((word) => [word, word]);

const KIND_WORDS: Readonly<Record<string, string>> = {
  app: "applications",
  key: "keys",
  address: "old addresses",
  monitor: "jobs",
  incident: "incidents",
  notify: "messages",
  user: "people",
  "admin-key": "administrators' keys",
};

/** The kinds of actions that a person can choose from, each with its words, in the order of the commands. */
const KINDS: readonly (readonly [kind: string, words: string])[] = [
  ...Object.keys(GROUPS)
    .filter((group) => Object.keys(OPERATIONS).some((name) => name.startsWith(`${group} `) && actedIn(name) !== null))
    .map((group) => [group, KIND_WORDS[group] ?? group] as const),
  ["account", "sign-ins and accounts"],
];

type AuditQuery = Readonly<ReturnType<typeof readAuditQuery>>;

/**
 * Reads the query. An empty text means all. `before` is a number: only entries with lower numbers are listed; `null`
 * lists the newest.
 */
const readAuditQuery = (search: URLSearchParams) => ({
  by: textParameter(search, "by"),
  kind: textParameter(search, "kind"),
  app: textParameter(search, "app"),
  job: textParameter(search, "job"),
  before: numberParameter(search, "before"),
});

const auditPath = (query: AuditQuery): string => pathWithQuery(AUDIT_PATH, { ...query });
