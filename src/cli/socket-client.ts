// Asks the running service something over its Unix socket. The socket's file permission is the authentication; reads
// and writes nothing in the database.

import { join } from "node:path";
import { formatFault } from "../config/fault.ts";
import type { Input, OperationName, WrittenAnswer } from "../engine/operations/operations.ts";
import { NO_SUCH_PATH } from "../http/api/paths.ts";
import { BEARINGS } from "../http/management/bearings.ts";
import { pathNameOf } from "../http/management/path-name.ts";
import { loadDirectoryHere } from "./config-check.ts";
import { type Io, MISUSED, NOT_RUNNING, REFUSED, say } from "./io.ts";
import { type ScreenClock, unbroken } from "./spoken.ts";
import type { Terminal } from "./table.ts";
import { type Call, type Typed, typedAgain, typedFor } from "./typed.ts";

/** The socket's name in the data directory. */
export const SOCKET_FILE = "rollcall.sock";

const ANSWER_WITHIN_SECONDS = 30;

/** How a command was called, and where it writes. */
export interface SocketCaller extends Call {
  readonly io: Io;
}

/** Every answer but a good one (R1). */
interface ErrorBody {
  readonly error: string;
  readonly message: string;
}

/** The service's answer, or the exit code after we have said why there is none. */
export type Answered<Name extends OperationName> =
  | { readonly answer: WrittenAnswer<Name>; readonly screen: Screen }
  | { readonly exitCode: number };

/** Asks as the command that runs. */
export type Ask = <Name extends OperationName>(name: Name, asked: Partial<Input<Name>>) => Promise<Answered<Name>>;

/** What every screen's words depend on. Its zone is the server's. */
export interface Screen extends ScreenClock, Terminal {
  /** It is the only application, so naming it says nothing. */
  readonly onlyApplication: boolean;
  readonly typed: Typed;
}

/**
 * Asks the service of the configuration's data directory for an operation; both ends are the same executable. Says on
 * stderr why there is no answer: 1 refused, 2 faulty configuration, 3 not running.
 */
export async function askService<Name extends OperationName>(
  caller: SocketCaller,
  name: Name,
  asked: Partial<Input<Name>>,
): Promise<Answered<Name>> {
  const { flags, environment, io } = caller;
  const loaded = loadDirectoryHere(flags, environment);
  if ("faults" in loaded) {
    for (const fault of loaded.faults) io.err(formatFault(fault));
    return { exitCode: MISUSED };
  }
  const { directory } = loaded;
  const typed = typedFor(caller, directory);
  const socket = join(directory, SOCKET_FILE);
  try {
    const response = await send(socket, name, asked);
    const body = parse(await response.text());
    if (response.ok && body !== undefined) {
      return {
        answer: body as WrittenAnswer<Name>,
        screen: { ...bearingsIn(response), width: io.width, color: io.color, typed },
      };
    }
    const { message } = (body ?? {}) as Partial<ErrorBody>;
    if (message === NO_SUCH_PATH.message) {
      // Both ends are the same executable, unless the service still runs the one from before an upgrade.
      say(io, "another version of rollcall is running; restart it, and give the command again");
      return { exitCode: REFUSED };
    }
    say(io, asTyped(message ?? `rollcall answered HTTP ${response.status}; see its log`, typed));
    return { exitCode: REFUSED };
  } catch (error) {
    const { exitCode, messages } = explain(error, socket, typedAgain(caller, directory));
    for (const message of messages) say(io, message);
    return { exitCode };
  }
}

function bearingsIn({ headers }: Response): Pick<Screen, "now" | "timezone" | "onlyApplication"> {
  return {
    now: Date.parse(headers.get(BEARINGS.now) ?? ""),
    timezone: headers.get(BEARINGS.timezone) ?? "UTC",
    onlyApplication: headers.get(BEARINGS.onlyApplication) === "true",
  };
}

/** The service puts commands in backticks, and does not know who reads them. */
const asTyped = (message: string, typed: Typed): string =>
  message.replace(/`rollcall ([^`]+)`/g, (_, words: string) => unbroken(`\`${typed(words)}\``));

const send = (socket: string, name: OperationName, asked: object): Promise<Response> =>
  fetch(`http://localhost/operations/${pathNameOf(name)}`, {
    unix: socket,
    method: "POST",
    body: JSON.stringify(asked),
    headers: { "content-type": "application/json" },
    keepalive: false,
    signal: AbortSignal.timeout(ANSWER_WITHIN_SECONDS * 1_000),
  });

/** Any JSON value; undefined, which JSON lacks, for everything else. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Explained {
  readonly exitCode: number;
  readonly messages: readonly string[];
}

/** `again`: the same command as the user who may give it; null: we do not know that user. */
function explain(error: unknown, socket: string, again: string | null): Explained {
  const code = error instanceof Error && "code" in error ? error.code : null;
  switch (code) {
    case "ENOENT":
    case "ECONNREFUSED":
    case "ENAMETOOLONG": // Bun opens the directory of a path too long for a socket, so this one is not there.
      return {
        exitCode: NOT_RUNNING,
        messages: [
          `rollcall is not running (no answer at ${socket})`,
          `if it is running, name its configuration with --config; else start it with ${unbroken("rollcall serve")}`,
        ],
      };
    case "EACCES":
    case "EPERM":
      return {
        exitCode: REFUSED,
        messages: [
          `this user may not open ${socket}; run the command as the user rollcall runs as${again === null ? "" : ":"}`,
          ...(again === null ? [] : [unbroken(`  ${again}`)]),
        ],
      };
    default:
      return {
        exitCode: REFUSED,
        messages: [`rollcall gave no usable answer at ${socket}: ${error instanceof Error ? error.message : error}`],
      };
  }
}
