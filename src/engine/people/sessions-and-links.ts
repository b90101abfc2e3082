// Sessions of signed-in people, and one-time links. The database has only the hashes of their tokens.

import { type Refusal, refuse } from "../../domain/errors.ts";
import { type Person, personOf } from "../../domain/people/person.ts";
import {
  isSessionLive,
  isSignInToken,
  LINK_SPAN,
  newSignInToken,
  SESSION_MAX,
  SESSIONS_MAX,
} from "../../domain/people/sign-in.ts";
import type { Instant } from "../../domain/time.ts";
import type { PersonRow } from "../../store/people.ts";
import type { SessionRow } from "../../store/sessions.ts";
import type { Store } from "../../store/store.ts";
import type { Clock } from "../api.ts";

export type Session = Readonly<{ id: number; person: Person }>;

export interface ListedSession extends Pick<SessionRow, "id" | "createdAt" | "usedAt" | "address" | "agent"> {}

/** A new session. Its token can be read only here, because the database keeps only the token's hash. */
export type NewSession = Readonly<{ token: string; expiresAt: Instant }>;

/** A browser: its network address and the name that it gives itself (User-Agent). */
export type Browser = Readonly<{ address: string; agent: string }>;

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(store: Store, clock: Clock, randomSecret: () => string) {
  const { people, sessions } = store;
  /** When sessions were last used, by id, as far as that is not written yet. A page must not wait for a write. */
  const uses = new Map<number, Instant>();

  const withUse = (row: SessionRow): SessionRow => ({ ...row, usedAt: Math.max(row.usedAt, uses.get(row.id) ?? 0) });

  return {
    /**
     * Finds a session by its token; `null` when there is none, or it has ended. `isUse` is true when a person acts,
     * which keeps the session alive.
     */
    find: (token: string, isUse: boolean): Session | null => {
      const row = isSignInToken(token) ? sessions.findByHash(tokenHash(token)) : null;
      const now = clock.now();
      if (row === null || !isSessionLive(withUse(row), now)) return null;
      if (isUse) uses.set(row.id, now);
      return { id: row.id, person: personOf(people.find(row.personId)!) };
    },
    of: (personId: number): SessionRow[] => {
      const now = clock.now();
      const rows = sessions.ofPerson(personId).map(withUse);
      return rows.filter((row) => isSessionLive(row, now));
    },
    /** Begins a session of this person in this browser. Must be called in a transaction. */
    begin: ({ id: personId }: Pick<Person, "id">, { address, agent }: Browser, now: Instant): NewSession => {
      const token = newSignInToken(randomSecret);
      sessions.insert({ personId, createdAt: now, address, agent }, tokenHash(token), SESSIONS_MAX);
      people.setSignedIn(personId, now);
      return { token, expiresAt: now + SESSION_MAX };
    },
    saveUses: (): void => {
      if (uses.size === 0) return;
      store.database.transaction(() => sessions.setUsed(uses)).immediate();
      uses.clear();
    },
  };
}

// Below: one-time links, with which a person sets a password.

/** The address of the page that opens a link. The token follows it. */
export const LINK_PATH = "/sign-in/link/";

export type NewLink = Readonly<{ path: string; expiresAt: Instant }>;

/**
 * Makes a one-time link, which replaces an earlier link of the person. `personId` is `null` for the first person, who
 * does not exist yet. Must be called in a transaction.
 */
export function makeLink(
  { store, randomSecret }: { readonly store: Store; readonly randomSecret: () => string },
  personId: number | null,
  now: Instant,
): NewLink {
  const token = newSignInToken(randomSecret);
  const expiresAt = now + LINK_SPAN;
  store.people.setLink(personId, tokenHash(token), expiresAt);
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

/**
 * Returns the person for whom the link is; `null` for the link of the first person, who does not exist yet. Refuses a
 * link that is unknown, used or too old.
 */
export function findLink(
  { people }: Pick<Store, "people">,
  token: string,
  now: Instant,
): { readonly person: PersonRow | null } | Refusal {
  const link = isSignInToken(token) ? people.link(tokenHash(token)) : null;
  const isFirst = people.count() === 0;
  if (link === null || now >= link.expiresAt) return isFirst ? NO_FIRST_LINK : NO_LINK;
  return { person: link.personId === null ? null : people.find(link.personId) };
}

/** SHA-256 is enough here. A token has so many random bits that a slow hash would protect it no better. */
const tokenHash = (token: string): Uint8Array => Bun.SHA256.hash(token) as Uint8Array;
