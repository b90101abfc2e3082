// The overview in the parts that change on their own, and what to send to a browser whose page shows older ones.

import type { Viewer } from "../viewer.ts";
import { Filters } from "./filters.tsx";
import { FirstReport, type FirstReportProps } from "./first-report.tsx";
import { HeadlinePart } from "./headline-part.tsx";
import { JobsPart } from "./jobs-part.tsx";
import type { Overview } from "./model.ts";
import { NeedsPart } from "./needs-part.tsx";
import { Row } from "./row.tsx";

export interface Parts {
  /** HTML by the id of the element that it is. */
  readonly html: ReadonlyMap<string, string>;
  /** Which rows stand where: when this changes, the list is sent as a whole. */
  readonly order: string;
  readonly list: () => string;
}

export function partsOf(overview: Overview, viewer: Viewer, first: FirstReportProps): Parts {
  const { now, groups } = overview;
  const rows = groups.flatMap(({ jobs }) => jobs);
  const html = new Map<string, string>([
    ["headline", String(<HeadlinePart headline={overview.headline} now={now} />)],
    ["needs", String(<NeedsPart {...overview} viewer={viewer} />)],
    ["filters", String(overview.counts.all === 0 ? <FirstReport {...first} /> : <Filters {...overview} />)],
    ...rows.map((job): [string, string] => [`job-${job.id}`, String(<Row job={job} now={now} />)]),
  ]);
  const order = JSON.stringify(groups.map(({ name, total, jobs }) => [name, total, jobs.map(({ id }) => id)]));
  return { html, order, list: () => String(<JobsPart {...overview} />) };
}

/** Empty: nothing has changed. `before` null: everything has. */
export function differenceOf(before: Parts | null, after: Parts): string {
  const isNewOrder = before?.order !== after.order;
  const changed = [...after.html].filter(([id, html]) => {
    if (isNewOrder && id.startsWith("job-")) return false;
    return timeless(before?.html.get(id) ?? "") !== timeless(html);
  });
  return [...changed, ...(isNewOrder ? [["jobs", after.list()] as const] : [])]
    .map(([id, html]) => `<hx-partial hx-target="#${id}" hx-swap="outerMorph">${html}</hx-partial>`)
    .join("\n");
}

/** How long ago something was changes all the time, and the browser knows it. */
const timeless = (html: string): string =>
  html.replaceAll(/(<time\b[^>]*>)[^<]*/g, "$1").replaceAll(' class="is-past"', "");
