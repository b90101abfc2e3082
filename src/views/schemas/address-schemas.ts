// What operations answer about addresses of other services. They never show the addresses themselves (R45).

import { CONVENTIONS } from "../../domain/old-address.ts";
import { DECLARED_CHANGE } from "./monitor-schemas.ts";
import { BOOLEAN, COUNT, ID, INSTANT, type InEngine, listOf, nullable, object, TEXT, wordOf } from "./schema-kinds.ts";

export const LISTED_ADDRESS = object({
  /** Keys and addresses share one sequence of numbers. */
  id: ID,
  application: TEXT,
  convention: wordOf(...CONVENTIONS),
  /** The path without its secret part, such as `/ping/…3f2a`. */
  address: TEXT,
  /** The monitor that the address reports; `null` when it creates monitors. */
  monitorKey: nullable(TEXT),
  /** The beginning of the keys of the monitors that the address creates; `null` when it reports one monitor. */
  prefix: nullable(TEXT),
  /** False when its monitor is gone, so that its reports are answered 404. */
  exists: BOOLEAN,
  createdAt: INSTANT,
  lastUsedAt: nullable(INSTANT),
  /** From where and by which program it was last used, some seconds late; `null` when it is not known. */
  lastUse: nullable(object({ address: TEXT, agent: nullable(TEXT) })),
  /** When it stopped working. */
  revokedAt: nullable(INSTANT),
});

/** Sorted by creation. */
export const ADDRESSES = object({ addresses: listOf(LISTED_ADDRESS) });

/** `added` is false when the address existed already and reports the same. */
export const ADDED_ADDRESS = object({ added: BOOLEAN, ...LISTED_ADDRESS.properties });

export type AddressSummary = InEngine<typeof LISTED_ADDRESS>;
export type AddressList = InEngine<typeof ADDRESSES>;

// What an import answers: what became of each monitor, or would become of it.

const IMPORTED = object({
  key: TEXT,
  /** The requested key, if the monitor is known by its old address under another key; otherwise `null`. */
  askedAs: nullable(TEXT),
  done: wordOf("created", "changed", "unchanged"),
  /** What existed before: nothing, a deleted monitor, one that an import made (`own`), or another one. */
  found: wordOf("nothing", "deleted", "own", "other"),
  /** Empty for a new monitor. */
  changes: listOf(DECLARED_CHANGE),
  /** What becomes of its manual pause; `null` when nothing does. */
  pause: nullable(wordOf("paused", "resumed")),
  /** How many old addresses begin to work, work already, and were revoked. */
  addresses: object({ added: COUNT, there: COUNT, revoked: COUNT }),
});

/**
 * What becomes of a destination. `other` means that one of this name exists with other settings and stays; `missing`
 * that its settings were not given.
 */
const IMPORTED_DESTINATION = object({
  name: TEXT,
  done: wordOf("created", "unchanged", "other", "missing", "refused"),
  /** Why it is refused. */
  why: nullable(TEXT),
});

/** A monitor whose alerts go elsewhere than all others'. `overruled` means that the configuration decides where. */
const IMPORTED_ROUTE = object({
  key: TEXT,
  destinations: listOf(TEXT),
  done: wordOf("created", "changed", "unchanged", "overruled"),
});

/** Sorted as they were asked for. */
export const IMPORT = object({
  application: TEXT,
  monitors: listOf(IMPORTED),
  destinations: listOf(IMPORTED_DESTINATION),
  routes: listOf(IMPORTED_ROUTE),
});

export type Imported = InEngine<typeof IMPORTED>;
export type ImportAnswer = InEngine<typeof IMPORT>;
