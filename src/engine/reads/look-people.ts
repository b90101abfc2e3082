// What operators see of people, and of who did what: the newest first. Changes nothing.

import { isLive } from "../../domain/people/session.ts";
import { type Instant, SECOND } from "../../domain/time.ts";
import type { EngineContext } from "../context.ts";
import type { AuditList, PeopleList } from "../operations/answers/people.ts";

export function listPeople({ store }: Pick<EngineContext, "store">, now: Instant): PeopleList {
  const people = store.people.list().map((person) => {
    const { id, name, role, applications, createdAt, signedInAt, passwordHash } = person;
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
      sessions: store.sessions.ofPerson(id).filter((session) => isLive(session, now)).length,
      passkeys: store.passkeys.ofPerson(id).length,
    };
  });
  return { people };
}

interface AuditFilter {
  /** Only of this last time; null: of all. */
  readonly sinceSeconds: number | null;
  readonly before: number;
  readonly limit: number;
}

export function listAudit(
  { store }: Pick<EngineContext, "store">,
  { sinceSeconds, before, limit }: AuditFilter,
  now: Instant,
): AuditList {
  const since = sinceSeconds === null ? Number.MIN_SAFE_INTEGER : now - sinceSeconds * SECOND;
  const found = store.audit.list({ since, before, limit: limit + 1 });
  const entries = found.slice(0, limit).map(({ personId, details, ...entry }) => ({
    ...entry,
    by: personId === null ? ("system" as const) : ("person" as const),
    details: JSON.parse(details),
  }));
  return { entries, more: found.length > limit };
}
