// All jobs in their groups, one page of them.

import { counted } from "../../domain/wording/spoken-time.ts";
import { shownLine } from "../shown.ts";
import type { JobGroup, Overview } from "./model.ts";
import { type OverviewQuery, overviewPath } from "./query.ts";
import { Row } from "./row.tsx";

type JobsProps = Pick<Overview, "groups" | "found" | "pages" | "query" | "now" | "counts">;

export const JobsPart = ({ groups, found, pages, query, now, counts }: JobsProps) => (
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
        <ul class="rows">
          {group.jobs.map((job) => (
            <Row key={job.id} job={job} now={now} />
          ))}
        </ul>
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
