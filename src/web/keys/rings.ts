// What the page of applications and keys shows: the applications that the viewer may see and, to administrators alone,
// their keys. The templates decide how.

import { isRefusal } from "../../domain/errors.ts";
import type { ApplicationSummary, KeySummary } from "../../engine/operations/answers/applications.ts";
import type { Engine } from "../../engine/parts.ts";
import { mayAs, maySee, type Viewer } from "../viewer.ts";

/** An application with its keys. */
export interface Ring extends ApplicationSummary {
  /** Those that work, the newest first. */
  readonly live: readonly KeySummary[];
  /** The newest first. */
  readonly revoked: readonly KeySummary[];
}

/** By slug. The keys of all are empty for those who may not see keys. Throws what SQLite throws. */
export function ringsOf(engine: Engine, viewer: Viewer): Ring[] {
  const listed = engine.operate("app list", {});
  const found = mayAs(viewer, "admin") ? engine.operate("key list", {}) : { keys: [] };
  const keys = Map.groupBy(isRefusal(found) ? [] : found.keys, ({ application }) => application);
  const seen = isRefusal(listed) ? [] : listed.applications.filter(({ slug }) => maySee(viewer, slug));
  return seen.map((application) => {
    const own = (keys.get(application.slug) ?? []).toReversed();
    return {
      ...application,
      live: own.filter(({ revokedAt }) => revokedAt === null),
      revoked: own.filter(({ revokedAt }) => revokedAt !== null),
    };
  });
}

/** The largest number that any of these keys has; 0: there is none. */
export const newestOf = ({ live, revoked }: Ring): number => Math.max(0, live[0]?.id ?? 0, revoked[0]?.id ?? 0);
