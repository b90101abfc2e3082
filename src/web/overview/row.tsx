// One job in the list: how it stands, its schedule in words, its last report, its next slot, and its last runs.

import type { Instant } from "../../domain/time.ts";
import { inWords } from "../../domain/wording/schedule.ts";
import { intervalInWords } from "../../domain/wording/spoken-time.ts";
import { Ago, Until } from "../parts/moment.tsx";
import { Paused } from "../parts/pause-menu.tsx";
import { Sentence } from "../parts/sentence.tsx";
import { Shape } from "../parts/shapes.tsx";
import { Strip } from "../parts/strip.tsx";
import { jobPath } from "../paths.ts";
import { shownLine, shownName } from "../shown.ts";
import type { ShownJob } from "./model.ts";

export const rowId = ({ id }: Pick<ShownJob, "id">): string => `job-${id}`;

export const Row = ({ job, now }: { job: ShownJob; now: Instant }) => (
  <li id={rowId(job)} class={`row is-${job.health}`}>
    <Shape health={job.health} />
    <a class="row-name" href={jobPath(job)} data-row>
      {shownName(job)}
      {job.hasNamesake ? <small> {shownLine(job.key)}</small> : null}
    </a>
    {job.sentence.length === 0 ? null : (
      <span class="unseen">
        <Sentence parts={job.sentence} timezone={job.timezone} />
      </span>
    )}
    <span class="row-schedule">{scheduleOf(job)}</span>
    <span class="row-last">
      {job.lastPingAt === null ? "no report yet" : <Ago at={job.lastPingAt} now={now} timezone={job.timezone} />}
    </span>
    <span class="row-next">
      <Next job={job} now={now} />
    </span>
    <Strip runs={job.runs} />
  </li>
);

/** As it is written where words would mislead. */
function scheduleOf({ schedule, everySeconds }: ShownJob): string {
  if (everySeconds !== null) return `at least ${intervalInWords(everySeconds)}`;
  return schedule === null ? "no schedule" : (inWords(schedule) ?? schedule);
}

const Next = ({ job: { status, expectedAt, pauses, timezone }, now }: { job: ShownJob; now: Instant }) => {
  if (pauses.manual !== null) return <Paused pause={pauses.manual} now={now} timezone={timezone} />;
  if (status === "paused") return <>paused</>;
  return expectedAt === null ? null : <Until at={expectedAt} now={now} timezone={timezone} />;
};
