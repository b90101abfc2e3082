// The answers of operations about addresses of other services (R45). They never show a whole address, because whoever
// knows an address can report at it.

import { CONVENTIONS } from "../../domain/old-address.ts";
import { DECLARED_CHANGE } from "./monitor-schemas.ts";
import { BOOLEAN, COUNT, ID, INSTANT, type InEngine, listOf, nullable, object, TEXT, wordOf } from "./schema-kinds.ts";

export const LISTED_ADDRESS = object({
  /** API keys and addresses are numbered together, so no key has the id of an address. */
  id: ID,
  application: TEXT,
  convention: wordOf(...CONVENTIONS),
  /** The path without its secret part, such as `/ping/…3f2a`. */
  address: TEXT,
  /** The monitor whose reports come to the address; `null` for an address that creates monitors. */
  monitorKey: nullable(TEXT),
  /** The beginning of the keys of the monitors that the address creates; `null` when the address is for one monitor. */
  prefix: nullable(TEXT),
  /** False when the monitor was deleted, so that reports at this address get the response 404. */
  exists: BOOLEAN,
  createdAt: INSTANT,
  lastUsedAt: nullable(INSTANT),
  /** From where and by which program the address was last used, as of some seconds ago; `null` when not known. */
  lastUse: nullable(object({ address: TEXT, agent: nullable(TEXT) })),
  /** When the address was revoked; `null` while it works. */
  revokedAt: nullable(INSTANT),
});

/** The addresses, sorted by creation. */
export const ADDRESSES = object({ addresses: listOf(LISTED_ADDRESS) });

/** `added` is false when the address existed already, for the same monitor. */
export const ADDED_ADDRESS = object({ added: BOOLEAN, ...LISTED_ADDRESS.properties });

export type AddressSummary = InEngine<typeof LISTED_ADDRESS>;
export type AddressList = InEngine<typeof ADDRESSES>;

// The answer of an import: what became of each monitor and destination, or in a preview, what would become of it.

const IMPORTED = object({
  key: TEXT,
  /**
   * The key that the import asked for, if rollcall already knows the monitor, by its old address, under another key.
   * Otherwise `null`.
   */
  askedAs: nullable(TEXT),
  done: wordOf("created", "changed", "unchanged"),
  /**
   * What had this key before the import: nothing, a deleted monitor, a monitor that an import made (`own`), or any
   * other monitor.
   */
  found: wordOf("nothing", "deleted", "own", "other"),
  /** The declared settings that change; empty for a new monitor. */
  changes: listOf(DECLARED_CHANGE),
  /** What becomes of the monitor's manual pause; `null` when nothing changes. */
  pause: nullable(wordOf("paused", "resumed")),
  /** How many old addresses of the monitor begin to work (`added`), work already (`there`), and stay `revoked`. */
  addresses: object({ added: COUNT, there: COUNT, revoked: COUNT }),
});

/**
 * What becomes of a destination of the import. `other`: a destination of this name exists with other settings, and
 * stays as it is. `missing`: its settings were not given.
 */
const IMPORTED_DESTINATION = object({
  name: TEXT,
  done: wordOf("created", "unchanged", "other", "missing", "refused"),
  /** Why the destination was refused; `null` unless it was. */
  why: nullable(TEXT),
});

/** A monitor whose alerts go to destinations of its own. `overruled`: the configuration decides where they go. */
const IMPORTED_ROUTE = object({
  key: TEXT,
  destinations: listOf(TEXT),
  done: wordOf("created", "changed", "unchanged", "overruled"),
});

/** The answer of an import. Monitors, destinations and routes stand in the order in which the import named them. */
export const IMPORT = object({
  application: TEXT,
  monitors: listOf(IMPORTED),
  destinations: listOf(IMPORTED_DESTINATION),
  routes: listOf(IMPORTED_ROUTE),
});

export type Imported = InEngine<typeof IMPORTED>;
export type ImportAnswer = InEngine<typeof IMPORT>;
