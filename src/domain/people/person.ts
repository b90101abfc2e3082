// Who acts, and what each role may do: every edge that acts for a person asks `refuseActor`.

import { type Refusal, refuse, refuseField } from "../errors.ts";

/** Each may do what those before it may do. */
export const ROLES = ["viewer", "operator", "admin"] as const;

/** `viewer` looks; `operator` looks after incidents and pauses; `admin` does everything. */
export type Role = (typeof ROLES)[number];

export interface Person {
  readonly id: number;
  readonly name: string;
  readonly role: Role;
  /** The slugs of the only applications the person may see; null: all. */
  readonly applications: readonly string[] | null;
}

/** Nothing else of what is stored: a hash must not travel with the name. */
export const personOf = ({ id, name, role, applications }: Person): Person => ({ id, name, role, applications });

/**
 * The user of the commands, whom the socket's file lets in and who may do everything; or, at an address, a person or a
 * program.
 */
export type Actor =
  | { readonly kind: "system"; readonly name: string | null }
  | { readonly kind: "person"; readonly person: Person; readonly address: string; readonly answer?: AnswerSent }
  | { readonly kind: "key"; readonly key: AdminKey; readonly address: string };

/** An answer to a message: where that went, and what names the answer without being its token. */
type AnswerSent = Readonly<{ destination: string; link: string }>;

/** What a start does, and no person asked for. */
export const OURSELVES: Actor = { kind: "system", name: null };

/** Who has done something, for those who are told; null: it was done by command on the host. */
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
  /** Only the user of the commands may do it. */
  readonly hostOnly: boolean;
  /** The answer holds a secret, such as an address that is one; absent: it holds none. */
  readonly tellsSecret?: boolean;
  /** The slug of the application that it is about; null: of several, or of none. */
  readonly application: string | null;
}

/** Why this one may not do it; null: may. A refusal never says whether the application is there. */
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

/** `application` null: what belongs to no application, or to several. */
const maySee = ({ applications }: Person, application: string | null): boolean =>
  applications === null || (application !== null && applications.includes(application));

export const PERSON_NAME_LENGTH = 64;

/** A person's name that may be used: 1 to 64 letters, digits, spaces and `._@+'-`, none of it at an end but letters. */
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._@+'’-]{0,62}[\p{L}\p{M}\p{N}.])?$/u;

export const checkPersonName = (name: string): Refusal | null =>
  NAME.test(name)
    ? null
    : refuseField(
        "name",
        `${JSON.stringify(name.slice(0, 80))} must be 1 to 64 letters, digits, spaces and any of . _ @ + ' -`,
      );

/** As names are compared: two that differ only in case or in how an accent is written are one. */
export const foldedName = (name: string): string => name.trim().normalize("NFKC").toLowerCase();

// Who a person is for whom an OpenID provider or a proxy vouches. Names are compared letter by letter here: whoever can
// get a name there that only looks like Ada's must not become Ada.

/** What names a person at a provider for ever; a name there may change, and go to another person. */
export type VouchedAccount = Readonly<{ issuer: string; subject: string }>;

export interface Vouched extends VouchedAccount {
  readonly claim: string;
  /** Null: the claim has none that counts. */
  readonly name: string | null;
}

/** `account` null: the person has not signed in by a provider yet. */
export type Bindable = Pick<Person, "id" | "name"> & Readonly<{ account: VouchedAccount | null }>;

const NO_NAME = refuse("ACCESS_DENIED", "the provider gives no name by which you could be known here");

const quotedName = (name: string): string => JSON.stringify(name.slice(0, 80));

/**
 * Whom a provider has let in: the person who is bound to the account, or one of exactly this name who is bound to none
 * yet. `bound`: who has the account; `named`: the person whose name is the nearest.
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

/** Whether the person is the one whom a name means that another system vouches for. */
export const hasName = <Found extends Pick<Person, "name">>(person: Found | null, name: string): person is Found =>
  person !== null && person.name === name;

// Keys of administrators: programs elsewhere act by them over HTTP. They are made on rollcall's own host alone.

export const ADMIN_SCOPES = ["read", "admin"] as const;

/** `read` looks at everything; `admin` does everything but what the host alone does. */
type AdminScope = (typeof ADMIN_SCOPES)[number];

export type AdminKey = Readonly<{ id: number; label: string | null; scope: AdminScope }>;

const nameOfAdminKey = ({ id, label }: Pick<AdminKey, "id" | "label">): string =>
  label === null ? `admin key ${id}` : `${label} (admin key ${id})`;

// What people do with their own account, as the audit names it, and in words behind their name. Operations have both of
// their own.

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
