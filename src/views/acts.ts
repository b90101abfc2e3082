// Reads from the audit what people and commands did to one monitor.

import type { Instant } from "../domain/time.ts";
import type { MonitorRecord } from "./completed-monitors.ts";
import type { Notified } from "./schemas/incident-schemas.ts";
import type { PastAct } from "./story.ts";
import type { ViewSource } from "./view-source.ts";

/**
 * What people and commands did to the monitor in the span: at most `limit` actions, the newest first. Actions that
 * changed nothing are left out.
 */
export const pastActsOf = (
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

const MESSAGES: Readonly<Record<string, Notified["kind"]>> = {
  "incident ack": "Acknowledged",
  "incident resolve": "Recovered",
};

/** Whether one of the messages tells of the action, as a message of recovery tells of `incident resolve`. */
export const isToldOf = (
  { action, at }: Pick<PastAct, "action" | "at">,
  messages: readonly Pick<Notified, "kind" | "at">[],
): boolean => messages.some((message) => message.kind === MESSAGES[action] && message.at === at);
