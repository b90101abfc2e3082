// The way to a service elsewhere: its administrator's API over HTTPS, with an administrator's key from a file or the
// environment. The key goes nowhere else, and never in the clear.

import { readFileSync } from "node:fs";
import ipaddr from "ipaddr.js";
import { ADMIN_KEY_VARIABLES } from "../../config/environment.ts";
import { ADMIN_KEY_LENGTH, ADMIN_KEY_PREFIX } from "../../domain/api-key.ts";
import { connectionFailure } from "../../domain/connection-failure.ts";
import { STATUS } from "../../domain/errors.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { NO_SUCH_PATH } from "../../http/api/paths.ts";
import { ADMIN_PATH, pathNameOf } from "../../http/management/path-name.ts";
import { VIEW_CONTEXT } from "../../http/management/view-context.ts";
import { after } from "../clock.ts";
import { type Io, MISUSED, NOT_RUNNING, REFUSED } from "../io.ts";
import { say } from "../screens/table.ts";
import { type Call, typedElsewhere } from "../typed.ts";
import { ANSWER_WITHIN_SECONDS, type Explained, type Way } from "./way.ts";

/** How often, and how many seconds at most, we wait when the service asks us to. */
const WAITS_MAX = 3;
const WAIT_MAX = 60;

/** Or what is wrong with how it was called. */
export function remoteWay({ flags, environment }: Call, remote: string, io: Io): Way | Explained {
  const address = readAddress(remote);
  const key = readKey(flags.keyFile, environment);
  if ("fault" in address || "fault" in key)
    return { exitCode: MISUSED, messages: [address, key].flatMap((one) => ("fault" in one ? [one.fault] : [])) };
  const { url, isPlain } = address;
  const authorization = `Bearer ${key.text}`;

  async function send(name: string, asked: object, waits = 0): Promise<Response> {
    const response = await fetch(url + ADMIN_PATH + pathNameOf(name), {
      method: "POST",
      body: JSON.stringify(asked),
      headers: { "content-type": "application/json", authorization },
      // Whoever it leads to must not get the key.
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_WITHIN_SECONDS * 1_000),
      // A proxy would see it.
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
    place: url,
    typed: typedElsewhere(flags),
    send,
    explainAnswer: (response, message) => explainAnswer(response, message, url),
    explain: (error) => explain(error, url),
  };
}

type RemoteAddress = { readonly url: string; readonly isPlain: boolean } | { readonly fault: string };

/** `url` without a slash at its end. */
function readAddress(text: string): RemoteAddress {
  const url = URL.parse(text);
  if (url === null || !["https:", "http:"].includes(url.protocol))
    return { fault: "--remote: it must be the address of a rollcall, such as https://cron.example.org" };
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    return { fault: "--remote: leave out user name, password, query and fragment; the key has a place of its own" };
  const isPlain = url.protocol === "http:";
  if (isPlain && !isHere(url.hostname))
    return { fault: "--remote: plain HTTP would show the key to everybody on the way, use https://" };
  return { url: url.href.replace(/\/+$/, ""), isPlain };
}

function isHere(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, "");
  return address === "localhost" || (ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback");
}

type Key = { readonly text: string } | { readonly fault: string };

/** The file that is named wins, then the key in the environment, then the file that the environment names. */
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
    const code = error instanceof Error && "code" in error ? error.code : error;
    return { fault: `${namedBy}: ${file} cannot be read (${code})` };
  }
}

/** Anything else may be a secret of another place. */
function checked(text: string, from: string): Key {
  const key = text.trim();
  const isKey = key.length === ADMIN_KEY_LENGTH && key.startsWith(ADMIN_KEY_PREFIX) && /^\w+$/.test(key);
  return isKey
    ? { text: key }
    : { fault: `${from}: it holds no administrator's key, which is ${ADMIN_KEY_PREFIX} and 32 letters and digits` };
}

function explainAnswer({ status, headers }: Response, message: string | undefined, url: string): string | null {
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

function explain(error: unknown, url: string): Explained {
  if (error instanceof Error && error.name === "TimeoutError")
    return { exitCode: NOT_RUNNING, messages: [`${url} did not answer within ${ANSWER_WITHIN_SECONDS} seconds`] };
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const words = connectionFailure(code);
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return { exitCode: REFUSED, messages: [`the certificate of ${url} is for another name; give --remote that one`] };
  if (code.includes("CERT") || code.includes("SIGNATURE"))
    return {
      exitCode: REFUSED,
      messages: [
        `the certificate of ${url} is not to be trusted (${code})`,
        "if an authority of your own has signed it, name its certificate with NODE_EXTRA_CA_CERTS=FILE",
      ],
    };
  return { exitCode: NOT_RUNNING, messages: [`${url} cannot be reached: ${words ?? "connection failed"}`] };
}
