// What an empty installation shows: how to send the first report, with the real address and a button that makes a key.

import { firstReportLine } from "../../domain/wording/report-line.ts";
import { KEYS_PATH } from "../keys/paths.ts";
import { newestOf, type Ring } from "../keys/rings.ts";
import { Act } from "../parts/act.tsx";

export interface FirstReportProps {
  /** Where jobs reach this rollcall, without a slash at its end. */
  readonly address: string;
  /** The applications that a key can be made for; empty: the viewer may make none. */
  readonly rings: readonly Ring[];
}

export const FirstReport = ({ address, rings }: FirstReportProps) => (
  <section id="filters" class="first">
    <p>
      A job reports by calling an address with a key. Its first report creates it here: this page shows it as soon as it
      arrives.
    </p>
    <pre class="code">
      <code>{firstReportLine(address, "KEY")}</code>
    </pre>
    {rings.length === 0 ? (
      <p class="note">
        The first key stands in what rollcall printed at its first start; an administrator can make more.
      </p>
    ) : (
      <div class="acts">
        {rings.map((ring) => (
          <Act
            key={ring.slug}
            to={KEYS_PATH}
            back="/"
            fields={{ application: ring.slug, newest: String(newestOf(ring)) }}
            kind="strong"
          >
            Make a key for {ring.slug}
          </Act>
        ))}
      </div>
    )}
  </section>
);
