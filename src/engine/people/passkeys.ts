// Stores passkeys and begins sessions for them. web/account/ has checked the device's signature before.

import { type Refusal, refuse } from "../../domain/errors.ts";
import { type AccountAction, actorOf, type Person, personOf } from "../../domain/people/person.ts";
import { isFreshSignIn, PASSKEYS_MAX, passkeyName } from "../../domain/people/sign-in.ts";
import type { Instant } from "../../domain/time.ts";
import type { PasskeyRow } from "../../store/sessions.ts";
import type { Store } from "../../store/store.ts";
import type { Clock } from "../api.ts";
import type { Committer } from "../committer.ts";
import type { Browser, Session, Sessions } from "./sessions-and-links.ts";
import { audit } from "./write-audit.ts";

/** A stored passkey, with which web/account/ compares what a device has signed. */
export interface KnownPasskey extends Pick<PasskeyRow, "id" | "personId" | "credentialId" | "publicKey" | "counter"> {}

export interface ListedPasskey
  extends Pick<PasskeyRow, "id" | "credentialId" | "name" | "host" | "createdAt" | "usedAt"> {}

export interface MadePasskey extends Pick<PasskeyRow, "credentialId" | "publicKey" | "counter" | "host" | "name"> {}

interface PasskeysParts {
  readonly context: { readonly store: Store };
  readonly clock: Clock;
  readonly committer: Pick<Committer, "one">;
  readonly sessions: Sessions;
}

const TOO_MANY = refuse("INVALID_REQUEST", `you have ${PASSKEYS_MAX} passkeys; remove one before you add another`);
const TAKEN = refuse("INVALID_REQUEST", "that passkey is known here already");
const ENDED = refuse("AUTHENTICATION_REQUIRED", "you have been signed out meanwhile");
const NOT_THERE = refuse("NOT_FOUND", "you have no such passkey");
const NOT_FRESH = refuse(
  "ACCESS_DENIED",
  "you have no password to confirm this with; sign out and in again, and add it within a quarter of an hour",
);
const LAST_WAY = refuse(
  "INVALID_REQUEST",
  "that is the last way in which you can sign in; add another passkey first, or have an administrator make a link by which you set a password",
);

/** Makes the functions for passkeys. Those that change something throw when storage fails; then nothing has changed. */
export function createPasskeys({ context, clock, committer, sessions }: PasskeysParts) {
  const { people, passkeys } = context.store;
  const write = (person: Person, address: string, action: AccountAction, passkey: string, now: Instant): void =>
    audit(context, actorOf(person, address), { action, about: null, details: { passkey } }, now);
  const ownSession = ({ id, person }: Session) => sessions.of(person.id).find((row) => row.id === id);

  /**
   * Returns why a passkey may not be added now, or `null` when it may. web/account/ also asks for the password, if
   * there is one.
   */
  function refuseAdding(session: Session): Refusal | null {
    const person = people.find(session.person.id);
    const own = ownSession(session);
    if (person === null || own === undefined) return ENDED;
    if (passkeys.ofPerson(person.id).length >= PASSKEYS_MAX) return TOO_MANY;
    return person.passwordHash === null && !isFreshSignIn(own.createdAt, clock.now()) ? NOT_FRESH : null;
  }

  return {
    /** The passkeys of a person, the oldest first. */
    of: (personId: number) => passkeys.ofPerson(personId),
    find: (credentialId: string) => passkeys.find(credentialId),
    refuseAdding,
    /** Stores a passkey. Returns why it was refused, or `null` when it was stored. */
    add: (session: Session, made: MadePasskey, address: string) =>
      committer.one((now) => {
        const name = passkeyName(made.name);
        const refused = refuseAdding(session) ?? (passkeys.find(made.credentialId) === null ? null : TAKEN);
        if (refused !== null) return refused;
        passkeys.insert({
          ...made,
          publicKey: Buffer.from(made.publicKey),
          name,
          personId: session.person.id,
          createdAt: now,
        });
        write(session.person, address, "add passkey", name, now);
        return null;
      }),
    /**
     * Removes a passkey. `otherWay` is true when people can also sign in without password and passkey, by a sign-in
     * provider.
     */
    remove: (session: Session, id: number, address: string, otherWay: boolean) =>
      committer.one((now) => {
        const own = passkeys.ofPerson(session.person.id);
        const meant = own.find((row) => row.id === id);
        if (meant === undefined) return NOT_THERE;
        const hasPassword = people.find(session.person.id)?.passwordHash !== null;
        if (own.length === 1 && !hasPassword && !otherWay) return LAST_WAY;
        passkeys.delete(id);
        write(session.person, address, "remove passkey", meant.name, now);
        return null;
      }),
    /** Begins a session for a passkey that signed with this counter; `null` when it was removed or used meanwhile. */
    signIn: ({ credentialId, counter: before }: KnownPasskey, counter: number, browser: Browser) =>
      committer.one((now) => {
        const passkey = passkeys.find(credentialId);
        // A device that counts increases its counter at each use. If the stored counter is no longer `before`, the
        // passkey was used while this sign-in was checked.
        if (passkey === null || passkey.counter !== before) return null;
        const person = personOf(people.find(passkey.personId)!);
        passkeys.setUsed(passkey.id, counter, now);
        write(person, browser.address, "sign in", passkey.name, now);
        return sessions.begin(person, browser, now);
      }),
  };
}
