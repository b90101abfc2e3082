// Sessions: begun, found by their token, used. The token is in the cookie alone; the database has its hash.

import { type Person, personOf } from "../../domain/people/person.ts";
import { isLive, isToken, newToken, SESSION_MAX, SESSIONS_MAX } from "../../domain/people/session.ts";
import type { Instant } from "../../domain/time.ts";
import type { SessionRow } from "../../store/sessions.ts";
import type { Store } from "../../store/store.ts";
import type { Clock } from "../api.ts";
import { hashOf } from "./links.ts";

/** A live session. */
export type Session = Readonly<{ id: number; person: Person }>;

/** A session as its person sees it. */
export interface ListedSession extends Pick<SessionRow, "id" | "createdAt" | "usedAt" | "address" | "agent"> {}

/** The only time its token is seen. */
export type NewSession = Readonly<{ token: string; expiresAt: Instant }>;

/** Where a browser is, and what it calls itself. */
export type Browser = Readonly<{ address: string; agent: string }>;

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(store: Store, clock: Clock, randomSecret: () => string) {
  const { people, sessions } = store;
  /** Not written yet: a page must not wait for the disk. */
  const uses = new Map<number, Instant>();

  const withUse = (row: SessionRow): SessionRow => ({ ...row, usedAt: Math.max(row.usedAt, uses.get(row.id) ?? 0) });

  return {
    /** The live session of this token; null: none. `isUse`: a person is there, and it counts as used now. */
    find: (token: string, isUse: boolean): Session | null => {
      const row = isToken(token) ? sessions.findByHash(hashOf(token)) : null;
      const now = clock.now();
      if (row === null || !isLive(withUse(row), now)) return null;
      if (isUse) uses.set(row.id, now);
      return { id: row.id, person: personOf(people.find(row.personId)!) };
    },
    /** The person's live ones, the newest first. */
    of: (personId: number): SessionRow[] => {
      const now = clock.now();
      const rows = sessions.ofPerson(personId).map(withUse);
      return rows.filter((row) => isLive(row, now));
    },
    /** To be called in a transaction. */
    begin: ({ id: personId }: Pick<Person, "id">, { address, agent }: Browser, now: Instant): NewSession => {
      const token = newToken(randomSecret);
      sessions.insert({ personId, createdAt: now, address, agent }, hashOf(token), SESSIONS_MAX);
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
