// The operations on API keys of applications (R2, R3) and on administrators' keys. A key is shown once, when it is
// made. Only its hash is stored.

import { formatAdminKey, formatKey } from "../../domain/api-key.ts";
import { isRefusal, type Refusal, refuseField } from "../../domain/errors.ts";
import { KEY_LABEL_LENGTH } from "../../domain/limits.ts";
import { ADMIN_SCOPES } from "../../domain/people/person.ts";
import { checkLine } from "../../domain/text.ts";
import { DAY, type Instant, SECOND } from "../../domain/time.ts";
import type { ApplicationRow } from "../../store/applications.ts";
import type { AdminKeyRow, KeyRow } from "../../store/keys.ts";
import { findApplication, findOrOffer } from "../../views/find-named.ts";
import {
  ADMIN_KEYS,
  type AdminKeySummary,
  CREATED_ADMIN_KEY,
  CREATED_KEY,
  type CreatedKey,
  KEYS,
  type KeySummary,
  LISTED_ADMIN_KEY,
  LISTED_KEY,
  ROTATED_KEY,
  SHOWN_KEY,
} from "../../views/schemas/application-schemas.ts";
import { findKey, keySummaryOf, listKeys, showKey } from "../../views/shown-keys.ts";
import { aboutApplication, aboutKey, aboutOwner } from "./about.ts";
import { choice, type InForm, optionalText, rowNumber, secondsField } from "./fields.ts";
import { acts, looks, type OperationContext, withoutAfterCommit } from "./operation.ts";

const ONE_KEY = { id: rowNumber({ description: "the key's number, as `key list` shows it", argument: "id" }) };

const WHAT_A_LABEL_IS = `what people call it, such as where it is used, 1 to ${KEY_LABEL_LENGTH} characters`;

const LABEL_IN_FORM = {
  label: "What people call the key",
  help: null,
  sample: "its name, such as web-1",
  longest: KEY_LABEL_LENGTH,
} satisfies InForm;

/** How long a key that was replaced still works by default, in seconds. */
const OVERLAP = (7 * DAY) / SECOND;
const OVERLAP_MAX = (365 * DAY) / SECOND;

