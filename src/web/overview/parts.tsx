// The overview in the parts that change on their own.

import type { InStretches } from "../../engine/reads/in-stretches.ts";
import type { Shown } from "../live/shown.ts";
import type { Viewer } from "../viewer.ts";
import { Filters } from "./filters.tsx";
import { FirstReport, type FirstReportProps } from "./first-report.tsx";
import { HeadlinePart } from "./headline-part.tsx";
import { JobsPart } from "./jobs-part.tsx";
import type { Overview } from "./model.ts";
import { NeedsPart } from "./needs-part.tsx";
import { Row } from "./row.tsx";

/** Rows that are made in one stretch. */
const AT_ONCE = 10;

export function* partsOf(overview: Overview, viewer: Viewer, first: FirstReportProps): InStretches<Shown> {
  const { now, groups } = overview;
  const rows = groups.flatMap(({ jobs }) => jobs);
  const parts = new Map<string, string>([
    ["headline", String(<HeadlinePart headline={overview.headline} now={now} />)],
    ["needs", String(<NeedsPart {...overview} viewer={viewer} />)],
    ["filters", String(overview.counts.all === 0 ? <FirstReport {...first} /> : <Filters {...overview} />)],
  ]);
  for (const [place, job] of rows.entries()) {
    if (place % AT_ONCE === 0) yield;
    parts.set(`job-${job.id}`, String(<Row job={job} now={now} />));
  }
  const order = JSON.stringify(groups.map(({ name, total, jobs }) => [name, total, jobs.map(({ id }) => id)]));
  const list = { id: "jobs", rows: "job-", order, html: () => String(<JobsPart {...overview} />) };
  return { parts, list };
}
