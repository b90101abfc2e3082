// The management server on a Unix socket, which the commands speak to. Whoever may open the file may do everything, so
// the file is the owner's alone; it must not be reachable over the network.

import { lstatSync, rmSync } from "node:fs";
import { Elysia, NotFoundError } from "elysia";
import { isRefusal, type Refusal, refuse } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { toIso, toIsoOrNull } from "../domain/time.ts";
import type { ApplicationRow, Engine, KeyRow, KeyScope } from "../engine/contract.ts";
import { okAnswer } from "./answers.ts";
import { createReporter, refusalAnswer } from "./errors.ts";
import type { CreatedApplication, CreatedKey, ListedKey } from "./management-contract.ts";
import { NO_SUCH_PATH, readTarget } from "./paths.ts";
import { readText, splitQuery } from "./query.ts";

export interface ManagementParts {
  readonly engine: Engine;
  /** A file of this name must not belong to another running process: a socket found there is taken for a crashed one's. */
  readonly socketPath: string;
  /** The secret part of a new key (R2). */
  readonly randomSecret: () => string;
  readonly log: Log;
}

export interface Management {
  /** Breaks off what is in flight and removes the socket. */
  stop(): Promise<void>;
}

const BODY_BYTES_MAX = 64 * 1024;
const OWNER_ONLY = 0o177;

/** Listens at once, on a new socket with mode 0600; throws when it cannot be made. */
export function createManagement({ engine, socketPath, randomSecret, log }: ManagementParts): Management {
  const report = createReporter(log);
  // What a handler throws must not reach Elysia: it answers an error that has a `code`, as SQLite's have, by itself.
  const guarded =
    (handle: Handler) =>
    async ({ request, params }: Parts): Promise<Response> => {
      try {
        return await handle(request, params?.id ?? "");
      } catch (error) {
        return report(error, { method: request.method, client: "socket" });
      }
    };
  const app = new Elysia()
    .post(
      "/applications",
      guarded(async (request) => {
        const slug = textOf(await readFields(request), "slug");
        if (isRefusal(slug)) return refusalAnswer(slug);
        return answer(engine.createApplication(slug), createdApplication);
      }),
    )
    .post(
      "/keys",
      guarded(async (request) => {
        const fields = await readFields(request);
        const application = textOf(fields, "application");
        if (isRefusal(application)) return refusalAnswer(application);
        const scope = scopeOf(fields);
        if (isRefusal(scope)) return refusalAnswer(scope);
        return answer(engine.createKey(application, scope, randomSecret()), createdKey);
      }),
    )
    .get(
      "/keys",
      guarded((request) => {
        const application = readText(splitQuery(readTarget(request.url).query), "application");
        if (isRefusal(application)) return refusalAnswer(application);
        return answer(engine.listKeys(application), (rows) => ({ keys: rows.map(listedKey) }));
      }),
    )
    .post(
      "/keys/:id/revoke",
      guarded((_, id) => {
        if (!/^[0-9]{1,15}$/.test(id)) return refusalAnswer(refuse("INVALID_REQUEST", "id: it is not a whole number"));
        return answer(engine.revokeKey(Number(id)), listedKey);
      }),
    )
    .onError(({ error, request }) =>
      error instanceof NotFoundError
        ? refusalAnswer(NO_SUCH_PATH)
        : report(error, { method: request.method, client: "socket" }),
    );

  removeStaleSocket(socketPath);
  const umask = process.umask(OWNER_ONLY);
  try {
    const server = Bun.serve({
      unix: socketPath,
      development: false,
      maxRequestBodySize: BODY_BYTES_MAX,
      fetch: app.fetch,
    });
    return { stop: () => server.stop(true) };
  } finally {
    process.umask(umask);
  }
}

/** What of a request the handlers are given; `id` where the path has one, and no `params` where it cannot have any. */
interface Parts {
  readonly request: Request;
  readonly params?: { readonly id?: string };
}

type Handler = (request: Request, id: string) => Response | Promise<Response>;

/** Anything but a socket was put there by somebody else, and stays: listening then fails, and says so. */
function removeStaleSocket(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path);
}

const answer = <Value extends object>(value: Value | Refusal, show: (value: Value) => object): Response =>
  isRefusal(value) ? refusalAnswer(value) : okAnswer(show(value));

const createdApplication = ({ slug, createdAt }: ApplicationRow): CreatedApplication => ({
  slug,
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

/** The fields of a JSON body; a body that is no JSON object has none. */
async function readFields(request: Request): Promise<ReadonlyMap<string, unknown>> {
  try {
    const body: unknown = JSON.parse(await request.text());
    return new Map(typeof body === "object" && body !== null ? Object.entries(body) : []);
  } catch {
    return new Map();
  }
}

function textOf(fields: ReadonlyMap<string, unknown>, name: string): string | Refusal {
  const value = fields.get(name);
  return typeof value === "string" ? value : refuse("INVALID_REQUEST", `${name}: it is missing, a text is needed`);
}

const SCOPES: readonly string[] = ["all", "ping", "sync"] satisfies KeyScope[];

const isScope = (text: string): text is KeyScope => SCOPES.includes(text);

function scopeOf(fields: ReadonlyMap<string, unknown>): KeyScope | Refusal {
  const scope = textOf(fields, "scope");
  if (isRefusal(scope) || isScope(scope)) return scope;
  return refuse("INVALID_REQUEST", `scope: it is not one of ${SCOPES.join(", ")}`);
}
