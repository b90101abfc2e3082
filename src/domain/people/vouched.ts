// Who a person is for whom an OpenID provider or a proxy vouches. Names are compared letter by letter here: whoever can
// get a name there that only looks like Ada's must not become Ada.

import { type Refusal, refuse } from "../errors.ts";
import type { Person } from "./person.ts";

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

const quoted = (name: string): string => JSON.stringify(name.slice(0, 80));

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
  const meant = isNamed(named, name) ? named : null;
  if (bound !== null && meant !== null && bound.id !== meant.id) {
    return refuse(
      "ACCESS_DENIED",
      `the provider calls you ${quoted(name)}, and your account there signs in ${bound.name}; an administrator frees it with \`rollcall user unbind NAME\``,
    );
  }
  if (bound !== null) return bound;
  if (meant === null) {
    return refuse(
      "ACCESS_DENIED",
      `nobody here is called exactly ${quoted(name)}; an administrator lets you in with \`rollcall user create NAME\``,
    );
  }
  if (meant.account === null) return meant;
  return refuse(
    "ACCESS_DENIED",
    `${meant.name} signs in by another account of a provider; an administrator frees the name with \`rollcall user unbind NAME\``,
  );
}

/** Whether the person is the one whom a name means that another system vouches for. */
export const isNamed = <Found extends Pick<Person, "name">>(person: Found | null, name: string): person is Found =>
  person !== null && person.name === name;
