// Says which application and which monitor an operation concerns.

import { isRefusal } from "../../domain/errors.ts";
import type { About, MonitorName } from "../../views/find-named.ts";
import { findApplication, findOwner } from "../../views/find-named.ts";
import type { OneKey } from "../../views/shown-keys.ts";
import type { ViewSource } from "../../views/view-source.ts";

/** The application that an operation concerns; `null` when the operation names none, or one that does not exist. */
export function aboutApplication(books: Pick<ViewSource, "store">, slug: string | null): About | null {
  const found = slug === null ? null : findApplication(books, slug);
  return found === null || isRefusal(found) ? null : { application: found.slug, monitorKey: null };
}

/** The application that an operation names, or else the only application that exists; `null` when there is none. */
export function aboutOwner(books: Pick<ViewSource, "store">, slug: string | null): About | null {
  const found = findApplication(books, slug);
  return isRefusal(found) ? null : { application: found.slug, monitorKey: null };
}

export function aboutMonitor(context: ViewSource, name: MonitorName): About | null {
  const found = findOwner(context, name);
  return isRefusal(found) ? null : { application: found.slug, monitorKey: name.key };
}

export function aboutKey({ store }: Pick<ViewSource, "store">, { id }: OneKey): About | null {
  const found = store.keys.find(id);
  return found === null ? null : { application: found.application, monitorKey: null };
}

export function aboutAddress({ store }: Pick<ViewSource, "store">, { id }: { readonly id: number }): About | null {
  const found = store.oldAddresses.find(id);
  return found === null ? null : { application: found.application, monitorKey: found.monitorKey };
}
