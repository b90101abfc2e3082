// What operations answer of people, and of who did what.

import Type from "typebox";
import { BOOLEAN, COUNT, type Held, ID, INSTANT, listOf, namedValues, object, orNull, TEXT, wordOf } from "./schema.ts";

const PERSON_FIELDS = {
  name: TEXT,
  role: wordOf("viewer", "operator", "admin"),
  /** The only ones the person may see; null: all. */
  applications: orNull(listOf(TEXT)),
};

const ACCOUNT = object({ issuer: TEXT, subject: TEXT });

const LISTED_PERSON = object({
  id: ID,
  ...PERSON_FIELDS,
  createdAt: INSTANT,
  signedInAt: orNull(INSTANT),
  /** False: a link was made that was never opened. */
  hasPassword: BOOLEAN,
  /** Until when a one-time link can be opened; null: none can. */
  linkExpiresAt: orNull(INSTANT),
  sessions: COUNT,
  passkeys: COUNT,
  /** By which the person signs in at an OpenID provider; null: none yet. */
  account: orNull(ACCOUNT),
});

/** By name, ascending. */
export const PEOPLE = object({ people: listOf(LISTED_PERSON) });

/** As they are from now on. */
export const CHANGED_PERSON = object(PERSON_FIELDS);

export const SIGNED_OUT_PERSON = object({ name: TEXT, sessions: COUNT });

/** `account`: the one that was bound; null: none was. */
export const UNBOUND_PERSON = object({ name: TEXT, account: orNull(ACCOUNT) });

/** The only time a link is seen whole. */
const LINK = object({
  path: TEXT,
  /** Where people reach the dashboard; null: not known. */
  address: orNull(TEXT),
  expiresAt: INSTANT,
});

/** `link` null: the password was set. */
export const PERSON_WITH_LINK = object({ ...PERSON_FIELDS, link: orNull(LINK) });

/** Their passkeys are gone too. */
export const RESET_PERSON = object({ ...PERSON_FIELDS, link: orNull(LINK), passkeysRemoved: COUNT });

export const DELETED_PERSON = object({ name: TEXT });

const AUDIT_ENTRY = object({
  id: ID,
  at: INSTANT,
  /** `system`: the user of the commands; `key`: an administrator's key. */
  by: wordOf("system", "person", "key"),
  /** As it was then; null: no person asked for it, rollcall did it at a start. */
  name: orNull(TEXT),
  address: orNull(TEXT),
  /** The name of an operation, or what a person did with a session or password. */
  action: TEXT,
  application: orNull(TEXT),
  monitorKey: orNull(TEXT),
  /** What was asked, without secrets. */
  details: namedValues(Type.Unknown()),
});

/** Newest first. `more`: there are older ones that are not in the list. */
export const AUDIT = object({ entries: listOf(AUDIT_ENTRY), more: BOOLEAN });

export type PeopleList = Held<typeof PEOPLE>;
export type PersonWithLink = Held<typeof PERSON_WITH_LINK>;
export type AuditList = Held<typeof AUDIT>;
