// Makes the settings of status pages; knows which of their keys need each other.

import type { StatusPageSettings } from "../domain/people/status-page-settings.ts";
import { type ConfigDraft, complain, complainMissing } from "./draft.ts";

/** One for each application that has a token for it. */
export function assembleStatusPages(draft: ConfigDraft): StatusPageSettings[] {
  const owners = new Map<string, string>();
  return Object.entries(draft.values.applications).flatMap(([application, { status_page: page }]) => {
    const { token, title, jobs, messages } = page;
    const path = ["applications", application, "status_page"];
    if (token === undefined) {
      if (jobs.length > 0) complainMissing(draft, [...path, "token"], "must be given, or nobody can see the page");
      return [];
    }
    if (jobs.length === 0) complainMissing(draft, [...path, "jobs"], 'must name the jobs to show; ["*"] is all');
    const owner = owners.get(token);
    if (owner !== undefined)
      complain(draft, [...path, "token"], `is that of the application "${owner}"`, "must be another");
    owners.set(token, application);
    return [{ application, token, title: title ?? null, jobs, messages }];
  });
}
