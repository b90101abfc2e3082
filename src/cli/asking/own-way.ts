// The way to the service of the configuration's data directory: its Unix socket, whose file permission is the
// authentication.

import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { formatFault } from "../../config/fault.ts";
import { NO_SUCH_PATH } from "../../http/api/paths.ts";
import { pathNameOf } from "../../http/management/path-name.ts";
import { loadDirectoryHere } from "../config-check.ts";
import { MISUSED, NOT_RUNNING, REFUSED } from "../io.ts";
import { isOurs, userNamed } from "../own-user.ts";
import { unbroken } from "../screens/spoken.ts";
import { type Call, typedAgain, typedFor } from "../typed.ts";
import { ANSWER_WITHIN_SECONDS, type Explained, type Way } from "./way.ts";

/** The socket's name in the data directory. */
export const SOCKET_FILE = "rollcall.sock";

/** Or what is wrong with the configuration. */
export function ownWay(call: Call): Way | Explained {
  const loaded = loadDirectoryHere(call.flags, call.environment);
  if ("faults" in loaded) return { exitCode: MISUSED, messages: loaded.faults.map(formatFault) };
  const { directory, isGiven } = loaded;
  const socket = join(directory, SOCKET_FILE);
  const stranger = strangerAt(socket, directory, isGiven);
  if (stranger !== null) {
    const [path, user] = stranger;
    return {
      exitCode: REFUSED,
      messages: [
        `nothing was sent: ${path} belongs to ${user}, and rollcall here is neither root's nor yours`,
        `if that user runs your rollcall, give the command as ${user}, or name the configuration with --config`,
      ],
    };
  }
  return {
    place: socket,
    typed: typedFor(call, directory),
    send: (name, asked) =>
      fetch(`http://localhost/operations/${pathNameOf(name)}`, {
        unix: socket,
        method: "POST",
        body: JSON.stringify(asked),
        headers: { "content-type": "application/json" },
        keepalive: false,
        signal: AbortSignal.timeout(ANSWER_WITHIN_SECONDS * 1_000),
      }),
    explainAnswer: (_response, message) =>
      // Both ends are the same executable, unless the service still runs the one from before an upgrade.
      message === NO_SUCH_PATH.message
        ? "another version of rollcall is running; restart it, and give the command again"
        : null,
    explain: (error) => explain(error, socket, typedAgain(call, directory)),
  };
}

/**
 * Whoever owns the socket reads what is sent, such as a new password. Null: it is root, this user, or the owner of a
 * data directory that a file of theirs or the environment names.
 */
function strangerAt(socket: string, directory: string, isGiven: boolean): readonly [path: string, user: string] | null {
  const seen = (path: string, look: typeof statSync): number | null => {
    try {
      return look(path).uid;
    } catch {
      // Nothing is there, or it is shut to us: then nothing can be sent either.
      return null;
    }
  };
  const owner = seen(directory, statSync);
  const isKnown = (uid: number): boolean => isOurs(uid) || (isGiven && uid === owner);
  const places = [
    [directory, owner],
    [socket, seen(socket, lstatSync)],
    [socket, seen(socket, statSync)],
  ] as const;
  for (const [path, uid] of places) if (uid !== null && !isKnown(uid)) return [path, userNamed(uid)];
  return null;
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
          `if it is running, give the command where it was started, or name its configuration with --config; else start it with ${unbroken("rollcall serve")}`,
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
