// The head of a job's page: its name, how it stands in one sentence, and what a person may do about it.

import type { Instant } from "../../domain/time.ts";
import type { ShownMonitor } from "../../engine/operations/answers/shown-monitor.ts";
import { Act } from "../parts/act.tsx";
import { Ago, Exactly, Until } from "../parts/moment.tsx";
import { PauseMenu } from "../parts/pause-menu.tsx";
import { Shape, type Standing, WORDS } from "../parts/shapes.tsx";
import { incidentPath, jobPath } from "../paths.ts";
import { mayAs, type Viewer } from "../viewer.ts";

interface HeadProps {
  readonly monitor: ShownMonitor;
  readonly standing: Standing;
  readonly now: Instant;
  readonly viewer: Viewer;
}

export const JobHead = ({ monitor, standing, now, viewer }: HeadProps) => (
  <header class="job-head">
    <p class="where">
      <a href="/">Jobs</a> / {monitor.application} / <code>{monitor.key}</code>
    </p>
    <h1 class="headline">
      <Shape standing={standing} /> {monitor.name}
    </h1>
    <p class="stands">
      <strong>{WORDS[standing]}</strong> · <LastReport monitor={monitor} now={now} />{" "}
      <Next monitor={monitor} now={now} />
    </p>
    {mayAs(viewer, "operator") ? <Acts monitor={monitor} isAdmin={mayAs(viewer, "admin")} /> : null}
  </header>
);

const LastReport = ({ monitor: { lastPingAt, timezone }, now }: Pick<HeadProps, "monitor" | "now">) =>
  lastPingAt === null ? (
    <>it has not reported yet</>
  ) : (
    <>
      {"last report "}
      <Ago at={lastPingAt} now={now} timezone={timezone} />
    </>
  );

const Next = ({ monitor, now }: Pick<HeadProps, "monitor" | "now">) => {
  const { status, pauses, expectedAt, timezone } = monitor;
  if (status === "paused") {
    const until = pauses.manual?.until ?? null;
    return until === null ? (
      <>· paused until it is resumed</>
    ) : (
      <>
        {"· paused until "}
        <Exactly at={until} timezone={timezone} />
      </>
    );
  }
  if (expectedAt === null) return <>· it has no schedule, so no report is ever missed</>;
  return (
    <>
      {"· next report "}
      <Until at={expectedAt} now={now} timezone={timezone} />
    </>
  );
};

const Acts = ({ monitor, isAdmin }: { monitor: ShownMonitor; isAdmin: boolean }) => {
  const here = jobPath(monitor);
  const { incident } = monitor;
  return (
    <div class="acts">
      {incident !== null && incident.acknowledgedAt === null ? (
        <Act to={`${incidentPath(incident.id)}/ack`} back={here} kind="strong">
          Acknowledge
        </Act>
      ) : null}
      {incident === null ? null : (
        <Act to={`${incidentPath(incident.id)}/resolve`} back={here}>
          Close the incident
        </Act>
      )}
      {monitor.pauses.manual === null ? (
        <PauseMenu to={`${here}/pause`} back={here} />
      ) : (
        <Act to={`${here}/resume`} back={here} kind="strong">
          Resume
        </Act>
      )}
      {isAdmin ? <Delete to={`${here}/delete`} name={monitor.name} /> : null}
    </div>
  );
};

/** Says what it does before it is done. */
const Delete = ({ to, name }: { to: string; name: string }) => (
  <details class="menu" name="menu">
    <summary class="button is-plain">Delete…</summary>
    <div class="menu-body">
      <p class="note">
        {name} is no longer watched, and an open incident closes. Its history is kept for 7 days. A report that carries
        a schedule creates it again.
      </p>
      <Act to={to} back="/" kind="danger">
        Delete it
      </Act>
    </div>
  </details>
);
