// A key that was just made, shown this once, with the line that uses it. The page is the answer to the form itself: the
// key never stands in an address.

import type { Instant } from "../../domain/time.ts";
import { firstReportLine } from "../../domain/wording/report-line.ts";
import type { KeyScope } from "../../engine/api.ts";
import type { KeySummary } from "../../engine/operations/answers/applications.ts";
import { Document } from "../document.tsx";
import type { Look } from "../look.ts";
import { CopyLine } from "../parts/copy-line.tsx";
import { Until } from "../parts/moment.tsx";
import type { Viewer } from "../viewer.ts";
import { KEYS_PATH, keyPath } from "./paths.ts";
import { scopeInWords } from "./scope.ts";

interface NewKeyProps {
  readonly viewer: Viewer;
  readonly look: Look;
  readonly address: string;
  readonly application: string;
  readonly secret: string;
  readonly scope: KeyScope;
  /** The key that it replaces; null: none. */
  readonly replaces: Pick<KeySummary, "id" | "worksUntil"> | null;
  readonly now: Instant;
  readonly timezone: string;
}

export const NewKeyPage = ({ viewer, look, address, application, secret, scope, replaces, ...shown }: NewKeyProps) => (
  <Document title="A new key" tone="quiet" viewer={viewer} look={look} path="">
    <section class="plain">
      <h1 class="headline is-quiet">A new key for {application}.</h1>
      <p>It is shown this once: rollcall keeps no copy of it. It may be used for {scopeInWords(scope)}.</p>
      <CopyLine text={secret} />
      {replaces === null ? null : (
        <p>
          It replaces key {replaces.id}, which{" "}
          {replaces.worksUntil === null ? (
            "works no more."
          ) : (
            <>
              still works; that ends <Until at={replaces.worksUntil} {...shown} />.{" "}
              <a href={keyPath(replaces.id)}>Its page</a> shows which jobs still use it.
            </>
          )}
        </p>
      )}
      {scope === "sync" ? (
        <>
          <p>This line asks what rollcall knows of the jobs of {application}:</p>
          <CopyLine text={`curl -fsS -u '${secret}:' '${address}/api/v1/sync/status'`} />
        </>
      ) : (
        <>
          <p>This line reports a first job, which appears among the others:</p>
          <CopyLine text={firstReportLine(address, secret)} />
        </>
      )}
      <p class="acts">
        <a class="button is-strong" href="/">
          To all jobs
        </a>
        <a class="button" href={KEYS_PATH}>
          To all keys
        </a>
      </p>
    </section>
  </Document>
);