function createKeyOf(
  context: OperationContext,
  owner: ApplicationRow,
  { scope, label }: Pick<KeyRow, "scope" | "label">,
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
  refuseField("id", `key ${id} is revoked, nothing can replace it; \`rollcall key create\` makes another`);

// Below: administrators' keys, with which programs on other computers may ask for operations. They can be made only on
// rollcall's own computer.

function adminKeySummary({ adminKeyring }: OperationContext, row: AdminKeyRow): AdminKeySummary {
  const { usedAt, usedFrom, ...key } = adminKeyring.withLastUse(row);
  return { ...key, lastUsedAt: usedAt, lastAddress: usedFrom };
}

export const KEY_OPERATIONS = {
  "key create": acts({
    summary: "create an API key and print it once, alone on the first line of stdout",
    examples: ["prod", "prod --scope ping --label web-1 > key"],
    input: {
      application: optionalText({
        description: "the application's slug (default: the only one)",
        argument: "app",
        option: "app",
        value: "slug",
      }),
      scope: choice(["all", "ping", "sync"], "all", {
        description: "what the key may do",
        option: "scope",
        value: "scope",
        form: { help: null },
      }),
      label: optionalText({ description: WHAT_A_LABEL_IS, option: "label", value: "text", form: LABEL_IN_FORM }),
    },
    answer: CREATED_KEY,
    role: "admin",
    about: (context, { application }) => aboutOwner(context, application),
    inAudit: "made a key",
    run: (context, { application, scope, label }, now) => {
      const owner = application === null ? findApplication(context, null) : findOrOffer(context, application);
      if (isRefusal(owner)) return withoutAfterCommit(owner);
      return withoutAfterCommit(wrongLabel(label) ?? createKeyOf(context, owner, { scope, label }, now));
    },
  }),
  "key list": looks({
    summary: "list keys: number, label, scope, creation, last use; never the keys themselves",
    examples: ["", "prod --json"],
    input: {
      application: optionalText({
        description: "only the keys of this application",
        argument: "app",
        option: "app",
        value: "slug",
      }),
    },
    answer: KEYS,
    role: "admin",
    about: (context, { application }) => aboutApplication(context, application),
    run: listKeys,
  }),
  "key show": looks({
    summary: "show a key: its last use, and which monitors it last reported",
    examples: ["3", "3 --json"],
    input: ONE_KEY,
    answer: SHOWN_KEY,
    role: "admin",
    about: aboutKey,
    run: showKey,
  }),
  "key label": acts({
    summary: "say what people call a key",
    examples: ["3 'backup hosts'", "3"],
    input: {
      ...ONE_KEY,
      label: optionalText({
        description: `${WHAT_A_LABEL_IS}; left out: none`,
        argument: "label",
        form: LABEL_IN_FORM,
      }),
    },
    answer: LISTED_KEY,
    role: "admin",
    about: aboutKey,
    inAudit: "labelled a key",
    run: (context, { id, label }, now) => {
      const found = findKey(context, id);
      const wrong = isRefusal(found) ? found : wrongLabel(label);
      if (wrong !== null) return withoutAfterCommit(wrong);
      context.store.keys.label(id, label);
      return withoutAfterCommit(summaryNow(context, id, now));
    },
  }),
  "key rotate": acts({
    summary: "replace a key: print a new one once, and let the old one work for a while",
    notes: `The new key is alone on the first line of stdout. It has the application, the
scope and the label of the old one. \`key list\` says until when that works, and
\`key show\` which monitors still use it. --overlap 0s ends it at once.`,
    examples: ["3", "3 --overlap 30d > key"],
    input: {
      ...ONE_KEY,
      overlapSeconds: secondsField(0, OVERLAP_MAX, OVERLAP, {
        description: "how long the old key still works",
        option: "overlap",
        value: "duration",
        form: { label: "The old one works", help: null },
      }),
    },
    answer: ROTATED_KEY,
    role: "admin",
    about: aboutKey,
    inAudit: "rotated a key",
    /** A key may be replaced twice. It then stops working at the earlier of the two ends. */
    run: (context, { id, overlapSeconds }, now) => {
      const { store, keyring } = context;
      const found = findKey(context, id);
      if (isRefusal(found)) return withoutAfterCommit(found);
      if (found.revokedAt !== null && found.revokedAt <= now) return withoutAfterCommit(isOver(id));
      const owner = findApplication(context, found.application);
      if (isRefusal(owner)) return withoutAfterCommit(owner);
      const made = createKeyOf(context, owner, found, now);
      store.keys.revoke(id, now + overlapSeconds * SECOND);
      keyring.forget();
      return withoutAfterCommit({ ...made, replaces: summaryNow(context, id, now) });
    },
  }),
  "key revoke": acts({
    summary: "revoke a key for good; jobs that still use it are refused",
    notes: `\`key show\` says which monitors it last reported. Who uses it afterwards stands
in the log, as revoked_key_used with the key's number and the address.`,
    examples: ["3", "3 --yes"],
    input: ONE_KEY,
    answer: LISTED_KEY,
    role: "admin",
    confirm: true,
    about: aboutKey,
    inAudit: "revoked a key",
    run: (context, { id }, now) => {
      const { store, keyring } = context;
      const found = findKey(context, id);
      if (isRefusal(found)) return withoutAfterCommit(found);
      store.keys.revoke(id, now);
      keyring.forget();
      return withoutAfterCommit(summaryNow(context, id, now));
    },
  }),
  "admin-key create": acts({
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
      if (wrong !== null) return withoutAfterCommit(wrong);
      const { store, randomSecret, adminKeyring } = context;
      const key = formatAdminKey(randomSecret());
      const hash = Buffer.from(Bun.SHA256.hash(key, "hex"), "hex");
      const id = store.adminKeys.insert({ hash, scope, label, createdAt: now });
      adminKeyring.forget();
      return withoutAfterCommit({ key, ...adminKeySummary(context, store.adminKeys.find(id)!) });
    },
  }),
  "admin-key list": looks({
    summary: "list administrators' keys: number, label, scope, creation, last use; never the keys themselves",
    examples: ["", "--json"],
    input: {},
    answer: ADMIN_KEYS,
    role: "admin",
    hostOnly: true,
    run: (context) => ({ keys: context.store.adminKeys.list().map((row) => adminKeySummary(context, row)) }),
  }),
  "admin-key revoke": acts({
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
        return withoutAfterCommit(
          refuseField(
            "id",
            `there is no administrator's key ${id}; \`rollcall admin-key list\` shows them`,
            "NOT_FOUND",
          ),
        );
      store.adminKeys.revoke(id, now);
      adminKeyring.forget();
      return withoutAfterCommit(adminKeySummary(context, store.adminKeys.find(id)!));
    },
  }),
};
