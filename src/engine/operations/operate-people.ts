// What operators do with people who may sign in: create them, set a password or make a one-time link, delete them. Each
// runs inside a transaction. Hashing takes long, so passwords come hashed.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { checkPasswordHash } from "../../domain/people/password.ts";
import { type Actor, checkPersonName, type Role } from "../../domain/people/person.ts";
import { isLive } from "../../domain/people/session.ts";
import type { Instant } from "../../domain/time.ts";
import type { PersonRow } from "../../store/people.ts";
import type { ChangedPerson, PersonWithLink, ResetPerson, UnboundPerson } from "../../views/answers/people.ts";
import { findApplication } from "../../views/find-named.ts";
import { makeLink } from "../people/links.ts";
import { type Operated, type OperationContext, unchanged } from "./operation.ts";

interface NewPerson {
  readonly name: string;
  readonly role: Role;
  /** Slugs with commas between; null: all applications. */
  readonly applications: string | null;
  /** Null: a one-time link is made instead. */
  readonly passwordHash: string | null;
}

export function createPerson(
  context: OperationContext,
  { name, role, applications, passwordHash }: NewPerson,
  now: Instant,
): Operated<PersonWithLink | Refusal> {
  const { people } = context.store;
  const slugs = applications === null ? null : slugsIn(context, applications);
  if (isRefusal(slugs)) return unchanged(slugs);
  const wrong = checkPersonName(name) ?? wrongHash(passwordHash);
  if (wrong !== null) return unchanged(wrong);
  if (people.named(name) !== null) {
    const message = `name: ${JSON.stringify(name)} exists already; \`rollcall user list\` shows all`;
    return unchanged(refuse("INVALID_REQUEST", message));
  }
  const person = people.create({ name, role, applications: slugs, passwordHash, createdAt: now });
  // There is a first person now, so a stranger who finds that link may not become one.
  people.deleteLinkOf(null);
  return unchanged(answerFor(context, person, passwordHash === null, now));
}

/**
 * Whoever is signed in as this person is signed out, and their passkeys are gone: others may have known the password,
 * and have added a passkey with it.
 */
export function setPassword(
  context: OperationContext,
  { name, passwordHash }: Pick<NewPerson, "name" | "passwordHash">,
  now: Instant,
): Operated<ResetPerson | Refusal> {
  const { people, sessions, passkeys } = context.store;
  const person = findPerson(context, name);
  if (isRefusal(person)) return unchanged(person);
  const wrong = wrongHash(passwordHash);
  if (wrong !== null) return unchanged(wrong);
  people.setPassword(person.id, passwordHash);
  people.deleteLinkOf(person.id);
  sessions.deleteOthers(person.id, null);
  const removed = passkeys.deleteAll(person.id);
  return unchanged({ ...answerFor(context, person, passwordHash === null, now), passkeysRemoved: removed });
}

interface PersonChange {
  readonly name: string;
  readonly role: Role | null;
  /** Slugs with commas between; null: as before. */
  readonly applications: string | null;
  readonly allApplications: boolean;
}

/** Counts at once: whoever is signed in may do from now on what the new role allows. */
export function changePerson(
  context: OperationContext,
  { name, role, applications, allApplications }: PersonChange,
): Operated<ChangedPerson | Refusal> {
  const person = findPerson(context, name);
  if (isRefusal(person)) return unchanged(person);
  if (allApplications && applications !== null)
    return unchanged(refuse("INVALID_REQUEST", "applications: give a list or all of them, not both"));
  const listed = applications === null ? person.applications : slugsIn(context, applications);
  if (isRefusal(listed)) return unchanged(listed);
  const changed = { name: person.name, role: role ?? person.role, applications: allApplications ? null : listed };
  const refused = isChief(changed) ? null : refuseWithoutChief(context, person);
  if (refused !== null) return unchanged(refused);
  context.store.people.setRole(person.id, changed.role, changed.applications);
  return unchanged(changed);
}

export function signOutPerson(
  context: OperationContext,
  { name }: Pick<NewPerson, "name">,
  now: Instant,
): Operated<{ readonly name: string; readonly sessions: number } | Refusal> {
  const { store } = context;
  const person = findPerson(context, name);
  if (isRefusal(person)) return unchanged(person);
  const ended = store.sessions.ofPerson(person.id).filter((session) => isLive(session, now)).length;
  store.sessions.deleteOthers(person.id, null);
  return unchanged({ name: person.name, sessions: ended });
}

/** From then on another account of a provider may sign in as the person: the next that comes with their name. */
export function unbindPerson(
  context: OperationContext,
  { name }: Pick<NewPerson, "name">,
): Operated<UnboundPerson | Refusal> {
  const { people, sessions } = context.store;
  const person = findPerson(context, name);
  if (isRefusal(person)) return unchanged(person);
  people.setAccount(person.id, null);
  if (person.account !== null) sessions.deleteOthers(person.id, null);
  return unchanged({ name: person.name, account: person.account });
}

/** Who looks after people: an administrator of all applications. */
const isChief = ({ role, applications }: Pick<PersonRow, "role" | "applications">): boolean =>
  role === "admin" && applications === null;

/** Null while somebody else is left who can let people in. */
function refuseWithoutChief({ store }: OperationContext, person: PersonRow): Refusal | null {
  const isLast = isChief(person) && !store.people.list().some((other) => other.id !== person.id && isChief(other));
  return isLast
    ? refuse(
        "INVALID_REQUEST",
        `name: ${person.name} is the last administrator of all applications; make another person that first`,
      )
    : null;
}

/** Nobody deletes themselves, so that nobody does it by mistake. */
export function deletePerson(
  context: OperationContext,
  { name }: Pick<NewPerson, "name">,
  _now: Instant,
  by: Actor,
): Operated<{ readonly name: string } | Refusal> {
  const person = findPerson(context, name);
  if (isRefusal(person)) return unchanged(person);
  if (by.kind === "person" && by.person.id === person.id)
    return unchanged(refuse("INVALID_REQUEST", "name: nobody deletes themselves; another administrator can"));
  const refused = refuseWithoutChief(context, person);
  if (refused !== null) return unchanged(refused);
  context.store.people.delete(person.id);
  return unchanged({ name: person.name });
}

const findPerson = ({ store }: OperationContext, name: string): PersonRow | Refusal =>
  store.people.named(name) ??
  refuse("NOT_FOUND", `name: there is no ${JSON.stringify(name)}; \`rollcall user list\` shows all`);

const wrongHash = (hash: string | null): Refusal | null => (hash === null ? null : checkPasswordHash(hash));

function slugsIn(context: OperationContext, list: string): string[] | Refusal {
  const slugs = new Set<string>();
  for (const text of list.split(",")) {
    const found = findApplication(context, text.trim());
    if (isRefusal(found)) return found;
    slugs.add(found.slug);
  }
  return [...slugs].sort();
}

function answerFor(context: OperationContext, person: PersonRow, needsLink: boolean, now: Instant): PersonWithLink {
  const { name, role, applications, id } = person;
  const link = needsLink ? { ...makeLink(context, id, now), address: context.dashboard() } : null;
  return { name, role, applications, link };
}
