// What an empty installation shows: how to send the first report, with the real address and a button that makes a key.

import { firstReportLine } from "../../domain/wording/report-line.ts";
import { Act } from "../parts/act.tsx";

export interface FirstReportProps {
  /** Where jobs reach this rollcall, without a slash at its end. */
  readonly address: string;
  /** The applications that a key can be made for; empty: the viewer may make none. */
  readonly applications: readonly string[];
}

export const FirstReport = ({ address, applications }: FirstReportProps) => (
  <section id="filters" class="first">
    <p>
      A job reports by calling an address with a key. Its first report creates it here: this page shows it as soon as it
      arrives.
    </p>
    <pre class="code">
      <code>{firstReportLine(address, "KEY")}</code>
    </pre>
    {applications.length === 0 ? (
      <p class="note">
        The first key stands in what rollcall printed at its first start; an administrator can make more.
      </p>
    ) : (
      <div class="acts">
        {applications.map((application) => (
          <Act key={application} to="/keys" back="/" fields={{ application }} kind="strong">
            Make a key for {application}
          </Act>
        ))}
      </div>
    )}
  </section>
);
