// What operations answer of applications and their API keys (R2, R3).

import { COUNT, type Held, ID, INSTANT, listOf, orNull, TEXT, thing, wordOf } from "../schema.ts";

export const CREATED_APPLICATION = thing({ slug: TEXT, createdAt: INSTANT });

const LISTED_APPLICATION = thing({
  slug: TEXT,
  /** Null: it is known by its slug alone. */
  name: orNull(TEXT),
  monitors: COUNT,
  createdAt: INSTANT,
});

/** By slug, ascending. */
export const APPLICATIONS = thing({ applications: listOf(LISTED_APPLICATION) });

const KEY_SCOPE = wordOf("all", "ping", "sync");

/** Never the key itself. */
export const LISTED_KEY = thing({
  id: ID,
  application: TEXT,
  scope: KEY_SCOPE,
  createdAt: INSTANT,
  lastUsedAt: orNull(INSTANT),
  revokedAt: orNull(INSTANT),
});

export const KEYS = thing({ keys: listOf(LISTED_KEY) });

/** The only time a key is seen whole. */
export const CREATED_KEY = thing({ key: TEXT, ...LISTED_KEY.properties });

export type ApplicationSummary = Held<typeof LISTED_APPLICATION>;
