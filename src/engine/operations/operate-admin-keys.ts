// What is done with administrators' keys: made, listed, revoked. A key is handed out once, and only its hash is kept.

import { formatAdminKey } from "../../domain/api-key.ts";
import { type Refusal, refuse } from "../../domain/errors.ts";
import { KEY_LABEL_LENGTH } from "../../domain/limits.ts";
import { checkLine } from "../../domain/text.ts";
import type { Instant } from "../../domain/time.ts";
import type { AdminKeyRow } from "../../store/admin-keys.ts";
import type { AdminKeySummary, CreatedAdminKey } from "./answers/admin-keys.ts";
import { type Operated, type OperationContext, unchanged } from "./operation.ts";

export function createAdminKey(
  context: OperationContext,
  { scope, label }: Pick<AdminKeyRow, "scope" | "label">,
  now: Instant,
): Operated<CreatedAdminKey | Refusal> {
  const wrong = label === null ? null : checkLine("label", label, KEY_LABEL_LENGTH);
  if (wrong !== null) return unchanged(wrong);
  const { store, randomSecret, adminKeyring } = context;
  const key = formatAdminKey(randomSecret());
  const hash = Buffer.from(Bun.SHA256.hash(key, "hex"), "hex");
  const id = store.adminKeys.insert({ hash, scope, label, createdAt: now });
  adminKeyring.forget();
  return unchanged({ key, ...summaryOf(context, store.adminKeys.find(id)!) });
}

export const listAdminKeys = (context: OperationContext): { readonly keys: readonly AdminKeySummary[] } => ({
  keys: context.store.adminKeys.list().map((row) => summaryOf(context, row)),
});

export function revokeAdminKey(
  context: OperationContext,
  { id }: Pick<AdminKeyRow, "id">,
  now: Instant,
): Operated<AdminKeySummary | Refusal> {
  const { store, adminKeyring } = context;
  if (store.adminKeys.find(id) === null)
    return unchanged(
      refuse("NOT_FOUND", `id: there is no administrator's key ${id}; \`rollcall admin-key list\` shows them`),
    );
  store.adminKeys.revoke(id, now);
  adminKeyring.forget();
  return unchanged(summaryOf(context, store.adminKeys.find(id)!));
}

function summaryOf({ adminKeyring }: OperationContext, row: AdminKeyRow): AdminKeySummary {
  const { usedAt, usedFrom, ...key } = adminKeyring.withLastUse(row);
  return { ...key, lastUsedAt: usedAt, lastAddress: usedFrom };
}
