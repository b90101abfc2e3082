// The server on a Unix socket that rollcall's own commands ask for operations. Whoever may open the socket may do
// everything, so only its owner may.

import { lstatSync, rmSync } from "node:fs";
import { Elysia, NotFoundError } from "elysia";
import type { Log } from "../../domain/log.ts";
import type { Engine } from "../../engine/engine.ts";
import { NO_SUCH_PATH } from "../api/read-path.ts";
import { createErrorReporter, refusalResponse } from "../error-responses.ts";
import { createRespondInPieces } from "../respond-in-pieces.ts";
import { createYield } from "../yield.ts";
import { IMPORT_BYTES_MAX, operationResponse } from "./operation-response.ts";
import { withViewContextHeader } from "./wire.ts";

const OWNER_ONLY = 0o177;

/**
 * Listens at once, on a new socket with mode 0600; throws when the socket cannot be made. An existing socket at this
 * path is removed as left over from a crash, so the caller makes sure that no running process uses it.
 */
export function createManagement(engine: Engine, socketPath: string, log: Log) {
  const host = engine.as("host");
  const report = createErrorReporter(log);
  const yieldNow = createYield(engine.scheduler);
  const inPieces = createRespondInPieces(log, yieldNow);
  const app = new Elysia()
    .onError(({ error, request }) =>
      error instanceof NotFoundError
        ? refusalResponse(NO_SUCH_PATH)
        : refusalResponse(report(error, { method: request.method, client: "socket" })),
    )
    .post(
      "/operations/:operation",
      async ({ request, params }) => {
        // No error may reach Elysia, because it answers errors that have a `code`, such as SQLite's, by itself.
        try {
          const body = await request.bytes();
          return withViewContextHeader(
            await operationResponse(host, inPieces, yieldNow, params.operation, body),
            engine,
          );
        } catch (error) {
          return refusalResponse(report(error, { method: request.method, client: "socket" }));
        }
      },
      { parse: "none" },
    );

  removeStaleSocket(socketPath);
  const umask = process.umask(OWNER_ONLY);
  try {
    const server = Bun.serve({
      unix: socketPath,
      development: false,
      maxRequestBodySize: IMPORT_BYTES_MAX,
      fetch: app.fetch,
    });
    return { stop: () => server.stop(true) };
  } finally {
    process.umask(umask);
  }
}

/**
 * Removes the socket that a crashed process left. A file of any other kind belongs to someone else and stays; then
 * listening fails with an error.
 */
function removeStaleSocket(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path);
}
