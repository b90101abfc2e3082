// What operations answer of administrators' keys: of an existing one never the key itself.

import { type Held, ID, INSTANT, listOf, object, orNull, TEXT, wordOf } from "./schema.ts";

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
export type CreatedAdminKey = Held<typeof CREATED_ADMIN_KEY>;
