// Who may do what: people, programs and commands, by roles and scopes. Every operation asks `refuseActor` before it
// acts.

import { type Refusal, refuse, refuseField } from "../errors.ts";

/** The roles, the weakest first. Each may do all that the one before it may do. */
export const ROLES = ["viewer", "operator", "admin"] as const;

/** `viewer` only looks. `operator` also handles incidents and pauses. `admin` does everything. */
export type Role = (typeof ROLES)[number];

export interface Person {
  readonly id: number;
  readonly name: string;
  readonly role: Role;
  /** The slugs of the applications that the person may see; `null` means all of them. */
  readonly applications: readonly string[] | null;
}

/** Returns these four fields alone, so that a stored person's password hash is not passed on. */
export const personOf = ({ id, name, role, applications }: Person): Person => ({ id, name, role, applications });

/**
 * Who acts. `system` is a command on rollcall's own host, or rollcall itself; it may do everything. `person` uses a
 * page or a reply, and `key` is a program; `address` is the network address of either.
 */
export type Actor =
  | { readonly kind: "system"; readonly name: string | null }
  | { readonly kind: "person"; readonly person: Person; readonly address: string; readonly reply?: SentReply }
  | { readonly kind: "key"; readonly key: AdminKey; readonly address: string };

/**
 * The person acts by a link or button in a message. `destination` is where the message was sent. `link` identifies the
 * reply in the audit. Nobody can compute the secret token of the button from `link`.
 */
type SentReply = Readonly<{ destination: string; link: string }>;

/** Stands for rollcall itself, for what it does without being asked. */
export const OURSELVES: Actor = { kind: "system", name: null };

/** The name of who acts, as people read it; `null` for a command on the host. */
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
  /** True when only a command on rollcall's own host may use the operation. */
  readonly hostOnly: boolean;
  /** True when the operation's answer contains a secret, such as a secret address. */
  readonly tellsSecret?: boolean;
  /** The slug of the application that the operation is about; `null` when it is about several applications or none. */
  readonly application: string | null;
}

/** Why the actor may not do this; `null` when it may. A refusal does not reveal whether the application exists. */
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

/**
 * Whether the person may see the application. `null` stands for what is about several applications or none: only a
 * person who may see all applications may see that.
 */
const maySee = ({ applications }: Person, application: string | null): boolean =>
  applications === null || (application !== null && applications.includes(application));

export const PERSON_NAME_LENGTH = 64;

/**
 * The form of a person's name: 1 to 64 letters, digits, spaces and `._@+'-`. It begins with a letter or a digit, and
 * ends with a letter, a digit or a full stop.
 */
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._@+'’-]{0,62}[\p{L}\p{M}\p{N}.])?$/u;

export const checkPersonName = (name: string): Refusal | null =>
  NAME.test(name)
    ? null
    : refuseField(
        "name",
        `${JSON.stringify(name.slice(0, 80))} must be 1 to 64 letters, digits, spaces and any of . _ @ + ' -`,
      );

/** The name as names are compared: `ADA` and `ada` are one name, however their accents are written. */
export const foldedPersonName = (name: string): string => name.trim().normalize("NFKC").toLowerCase();

// Finds the person who signs in by an OpenID provider or a proxy. Names are compared letter by letter: someone whose
// name at the provider only looks like Ada's must not get into Ada's account.

/** `subject` is the provider's permanent id of the account, whose name may change or pass to another person. */
export type VouchedAccount = Readonly<{ issuer: string; subject: string }>;

export interface Vouched extends VouchedAccount {
  readonly claim: string;
  /** The name that the provider gives; `null` when it gives no valid name. */
  readonly name: string | null;
}

/** `account` is the person's account at a provider; `null` before the first sign-in by a provider. */
export type Bindable = Pick<Person, "id" | "name"> & Readonly<{ account: VouchedAccount | null }>;

const NO_NAME = refuse("ACCESS_DENIED", "the provider gives no name by which you could be known here");

const quotedName = (name: string): string => JSON.stringify(name.slice(0, 80));

/**
 * Returns the person whom a provider has let in. `bound` is the person to whom the provider's account is bound. `named`
 * is the person whose name is that of the provider, except perhaps for case and the form of accents. `bound` is let in;
 * without `bound`, `named` is, but only if the names are equal in every letter and `named` has no other account.
 * Refuses when nobody is let in, when `bound` and an equal `named` are two people, or when the provider gives no name.
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
    // Two people cannot have names that differ only in case or accents, so the name cannot be created beside that one.
    const remedy =
      named === null
        ? "an administrator lets you in with `rollcall user create NAME`"
        : `${named.name} is another name: if you are ${named.name}, let the provider give exactly that`;
    return refuse("ACCESS_DENIED", `nobody here is called exactly ${quotedName(name)}; ${remedy}`);
  }
  if (meant.account === null) return meant;
  return refuse(
    "ACCESS_DENIED",
    `${meant.name} signs in by another account of a provider; an administrator frees the name with \`rollcall user unbind NAME\``,
  );
}

export const hasName = <Found extends Pick<Person, "name">>(person: Found | null, name: string): person is Found =>
  person !== null && person.name === name;

// Admin keys let programs on other machines act over HTTP. They are created only on rollcall's own host.

export const ADMIN_SCOPES = ["read", "admin"] as const;

/** `read` may see all answers but those with secrets. `admin` may do all but what only rollcall's own host may do. */
type AdminScope = (typeof ADMIN_SCOPES)[number];

export type AdminKey = Readonly<{ id: number; label: string | null; scope: AdminScope }>;

const nameOfAdminKey = ({ id, label }: Pick<AdminKey, "id" | "label">): string =>
  label === null ? `admin key ${id}` : `${label} (admin key ${id})`;

// What people do with their own account: the name of each action in the audit, and the words that follow the person's
// name. All other actions are operations, which have both in their table.

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
