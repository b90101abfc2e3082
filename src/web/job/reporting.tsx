// How this job reports: lines to copy. A key is stored nowhere, so a person puts their own in.

import type { Instant } from "../../domain/time.ts";
import {
  clientValues,
  crontabLine,
  isForCron,
  reportLine,
  reportUrl,
  runLine,
  systemdLines,
} from "../../domain/wording/report-line.ts";
import type { ShownMonitor } from "../../engine/operations/answers/shown-monitor.ts";
import { CopyLine } from "../parts/copy-line.tsx";
import { Ago } from "../parts/moment.tsx";
import { Shape } from "../parts/shapes.tsx";
import { shownLine } from "../shown.ts";

export const Reporting = ({ monitor, address }: { monitor: ShownMonitor; address: string }) => {
  const { application, schedule, everySeconds } = monitor;
  const url = reportUrl(address, monitor.key);
  const run = runLine(monitor);
  return (
    <section id="job-reporting" class="panel">
      <h2>How it reports</h2>
      {run === null ? null : (
        <>
          <p class="note">
            With rollcall on its machine, where client.toml has the address <code>{address}</code> and a key of{" "}
            {application}:
          </p>
          <CopyLine text={run} />
        </>
      )}
      <p class="note">With curl alone; put a key of {application} in the place of KEY:</p>
      <CopyLine text={reportLine(url, "KEY", monitor)} />
      {isForCron(schedule) ? <CopyLine text={crontabLine(schedule, url, "KEY")} /> : null}
      <details>
        <summary>As a systemd service</summary>
        <p class="note">For `systemctl edit` of its service:</p>
        <CopyLine text={systemdLines(url, "KEY")} />
      </details>
      <details>
        <summary>In sh, Python, PHP or Node</summary>
        <p class="note">
          The scripts in docs/clients.md take these
          {everySeconds === null ? "" : ", and “every” in the place of “schedule”"}:
        </p>
        <CopyLine text={clientValues(monitor, address)} />
      </details>
    </section>
  );
};

// The reports of a job that were refused, one for each reason.

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
