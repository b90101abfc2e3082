// Draws what the page of keys shows of an application's status page: a link to share it, or its address with a button
// that stops sharing it.

import { CopyLine, Submit } from "../parts/act.tsx";
import { APPLICATIONS_PATH, sharePath } from "../paths.ts";
import { pageLine } from "../shown.ts";
import type { ApplicationKeys } from "./keys-by-application.tsx";

interface StatusPagePartProps {
  readonly ring: ApplicationKeys;
  /**
   * The address of the pages for people, without a slash at its end, if the status page is served at this address.
   * `null` if it is served only at the other address, where jobs report.
   */
  readonly home: string | null;
}

export const StatusPagePart = ({ ring: { slug, statusPage }, home }: StatusPagePartProps) => {
  if (statusPage === null)
    return (
      <p class="shared">
        <a class="button is-plain" href={sharePath(slug)}>
          Share a status page of {slug}…
        </a>
      </p>
    );
  const { path, address, jobs, from, kept } = statusPage;
  const at = address ?? (home === null ? null : home + path);
  return (
    <div class="shared">
      <p class="note">
        Everybody who knows this address sees {jobs.includes("*") ? "its jobs" : jobs.map(pageLine).join(", ")}
        {at === null ? ": it is at the address that jobs report to" : ""}
        {kept ? "" : ` · set by ${pageLine(from ?? "the configuration")}`}
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
