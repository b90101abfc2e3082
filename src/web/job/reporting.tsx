// How this job reports: lines to copy. A key is stored nowhere, so a person puts their own in.

import { clientValues, crontabLine, reportLine, reportUrl, systemdLines } from "../../domain/wording/report-line.ts";
import type { ShownMonitor } from "../../engine/operations/answers/shown-monitor.ts";
import { CopyLine } from "../parts/copy-line.tsx";

export const Reporting = ({ monitor, address }: { monitor: ShownMonitor; address: string }) => {
  const url = reportUrl(address, monitor.key);
  return (
    <section id="job-reporting" class="panel">
      <h2>How it reports</h2>
      <p class="note">Put a key of {monitor.application} in the place of KEY.</p>
      <CopyLine text={reportLine(url, "KEY", monitor)} />
      {monitor.schedule === null || monitor.schedule.startsWith("@") ? null : (
        <CopyLine text={crontabLine(monitor.schedule, url, "KEY")} />
      )}
      <details>
        <summary>As a systemd service</summary>
        <p class="note">For `systemctl edit` of its service:</p>
        <CopyLine text={systemdLines(url, "KEY")} />
      </details>
      <details>
        <summary>In sh, Python, PHP or Node</summary>
        <p class="note">
          The scripts in docs/clients.md take these
          {monitor.everySeconds === null ? "" : ", and “every” in the place of “schedule”"}:
        </p>
        <CopyLine text={clientValues(monitor, address)} />
      </details>
    </section>
  );
};
