// Who acts, and what each role may do. Every edge that acts for a person asks `refuseActor`.

import { type Refusal, refuse, refuseField } from "../errors.ts";

/** The roles. Each may do all that the roles before it may do. */
export const ROLES = ["viewer", "operator", "admin"] as const;

/** `viewer` reads; `operator` handles incidents and pauses; `admin` does everything. */
export type Role = (typeof ROLES)[number];

export interface Person {
  readonly id: number;
  readonly name: string;
  readonly role: Role;
  /** The slugs of the only applications that the person may see; `null` means all. */
  readonly applications: readonly string[] | null;
}

/** Picks the person's public fields, so that a password hash is never passed on with the name. */
export const personOf = ({ id, name, role, applications }: Person): Person => ({ id, name, role, applications });

/**
 * Who acts: the user of the commands, who is admitted by the socket's file and may do everything, or a person or a
 * program at an address.
 */
export type Actor =
  | { readonly kind: "system"; readonly name: string | null }
  | { readonly kind: "person"; readonly person: Person; readonly address: string; readonly reply?: SentReply }
  | { readonly kind: "key"; readonly key: AdminKey; readonly address: string };

/** A reply to a message: the destination of that message, and an id of the reply that does not reveal its token. */
type SentReply = Readonly<{ destination: string; link: string }>;

/** The actor of what a start does without being asked. */
export const OURSELVES: Actor = { kind: "system", name: null };

/** The name of who has done something, for people who are told; `null` when it was done by a command on the host. */
export function nameOfActor(actor: Actor): string | null {
  switch (actor.kind) {
    case "system":
      return null;
    case "person":
      return actor.person.name;
    case "key":
      return nameOfAdminKey(actor.key);
    default:
      return actor satisfies never;
  }
}

export const actorOf = (person: Person, address: string): Actor => ({ kind: "person", person, address });

export interface Demand {
  readonly role: Role;
  readonly acts: boolean;
  /** True when only the user of the commands may do it. */
  readonly hostOnly: boolean;
  /** True when the answer holds a secret, such as a secret address. */
  readonly tellsSecret?: boolean;
  /** The slug of the application that it is about; `null` when it is about several or none. */
  readonly application: string | null;
}

/** Why this actor may not do it; `null` when it may. A refusal never reveals whether the application exists. */
export function refuseActor(actor: Actor, demand: Demand): Refusal | null {
  if (actor.kind === "system") return null;
  if (demand.hostOnly) return HOST_ONLY;
  return actor.kind === "key" ? refuseKey(actor.key, demand) : refusePerson(actor.person, demand);
}

const HOST_ONLY = refuse("ACCESS_DENIED", "only the command on rollcall's own host may do this");

function refuseKey({ scope }: AdminKey, { acts, tellsSecret = false }: Demand): Refusal | null {
  if (scope === "admin" || !(acts || tellsSecret)) return null;
  if (!acts) return refuse("ACCESS_DENIED", 'the answer holds secrets, and this key has the scope "read"');
  return refuse(
    "ACCESS_DENIED",
    'this key has the scope "read" and may only look; acting takes one of the scope "admin"',
  );
}

function refusePerson(person: Person, { role, application }: Demand): Refusal | null {
  if (ROLES.indexOf(person.role) < ROLES.indexOf(role)) {
    return refuse("ACCESS_DENIED", `this takes the role ${role}, and ${person.name} has the role ${person.role}`);
  }
  if (maySee(person, application)) return null;
  const own = person.applications?.join(", ") || "none";
  return refuse("ACCESS_DENIED", `${person.name} may do this in some applications only: ${own}`);
}

/** Whether a person may see an application; with `application` `null`, what is about several applications or none. */
const maySee = ({ applications }: Person, application: string | null): boolean =>
  applications === null || (application !== null && applications.includes(application));

export const PERSON_NAME_LENGTH = 64;

/**
 * The form of a person's name: 1 to 64 letters, digits, spaces and `._@+'-`. It begins with a letter or a digit and
 * ends with one or with a full stop.
 */
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._@+'’-]{0,62}[\p{L}\p{M}\p{N}.])?$/u;

