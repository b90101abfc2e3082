// A job's page: how it stands and what can be done, its durations and days, where each value comes from, and its story.

import type { Instant } from "../../domain/time.ts";
import type { Chapter } from "../../engine/operations/answers/incidents.ts";
import type { ShownMonitor } from "../../engine/operations/answers/shown-monitor.ts";
import type { JobPast } from "../../engine/reads/job-past.ts";
import type { RecentRun } from "../../engine/reads/recent-runs.ts";
import { Document } from "../document.tsx";
import { Live, Part } from "../live/live-part.tsx";
import { livePath } from "../live/live-path.ts";
import { type Shown, shownParts } from "../live/shown.ts";
import type { Look } from "../look.ts";
import { Story } from "../parts/story.tsx";
import { shownName } from "../shown.ts";
import type { Viewer } from "../viewer.ts";
import { Calendar, Durations } from "./calendar.tsx";
import { Facts, NextSlots } from "./facts.tsx";
import { Incidents } from "./incidents.tsx";
import { JobActs } from "./job-acts.tsx";
import { JobHead, toneOf } from "./job-head.tsx";
import { StoryEvents, StoryHead } from "./job-story.tsx";
import { Refused, Reporting } from "./reporting.tsx";
import { type StoryQuery, storyPath, WHOLE_STORY } from "./story-query.ts";

/** All that the page shows. */
export interface Job {
  readonly monitor: ShownMonitor;
  /** Oldest first. */
  readonly runs: readonly RecentRun[];
  /** Of its open incident. */
  readonly chapters: readonly Chapter[];
  readonly past: JobPast;
  readonly query: StoryQuery;
  readonly now: Instant;
}

interface JobPageProps {
  readonly job: Job;
  readonly shown: Shown;
  readonly viewer: Viewer;
  readonly look: Look;
  readonly address: string;
}

export const JobPage = ({ job: { monitor, query }, shown, viewer, look, address }: JobPageProps) => (
  <Document title={shownName(monitor)} tone={toneOf(monitor)} viewer={viewer} look={look} path="">
    <Live path={livePath(storyPath(monitor, query), shown)}>
      <Part of={shown} id="headline" />
      <Part of={shown} id="job-acts" />
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
          <Reporting monitor={monitor} address={address} />
        </div>
      </div>
      <StoryHead job={monitor} query={query} />
      <Part of={shown} id="job-refused" />
      <Part of={shown} id="job-story" />
    </Live>
  </Document>
);

/** What changes of it while it is open. */
export const jobShown = ({ monitor, runs, chapters, past, query, now }: Job, viewer: Viewer): Shown =>
  shownParts({
    headline: <JobHead monitor={monitor} now={now} />,
    "job-acts": <JobActs monitor={monitor} now={now} viewer={viewer} />,
    "job-open": (
      <section id="job-open" aria-label="Open incident" hidden={chapters.length === 0}>
        <Story chapters={chapters} now={now} timezone={monitor.timezone} />
      </section>
    ),
    "job-durations": <Durations runs={runs} limitSeconds={monitor.runLimit.seconds} />,
    "job-days": <Calendar job={monitor} days={past.days} timezone={monitor.timezone} />,
    "job-incidents": (
      <Incidents
        incidents={past.incidents}
        more={past.moreIncidents ? `${storyPath(monitor, { ...WHOLE_STORY, part: "incidents" })}#story` : null}
        now={now}
        timezone={monitor.timezone}
      />
    ),
    "job-refused": <Refused refused={monitor.refused} now={now} timezone={monitor.timezone} />,
    "job-story": <StoryEvents job={monitor} query={query} story={past.story} timezone={monitor.timezone} />,
    "job-slots": <NextSlots monitor={monitor} now={now} />,
    "job-facts": <Facts monitor={monitor} now={now} />,
  });
