// `/audit`: who did what, for administrators of all applications.

import { Elysia } from "elysia";
import { isRefusal } from "../../domain/errors.ts";
import { durationText } from "../../domain/time.ts";
import { actedIn, GROUPS, OPERATIONS } from "../../engine/operations/operations.ts";
import type { AuditList } from "../../views/answers/people.ts";
import { pageAnswer } from "../document.tsx";
import { addressOf, applicationsFor, numberIn, textIn } from "../list-query.ts";
import type { PagesParts } from "../pages-parts.ts";
import { Head } from "../parts/headline.tsx";
import { DateAndTime } from "../parts/moment.tsx";
import { Further, Select, ShowButton } from "../parts/narrow.tsx";
import { AUDIT_PATH, jobPath } from "../paths.ts";
import { shownLine } from "../shown.ts";
import { type Asking, signedIn } from "../signed-in.ts";
import { viewerZone } from "../zone.ts";

const SHOWN = 50;

export const auditRoutes = (parts: PagesParts) =>
  new Elysia({ name: "audit" }).use(signedIn(parts)).get(AUDIT_PATH, ({ asking }) => {
    const query = readAuditQuery(asking.search);
    const list = asking.operate("audit", { ...asked(query), limit: SHOWN });
    if (isRefusal(list)) return list;
    const people = asking.operate("user list", {});
    const names = isRefusal(people) ? [] : people.people.map(({ name }) => name);
    return auditPage(asking, list, { query, names, applications: applicationsFor(asking.engine, asking.viewer) });
  });

const asked = ({ by, kind, app, job, before }: AuditQuery) => ({
  name: by || null,
  kind: kind || null,
  application: app || null,
  monitorKey: job || null,
  ...(before === null ? {} : { before }),
});

type AuditChoice = Readonly<{ query: AuditQuery; names: readonly string[]; applications: readonly string[] }>;

type AuditEntry = AuditList["entries"][number];

function auditPage(asking: Asking, { entries, more }: AuditList, choice: AuditChoice): Response {
  const { query } = choice;
  const timezone = viewerZone(asking);
  const isNarrowed = auditPath({ ...query, before: null }) !== AUDIT_PATH;
  const oldest = entries.at(-1)?.id ?? null;
  return pageAnswer(
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
            <ActionEntry key={entry.id} entry={entry} query={query} timezone={timezone} />
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

const ActionEntry = ({ entry, query, timezone }: { entry: AuditEntry; query: AuditQuery; timezone: string }) => {
  const { name, by, at, action, details, application, monitorKey, address } = entry;
  const who = name ?? "rollcall itself";
  const asked = detailsInWords(details, application);
  return (
    <li class="audit-entry">
      <span class="audit-when">
        <DateAndTime at={at} timezone={timezone} />
      </span>
      <span class="audit-what">
        {name === null ? who : <a href={auditPath({ ...query, by: name, before: null })}>{who}</a>}{" "}
        {by === "system" && name !== null ? "by command " : ""}
        {actionInWords(action)}
        {application === null ? null : (
          <>
            {": "}
            <About application={application} monitorKey={monitorKey} />
          </>
        )}
        {asked === "" ? null : <small class="note">{shownLine(asked)}</small>}
      </span>
      <span class="audit-from">{address === null ? "on this machine" : `from ${address}`}</span>
    </li>
  );
};

const About = ({ application, monitorKey }: { application: string; monitorKey: string | null }) =>
  monitorKey === null ? (
    <span>{application}</span>
  ) : (
    <a href={jobPath({ application, key: monitorKey })}>{shownLine(monitorKey)}</a>
  );

/** A name that no one has any more stays to be chosen while it is. */
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
    <input id="job" name="job" value={query.job} placeholder="its key" autocapitalize="none" spellcheck={false} />
    <ShowButton />
    {isNarrowed ? <a href={AUDIT_PATH}>Show all</a> : null}
  </form>
);

const withChosen = (words: readonly string[], chosen: string): readonly (readonly [string, string])[] =>
  [...new Set(chosen === "" ? words : [...words, chosen])].map((word) => [word, word]);

const OF_ACCOUNTS: Readonly<Record<string, string>> = {
  "sign in": "signed in",
  "sign out": "signed out",
  "use link": "set a password by a link",
  "change password": "changed their password",
  "end session": "ended a session of theirs",
  "end other sessions": "ended their other sessions",
  "add passkey": "added a passkey",
  "remove passkey": "removed a passkey",
  "add browser": "has alerts shown in a browser",
  "remove browser": "removed a browser",
};

/** An action of another release is named as it was stored. */
const actionInWords = (action: string): string => actedIn(action)?.inAudit ?? OF_ACCOUNTS[action] ?? action;

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

/** By the word that the audit takes; in the order of the commands. */
const KINDS: readonly (readonly [kind: string, words: string])[] = [
  ...Object.keys(GROUPS)
    .filter((group) => Object.keys(OPERATIONS).some((name) => name.startsWith(`${group} `) && actedIn(name) !== null))
    .map((group) => [group, KIND_WORDS[group] ?? group] as const),
  ["account", "sign-ins and accounts"],
];

const DETAIL_LENGTH = 80;

/** What was asked, beside what it was about: `duration 2h`, `Ben, role operator`. */
const detailsInWords = (details: Readonly<Record<string, unknown>>, application: string | null): string =>
  Object.entries(details)
    .filter(([name, value]) => value !== null && value !== application && !ABOUT.has(name))
    .map(([name, value]) => detailInWords(name, value))
    .map((text) => (text.length > DETAIL_LENGTH ? `${text.slice(0, DETAIL_LENGTH)}…` : text))
    .join(", ");

/** Stands in a place of its own. */
const ABOUT = new Set(["application", "key"]);

function detailInWords(name: string, value: unknown): string {
  // What the action was done to says enough by itself.
  if (name === "name" || name === "slug") return String(value);
  if (name === "id") return `number ${value}`;
  if (name.endsWith("Seconds") && typeof value === "number")
    return `${spaced(name.slice(0, -7))} ${durationText(value)}`;
  return `${spaced(name)} ${typeof value === "string" ? value : JSON.stringify(value)}`;
}

const spaced = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

type AuditQuery = Readonly<ReturnType<typeof readAuditQuery>>;

/** Each text empty: of all. `before`: only what is older than this number; null: from the newest. */
const readAuditQuery = (search: URLSearchParams) => ({
  by: textIn(search, "by"),
  kind: textIn(search, "kind"),
  app: textIn(search, "app"),
  job: textIn(search, "job"),
  before: numberIn(search, "before"),
});

const auditPath = (query: AuditQuery): string => addressOf(AUDIT_PATH, { ...query });
