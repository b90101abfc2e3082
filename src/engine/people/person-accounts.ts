// Signing in to the pages: sessions, passwords and one-time links. Passwords arrive here already hashed. Only hashes
// are stored, and nothing secret is logged.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import type { AccountAction, Person, Vouched } from "../../domain/people/person.ts";
import { actorOf, checkPersonName, hasName, personOf, personVouched } from "../../domain/people/person.ts";
import { newSignInToken } from "../../domain/people/sign-in.ts";
import type { Instant } from "../../domain/time.ts";
import type { PersonRow } from "../../store/people.ts";
import type { Store } from "../../store/store.ts";
import type { Clock } from "../api.ts";
import type { Committer } from "../committer.ts";
import { createPasskeys } from "./passkeys.ts";
import type { Browser, NewSession, Session, Sessions } from "./sessions-and-links.ts";
import { createSessions, findLink, makeLink } from "./sessions-and-links.ts";
import { audit } from "./write-audit.ts";

/** The person whose password is being checked. `passwordHash` is `null` when the person has no password. */
export type KnownPerson = Readonly<{ id: number; passwordHash: string | null }>;

interface PeopleParts {
  readonly context: { readonly store: Store };
  readonly clock: Clock;
  readonly committer: Pick<Committer, "one">;
  readonly randomSecret: () => string;
}

export type People = ReturnType<typeof createPeople>;

export function createPeople({ context, clock, committer, randomSecret }: PeopleParts) {
  const { store } = context;
  const sessions = createSessions(store, clock, randomSecret);
  const tools: AccountTools = {
    store,
    clock,
    committer,
    randomSecret,
    sessions,
    write: (person, address, action, now, details = {}) =>
      audit(context, actorOf(person, address), { action, about: null, details }, now),
  };
  return {
    /**
     * Returns the session with this token if it has not ended, otherwise `null`. `isUse` is true when a person acts,
     * which keeps the session alive; false when only an open page asks.
     */
    sessionOf: (token: string, isUse = true) => sessions.find(token, isUse),
    /** The sessions of a person that have not ended, the newest first. */
    sessionsOf: sessions.of,
    saveUses: sessions.saveUses,
    randomToken: () => newSignInToken(randomSecret),
    passkeys: createPasskeys({ context, clock, committer, sessions }),
    known: (name: string) => store.people.named(name),
    /** True when there are no people: before the first one is added, or after all were deleted. */
    areNone: () => store.people.count() === 0,
    /** Returns the person with exactly this name, whom a proxy has signed in; `null` when there is none. */
    named: (name: string) => {
      const found = store.people.named(name);
      return hasName(found, name) ? personOf(found) : null;
    },
    ...createSigningIn(tools),
    ...createLinks(tools),
  };
}

/** How many characters of a name given by a sign-in provider are kept, because such a name may have any length. */
const CLAIMED_KEPT = 200;

interface AccountTools extends Pick<PeopleParts, "clock" | "committer" | "randomSecret"> {
  readonly store: Store;
  readonly sessions: Sessions;
  /** Writes to the audit. Must be called in a transaction. */
  readonly write: (person: Person, address: string, action: AccountAction, now: Instant, details?: object) => void;
}

