// The operations on applications and their API keys (R2, R3).

import { checkSlug, formatKey } from "../../domain/api-key.ts";
import { isRefusal, refuse } from "../../domain/errors.ts";
import { aboutApplication, aboutOwner, findApplication } from "../reads/find-named.ts";
import { listApplications } from "../reads/look-monitors.ts";
import { APPLICATIONS, CREATED_APPLICATION, CREATED_KEY, KEYS, LISTED_KEY } from "./answers/applications.ts";
import { choice, optionalText, rowNumber, text } from "./fields.ts";
import { acts, type OperationContext, reads, unchanged } from "./operation.ts";

const createApplication = acts({
  summary: "create an application",
  examples: ["prod"],
  input: { slug: text({ description: "1 to 40 lowercase letters, digits and hyphens", argument: "slug" }) },
  answer: CREATED_APPLICATION,
  role: "admin",
  run: ({ store }, { slug }, now) => {
    const wrong = checkSlug(slug);
    if (wrong !== null) return unchanged(wrong);
    if (store.applications.find(slug) !== null)
      return unchanged(refuse("INVALID_REQUEST", `slug: application "${slug}" exists already`));
    return unchanged(store.applications.create(slug, now));
  },
});

const listAll = reads({
  summary: "list applications and how many monitors each has",
  examples: ["", "--json"],
  input: {},
  answer: APPLICATIONS,
  run: (context) => ({ applications: listApplications(context) }),
});

const createKey = acts({
  summary: "create an API key and print it once, alone on the first line of stdout",
  examples: ["prod", "prod --scope ping > key"],
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
    }),
  },
  answer: CREATED_KEY,
  role: "admin",
  about: (context, { application }) => aboutOwner(context, application),
  run: (context, { application, scope }, now) => {
    const { store, randomSecret } = context;
    const owner = application === null ? findApplication(context, null) : findOrOffer(context, application);
    if (isRefusal(owner)) return unchanged(owner);
    const key = formatKey(owner.slug, randomSecret());
    const id = store.keys.insert(owner.id, Buffer.from(Bun.SHA256.hash(key, "hex"), "hex"), scope, now);
    return unchanged({ key, ...store.keys.find(id)! });
  },
});

const listKeys = reads({
  summary: "list keys: number, scope, creation, last use; never the keys themselves",
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
  run: (context, { application }) => {
    const { store, keyring } = context;
    const owner = application === null ? null : findOrOffer(context, application);
    if (isRefusal(owner)) return owner;
    return { keys: store.keys.list(owner?.id ?? null).map(keyring.withLastUse) };
  },
});

const revokeKey = acts({
  summary: "revoke a key for good; jobs that still use it are refused",
  examples: ["3"],
  input: { id: rowNumber({ description: "the key's number, as `key list` shows it", argument: "id" }) },
  answer: LISTED_KEY,
  role: "admin",
  about: ({ store }, { id }) => {
    const found = store.keys.find(id);
    return found === null ? null : { application: found.application, monitorKey: null };
  },
  run: ({ store, keyring }, { id }, now) => {
    if (store.keys.find(id) === null)
      return unchanged(refuse("NOT_FOUND", `id: there is no key ${id}; \`rollcall key list\` shows them`));
    store.keys.revoke(id, now);
    keyring.forget();
    return unchanged(store.keys.find(id)!);
  },
});

const findOrOffer = ({ store }: OperationContext, slug: string) =>
  store.applications.find(slug) ??
  refuse("NOT_FOUND", `application: "${slug}" does not exist; \`rollcall app create ${slug}\` creates it`);

export const APPLICATION_OPERATIONS = { "app create": createApplication, "app list": listAll };

export const KEY_OPERATIONS = { "key create": createKey, "key list": listKeys, "key revoke": revokeKey };
