// The last reports of a job with what each said, newest first.

import type { Instant } from "../../domain/time.ts";
import { span } from "../../domain/wording/short-time.ts";
import type { ShownMonitor } from "../../engine/operations/answers/shown-monitor.ts";
import { Ago } from "../parts/moment.tsx";
import { Shape, type Standing } from "../parts/shapes.tsx";

type Report = ShownMonitor["pings"][number];

const SHAPES: Readonly<Record<Report["kind"], Standing>> = {
  heartbeat: "healthy",
  complete: "healthy",
  start: "running",
  fail: "critical",
  log: "pending",
};

export const Reports = ({ monitor: { pings, refused, timezone }, now }: { monitor: ShownMonitor; now: Instant }) => (
  <section id="job-reports" class="panel">
    <h2>Last reports</h2>
    {refused.map(({ at, reason }) => (
      <p key={at} class="refused">
        <Shape standing="warning" /> A report was refused <Ago at={at} now={now} timezone={timezone} />: {reason}
      </p>
    ))}
    {pings.length === 0 ? <p class="note">None has come yet.</p> : null}
    <ol class="reports">
      {pings.map((report, place) => (
        <li key={place}>
          <Shape standing={SHAPES[report.kind]} />
          <span>{report.kind}</span>
          <Ago at={report.at} now={now} timezone={timezone} />
          <span class="note">{tookOf(report)}</span>
          {report.message === null ? null : <span class="said">{report.message}</span>}
        </li>
      ))}
    </ol>
  </section>
);

function tookOf({ durationMilliseconds, durationSeconds, runId }: Report): string {
  const took = durationMilliseconds ?? (durationSeconds === null ? null : durationSeconds * 1_000);
  return [took === null ? null : `after ${span(took)}`, runId === null ? null : `run ${runId}`]
    .filter((text) => text !== null)
    .join(", ");
}
