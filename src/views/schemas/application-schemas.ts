// The answers of operations about applications and their API keys (R2, R3).

import { BOOLEAN, COUNT, ID, INSTANT, type InEngine, listOf, nullable, object, TEXT, wordOf } from "./schema-kinds.ts";

export const CREATED_APPLICATION = object({ slug: TEXT, createdAt: INSTANT });

const LISTED_APPLICATION = object({
  slug: TEXT,
  /** The configured name, otherwise the one that a person gave; `null` when there is only the slug. */
  name: nullable(TEXT),
  monitors: COUNT,
  createdAt: INSTANT,
  /** Since when the application is suspended, its reports refused and its monitors paused (R3); otherwise `null`. */
  suspendedAt: nullable(INSTANT),
});

/** The applications, sorted by slug. */
export const APPLICATIONS = object({ applications: listOf(LISTED_APPLICATION) });

/** The answer to a change. `changed` is false when everything was already as asked. */
export const CHANGED_APPLICATION = object({ changed: BOOLEAN, application: LISTED_APPLICATION });

export const DELETED_APPLICATION = object({
  slug: TEXT,
  monitors: COUNT,
  /** How many keys stopped working because the application was deleted. */
  keys: COUNT,
  /** After this instant the history of the application's monitors is deleted too (R25). */
  historyUntil: INSTANT,
});

/** The status pages, sorted by application. */
export const STATUS_PAGES = object({
  pages: listOf(
    object({
      application: TEXT,
      title: nullable(TEXT),
      /** The jobs on the page: keys, in which `*` stands for any characters, or labels (`label:db`). */
      jobs: listOf(TEXT),
      /** Whether the page shows what jobs reported about their failures. */
      messages: BOOLEAN,
      /** The path on this server. Anyone who knows it sees the page. */
      path: TEXT,
      /** The page's URL for other people; `null` when `server.public_url` is not set. */
      address: nullable(TEXT),
      /** The place that sets the page up: a file with its line, an environment variable, or a command. */
      from: nullable(TEXT),
      kept: BOOLEAN,
    }),
  ),
});

export const ADDED_STATUS_PAGE = object({
  application: TEXT,
  path: TEXT,
  address: nullable(TEXT),
  /** True when the page had another address before, which no longer works. */
  replaced: BOOLEAN,
});

export const REMOVED_STATUS_PAGE = object({ application: TEXT });

const KEY_SCOPE = wordOf("all", "ping", "sync");

/** An API key in lists. The secret key itself is shown only once, by `CREATED_KEY` or `ROTATED_KEY`. */
export const LISTED_KEY = object({
  id: ID,
  application: TEXT,
  scope: KEY_SCOPE,
  /** The name that a person gave the key; `null` when it has none. */
  label: nullable(TEXT),
  createdAt: INSTANT,
  lastUsedAt: nullable(INSTANT),
  /**
   * From where, by which program and for which monitor the key was last used; `null` when that is not known. This may
   * be some seconds old.
   */
  lastUse: nullable(object({ address: TEXT, agent: nullable(TEXT), monitorKey: nullable(TEXT) })),
  /**
   * Until when a replaced key still works beside the key that replaces it; `null` for a key without an end, and for one
   * that has stopped working.
   */
  worksUntil: nullable(INSTANT),
  /** When the key stopped working; `null` while it works. */
  revokedAt: nullable(INSTANT),
});

export const KEYS = object({ keys: listOf(LISTED_KEY) });

/** The monitors whose last report came with the key: how many there are, and the keys of the first ones. */
const USED = { monitors: COUNT, monitorKeys: listOf(TEXT) };

export const SHOWN_KEY = object({ ...LISTED_KEY.properties, ...USED });

export const CREATED_KEY = object({ key: TEXT, ...LISTED_KEY.properties });

/** The new key, and in `replaces` the old one. */
export const ROTATED_KEY = object({ key: TEXT, ...LISTED_KEY.properties, replaces: LISTED_KEY });

export type ApplicationSummary = InEngine<typeof LISTED_APPLICATION>;
export type ChangedApplication = InEngine<typeof CHANGED_APPLICATION>;
export type KeySummary = InEngine<typeof LISTED_KEY>;
export type ShownKey = InEngine<typeof SHOWN_KEY>;
export type CreatedKey = InEngine<typeof CREATED_KEY>;

// The answers of operations about administrators' keys. They never show an existing key.

export const LISTED_ADMIN_KEY = object({
  id: ID,
  scope: wordOf("read", "admin"),
  /** The name that people gave the key; `null` when it has none. */
  label: nullable(TEXT),
  createdAt: INSTANT,
  lastUsedAt: nullable(INSTANT),
  /** The network address from which the key was last used; `null` when it is not known. */
  lastAddress: nullable(TEXT),
  /** When the key stopped working; `null` while it works. */
  revokedAt: nullable(INSTANT),
});

/** The administrators' keys, sorted by creation. */
export const ADMIN_KEYS = object({ keys: listOf(LISTED_ADMIN_KEY) });

/** The only answer that shows the whole key. */
export const CREATED_ADMIN_KEY = object({ key: TEXT, ...LISTED_ADMIN_KEY.properties });

export type AdminKeySummary = InEngine<typeof LISTED_ADMIN_KEY>;