function createSigningIn(tools: AccountTools) {
  const { store, committer, sessions, write } = tools;
  return {
    /**
     * Begins a session for a person whose password was right. The first argument is what the password was compared
     * with. Returns `null` when the password was changed since then, or the person deleted.
     */
    signIn: ({ id, passwordHash }: KnownPerson, browser: Browser) =>
      committer.one((now) => {
        const person = store.people.find(id);
        if (person === null || person.passwordHash !== passwordHash) return null;
        write(person, browser.address, "sign in", now);
        return sessions.begin(person, browser, now);
      }),
    /**
     * Begins a session for a person whom a sign-in provider has let in. The first time, the provider's account is bound
     * to the person; afterwards only that account lets this person in.
     */
    signInVouched: (vouched: Vouched, browser: Browser) =>
      committer.one((now) => {
        const { issuer, subject, claim, name } = vouched;
        const named = name === null ? null : store.people.named(name);
        const person = personVouched(vouched, store.people.ofAccount(vouched), named);
        if (isRefusal(person)) return person;
        const isFirst = person.account === null;
        if (isFirst) store.people.setAccount(person.id, { issuer, subject });
        const details = {
          claim,
          claimed: name?.slice(0, CLAIMED_KEPT),
          issuer,
          subject,
          ...(isFirst && { bound: true }),
        };
        write(person, browser.address, "sign in", now, details);
        return sessions.begin(person, browser, now);
      }),
    signOut: ({ id, person }: Session, address: string) =>
      committer.one((now) => {
        store.sessions.delete(id);
        write(person, address, "sign out", now);
      }),
    /**
     * Ends one of the person's sessions; with `null`, all of them except the one that asks. Returns false when there
     * was none to end.
     */
    endSessions: ({ id: own, person }: Session, id: number | null, address: string) =>
      committer.one((now) => {
        const meant = store.sessions
          .ofPerson(person.id)
          .filter((row) => (id === null ? row.id !== own : row.id === id));
        for (const row of meant) store.sessions.delete(row.id);
        if (meant.length > 0) write(person, address, id === null ? "end other sessions" : "end session", now);
        return meant.length > 0;
      }),
    /** Sets a new password, ends all sessions and begins a new one; `null` when the asking session has ended. */
    changePassword: ({ id, person: { id: personId } }: Session, passwordHash: string, browser: Browser) =>
      committer.one((now) => {
        const person = store.people.find(personId);
        if (person === null || !store.sessions.ofPerson(personId).some((row) => row.id === id)) return null;
        write(person, browser.address, "change password", now);
        return setPassword(tools, person, passwordHash, browser, now);
      }),
  };
}

function createLinks(tools: AccountTools) {
  const { store, clock, committer, write } = tools;
  return {
    /**
     * Returns whose password the link sets: the name of the person, or `null` when the link is for the first person,
     * who chooses a name. A refusal says why the link does not work.
     */
    link: (token: string) => {
      const found = findLink(store, token, clock.now());
      return isRefusal(found) ? found : { name: found.person?.name ?? null };
    },
    /** Sets the password and uses up the link. `name` counts only for the first person, who chooses it. */
    useLink: (token: string, name: string, passwordHash: string, browser: Browser) =>
      committer.one((now) => {
        const found = findLink(store, token, now);
        if (isRefusal(found)) return found;
        const person = found.person ?? firstPerson(tools, name, passwordHash, now);
        if (isRefusal(person)) return person;
        write(person, browser.address, "use link", now);
        return setPassword(tools, person, passwordHash, browser, now);
      }),
    /**
     * Makes a link with which the first person signs in and becomes an administrator. `null` when there are people
     * already, or such a link was made before.
     */
    firstLink: () =>
      committer.one((now) =>
        store.people.count() > 0 || store.people.linkOf(null) !== null ? null : makeLink(tools, null, now),
      ),
  };
}

/** Sets the password, ends all sessions of this person and begins one. Must be called in a transaction. */
function setPassword(
  { store, sessions }: AccountTools,
  person: PersonRow,
  passwordHash: string,
  browser: Browser,
  now: Instant,
): NewSession {
  store.people.setPassword(person.id, passwordHash);
  store.people.deleteLinkOf(person.id);
  store.sessions.deleteOthers(person.id, null);
  return sessions.begin(person, browser, now);
}

/** Creates the first person, as an administrator. Must be called in a transaction. */
function firstPerson({ store }: AccountTools, name: string, passwordHash: string, now: Instant): PersonRow | Refusal {
  const wrong = checkPersonName(name);
  if (wrong !== null) return wrong;
  store.people.deleteLinkOf(null);
  return store.people.create({ name, role: "admin", applications: null, passwordHash, createdAt: now });
}
