// Shows operators which people there are, and who did what, the newest first.

import { ACCOUNT_ACTIONS } from "../domain/people/person.ts";
import { isSessionLive } from "../domain/people/sign-in.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { AuditList, PeopleList } from "./schemas/person-schemas.ts";
import type { ViewSource } from "./view-source.ts";

export function listPeople({ store }: Pick<ViewSource, "store">, now: Instant): PeopleList {
  const people = store.people.list().map((person) => {
    const { id, name, role, applications, createdAt, signedInAt, passwordHash, account } = person;
    const link = store.people.linkOf(id);
    return {
      id,
      name,
      role,
      applications,
      createdAt,
      signedInAt,
      hasPassword: passwordHash !== null,
      linkExpiresAt: link !== null && now < link.expiresAt ? link.expiresAt : null,
      sessions: store.sessions.ofPerson(id).filter((session) => isSessionLive(session, now)).length,
      passkeys: store.passkeys.ofPerson(id).length,
      account,
    };
  });
  return { people };
}

interface AuditAsked {
  /** Only entries of the last so many seconds; `null` means all. */
  readonly sinceSeconds: number | null;
  /**
   * Only entries of the audit by the person or command of this name, of this kind of action, and about this application
   * or monitor. A field that is `null` limits nothing.
   */
  readonly name: string | null;
  readonly kind: string | null;
  readonly application: string | null;
  readonly monitorKey: string | null;
  readonly before: number;
  readonly limit: number;
}

export function listAudit(
  { store }: Pick<ViewSource, "store">,
  { sinceSeconds, kind, limit, ...narrowed }: AuditAsked,
  now: Instant,
): AuditList {
  const since = sinceSeconds === null ? Number.MIN_SAFE_INTEGER : now - sinceSeconds * SECOND;
  const found = store.audit.list({ ...narrowed, ...actionsOf(kind), since, limit: limit + 1 });
  const entries = found.slice(0, limit).map(({ personId, adminKeyId, details, answer: _, ...entry }) => ({
    ...entry,
    by: actorKind(personId, adminKeyId),
    details: JSON.parse(details),
  }));
  return { entries, more: found.length > limit };
}

function actorKind(personId: number | null, adminKeyId: number | null): AuditList["entries"][number]["by"] {
  if (personId !== null) return "person";
  return adminKeyId === null ? "system" : "key";
}

/**
 * The actions that a `kind` selects: those of a group of operations, or for `account` what people do to their own
 * account, which is no operation.
 */
const actionsOf = (kind: string | null) => {
  if (kind === null) return { actions: null, group: null };
  return kind === "account" ? { actions: Object.keys(ACCOUNT_ACTIONS), group: null } : { actions: null, group: kind };
};
