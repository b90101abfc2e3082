// How this job reports: lines to copy. A key is stored nowhere, so a person puts their own in.

import { crontabLine, reportLine } from "../../domain/wording/report-line.ts";
import type { ShownMonitor } from "../../engine/operations/answers/shown-monitor.ts";
import { CopyLine } from "../parts/copy-line.tsx";

export const Reporting = ({ monitor, address }: { monitor: ShownMonitor; address: string }) => {
  const url = `${address}/api/v1/ping/${encodeURIComponent(monitor.key)}`;
  return (
    <section id="job-reporting" class="panel">
      <h2>How it reports</h2>
      <p class="note">Put a key of {monitor.application} in the place of KEY.</p>
      <CopyLine text={reportLine(url, "KEY")} />
      {monitor.schedule === null || monitor.schedule.startsWith("@") ? null : (
        <CopyLine text={crontabLine(monitor.schedule, url, "KEY")} />
      )}
    </section>
  );
};
