// One-time links: made, and found again by their token. The token is in the link alone; the database has its hash.

import { type Refusal, refuse } from "../../domain/errors.ts";
import { isToken, LINK_SPAN, newToken } from "../../domain/people/session.ts";
import type { Instant } from "../../domain/time.ts";
import type { PersonRow } from "../../store/people.ts";
import type { Store } from "../../store/store.ts";

/** The path of the page where a link is opened, in front of its token. */
export const LINK_PATH = "/sign-in/link/";

export type NewLink = Readonly<{ path: string; expiresAt: Instant }>;

/** In place of an earlier one for the same person; null: for the first person. To be called in a transaction. */
export function makeLink(
  { store, randomSecret }: { readonly store: Store; readonly randomSecret: () => string },
  personId: number | null,
  now: Instant,
): NewLink {
  const token = newToken(randomSecret);
  const expiresAt = now + LINK_SPAN;
  store.people.setLink(personId, hashOf(token), expiresAt);
  return { path: LINK_PATH + token, expiresAt };
}

const NO_LINK = refuse(
  "NOT_FOUND",
  "the link has been used, or is more than a day old; an administrator makes another with `rollcall user passwd NAME --link`",
);

const NO_FIRST_LINK = refuse(
  "NOT_FOUND",
  "the link is more than a day old, and nobody can sign in yet: `rollcall user create NAME --role admin --link` makes another",
);

/** Whose password it sets; null: the first person's. Refused when it does nothing, or nothing any more. */
export function findLink(
  { people }: Pick<Store, "people">,
  token: string,
  now: Instant,
): { readonly person: PersonRow | null } | Refusal {
  const link = isToken(token) ? people.link(hashOf(token)) : null;
  if (link === null || now >= link.expiresAt) return people.count() === 0 ? NO_FIRST_LINK : NO_LINK;
  return { person: link.personId === null ? null : people.find(link.personId) };
}

/** SHA-256: a token has so many bits that a slow hash would protect nothing. */
export const hashOf = (token: string): Uint8Array => Bun.SHA256.hash(token) as Uint8Array;
