// What operations answer of applications and their API keys (R2, R3).

import { BOOLEAN, COUNT, type Held, ID, INSTANT, listOf, object, orNull, TEXT, wordOf } from "./schema.ts";

export const CREATED_APPLICATION = object({ slug: TEXT, createdAt: INSTANT });

const LISTED_APPLICATION = object({
  slug: TEXT,
  /** The configuration's, else what a person said; null: it is known by its slug alone. */
  name: orNull(TEXT),
  monitors: COUNT,
  createdAt: INSTANT,
  /** R3: since when its reports are refused and its monitors paused; null: it is not suspended. */
  suspendedAt: orNull(INSTANT),
});

/** By slug, ascending. */
export const APPLICATIONS = object({ applications: listOf(LISTED_APPLICATION) });

/** The result of a change. `changed` false: everything was already as asked. */
export const CHANGED_APPLICATION = object({ changed: BOOLEAN, application: LISTED_APPLICATION });

export const DELETED_APPLICATION = object({
  slug: TEXT,
  /** How many were deleted with it. */
  monitors: COUNT,
  /** How many stopped working with it. */
  keys: COUNT,
  /** From then on the history of its monitors is deleted too (R25). */
  historyUntil: INSTANT,
});

/** By application. */
export const STATUS_PAGES = object({
  pages: listOf(
    object({
      application: TEXT,
      title: orNull(TEXT),
      /** Keys of jobs; `*` stands for any characters. */
      jobs: listOf(TEXT),
      /** Whether it says what jobs reported about their failures. */
      messages: BOOLEAN,
      /** On this server; who knows it sees the page. */
      path: TEXT,
      /** As others reach it; null: `server.public_url` is not set. */
      address: orNull(TEXT),
      /** A file with its line, a variable, or the command. */
      from: orNull(TEXT),
      kept: BOOLEAN,
    }),
  ),
});

export const ADDED_STATUS_PAGE = object({
  application: TEXT,
  path: TEXT,
  address: orNull(TEXT),
  /** It had another address before, which leads nowhere now. */
  replaced: BOOLEAN,
});

export const REMOVED_STATUS_PAGE = object({ application: TEXT });

const KEY_SCOPE = wordOf("all", "ping", "sync");

/** Never the key itself. */
export const LISTED_KEY = object({
  id: ID,
  application: TEXT,
  scope: KEY_SCOPE,
  /** What a person calls it; null: nothing. */
  label: orNull(TEXT),
  createdAt: INSTANT,
  lastUsedAt: orNull(INSTANT),
  /** From where, by which program and for which monitor it was last used; some seconds behind. Null: not known. */
  lastUse: orNull(object({ address: TEXT, agent: orNull(TEXT), monitorKey: orNull(TEXT) })),
  /** Until then it works beside the key that replaces it; null: without an end, or not any more. */
  worksUntil: orNull(INSTANT),
  /** Since when it works no more. */
  revokedAt: orNull(INSTANT),
});

export const KEYS = object({ keys: listOf(LISTED_KEY) });

/** What used a key: the monitors that it last reported. */
const USED = { monitors: COUNT, monitorKeys: listOf(TEXT) };

export const SHOWN_KEY = object({ ...LISTED_KEY.properties, ...USED });

/** The only time a key is seen whole. */
export const CREATED_KEY = object({ key: TEXT, ...LISTED_KEY.properties });

/** The new key, and the one that it replaces. */
export const ROTATED_KEY = object({ key: TEXT, ...LISTED_KEY.properties, replaces: LISTED_KEY });

export type ApplicationSummary = Held<typeof LISTED_APPLICATION>;
export type ChangedApplication = Held<typeof CHANGED_APPLICATION>;
export type KeySummary = Held<typeof LISTED_KEY>;
export type ShownKey = Held<typeof SHOWN_KEY>;
export type CreatedKey = Held<typeof CREATED_KEY>;

// What operations answer of administrators' keys: of an existing one never the key itself.

export const LISTED_ADMIN_KEY = object({
  id: ID,
  scope: wordOf("read", "admin"),
  /** What people call it; null: nothing. */
  label: orNull(TEXT),
  createdAt: INSTANT,
  lastUsedAt: orNull(INSTANT),
  /** The address from which it was last used. */
  lastAddress: orNull(TEXT),
  /** Since when it works no more. */
  revokedAt: orNull(INSTANT),
});

/** In the order of creation. */
export const ADMIN_KEYS = object({ keys: listOf(LISTED_ADMIN_KEY) });

/** The only time a key is seen whole. */
export const CREATED_ADMIN_KEY = object({ key: TEXT, ...LISTED_ADMIN_KEY.properties });

export type AdminKeySummary = Held<typeof LISTED_ADMIN_KEY>;
