// The head of a job's page: its name, and how it stands in one sentence.

import type { Instant } from "../../domain/time.ts";
import type { ShownMonitor } from "../../views/answers/shown-monitor.ts";
import { iconPath } from "../assets/assets.ts";
import { healthOf } from "../overview/job-health.ts";
import { Sentence } from "../parts/sentence.tsx";
import { Shape } from "../parts/shapes.tsx";
import { shownName } from "../shown.ts";
import type { Tone } from "../tone.ts";

interface HeadProps {
  readonly monitor: ShownMonitor;
  readonly now: Instant;
}

const TONES: Readonly<Record<ShownMonitor["status"], Tone>> = {
  pending: "quiet",
  healthy: "well",
  warning: "late",
  critical: "bad",
  paused: "quiet",
};

export const toneOf = ({ status }: Pick<ShownMonitor, "status">): Tone => TONES[status];

export const JobHead = ({ monitor, now }: HeadProps) => {
  const health = healthOf(monitor, now);
  return (
    <header
      id="headline"
      class="job-head"
      data-title={`${shownName(monitor)} · rollcall`}
      data-name={shownName(monitor)}
      data-icon={iconPath(toneOf(monitor))}
    >
      <p class="where">
        <a href="/">Jobs</a> / {monitor.application} / <code>{monitor.key}</code>
      </p>
      <h1 class="headline">
        <Shape health={health} /> {shownName(monitor)}
      </h1>
      <p class="stands">
        <Sentence parts={monitor.now} timezone={monitor.timezone} />
      </p>
    </header>
  );
};
