// The management server on a Unix socket. Who may open the file may do everything, so only its owner may.

import { lstatSync, rmSync } from "node:fs";
import { Elysia, NotFoundError } from "elysia";
import type { Log } from "../../domain/log.ts";
import type { Engine } from "../../engine/engine.ts";
import { createAnswerInPieces } from "../answer-in-pieces.ts";
import { NO_SUCH_PATH } from "../api/read-path.ts";
import { createReporter, refusalAnswer } from "../error-answers.ts";
import { turnsOf } from "../turn-promises.ts";
import { answerOperation, IMPORT_BYTES_MAX } from "./answer-operation.ts";
import { withViewContext } from "./wire.ts";

const OWNER_ONLY = 0o177;

/**
 * Listens at once, on a new socket with mode 0600; throws when it cannot be made. No other running process may own a
 * file of this name: an existing socket counts as one that a crashed process left.
 */
export function createManagement(engine: Engine, socketPath: string, log: Log) {
  const host = engine.as("host");
  const report = createReporter(log);
  const myTurn = turnsOf(engine.turns);
  const inPieces = createAnswerInPieces(log, myTurn);
  const app = new Elysia()
    .onError(({ error, request }) =>
      error instanceof NotFoundError
        ? refusalAnswer(NO_SUCH_PATH)
        : refusalAnswer(report(error, { method: request.method, client: "socket" })),
    )
    .post(
      "/operations/:operation",
      async ({ request, params }) => {
        // No error may reach Elysia, because it answers errors that have a `code`, such as SQLite's, by itself.
        try {
          const body = await request.bytes();
          return withViewContext(await answerOperation(host, inPieces, myTurn, params.operation, body), engine);
        } catch (error) {
          return refusalAnswer(report(error, { method: request.method, client: "socket" }));
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

/** A file that is no socket belongs to someone else. It stays: listening then fails, and says so. */
function removeStaleSocket(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path);
}
