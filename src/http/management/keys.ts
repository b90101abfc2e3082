// The management socket's paths of applications and their keys (R2, R3). A key is answered whole once, when it is made.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { toIso, toIsoOrNull } from "../../domain/time.ts";
import type { ApplicationRow, Engine, KeyRow, KeyScope } from "../../engine/api.ts";
import type { ApplicationSummary } from "../../engine/operations/operators-contract.ts";
import { okAnswer } from "../answers.ts";
import { readText } from "../api/query.ts";
import { refusalAnswer } from "../errors.ts";
import type { CreatedApplication, CreatedKey, ListedApplication, ListedKey } from "./contract.ts";
import {
  answer,
  type Fields,
  idOf,
  type ManagementRoute,
  optionalTextOf,
  queryOf,
  readFields,
  textOf,
} from "./fields.ts";

/** `randomSecret`: the secret part of a new key. */
export const keyRoutes = (engine: Engine, randomSecret: () => string): readonly ManagementRoute[] => [
  {
    method: "GET",
    path: "/applications",
    handle: () => okAnswer({ applications: engine.listApplications().map(listedApplication) }),
  },
  {
    method: "POST",
    path: "/applications",
    handle: async (request) => {
      const slug = textOf(await readFields(request), "slug");
      if (isRefusal(slug)) return refusalAnswer(slug);
      return answer(engine.createApplication(slug), createdApplication);
    },
  },
  {
    method: "POST",
    path: "/keys",
    handle: async (request) => {
      const fields = await readFields(request);
      const application = optionalTextOf(fields, "application");
      if (isRefusal(application)) return refusalAnswer(application);
      const scope = scopeOf(fields);
      if (isRefusal(scope)) return refusalAnswer(scope);
      return answer(engine.createKey(application, scope, randomSecret()), createdKey);
    },
  },
  {
    method: "GET",
    path: "/keys",
    handle: (request) => {
      const application = readText(queryOf(request), "application");
      if (isRefusal(application)) return refusalAnswer(application);
      return answer(engine.listKeys(application), (rows) => ({ keys: rows.map(listedKey) }));
    },
  },
  {
    method: "POST",
    path: "/keys/:id/revoke",
    handle: (_, text) => {
      const id = idOf(text);
      return isRefusal(id) ? refusalAnswer(id) : answer(engine.revokeKey(id), listedKey);
    },
  },
];

const createdApplication = ({ slug, createdAt }: ApplicationRow): CreatedApplication => ({
  slug,
  createdAt: toIso(createdAt),
});

const listedApplication = ({ slug, name, monitors, createdAt }: ApplicationSummary): ListedApplication => ({
  slug,
  name,
  monitors,
  createdAt: toIso(createdAt),
});

const listedKey = ({ id, application, scope, createdAt, lastUsedAt, revokedAt }: KeyRow): ListedKey => ({
  id,
  application,
  scope,
  createdAt: toIso(createdAt),
  lastUsedAt: toIsoOrNull(lastUsedAt),
  revokedAt: toIsoOrNull(revokedAt),
});

const createdKey = ({ key, row }: { readonly key: string; readonly row: KeyRow }): CreatedKey => ({
  key,
  ...listedKey(row),
});

const SCOPES: readonly string[] = ["all", "ping", "sync"] satisfies KeyScope[];

const isScope = (text: string): text is KeyScope => SCOPES.includes(text);

function scopeOf(fields: Fields): KeyScope | Refusal {
  const scope = textOf(fields, "scope");
  if (isRefusal(scope) || isScope(scope)) return scope;
  return refuse("INVALID_REQUEST", `scope: it is not one of ${SCOPES.join(", ")}`);
}
