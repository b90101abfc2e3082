// Sends an operation to a service in one of two ways. On the same machine it uses the Unix socket in the data
// directory, which only permitted users can open. A service elsewhere is asked over HTTPS with an administrator's key,
// and no other address gets that key.

import { lstatSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ADMIN_KEY_VARIABLES } from "../../config/environment.ts";
import { formatFault } from "../../config/fault.ts";
import { isLoopbackHost } from "../../config/network-addresses.ts";
import { ADMIN_KEY_LENGTH, ADMIN_KEY_PREFIX } from "../../domain/api-key.ts";
import { errorMessage, STATUS } from "../../domain/errors.ts";
import { type ProxyEnvironment, requestFailureInWords } from "../../domain/proxy.ts";
import { codeOf, orElse } from "../../domain/unless-missing.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { OperationName } from "../../engine/operations/operations.ts";
import { NO_SUCH_PATH } from "../../http/api/read-path.ts";
import { ADMIN_PATH, pathNameOf, VIEW_CONTEXT } from "../../http/management/wire.ts";
import { after } from "../clock.ts";
import { loadDirectoryHere } from "../config-commands.ts";
import { programHere } from "../executable.ts";
import { type CommandHint, type Io, MISUSED, NOT_RUNNING, REFUSED } from "../io.ts";
import { isRootOrSelf, systemUserOrNumber } from "../own-user.ts";
import { unbroken } from "../screens/spoken.ts";
import { say } from "../screens/table.ts";
import { type Call, commandAgain, hintAsOwner, hintElsewhere } from "./command-hints.ts";

export interface Transport {
  readonly typed: CommandHint;
  send(name: OperationName, asked: object): Promise<Response>;
  /**
   * Returns a sentence about a response that does not come from the operation; `null` when the message in the response
   * says enough.
   */
  explainResponse(response: Response, message: string | undefined): string | null;
  explain(error: unknown): Explained;
}

type Explained = Readonly<{ exitCode: number; messages: readonly string[] }>;

const refusedWith = (...messages: readonly string[]): Explained => ({ exitCode: REFUSED, messages });
const notRunning = (...messages: readonly string[]): Explained => ({ exitCode: NOT_RUNNING, messages });
const misused = (...messages: readonly string[]): Explained => ({ exitCode: MISUSED, messages });

const ANSWER_WITHIN_SECONDS = 30;

export const SOCKET_FILE = "rollcall.sock";

export function socketTransport(call: Call): Transport | Explained {
  const loaded = loadDirectoryHere(call.flags, call.environment);
  if ("faults" in loaded) return misused(...loaded.faults.map(formatFault));
  const { directory, isGiven } = loaded;
  const socket = join(directory, SOCKET_FILE);
  const stranger = strangerAt(socket, directory, isGiven);
  if (stranger !== null) {
    const [path, user] = stranger;
    return refusedWith(
      `nothing was sent: ${path} belongs to ${user}, and rollcall here is neither root's nor yours`,
      `if that user runs your rollcall, give the command as ${user}, or name the configuration with --config`,
    );
  }
  return {
    typed: hintAsOwner(call, directory),
    send: (name, asked) =>
      fetch(`http://localhost/operations/${pathNameOf(name)}`, {
        unix: socket,
        method: "POST",
        body: JSON.stringify(asked),
        headers: { "content-type": "application/json" },
        keepalive: false,
        signal: AbortSignal.timeout(ANSWER_WITHIN_SECONDS * 1_000),
      }),
    explainResponse: (_response, message) =>
      // Command and service are usually the same executable. If the service does not know this path, it was started
      // before an upgrade and is of another version.
      message === NO_SUCH_PATH.message
        ? "another version of rollcall is running; restart it, and give the command again"
        : null,
    explain: (error) => explainSocket(error, socket, commandAgain(call, directory)),
  };
}

