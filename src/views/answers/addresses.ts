// What operations answer of addresses of other services: never the addresses themselves (R45).

import { CONVENTIONS } from "../../domain/old-address.ts";
import { DECLARED_CHANGE } from "./monitors.ts";
import { BOOLEAN, COUNT, type Held, ID, INSTANT, listOf, object, orNull, TEXT, wordOf } from "./schema.ts";

export const LISTED_ADDRESS = object({
  /** Keys and addresses are numbered together. */
  id: ID,
  application: TEXT,
  convention: wordOf(...CONVENTIONS),
  /** Its path without what is secret in it, such as `/ping/…3f2a`. */
  address: TEXT,
  /** The monitor that it reports; null: it creates monitors. */
  monitorKey: orNull(TEXT),
  /** With what the keys of the monitors begin that it creates; null: it reports one. */
  prefix: orNull(TEXT),
  /** False: its monitor is gone, and its reports are answered 404. */
  exists: BOOLEAN,
  createdAt: INSTANT,
  lastUsedAt: orNull(INSTANT),
  /** From where and by which program it was last used; some seconds behind. Null: not known. */
  lastUse: orNull(object({ address: TEXT, agent: orNull(TEXT) })),
  /** Since when it works no more. */
  revokedAt: orNull(INSTANT),
});

/** In the order of creation. */
export const ADDRESSES = object({ addresses: listOf(LISTED_ADDRESS) });

/** `added` false: it was there already, and reports the same. */
export const ADDED_ADDRESS = object({ added: BOOLEAN, ...LISTED_ADDRESS.properties });

export type AddressSummary = Held<typeof LISTED_ADDRESS>;
export type AddressList = Held<typeof ADDRESSES>;

// What an import answers: what became of each monitor, or would become.

const IMPORTED = object({
  key: TEXT,
  /** The key that was asked for, where a monitor is known by its old address under another one; else null. */
  askedAs: orNull(TEXT),
  done: wordOf("created", "changed", "unchanged"),
  /** What was here before: nothing, one that was deleted, one that no import has made, or another. */
  found: wordOf("nothing", "deleted", "own", "other"),
  /** None of a new one. */
  changes: listOf(DECLARED_CHANGE),
  /** What becomes of its pause by hand; null: nothing. */
  pause: orNull(wordOf("paused", "resumed")),
  /** Old addresses that begin to work, that work already, and that were revoked. */
  addresses: object({ added: COUNT, there: COUNT, revoked: COUNT }),
});

/** `other`: one of this name is here, with other settings, and stays. `missing`: its settings were not told. */
const IMPORTED_DESTINATION = object({
  name: TEXT,
  done: wordOf("created", "unchanged", "other", "missing", "refused"),
  /** Why it is refused. */
  why: orNull(TEXT),
});

/** A monitor that is told elsewhere than all others. `overruled`: the configuration says where. */
const IMPORTED_ROUTE = object({
  key: TEXT,
  destinations: listOf(TEXT),
  done: wordOf("created", "changed", "unchanged", "overruled"),
});

/** In the order in which they were asked for. */
export const IMPORT = object({
  application: TEXT,
  monitors: listOf(IMPORTED),
  destinations: listOf(IMPORTED_DESTINATION),
  routes: listOf(IMPORTED_ROUTE),
});

export type Imported = Held<typeof IMPORTED>;
export type ImportAnswer = Held<typeof IMPORT>;
