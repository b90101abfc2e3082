// Draws the buttons on a job's page: to acknowledge and close its incident, to pause and resume it, to plan
// maintenance, and to rename and delete it.

import type { Instant } from "../../domain/time.ts";
import type { ShownMonitor } from "../../views/schemas/shown-monitor-schemas.ts";
import type { Tone } from "../assets/assets.ts";
import { maintenanceFormTimes, PLAN_FOR } from "../maintenance/maintenance-routes.tsx";
import { healthOf } from "../overview/model.ts";
import { Acknowledge, Act, MenuName, PauseMenu } from "../parts/act.tsx";
import { Sentence } from "../parts/moment.tsx";
import { Form } from "../parts/operation-form.tsx";
import { Shape } from "../parts/shapes.tsx";
import { incidentPath, jobPath, MAINTENANCE_PATH, whyPath } from "../paths.ts";
import { nameOnPage } from "../shown.ts";
import { type Viewer, viewerMayAs } from "../viewer.ts";
import { RENAME_JOB } from "./new-job.tsx";

export const JobActs = ({ monitor, viewer }: { readonly monitor: ShownMonitor; readonly viewer: Viewer }) => {
  if (!viewerMayAs(viewer, "operator")) return <div id="job-acts" hidden />;
  const here = jobPath(monitor);
  const { incident } = monitor;
  return (
    <div id="job-acts" class="acts">
      {incident !== null && incident.acknowledgedAt === null ? <Acknowledge id={incident.id} back={here} /> : null}
      {incident === null ? null : (
        <Act to={`${incidentPath(incident.id)}/resolve`} back={here}>
          Close the incident
        </Act>
      )}
      {monitor.pauses.manual === null ? (
        <>
          <PauseMenu to={`${here}/pause`} back={here} />
          <Maintenance monitor={monitor} back={here} />
        </>
      ) : (
        <Act to={`${here}/resume`} back={here} kind="strong">
          Resume
        </Act>
      )}
      {viewerMayAs(viewer, "admin") ? (
        <>
          <Rename to={`${here}/rename`} monitor={monitor} />
          <Delete to={`${here}/delete`} name={nameOnPage(monitor)} />
        </>
      ) : null}
    </div>
  );
};

const Maintenance = ({ monitor, back }: { monitor: ShownMonitor; back: string }) => (
  <details class="menu" name="menu">
    <MenuName>Maintenance</MenuName>
    <Form
      of={PLAN_FOR}
      form={{ class: "menu-body", to: MAINTENANCE_PATH }}
      does="Plan maintenance"
      says="Reports are recorded; nothing is missed, and no failure is told before its end."
      hidden={{ back }}
      shown={{
        ...maintenanceFormTimes(monitor.timezone),
        application: { value: monitor.application },
        monitors: { value: monitor.key },
      }}
    />
  </details>
);

const Rename = ({ to, monitor }: { to: string; monitor: ShownMonitor }) => (
  <details class="menu" name="menu">
    <MenuName>Key</MenuName>
    <Form
      of={RENAME_JOB}
      form={{ class: "menu-body", to }}
      id="rename-"
      says="Its history goes with it, and it must report under the new key from then on. People read its name, which Edit changes."
      does="Give it this key"
      shown={{ newKey: { value: monitor.key } }}
    />
  </details>
);

const Delete = ({ to, name }: { to: string; name: string }) => (
  <details class="menu" name="menu">
    <MenuName>Delete</MenuName>
    <div class="menu-body">
      <p class="note">
        {name} is no longer watched, and an open incident closes. Its history is kept for 7 days. A report that carries
        a schedule, or every, creates it again; “New job” brings it back with its history.
      </p>
      <Act to={to} back="/" kind="danger">
        Delete it
      </Act>
    </div>
  </details>
);

// Draws the head of a job's page: its name, and its state in one sentence.

const TONES: Readonly<Record<ShownMonitor["status"], Tone>> = {
  pending: "quiet",
  healthy: "well",
  warning: "late",
  critical: "bad",
  paused: "quiet",
};

/**
 * The tone of a job. A critical job whose incident is acknowledged is shown as late, because a person already works on
 * it.
 */
export const toneOf = ({ status, incident }: Pick<ShownMonitor, "status" | "incident">): Tone =>
  status === "critical" && incident !== null && incident.acknowledgedAt !== null ? "late" : TONES[status];

export const JobHead = ({ monitor, now, isRunning }: { monitor: ShownMonitor; now: Instant; isRunning: boolean }) => {
  const stands = healthOf(monitor, now);
  const health = isRunning && stands === "healthy" ? "running" : stands;
  return (
    <header
      id="headline"
      class="job-head"
      data-title={`${nameOnPage(monitor)} · rollcall`}
      data-name={nameOnPage(monitor)}
    >
      <p class="where">
        <a href="/">Jobs</a> / {monitor.application} / <code>{monitor.key}</code>
      </p>
      <h1 class="headline">
        <Shape health={health} /> {nameOnPage(monitor)}
      </h1>
      <p class="stands">
        <Sentence parts={monitor.now} timezone={monitor.timezone} /> <a href={whyPath(monitor, null)}>Why?</a>
      </p>
    </header>
  );
};
