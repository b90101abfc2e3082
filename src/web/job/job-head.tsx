// The head of a job's page: its name, and how it stands in one sentence.

import type { Instant } from "../../domain/time.ts";
import type { ShownMonitor } from "../../views/answers/shown-monitor.ts";
import { iconPath } from "../assets/assets.ts";
import { standingOf } from "../overview/standing.ts";
import { Ago, Until, When } from "../parts/moment.tsx";
import { Paused } from "../parts/pause-menu.tsx";
import { Shape, WORDS } from "../parts/shapes.tsx";
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
  const standing = standingOf(monitor, now);
  return (
    <header
      id="headline"
      class="job-head"
      data-title={`${shownName(monitor)} · rollcall`}
      data-icon={iconPath(toneOf(monitor))}
    >
      <p class="where">
        <a href="/">Jobs</a> / {monitor.application} / <code>{monitor.key}</code>
      </p>
      <h1 class="headline">
        <Shape standing={standing} /> {shownName(monitor)}
      </h1>
      <p class="stands">
        <strong>{WORDS[standing]}</strong> · <LastReport monitor={monitor} now={now} />{" "}
        <Next monitor={monitor} now={now} />
        {standing === "late" ? <UnderWay monitor={monitor} now={now} /> : null}
      </p>
    </header>
  );
};

const LastReport = ({ monitor: { lastPingAt, timezone }, now }: HeadProps) =>
  lastPingAt === null ? (
    <>it has not reported yet</>
  ) : (
    <>
      {"last report "}
      <Ago at={lastPingAt} now={now} timezone={timezone} />
    </>
  );

const Next = ({ monitor, now }: HeadProps) => {
  const { pauses, expectedAt, timezone } = monitor;
  if (pauses.manual !== null)
    return (
      <>
        {"· "}
        <Paused pause={pauses.manual} now={now} timezone={timezone} />
      </>
    );
  if (pauses.suspension) return <>· paused while its application is suspended</>;
  if (pauses.discovery) return <>· paused until its source declares it again</>;
  if (pauses.plan) return <>· paused until its source declares it while its application has room</>;
  if (expectedAt === null) return <>· it has no schedule, so no report is ever missed</>;
  return (
    <>
      {"· next report "}
      <Until at={expectedAt} now={now} timezone={timezone} />
    </>
  );
};

/** R21, R44: nobody needs to look yet while a run has time left, although it is late. */
const UnderWay = ({ monitor: { runs, timezone }, now }: HeadProps) => {
  const run = runs.find(({ state, deadline }) => state === "open" && deadline !== null && deadline > now);
  if (run === undefined) return null;
  return (
    <>
      {" · a run that began "}
      <Ago at={run.startedAt!} now={now} timezone={timezone} />
      {" has time until "}
      <When at={run.deadline!} now={now} timezone={timezone} />
    </>
  );
};
