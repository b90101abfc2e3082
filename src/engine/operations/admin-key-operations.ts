// The operations on administrators' keys: by them programs elsewhere may ask what this table has. No one gets a key but
// on rollcall's own host; it is handed out once, and only its hash is kept.

import { formatAdminKey } from "../../domain/api-key.ts";
import { refuse } from "../../domain/errors.ts";
import { KEY_LABEL_LENGTH } from "../../domain/limits.ts";
import { ADMIN_SCOPES } from "../../domain/people/admin-key.ts";
import { checkLine } from "../../domain/text.ts";
import type { AdminKeyRow } from "../../store/keys.ts";
import {
  ADMIN_KEYS,
  type AdminKeySummary,
  CREATED_ADMIN_KEY,
  LISTED_ADMIN_KEY,
} from "../../views/answers/applications.ts";
import { choice, optionalText, rowNumber } from "./fields.ts";
import { acts, looks, type OperationContext, unchanged } from "./operation.ts";

function summaryOf({ adminKeyring }: OperationContext, row: AdminKeyRow): AdminKeySummary {
  const { usedAt, usedFrom, ...key } = adminKeyring.withLastUse(row);
  return { ...key, lastUsedAt: usedAt, lastAddress: usedFrom };
}

const create = acts({
  summary: "create an administrator's key and print it once, alone on the first line of stdout",
  notes: `With it a program on another computer asks what the commands ask: over HTTP
below /api/admin/v1/, or by \`rollcall --remote\`. read only looks, at everything;
admin does everything but what concerns these keys. What is done with it stands
in \`rollcall audit\`. Without any such key rollcall has no such interface.`,
  examples: ["--label laptop --scope admin > key", "--label 'home page'"],
  input: {
    scope: choice([...ADMIN_SCOPES], "read", {
      description: "what may be done with the key",
      option: "scope",
      value: "scope",
    }),
    label: optionalText({
      description: `what people call it, such as who has it, 1 to ${KEY_LABEL_LENGTH} characters`,
      option: "label",
      value: "text",
    }),
  },
  answer: CREATED_ADMIN_KEY,
  role: "admin",
  hostOnly: true,
  inAudit: "made an administrator's key",
  run: (context, { scope, label }, now) => {
    const wrong = label === null ? null : checkLine("label", label, KEY_LABEL_LENGTH);
    if (wrong !== null) return unchanged(wrong);
    const { store, randomSecret, adminKeyring } = context;
    const key = formatAdminKey(randomSecret());
    const hash = Buffer.from(Bun.SHA256.hash(key, "hex"), "hex");
    const id = store.adminKeys.insert({ hash, scope, label, createdAt: now });
    adminKeyring.forget();
    return unchanged({ key, ...summaryOf(context, store.adminKeys.find(id)!) });
  },
});

const list = looks({
  summary: "list administrators' keys: number, label, scope, creation, last use; never the keys themselves",
  examples: ["", "--json"],
  input: {},
  answer: ADMIN_KEYS,
  role: "admin",
  hostOnly: true,
  run: (context) => ({ keys: context.store.adminKeys.list().map((row) => summaryOf(context, row)) }),
});

const revoke = acts({
  summary: "revoke an administrator's key for good, at once",
  notes: `Who uses it afterwards stands in the log, as revoked_admin_key_used with the
key's number and the address.`,
  examples: ["3", "3 --yes"],
  input: { id: rowNumber({ description: "the key's number, as `admin-key list` shows it", argument: "id" }) },
  answer: LISTED_ADMIN_KEY,
  role: "admin",
  hostOnly: true,
  confirm: true,
  inAudit: "revoked an administrator's key",
  run: (context, { id }, now) => {
    const { store, adminKeyring } = context;
    if (store.adminKeys.find(id) === null)
      return unchanged(
        refuse("NOT_FOUND", `id: there is no administrator's key ${id}; \`rollcall admin-key list\` shows them`),
      );
    store.adminKeys.revoke(id, now);
    adminKeyring.forget();
    return unchanged(summaryOf(context, store.adminKeys.find(id)!));
  },
});

export const ADMIN_KEY_OPERATIONS = {
  "admin-key create": create,
  "admin-key list": list,
  "admin-key revoke": revoke,
};
