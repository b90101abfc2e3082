// What people and commands did to one monitor, as the audit has it. Changes nothing.

import type { Instant } from "../domain/time.ts";
import type { MonitorRecord } from "./completed-monitors.ts";
import type { PastAct } from "./story.ts";
import type { ViewSource } from "./view-source.ts";

/** The newest first, `limit` at most. */
export const actsOn = (
  { store, inStory }: ViewSource,
  { application, key }: Pick<MonitorRecord, "application" | "key">,
  span: { readonly since: Instant; readonly before: Instant },
  limit: number,
): PastAct[] =>
  store.audit.ofMonitor({ application, key }, span, limit).map(({ at, action, personId, name, details }) => ({
    at,
    action,
    inStory: inStory(action),
    isByPerson: personId !== null,
    name,
    details: JSON.parse(details),
  }));
