// The overview as a page. Its parts have ids: the live connection sends anew what has changed.

import { Document } from "../document.tsx";
import { Live } from "../live/live-part.tsx";
import type { Look } from "../look.ts";
import type { Viewer } from "../viewer.ts";
import { Filters } from "./filters.tsx";
import { FirstReport, type FirstReportProps } from "./first-report.tsx";
import { HeadlinePart } from "./headline-part.tsx";
import { JobsPart } from "./jobs-part.tsx";
import type { Overview } from "./model.ts";
import { NeedsPart } from "./needs-part.tsx";

interface PageProps {
  readonly overview: Overview;
  readonly viewer: Viewer;
  readonly look: Look;
  /** Of the live connection. */
  readonly livePath: string;
  readonly first: FirstReportProps;
}

export const OverviewPage = ({ overview, viewer, look, livePath, first }: PageProps) => (
  <Document title={overview.headline.title} tone={overview.headline.tone} viewer={viewer} look={look} path="/">
    <Live path={livePath}>
      <OverviewBody overview={overview} viewer={viewer} first={first} />
    </Live>
  </Document>
);

const OverviewBody = ({ overview, viewer, first }: Pick<PageProps, "overview" | "viewer" | "first">) => (
  <div id="overview">
    <HeadlinePart headline={overview.headline} now={overview.now} />
    <NeedsPart {...overview} viewer={viewer} />
    {overview.counts.all === 0 ? <FirstReport {...first} /> : <Filters {...overview} />}
    <JobsPart {...overview} />
  </div>
);
