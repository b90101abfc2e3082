// A job's page: how it stands and what can be done, its durations, what it ran lately, and where each value comes from.

import type { Instant } from "../../domain/time.ts";
import type { Chapter } from "../../engine/operations/answers/incidents.ts";
import type { ShownMonitor } from "../../engine/operations/answers/shown-monitor.ts";
import type { RecentRun } from "../../engine/reads/recent-runs.ts";
import { Document } from "../document.tsx";
import { Live, Part } from "../live/live-part.tsx";
import { livePath } from "../live/live-path.ts";
import { type Shown, shownParts } from "../live/shown.ts";
import type { Look } from "../look.ts";
import { Story } from "../parts/story.tsx";
import { jobPath } from "../paths.ts";
import { shownName } from "../shown.ts";
import type { Viewer } from "../viewer.ts";
import { Durations } from "./durations.tsx";
import { Facts } from "./facts.tsx";
import { JobActs } from "./job-acts.tsx";
import { JobHead, toneOf } from "./job-head.tsx";
import { NextSlots } from "./next-slots.tsx";
import { Reporting } from "./reporting.tsx";
import { Reports } from "./reports.tsx";

/** All that the page shows. */
export interface Job {
  readonly monitor: ShownMonitor;
  /** Oldest first. */
  readonly runs: readonly RecentRun[];
  /** Of its open incident. */
  readonly chapters: readonly Chapter[];
  readonly now: Instant;
}

interface JobPageProps {
  readonly job: Job;
  readonly shown: Shown;
  readonly viewer: Viewer;
  readonly look: Look;
  readonly address: string;
}

export const JobPage = ({ job: { monitor }, shown, viewer, look, address }: JobPageProps) => (
  <Document title={shownName(monitor)} tone={toneOf(monitor)} viewer={viewer} look={look} path="">
    <Live path={livePath(jobPath(monitor), shown)}>
      <Part of={shown} id="headline" />
      <Part of={shown} id="job-acts" />
      <Part of={shown} id="job-open" />
      <div class="columns">
        <div>
          <Part of={shown} id="job-durations" />
          <Part of={shown} id="job-reports" />
        </div>
        <div>
          <Part of={shown} id="job-slots" />
          <Part of={shown} id="job-facts" />
          <Reporting monitor={monitor} address={address} />
        </div>
      </div>
    </Live>
  </Document>
);

/** What changes of it while it is open. */
export const jobShown = ({ monitor, runs, chapters, now }: Job, viewer: Viewer): Shown =>
  shownParts({
    headline: <JobHead monitor={monitor} now={now} />,
    "job-acts": <JobActs monitor={monitor} now={now} viewer={viewer} />,
    "job-open": (
      <section id="job-open" aria-label="Open incident" hidden={chapters.length === 0}>
        <Story chapters={chapters} now={now} timezone={monitor.timezone} />
      </section>
    ),
    "job-durations": <Durations runs={runs} limitSeconds={monitor.runLimit.seconds} />,
    "job-reports": <Reports monitor={monitor} now={now} />,
    "job-slots": <NextSlots monitor={monitor} now={now} />,
    "job-facts": <Facts monitor={monitor} now={now} />,
  });
