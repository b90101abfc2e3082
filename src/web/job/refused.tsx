// The reports of a job that were refused, one for each reason.

import type { Instant } from "../../domain/time.ts";
import type { ShownMonitor } from "../../engine/operations/answers/shown-monitor.ts";
import { Ago } from "../parts/moment.tsx";
import { Shape } from "../parts/shapes.tsx";
import { shownLine } from "../shown.ts";

interface RefusedProps {
  readonly refused: ShownMonitor["refused"];
  readonly now: Instant;
  readonly timezone: string;
}

export const Refused = ({ refused, now, timezone }: RefusedProps) => (
  <div id="job-refused" hidden={refused.length === 0}>
    {refused.map(({ at, reason }) => (
      <p key={at} class="trouble">
        <Shape standing="warning" />
        <span>
          A report was refused <Ago at={at} now={now} timezone={timezone} />: {shownLine(reason)}
        </span>
      </p>
    ))}
  </div>
);
