// Finds the application or monitor that an operation names, or refuses the operation with a reason.

import { isRefusal, type Refusal, refuseField } from "../domain/errors.ts";
import type { ApplicationRow } from "../store/applications.ts";
import { type MonitorRecord, namedMonitorWithPolicy } from "./completed-monitors.ts";
import type { ViewSource } from "./view-source.ts";

/**
 * The application and the monitor that an operation concerns. The audit shows both, and only people who may see that
 * application may ask for the operation. `monitorKey` is `null` when no single monitor is concerned.
 */
export type About = Readonly<{ application: string; monitorKey: string | null }>;

/** How many names a refusal lists at most. */
const NAMED_MAX = 20;

/**
 * How people name a monitor. Without an application they mean the only application that has such a monitor; for a new
 * monitor, the only application that exists.
 */
export type MonitorName = Readonly<{ application: string | null; key: string }>;

/** The application of this slug; with `null`, the only application. Refuses when there is none, or more than one. */
export function findApplication({ store }: Pick<ViewSource, "store">, slug: string | null): ApplicationRow | Refusal {
  if (slug !== null) {
    const found = store.applications.find(slug);
    return (
      found ?? refuseField("application", `"${slug}" does not exist; \`rollcall app list\` shows all`, "NOT_FOUND")
    );
  }
  const all = store.applications.list();
  if (all.length === 1) return all[0]!;
  return refuseField("application", `there are ${all.length}, name one with --app: ${namedApplications(all)}`);
}

/** The application to which a list is limited; `null` when the list is of all applications. */
export const findListed = (books: Pick<ViewSource, "store">, slug: string | null): ApplicationRow | Refusal | null =>
  slug === null ? null : findApplication(books, slug);

export const findOrOffer = ({ store }: Pick<ViewSource, "store">, slug: string): ApplicationRow | Refusal =>
  store.applications.find(slug) ??
  refuseField("application", `"${slug}" does not exist; \`rollcall app create ${slug}\` creates it`, "NOT_FOUND");

function namedApplications(applications: readonly ApplicationRow[]): string {
  const slugs = applications.slice(0, NAMED_MAX).map(({ slug }) => slug);
  const more = applications.length > NAMED_MAX ? `, and ${applications.length - NAMED_MAX} more` : "";
  return slugs.join(", ") + more;
}

/** The application of the named monitor. The application is found even when the monitor's rows cannot be read. */
export function findOwner(context: ViewSource, { application, key }: MonitorName): ApplicationRow | Refusal {
  const { applications, monitors } = context.store;
  const has = ({ id }: ApplicationRow): boolean => monitors.find(id, key) !== null;
  if (application !== null) {
    const named = findApplication(context, application);
    return isRefusal(named) || has(named) ? named : monitorNotFound(key, application);
  }
  const owners = applications.list().filter(has);
  if (owners.length === 1) return owners[0]!;
  if (owners.length === 0) return monitorNotFound(key, null);
  const problem = `${owners.length} have a monitor ${JSON.stringify(key)}, name one with --app: ${namedApplications(owners)}`;
  return refuseField("application", problem);
}

/** Finds the named monitor, or refuses when there is none. Throws when the monitor's rows cannot be read. */
export function findMonitor(context: ViewSource, name: MonitorName): MonitorRecord | Refusal {
  const { key } = name;
  const owner = findOwner(context, name);
  if (isRefusal(owner)) return owner;
  const found = namedMonitorWithPolicy(context, owner.id, key, null);
  return found ?? monitorNotFound(key, owner.slug);
}

/** The id of a monitor; `null` when there is no such monitor. */
export function monitorIdOf({ store }: Pick<ViewSource, "store">, application: string, key: string): number | null {
  const owner = store.applications.find(application);
  return owner === null ? null : store.monitors.find(owner.id, key);
}

/**
 * The refusal when there is no such monitor. `application` is the application that was named, and `null` when none was
 * named and none has such a monitor.
 */
function monitorNotFound(key: string, application: string | null): Refusal {
  const where = application === null ? "" : ` in application "${application}"`;
  const problem = `there is no monitor ${JSON.stringify(key)}${where}; \`rollcall monitor list\` shows all`;
  return refuseField("key", problem, "MONITOR_NOT_FOUND");
}
