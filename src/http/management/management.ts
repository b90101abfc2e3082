// The management server on a Unix socket, which the commands speak to. Everybody who may open the file may do everything, so
// the file is the owner's alone; it must not be reachable over the network.

import { lstatSync, rmSync } from "node:fs";
import { Elysia, NotFoundError } from "elysia";
import type { Log } from "../../domain/log.ts";
import type { Engine } from "../../engine/api.ts";
import { NO_SUCH_PATH } from "../api/paths.ts";
import { createReporter, refusalAnswer } from "../errors.ts";
import { withBearings } from "./bearings.ts";
import { deliveryRoutes } from "./deliveries.ts";
import type { ManagementRoute } from "./fields.ts";
import { incidentRoutes } from "./incidents.ts";
import { keyRoutes } from "./keys.ts";
import { monitorRoutes } from "./monitors.ts";
import { receivedRoutes } from "./received.ts";

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
    (handle: ManagementRoute["handle"]) =>
    async ({ request, params }: Parts): Promise<Response> => {
      try {
        return withBearings(await handle(request, params?.id ?? ""), engine);
      } catch (error) {
        return report(error, { method: request.method, client: "socket" });
      }
    };
  const app = new Elysia().onError(({ error, request }) =>
    error instanceof NotFoundError
      ? refusalAnswer(NO_SUCH_PATH)
      : report(error, { method: request.method, client: "socket" }),
  );
  const routes = [
    ...keyRoutes(engine, randomSecret),
    ...monitorRoutes(engine),
    ...incidentRoutes(engine),
    ...deliveryRoutes(engine),
    ...receivedRoutes(engine),
  ];
  for (const { method, path, handle } of routes) app.route(method, path, guarded(handle));

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

/** Anything but a socket was put there by somebody else, and stays: listening then fails, and says so. */
function removeStaleSocket(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path);
}