export const checkPersonName = (name: string): Refusal | null =>
  NAME.test(name)
    ? null
    : refuseField(
        "name",
        `${JSON.stringify(name.slice(0, 80))} must be 1 to 64 letters, digits, spaces and any of . _ @ + ' -`,
      );

/** The name as it is compared: names that differ only in case or in how an accent is written are the same. */
export const foldedName = (name: string): string => name.trim().normalize("NFKC").toLowerCase();

// Finds the person for whom an OpenID provider or a proxy vouches. Names are compared letter by letter, because a name
// there that only looks like Ada's must not give access to Ada's account.

/** The permanent identity of an account at a provider. A name there may change and go to another person. */
export type VouchedAccount = Readonly<{ issuer: string; subject: string }>;

export interface Vouched extends VouchedAccount {
  readonly claim: string;
  /** The name in the claim; `null` when it has no valid one. */
  readonly name: string | null;
}

/** A person who may sign in by a provider. `account` is `null` when the person has not done so yet. */
export type Bindable = Pick<Person, "id" | "name"> & Readonly<{ account: VouchedAccount | null }>;

const NO_NAME = refuse("ACCESS_DENIED", "the provider gives no name by which you could be known here");

const quotedName = (name: string): string => JSON.stringify(name.slice(0, 80));

/**
 * The person whom a provider has let in: the one bound to the account, otherwise the one of exactly this name who is
 * bound to no account yet. `bound` is the person bound to the account; `named` is the person with the nearest name.
 */
export function personVouched<Found extends Bindable>(
  { name }: Vouched,
  bound: Found | null,
  named: Found | null,
): Found | Refusal {
  if (name === null) return NO_NAME;
  const meant = hasName(named, name) ? named : null;
  if (bound !== null && meant !== null && bound.id !== meant.id) {
    return refuse(
      "ACCESS_DENIED",
      `the provider calls you ${quotedName(name)}, and your account there signs in ${bound.name}; an administrator frees it with \`rollcall user unbind NAME\``,
    );
  }
  if (bound !== null) return bound;
  if (meant === null) {
    return refuse(
      "ACCESS_DENIED",
      `nobody here is called exactly ${quotedName(name)}; an administrator lets you in with \`rollcall user create NAME\``,
    );
  }
  if (meant.account === null) return meant;
  return refuse(
    "ACCESS_DENIED",
    `${meant.name} signs in by another account of a provider; an administrator frees the name with \`rollcall user unbind NAME\``,
  );
}

/** Whether the person has exactly the name for which another system vouches. */
export const hasName = <Found extends Pick<Person, "name">>(person: Found | null, name: string): person is Found =>
  person !== null && person.name === name;

// Keys of administrators let programs elsewhere act over HTTP. They are made only on rollcall's own host.

export const ADMIN_SCOPES = ["read", "admin"] as const;

/** `read` reads everything; `admin` does everything that is not reserved to the host. */
type AdminScope = (typeof ADMIN_SCOPES)[number];

export type AdminKey = Readonly<{ id: number; label: string | null; scope: AdminScope }>;

const nameOfAdminKey = ({ id, label }: Pick<AdminKey, "id" | "label">): string =>
  label === null ? `admin key ${id}` : `${label} (admin key ${id})`;

// What people do with their own account: the audit's name of each action, and the words that follow a person's name.
// Operations have both in their own table.

export const ACCOUNT_ACTIONS = {
  "sign in": "signed in",
  "sign out": "signed out",
  "use link": "set a password by a link",
  "change password": "changed their password",
  "end session": "ended a session of theirs",
  "end other sessions": "ended their other sessions",
  "add passkey": "added a passkey",
  "remove passkey": "removed a passkey",
  "add browser": "has alerts shown in a browser",
  "remove browser": "removed a browser",
} as const;

export type AccountAction = keyof typeof ACCOUNT_ACTIONS;
