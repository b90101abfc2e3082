// What operations answer about applications and their API keys (R2, R3).

import { BOOLEAN, COUNT, ID, INSTANT, type InEngine, listOf, nullable, object, TEXT, wordOf } from "./schema-kinds.ts";

export const CREATED_APPLICATION = object({ slug: TEXT, createdAt: INSTANT });

const LISTED_APPLICATION = object({
  slug: TEXT,
  /** The configuration's name, otherwise a person's; `null` when the application is known only by its slug. */
  name: nullable(TEXT),
  monitors: COUNT,
  createdAt: INSTANT,
  /** Since when its reports are refused and its monitors paused (R3); `null` when it is not suspended. */
  suspendedAt: nullable(INSTANT),
});

/** Sorted by slug. */
export const APPLICATIONS = object({ applications: listOf(LISTED_APPLICATION) });

/** The result of a change. `changed` is false when everything was already as asked. */
export const CHANGED_APPLICATION = object({ changed: BOOLEAN, application: LISTED_APPLICATION });

export const DELETED_APPLICATION = object({
  slug: TEXT,
  /** How many monitors were deleted with it. */
  monitors: COUNT,
  /** How many keys stopped working with it. */
  keys: COUNT,
  /** After this instant the history of its monitors is deleted too (R25). */
  historyUntil: INSTANT,
});

/** Sorted by application. */
export const STATUS_PAGES = object({
  pages: listOf(
    object({
      application: TEXT,
      title: nullable(TEXT),
      /** Keys of jobs; `*` matches any characters. */
      jobs: listOf(TEXT),
      /** Whether the page shows what jobs reported about their failures. */
      messages: BOOLEAN,
      /** The path on this server. Anyone who knows it sees the page. */
      path: TEXT,
      /** The address for others; `null` when `server.public_url` is not set. */
      address: nullable(TEXT),
      /** The place that sets it up: a file with its line, a variable, or the command. */
      from: nullable(TEXT),
      kept: BOOLEAN,
    }),
  ),
});

export const ADDED_STATUS_PAGE = object({
  application: TEXT,
  path: TEXT,
  address: nullable(TEXT),
  /** True when it had another address before, which no longer works. */
  replaced: BOOLEAN,
});

export const REMOVED_STATUS_PAGE = object({ application: TEXT });

const KEY_SCOPE = wordOf("all", "ping", "sync");

/** A key in lists, which never contain the key itself. */
export const LISTED_KEY = object({
  id: ID,
  application: TEXT,
  scope: KEY_SCOPE,
  /** The name that a person gave the key; `null` when it has none. */
  label: nullable(TEXT),
  createdAt: INSTANT,
  lastUsedAt: nullable(INSTANT),
  /**
   * From where, by which program and for which monitor it was last used, some seconds late; `null` when it is not
   * known.
   */
  lastUse: nullable(object({ address: TEXT, agent: nullable(TEXT), monitorKey: nullable(TEXT) })),
  /** Until when it works beside the key that replaces it; `null` when it has no end, or has stopped working. */
  worksUntil: nullable(INSTANT),
  /** When it stopped working. */
  revokedAt: nullable(INSTANT),
});

export const KEYS = object({ keys: listOf(LISTED_KEY) });

/** The monitors that the key reported last. */
const USED = { monitors: COUNT, monitorKeys: listOf(TEXT) };

export const SHOWN_KEY = object({ ...LISTED_KEY.properties, ...USED });

/** The only answer that shows the whole key. */
export const CREATED_KEY = object({ key: TEXT, ...LISTED_KEY.properties });

/** The new key, and the one that it replaces. */
export const ROTATED_KEY = object({ key: TEXT, ...LISTED_KEY.properties, replaces: LISTED_KEY });

export type ApplicationSummary = InEngine<typeof LISTED_APPLICATION>;
export type ChangedApplication = InEngine<typeof CHANGED_APPLICATION>;
export type KeySummary = InEngine<typeof LISTED_KEY>;
export type ShownKey = InEngine<typeof SHOWN_KEY>;
export type CreatedKey = InEngine<typeof CREATED_KEY>;

// What operations answer about administrators' keys. They never show an existing key.

export const LISTED_ADMIN_KEY = object({
  id: ID,
  scope: wordOf("read", "admin"),
  /** The name that people gave the key; `null` when it has none. */
  label: nullable(TEXT),
  createdAt: INSTANT,
  lastUsedAt: nullable(INSTANT),
  /** The address from which it was last used. */
  lastAddress: nullable(TEXT),
  /** When it stopped working. */
  revokedAt: nullable(INSTANT),
});

/** Sorted by creation. */
export const ADMIN_KEYS = object({ keys: listOf(LISTED_ADMIN_KEY) });

/** The only answer that shows the whole key. */
export const CREATED_ADMIN_KEY = object({ key: TEXT, ...LISTED_ADMIN_KEY.properties });

export type AdminKeySummary = InEngine<typeof LISTED_ADMIN_KEY>;
