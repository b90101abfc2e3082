// The status page of an application, for people without an account: shared, shown with its address, and taken away.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { CopyLine, Submit } from "../parts/act.tsx";
import { Field, Wrong } from "../parts/field.tsx";
import { APPLICATIONS_PATH, anchorOf } from "../paths.ts";
import { isMistyped, sentenceOf } from "../refusal-page.tsx";
import { shownLine } from "../shown.ts";
import type { Asking } from "../signed-in.ts";
import type { Ring } from "./rings.tsx";

/** What was typed into the form of an application, and what is wrong with it. */
export type RefusedStatusPage = Readonly<{ slug: string; form: URLSearchParams; wrong: string }>;

interface StatusPagePartProps {
  readonly ring: Ring;
  /** Of this dashboard, without a slash at its end, where the page is too; null: it is where jobs report, elsewhere. */
  readonly home: string | null;
  readonly refused: RefusedStatusPage | null;
}

export const StatusPagePart = ({ ring: { slug, statusPage }, home, refused }: StatusPagePartProps) => {
  if (statusPage === null) return <Share slug={slug} refused={refused?.slug === slug ? refused : null} />;
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

const Share = ({ slug, refused }: { readonly slug: string; readonly refused: RefusedStatusPage | null }) => {
  const typed = (name: string, otherwise: string): string => refused?.form.get(name) ?? otherwise;
  return (
    <details class="shared" open={refused !== null}>
      <summary>Share a status page of {slug}…</summary>
      <form method="post" action={`${APPLICATIONS_PATH}/${slug}/share`}>
        <p class="note">For people without an account. Its address is the secret: who knows it sees the page.</p>
        <Field
          label="Jobs"
          name="jobs"
          id={`${anchorOf(slug)}-jobs`}
          value={typed("jobs", "*")}
          hint="keys with commas between them; * stands for any characters"
        />
        <Field label="Title" name="title" id={`${anchorOf(slug)}-title`} value={typed("title", "")} optional />
        <label>
          <input type="checkbox" name="messages" value="yes" checked={typed("messages", "") !== ""} /> also what jobs
          said of their failures
        </label>
        <Wrong text={refused?.wrong ?? null} />
        <Submit kind="plain">Share it</Submit>
      </form>
    </details>
  );
};

/** What was typed, where it can be put right. */
export function share({ operate }: Asking, slug: string, form: URLSearchParams): Refusal | RefusedStatusPage | null {
  const typed = (name: string): string => (form.get(name) ?? "").trim();
  const shared = operate("status-page list", { application: slug });
  // A form that is sent twice must not take away the address that the first one has given.
  if (!isRefusal(shared) && shared.pages.length > 0) return null;
  const asked = { slug, jobs: typed("jobs"), title: typed("title") || null, messages: form.has("messages") };
  const added = operate("status-page add", asked);
  if (!isRefusal(added)) return null;
  return isMistyped(added) ? { slug, form, wrong: sentenceOf(added) } : added;
}
