// The status page of an application, for people without an account: shared, shown with its address, and taken away.

import { CopyLine, Submit } from "../parts/act.tsx";
import { Form } from "../parts/form.tsx";
import { APPLICATIONS_PATH, anchorOf } from "../paths.ts";
import { type FormOf, type RefusedForm, refusedIn } from "../read-form.ts";
import { shownLine } from "../shown.ts";
import type { Ring } from "./rings.tsx";

interface StatusPagePartProps {
  readonly ring: Ring;
  /** Of this dashboard, without a slash at its end, where the page is too; null: it is where jobs report, elsewhere. */
  readonly home: string | null;
  readonly refused: RefusedForm | null;
}

export const StatusPagePart = ({ ring: { slug, statusPage }, home, refused }: StatusPagePartProps) => {
  if (statusPage === null) return <Share slug={slug} {...refusedIn(refused, "status-page add", slug)} />;
  const { path, address, jobs, from, kept } = statusPage;
  const at = address ?? (home === null ? null : home + path);
  return (
    <div class="shared">
      <p class="note">
        Everybody who knows this address sees {jobs.includes("*") ? "its jobs" : jobs.map(shownLine).join(", ")}
        {at === null ? ": it is at the address that jobs report to" : ""}
        {kept ? "" : ` · set by ${shownLine(from ?? "the configuration")}`}
      </p>
      <CopyLine text={at ?? path} />
      {at === null ? null : (
        <p class="note">
          <a href={at}>The status page</a>, <a href={`${at}/badges`}>its badges</a>
        </p>
      )}
      {kept ? (
        <form method="post" action={`${APPLICATIONS_PATH}/${slug}/unshare`}>
          <Submit kind="plain">Stop sharing {slug}</Submit>
        </form>
      ) : null}
    </div>
  );
};

export const SHARE = {
  operation: "status-page add",
  fields: ["jobs", "title", "messages"],
} satisfies FormOf<"status-page add">;

const Share = ({ slug, ...refused }: { readonly slug: string } & ReturnType<typeof refusedIn>) => (
  <details class="shared" open={refused.wrong !== undefined}>
    <summary>Share a status page of {slug}…</summary>
    <Form
      of={SHARE}
      form={{ to: `${APPLICATIONS_PATH}/${slug}/share` }}
      id={`${anchorOf(slug)}-`}
      says="For people without an account. Its address is the secret: who knows it sees the page."
      does="Share it"
      kind="plain"
      shown={{ jobs: { value: "*" } }}
      {...refused}
    />
  </details>
);