/**
 * Looks for a stranger who owns the socket or its directory, and so could read what we send, such as a new password.
 * Returns the path and the stranger's name; `null` without a stranger. Root, this user, and the owner of a data
 * directory that the configuration names are not strangers.
 */
function strangerAt(socket: string, directory: string, isGiven: boolean): readonly [path: string, user: string] | null {
  // Returns the owner of a path; `null` when nothing is at the path or this user may not open it, so that nothing can
  // be sent to it.
  const ownerAt = (path: string, read: typeof statSync): number | null => orElse(null, () => read(path).uid);
  const owner = ownerAt(directory, statSync);
  const isKnown = (uid: number): boolean => isRootOrSelf(uid) || (isGiven && uid === owner);
  const places = [
    [directory, owner],
    [socket, ownerAt(socket, lstatSync)],
    [socket, ownerAt(socket, statSync)],
  ] as const;
  for (const [path, uid] of places) if (uid !== null && !isKnown(uid)) return [path, systemUserOrNumber(uid)];
  return null;
}

/**
 * Explains why the socket does not answer. `again` is this command as the permitted user must type it; `null` when this
 * user is permitted already, or the permitted user is not known.
 */
function explainSocket(error: unknown, socket: string, again: string | null): Explained {
  switch (codeOf(error)) {
    case "ENOENT":
    case "ECONNREFUSED":
    case "ENAMETOOLONG": // Bun gives this code when the path of the socket is long and its directory is missing.
      return notRunning(
        `rollcall is not running (no answer at ${socket})`,
        `if it is running, give the command where it was started, or name its configuration with --config; else start it with ${unbroken(`${programHere()} serve`)}`,
      );
    case "EACCES":
    case "EPERM":
      return refusedWith(
        `this user may not open ${socket}; run the command as the user rollcall runs as${again === null ? "" : ":"}`,
        ...(again === null ? [] : [unbroken(`  ${again}`)]),
      );
    default:
      return refusedWith(
        `rollcall gave no usable answer at ${socket}: ${error instanceof Error ? error.message : error}`,
      );
  }
}

/** When the service asks us to wait, we do so at most this often, and each time for at most `WAIT_MAX` seconds. */
const WAITS_MAX = 3;
const WAIT_MAX = 60;

export function remoteTransport({ flags, environment }: Call, remote: string, io: Io): Transport | Explained {
  const address = readAddress(remote);
  const key = readKey(flags.keyFile, environment);
  if ("fault" in address || "fault" in key)
    return misused(...[address, key].flatMap((one) => ("fault" in one ? [one.fault] : [])));
  const { url, isPlain } = address;
  const authorization = `Bearer ${key.text}`;

  async function send(name: string, asked: object, waits = 0): Promise<Response> {
    const response = await fetch(url + ADMIN_PATH + pathNameOf(name), {
      method: "POST",
      body: JSON.stringify(asked),
      headers: { "content-type": "application/json", authorization },
      // No redirect is followed, because another address must not get the key.
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_WITHIN_SECONDS * 1_000),
      // Over plain HTTP a proxy would see the key, so none is used.
      ...(isPlain ? { proxy: false } : {}),
    });
    const seconds = Number(response.headers.get("retry-after"));
    if (response.status !== STATUS.RATE_LIMIT_EXCEEDED || waits === WAITS_MAX || !(seconds > 0 && seconds <= WAIT_MAX))
      return response;
    say(io, `too many requests for now (limits.admin_per_minute there); going on in ${counted(seconds, "second")}`);
    await new Promise<void>((resolve) => after(seconds * 1_000, resolve));
    return send(name, asked, waits + 1);
  }

  return {
    typed: hintElsewhere(flags),
    send,
    explainResponse: (response, message) => explainResponse(response, message, url),
    explain: (error) => explainRemote(error, url, isPlain ? {} : environment),
  };
}

