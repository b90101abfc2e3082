// A key that was just made, shown this once, with the line that uses it. The page is the answer to the form itself: the
// key never stands in an address.

import { firstReportLine } from "../../domain/wording/report-line.ts";
import type { KeyScope } from "../../engine/api.ts";
import { Document } from "../document.tsx";
import type { Look } from "../look.ts";
import { CopyLine } from "../parts/copy-line.tsx";
import type { Viewer } from "../viewer.ts";
import { KEYS_PATH } from "./paths.ts";
import { scopeInWords } from "./scope.ts";

interface NewKeyProps {
  readonly viewer: Viewer;
  readonly look: Look;
  readonly address: string;
  readonly application: string;
  readonly secret: string;
  readonly scope: KeyScope;
}

export const NewKeyPage = ({ viewer, look, address, application, secret, scope }: NewKeyProps) => (
  <Document title="A new key" tone="quiet" viewer={viewer} look={look} path="">
    <section class="plain">
      <h1 class="headline is-quiet">A new key for {application}.</h1>
      <p>It is shown this once: rollcall keeps no copy of it. It may be used for {scopeInWords(scope)}.</p>
      <CopyLine text={secret} />
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
