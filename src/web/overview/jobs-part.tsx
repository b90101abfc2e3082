// All jobs in their groups, one page of them.

import { raw } from "hono/html";
import { firstReportLine } from "../../domain/wording/report-line.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { KEYS_PATH } from "../keys/paths.ts";
import { newestOf, type Ring } from "../keys/rings.ts";
import { Act } from "../parts/act.tsx";
import { shownLine } from "../shown.ts";
import type { JobGroup, Overview } from "./model.ts";
import { type OverviewQuery, overviewPath } from "./query.ts";
import { rowId } from "./row.tsx";

interface JobsProps extends Pick<Overview, "groups" | "found" | "pages" | "query" | "counts"> {
  /** HTML by the id of a row. */
  readonly rows: ReadonlyMap<string, string>;
}

export const JobsPart = ({ groups, found, pages, query, counts, rows }: JobsProps) => (
  <div id="jobs">
    {found === 0 && counts.all > 0 ? <Nothing query={query} /> : null}
    {groups.map((group) => (
      <section key={group.name} class="group" aria-label={headOf(group, query)}>
        <h2 class="group-head">
          <span>
            {headOf(group, query)} <small>{counted(group.total, "job")}</small>
          </span>
          <small class="group-strip">last 30 runs</small>
        </h2>
        <ul class="rows">{group.jobs.map((job) => raw(rows.get(rowId(job)) ?? ""))}</ul>
      </section>
    ))}
    {pages === 1 ? null : <Pager query={query} pages={pages} />}
  </div>
);

const OF_NONE: Readonly<Record<OverviewQuery["group"], string>> = {
  application: "",
  source: "not from a registry",
  environment: "of no environment",
  owner: "of nobody",
};

const headOf = ({ name }: JobGroup, { group }: OverviewQuery): string => shownLine(name) || OF_NONE[group];

const Nothing = ({ query }: { query: OverviewQuery }) => (
  <p class="nothing">
    {query.find === "" ? "No job stands like this." : `No job has “${shownLine(query.find)}” in its name or key.`}{" "}
    <a href={overviewPath({ ...query, find: "", show: "all", page: 1 })}>Show all</a>
  </p>
);

const Pager = ({ query, pages }: { query: OverviewQuery; pages: number }) => (
  <nav class="pager" aria-label="Pages of jobs">
    {query.page === 1 ? <span>Earlier</span> : <a href={overviewPath({ ...query, page: query.page - 1 })}>Earlier</a>}
    <span>
      page {query.page} of {pages}
    </span>
    {query.page === pages ? <span>Later</span> : <a href={overviewPath({ ...query, page: query.page + 1 })}>Later</a>}
  </nav>
);

// What an empty installation shows: how to send the first report, with the real address and a button that makes a key.

export interface FirstReportProps {
  /** Where jobs reach this rollcall, without a slash at its end. */
  readonly address: string;
  /** The applications that a key can be made for; empty: the viewer may make none. */
  readonly rings: readonly Ring[];
}

export const FirstReport = ({ address, rings }: FirstReportProps) => (
  <section id="filters" class="first">
    <p>
      A job reports by calling an address with a key. Its first report creates it here: this page shows it as soon as it
      arrives.
    </p>
    <pre class="code">
      <code>{firstReportLine(address, "KEY")}</code>
    </pre>
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
            fields={{ application: ring.slug, newest: String(newestOf(ring)) }}
            kind="strong"
          >
            Make a key for {ring.slug}
          </Act>
        ))}
      </div>
    )}
  </section>
);
