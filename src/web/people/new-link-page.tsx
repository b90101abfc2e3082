// A one-time link that was just made, shown this once. The page is the answer to the form itself: the link stands in no
// address of ours.

import type { Instant } from "../../domain/time.ts";
import { Document } from "../document.tsx";
import { CopyLine } from "../parts/copy-line.tsx";
import { Exactly } from "../parts/moment.tsx";
import { PEOPLE_PATH } from "./paths.ts";
import type { Shown } from "./people-page.tsx";

interface NewLinkProps extends Pick<Shown, "viewer" | "look" | "timezone"> {
  readonly name: string;
  readonly url: string;
  readonly expiresAt: Instant;
}

export const NewLinkPage = ({ name, url, expiresAt, viewer, look, timezone }: NewLinkProps) => (
  <Document title={`A link for ${name}`} tone="quiet" viewer={viewer} look={look} path="">
    <section class="plain">
      <h1 class="headline is-quiet">A link for {name}.</h1>
      <p>
        Pass it on where nobody else reads it: whoever opens it first sets the password. It is shown this once, and
        counts until <Exactly at={expiresAt} timezone={timezone} />.
      </p>
      <CopyLine text={url} />
      <p class="acts">
        <a class="button is-strong" href={PEOPLE_PATH}>
          To all people
        </a>
      </p>
    </section>
  </Document>
);
