// A job's page: how it stands and what can be done, its durations, what it ran lately, and where each value comes from.

import type { Instant } from "../../domain/time.ts";
import type { Chapter } from "../../engine/operations/answers/incidents.ts";
import type { ShownMonitor } from "../../engine/operations/answers/shown-monitor.ts";
import type { RecentRun } from "../../engine/reads/recent-runs.ts";
import { Document } from "../document.tsx";
import type { Look } from "../look.ts";
import { standingOf } from "../overview/standing.ts";
import { Story } from "../parts/story.tsx";
import type { Tone } from "../tone.ts";
import type { Viewer } from "../viewer.ts";
import { Durations } from "./durations.tsx";
import { Facts } from "./facts.tsx";
import { JobHead } from "./job-head.tsx";
import { NextSlots } from "./next-slots.tsx";
import { Reporting } from "./reporting.tsx";
import { Reports } from "./reports.tsx";

interface JobPageProps {
  readonly monitor: ShownMonitor;
  /** Oldest first. */
  readonly runs: readonly RecentRun[];
  /** Of its open incident. */
  readonly chapters: readonly Chapter[];
  readonly now: Instant;
  readonly viewer: Viewer;
  readonly look: Look;
  readonly address: string;
}

const TONES: Readonly<Record<ShownMonitor["status"], Tone>> = {
  pending: "quiet",
  healthy: "well",
  warning: "late",
  critical: "bad",
  paused: "quiet",
};

export const JobPage = ({ monitor, runs, chapters, now, viewer, look, address }: JobPageProps) => (
  <Document title={monitor.name} tone={TONES[monitor.status]} viewer={viewer} look={look} path="">
    <JobHead monitor={monitor} standing={standingOf(monitor, now)} now={now} viewer={viewer} />
    {chapters.length === 0 ? null : <Story chapters={chapters} now={now} timezone={monitor.timezone} />}
    <div class="columns">
      <div>
        <Durations runs={runs} limitSeconds={monitor.runLimit.seconds} />
        <Reports monitor={monitor} now={now} />
      </div>
      <div>
        <NextSlots monitor={monitor} now={now} />
        <Facts monitor={monitor} now={now} />
        <Reporting monitor={monitor} address={address} />
      </div>
    </div>
  </Document>
);
