// What operators do to API keys: make, label, rotate and revoke them (R2, R3). Each runs inside a transaction. A key is
// handed out once, and only its hash is kept.

import { formatKey } from "../../domain/api-key.ts";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { KEY_LABEL_LENGTH } from "../../domain/limits.ts";
import { checkLine } from "../../domain/text.ts";
import { type Instant, SECOND } from "../../domain/time.ts";
import type { ApplicationRow } from "../../store/applications.ts";
import type { KeyRow } from "../../store/keys.ts";
import { findApplication, findOrOffer } from "../reads/find-named.ts";
import { findKey, keySummaryOf, type OneKey } from "../reads/look-keys.ts";
import type { CreatedKey, KeySummary, RotatedKey } from "./answers/applications.ts";
import { type Operated, type OperationContext, unchanged } from "./operation.ts";

type NewKey = Pick<KeyRow, "scope" | "label">;

export function createKey(
  context: OperationContext,
  { application, scope, label }: NewKey & { readonly application: string | null },
  now: Instant,
): Operated<CreatedKey | Refusal> {
  const owner = application === null ? findApplication(context, null) : findOrOffer(context, application);
  if (isRefusal(owner)) return unchanged(owner);
  return unchanged(wrongLabel(label) ?? makeKey(context, owner, { scope, label }, now));
}

export function labelKey(
  context: OperationContext,
  { id, label }: OneKey & Pick<KeyRow, "label">,
  now: Instant,
): Operated<KeySummary | Refusal> {
  const found = findKey(context, id);
  const wrong = isRefusal(found) ? found : wrongLabel(label);
  if (wrong !== null) return unchanged(wrong);
  context.store.keys.label(id, label);
  return unchanged(summaryNow(context, id, now));
}

/** Of two ends of the old key the earlier one stands: it may be replaced already. */
export function rotateKey(
  context: OperationContext,
  { id, overlapSeconds }: OneKey & { readonly overlapSeconds: number },
  now: Instant,
): Operated<RotatedKey | Refusal> {
  const { store, keyring } = context;
  const found = findKey(context, id);
  if (isRefusal(found)) return unchanged(found);
  if (found.revokedAt !== null && found.revokedAt <= now) return unchanged(isOver(id));
  const owner = findApplication(context, found.application);
  if (isRefusal(owner)) return unchanged(owner);
  const made = makeKey(context, owner, found, now);
  store.keys.revoke(id, now + overlapSeconds * SECOND);
  keyring.forget();
  return unchanged({ ...made, replaces: summaryNow(context, id, now) });
}

export function revokeKey(context: OperationContext, { id }: OneKey, now: Instant): Operated<KeySummary | Refusal> {
  const { store, keyring } = context;
  const found = findKey(context, id);
  if (isRefusal(found)) return unchanged(found);
  store.keys.revoke(id, now);
  keyring.forget();
  return unchanged(summaryNow(context, id, now));
}

function makeKey(
  context: OperationContext,
  owner: ApplicationRow,
  { scope, label }: NewKey,
  createdAt: Instant,
): CreatedKey {
  const { store, randomSecret } = context;
  const key = formatKey(owner.slug, randomSecret());
  const hash = Buffer.from(Bun.SHA256.hash(key, "hex"), "hex");
  const id = store.keys.insert({ applicationId: owner.id, hash, scope, label, createdAt });
  return { key, ...summaryNow(context, id, createdAt) };
}

const summaryNow = (context: OperationContext, id: number, now: Instant): KeySummary =>
  keySummaryOf(context, context.store.keys.find(id)!, now);

const wrongLabel = (label: string | null): Refusal | null =>
  label === null ? null : checkLine("label", label, KEY_LABEL_LENGTH);

const isOver = (id: number): Refusal =>
  refuse("INVALID_REQUEST", `id: key ${id} is revoked, nothing can replace it; \`rollcall key create\` makes another`);
