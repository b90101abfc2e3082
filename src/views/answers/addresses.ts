// What operations answer of addresses of other services: never the addresses themselves (R45).

import { CONVENTIONS } from "../../domain/old-address.ts";
import { BOOLEAN, type Held, ID, INSTANT, listOf, object, orNull, TEXT, wordOf } from "./schema.ts";

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
export type AddedAddress = Held<typeof ADDED_ADDRESS>;
