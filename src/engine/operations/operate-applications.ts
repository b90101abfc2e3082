// What operators do to applications: suspend, resume, rename and delete them (R3). Each runs inside a transaction; their
// monitors follow after it.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { NAME_LENGTH } from "../../domain/limits.ts";
import { checkLine } from "../../domain/text.ts";
import type { Instant } from "../../domain/time.ts";
import { KEEP_DELETED } from "../clock/upkeep.ts";
import { findApplication } from "../reads/find-named.ts";
import { listApplications } from "../reads/look-monitors.ts";
import type { ChangedApplication, DeletedApplication } from "./answers/applications.ts";
import { type Operated, type OperationContext, unchanged } from "./operation.ts";

interface OneApplication {
  readonly slug: string;
}

export const suspendApplication = (context: OperationContext, { slug }: OneApplication, now: Instant) =>
  setSuspended(context, slug, now);

export const resumeApplication = (context: OperationContext, { slug }: OneApplication) =>
  setSuspended(context, slug, null);

/** `at` null: it is resumed. What is as asked stays as it is. */
function setSuspended(
  context: OperationContext,
  slug: string,
  at: Instant | null,
): Operated<ChangedApplication | Refusal> {
  const { store, keyring } = context;
  const found = findApplication(context, slug);
  if (isRefusal(found)) return unchanged(found);
  const changed = (found.suspendedAt === null) !== (at === null);
  if (changed) {
    store.applications.suspend(found.id, at);
    keyring.forget();
  }
  return { answer: changedApplication(context, slug, changed), afterCommit: null, follows: true };
}

export function renameApplication(
  context: OperationContext,
  { slug, name }: OneApplication & { readonly name: string | null },
): Operated<ChangedApplication | Refusal> {
  const found = findApplication(context, slug);
  if (isRefusal(found)) return unchanged(found);
  const wrong = name === null ? null : checkLine("name", name, NAME_LENGTH);
  if (wrong !== null) return unchanged(wrong);
  context.store.applications.rename(found.id, name);
  return unchanged(changedApplication(context, slug, found.name !== name));
}

export function deleteApplication(
  context: OperationContext,
  { slug }: OneApplication,
  now: Instant,
): Operated<DeletedApplication | Refusal> {
  const { store, policy, keyring } = context;
  const found = findApplication(context, slug);
  if (isRefusal(found)) return unchanged(found);
  if (policy.applications.has(slug)) return unchanged(undeletable(slug, IS_CONFIGURED));
  if (store.applications.count() === 1) return unchanged(undeletable(slug, IS_ONLY_ONE));
  const monitors = store.monitorPages.counts().get(found.id) ?? 0;
  const keys = store.keys.list(found.id).filter(({ revokedAt }) => revokedAt === null || revokedAt > now);
  for (const { id } of keys) store.keys.revoke(id, now);
  store.applications.delete(found.id, now);
  keyring.forget();
  const answer = { slug, monitors, keys: keys.length, historyUntil: now + KEEP_DELETED };
  return { answer, afterCommit: null, follows: true };
}

const IS_CONFIGURED = "the configuration names it, and the next start would create it again; take it out there first";
const IS_ONLY_ONE = "it is the only one; create another first, or suspend it";

const undeletable = (slug: string, why: string): Refusal =>
  refuse("INVALID_REQUEST", `slug: application "${slug}" is not deleted: ${why}`);

/** It is there. */
const changedApplication = (context: OperationContext, slug: string, changed: boolean): ChangedApplication => ({
  changed,
  application: listApplications(context).find((application) => application.slug === slug)!,
});