/** Returns the address of `--remote` without a slash at its end, or what is wrong with it. */
function readAddress(text: string): { readonly url: string; readonly isPlain: boolean } | { readonly fault: string } {
  const url = URL.parse(text);
  if (url === null || !["https:", "http:"].includes(url.protocol))
    return { fault: "--remote: it must be the address of a rollcall, such as https://cron.example.org" };
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    return { fault: "--remote: leave out user name, password, query and fragment; the key has a place of its own" };
  if (/\/api(\/|$)/.test(url.pathname)) return { fault: "--remote: the address must end before /api" };
  const isPlain = url.protocol === "http:";
  if (isPlain && !isLoopbackHost(url.hostname.replace(/^\[|\]$/g, "")))
    return { fault: "--remote: plain HTTP would show the key to everybody on the way, use https://" };
  return { url: url.href.replace(/\/+$/, ""), isPlain };
}

type Key = { readonly text: string } | { readonly fault: string };

/**
 * Reads the administrator's key from the first place that is given: the file of `--key-file`, the key in the
 * environment, the file that the environment names.
 */
function readKey(keyFile: string | undefined, environment: Call["environment"]): Key {
  const { key: variable, file: fileVariable } = ADMIN_KEY_VARIABLES;
  const given = environment[variable] ?? "";
  if (keyFile === undefined && given !== "") return checked(given, variable);
  const file = keyFile ?? environment[fileVariable] ?? "";
  const namedBy = keyFile === undefined ? fileVariable : "--key-file";
  if (file === "")
    return {
      fault:
        `--remote: no administrator's key is given; set ${variable}, or name its file with --key-file or ${fileVariable}. ` +
        "rollcall admin-key create makes one on the host of the service.",
    };
  try {
    return checked(readFileSync(file, "utf8").split("\n")[0]!, namedBy);
  } catch (error) {
    return { fault: `${namedBy}: ${file} cannot be read (${codeOf(error) ?? error})` };
  }
}

/**
 * Returns the text as a key, or a fault if it does not have the form of one. It may be a secret for something else,
 * which must not be sent.
 */
function checked(text: string, from: string): Key {
  const key = text.trim();
  const isKey = key.length === ADMIN_KEY_LENGTH && key.startsWith(ADMIN_KEY_PREFIX) && /^\w+$/.test(key);
  return isKey
    ? { text: key }
    : { fault: `${from}: it holds no administrator's key, which is ${ADMIN_KEY_PREFIX} and 32 letters and digits` };
}

function explainResponse({ status, headers }: Response, message: string | undefined, url: string): string | null {
  if (status >= 300 && status < 400)
    return `${url} leads on to ${headers.get("location") ?? "another address"}; give --remote the last address`;
  if (message === NO_SUCH_PATH.message)
    return (
      `${url} has no such interface for administrators: no key works there, which rollcall admin-key create ` +
      "makes on its host, or rollcall there is of another version"
    );
  if (status === STATUS.AUTHENTICATION_REQUIRED && message !== undefined)
    return `${url} does not know this key, or it was revoked; rollcall admin-key list on its host shows all`;
  if (message === undefined || (status === 200 && !headers.has(VIEW_CONTEXT.now)))
    return `${url} answered HTTP ${status}, and not as rollcall does; what stands there?`;
  return null;
}

function explainRemote(error: unknown, url: string, environment: ProxyEnvironment): Explained {
  if (error instanceof Error && error.name === "TimeoutError")
    return notRunning(`${url} did not answer within ${ANSWER_WITHIN_SECONDS} seconds`);
  const code = codeOf(error) ?? "";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return refusedWith(`the certificate of ${url} is for another name; give --remote that one`);
  if (code.includes("CERT") || code.includes("SIGNATURE"))
    return refusedWith(
      `the certificate of ${url} is not to be trusted (${code})`,
      "if an authority of your own has signed it, name its certificate with NODE_EXTRA_CA_CERTS=FILE",
    );
  const why = requestFailureInWords({ code, message: errorMessage(error) }, url, environment);
  return notRunning(`${url} cannot be reached: ${why ?? "connection failed"}`);
}
