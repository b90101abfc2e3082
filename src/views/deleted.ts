// The monitors that can be brought back (R25): deleted so recently that their history is still there. Changes nothing.

import { isRefusal, type Refusal } from "../domain/errors.ts";
import { KEEP_DELETED } from "../domain/limits.ts";
import { monitorPolicy, nameOf } from "../domain/settings/policy.ts";
import type { Instant } from "../domain/time.ts";
import type { DeletedList } from "./answers/monitors.ts";
import type { ViewSource } from "./context.ts";
import { findListed } from "./find-named.ts";

/** The newest, newest first. Of several of one key, the last alone can come back. */
export function listDeleted(
  context: ViewSource,
  { application, limit }: { readonly application: string | null; readonly limit: number },
  now: Instant,
): DeletedList | Refusal {
  const owner = findListed(context, application);
  if (isRefusal(owner)) return owner;
  const { store, policy } = context;
  const found = store.deletedMonitors.newest(owner?.id ?? null, now - KEEP_DELETED, limit + 1);
  return {
    deleted: found.slice(0, limit).map(({ application: slug, applicationId, key, declaredName, deletedAt }) => ({
      application: slug,
      key,
      name: nameOf(monitorPolicy(policy, slug, key), { name: declaredName }),
      deletedAt,
      historyUntil: deletedAt + KEEP_DELETED,
      keyIsTaken: store.monitors.find(applicationId, key) !== null,
    })),
    more: found.length > limit,
  };
}
