// Collects the applications that the viewer may see and, if the viewer is an administrator, their keys. The templates
// decide how they look.

import { isRefusal, refuse } from "../../domain/errors.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import type { AddressSummary } from "../../views/schemas/address-schemas.ts";
import type { ApplicationSummary, KeySummary } from "../../views/schemas/application-schemas.ts";
import type { Asking } from "../signed-in.ts";
import { type Viewer, viewerMayAs, viewerMaySee } from "../viewer.ts";

export interface ApplicationKeys extends ApplicationSummary {
  /** The keys that work, the newest first. */
  readonly live: readonly KeySummary[];
  readonly revoked: readonly KeySummary[];
  /**
   * The old addresses that work, which are those of another service (R45), the oldest first. `moreAddresses` says that
   * there are more than these.
   */
  readonly addresses: readonly AddressSummary[];
  readonly moreAddresses: boolean;
  /**
   * The application's status page, for people without an account; `null` when it has none, or when the viewer is no
   * administrator.
   */
  readonly statusPage: StatusPage | null;
}

type StatusPage = Answer<"status-page list">["pages"][number];

/** How many old addresses of an application are shown; a page with more would be too long to read. */
const ADDRESSES_SHOWN = 200;

/**
 * Returns the applications in the order of their slugs. For a viewer who is no administrator, the lists of keys are
 * empty. Throws SQLite's errors.
 */
export function applicationKeysOf(engine: Engine, viewer: Viewer): ApplicationKeys[] {
  const listed = engine.as("host").operate("app list", {});
  const found = viewerMayAs(viewer, "admin") ? engine.as("host").operate("key list", {}) : { keys: [] };
  const keys = Map.groupBy(isRefusal(found) ? [] : found.keys, ({ application }) => application);
  const addresses = Map.groupBy(oldAddressesOf(engine, viewer), ({ application }) => application);
  const shared = viewerMayAs(viewer, "admin") ? engine.as("host").operate("status-page list", {}) : { pages: [] };
  const pages = new Map((isRefusal(shared) ? [] : shared.pages).map((page) => [page.application, page]));
  const seen = isRefusal(listed) ? [] : listed.applications.filter(({ slug }) => viewerMaySee(viewer, slug));
  return seen.map((application) => {
    const own = (keys.get(application.slug) ?? []).toReversed();
    const old = (addresses.get(application.slug) ?? []).filter(({ revokedAt }) => revokedAt === null);
    return {
      ...application,
      live: own.filter(({ revokedAt }) => revokedAt === null),
      revoked: own.filter(({ revokedAt }) => revokedAt !== null),
      addresses: old.slice(0, ADDRESSES_SHOWN),
      moreAddresses: old.length > ADDRESSES_SHOWN,
      statusPage: pages.get(application.slug) ?? null,
    };
  });
}

/**
 * The old addresses of the applications that the viewer may see, revoked ones too. Returns none when the viewer is no
 * administrator.
 */
export function oldAddressesOf(engine: Engine, viewer: Viewer): readonly AddressSummary[] {
  const found = viewerMayAs(viewer, "admin") ? engine.as("host").operate("address list", {}) : { addresses: [] };
  return isRefusal(found) ? [] : found.addresses.filter(({ application }) => viewerMaySee(viewer, application));
}

const FOR_ADMINISTRATORS = refuse("ACCESS_DENIED", "keys are for administrators");

/** Returns a key that works, with its application and with the jobs that reported with the key last. */
export function liveKey({ engine, viewer, operate }: Asking, id: number) {
  if (!viewerMayAs(viewer, "admin")) return FOR_ADMINISTRATORS;
  const ring = applicationKeysOf(engine, viewer).find(({ live }) => live.some((key) => key.id === id));
  if (ring === undefined) return NO_SUCH_KEY;
  const key = operate("key show", { id });
  return isRefusal(key) ? key : { ring, key };
}

export const NO_SUCH_KEY = refuse("NOT_FOUND", "there is no such key that works");
export const NO_SUCH_ADDRESS = refuse("NOT_FOUND", "there is no such address that works");

export const newestKeyId = ({ live, revoked }: ApplicationKeys): number =>
  Math.max(0, live[0]?.id ?? 0, revoked[0]?.id ?? 0);
