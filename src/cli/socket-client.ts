// Asks the running service something over its Unix socket. The socket's file permission is the authentication; nothing
// is read from or written to the database here.

import { join } from "node:path";
import { formatFault } from "../config/fault.ts";
import type { ConfigFlags } from "../config/load.ts";
import type { Surroundings } from "../config/surroundings.ts";
import { loadDirectoryHere } from "./config-check.ts";
import { type Io, MISUSED, NOT_RUNNING, REFUSED } from "./io.ts";
import { visible } from "./table.ts";

/** The socket's name in the data directory. */
export const SOCKET_FILE = "rollcall.sock";

const ANSWER_WITHIN_SECONDS = 30;

/** What a command knows of where it runs, and where it writes. */
export interface Caller {
  readonly flags: ConfigFlags;
  readonly environment: Surroundings["environment"];
  readonly io: Io;
}

export interface Question {
  readonly method: "GET" | "POST";
  /** Path and query. */
  readonly path: string;
  readonly body?: unknown;
}

/** Every answer but a good one (R1). */
interface ErrorBody {
  readonly error: string;
  readonly message: string;
}

/** What the service answered, or the exit code after the reason was told. */
export type Answer<Body> = { readonly body: Body } | { readonly exitCode: number };

/**
 * Asks the service whose data directory the configuration names. `Body` is the contract's type for the path; both ends
 * are the same executable. Tells on stderr why there is no answer: 1 refused, 2 faulty configuration, 3 not running.
 */
export async function askService<Body>({ flags, environment, io }: Caller, question: Question): Promise<Answer<Body>> {
  const loaded = loadDirectoryHere(flags, environment);
  if ("faults" in loaded) {
    for (const fault of loaded.faults) io.err(formatFault(fault));
    return { exitCode: MISUSED };
  }
  const socket = join(loaded.directory, SOCKET_FILE);
  try {
    const response = await send(socket, question);
    const body = parse(await response.text());
    if (response.ok && body !== undefined) return { body: body as Body };
    const { message } = (body ?? {}) as Partial<ErrorBody>;
    io.err(visible(message ?? `rollcall answered HTTP ${response.status}; see its log`));
    return { exitCode: REFUSED };
  } catch (error) {
    const failure = explain(error, socket);
    io.err(failure.message);
    return failure;
  }
}

const send = (socket: string, { method, path, body }: Question): Promise<Response> =>
  fetch(`http://localhost${path}`, {
    unix: socket,
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    keepalive: false,
    signal: AbortSignal.timeout(ANSWER_WITHIN_SECONDS * 1_000),
  });

/** Any JSON value; undefined, which JSON has not, for everything else. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function explain(error: unknown, socket: string): { readonly exitCode: number; readonly message: string } {
  const code = error instanceof Error && "code" in error ? error.code : null;
  switch (code) {
    case "ENOENT":
    case "ECONNREFUSED":
    case "ENAMETOOLONG": // Bun opens the directory of a path too long for a socket, so this one is not there.
      return { exitCode: NOT_RUNNING, message: `rollcall is not running (no answer at ${socket})` };
    case "EACCES":
    case "EPERM":
      return {
        exitCode: REFUSED,
        message: `this user may not open ${socket}; run the command as the user rollcall runs as`,
      };
    default:
      return {
        exitCode: REFUSED,
        message: `rollcall gave no usable answer at ${socket}: ${error instanceof Error ? error.message : error}`,
      };
  }
}
