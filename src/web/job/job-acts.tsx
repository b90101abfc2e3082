// What a person may do about a job: acknowledge and close its incident, pause, resume and delete it.

import type { ShownMonitor } from "../../engine/operations/answers/shown-monitor.ts";
import { Act } from "../parts/act.tsx";
import { PauseMenu } from "../parts/pause-menu.tsx";
import { incidentPath, jobPath } from "../paths.ts";
import { shownName } from "../shown.ts";
import { mayAs, type Viewer } from "../viewer.ts";

export const JobActs = ({ monitor, viewer }: { monitor: ShownMonitor; viewer: Viewer }) => {
  if (!mayAs(viewer, "operator")) return <div id="job-acts" hidden />;
  const here = jobPath(monitor);
  const { incident } = monitor;
  return (
    <div id="job-acts" class="acts">
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
      {mayAs(viewer, "admin") ? <Delete to={`${here}/delete`} name={shownName(monitor)} /> : null}
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
