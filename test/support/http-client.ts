// Clients for tests of the HTTP server: one that asks like any program, and one that writes bytes to a socket, for
// requests that no HTTP library would send.

import { connect } from "node:net";
import { assertDescribed } from "./described.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came. */
  readonly text: string;
  /** The body as JSON; `null` when it is empty. */
  readonly json: Readonly<Record<string, unknown>> | null;
}

const toAnswer = (status: number, headers: Headers, text: string): Answer => ({
  status,
  headers,
  text,
  json: text === "" ? null : (JSON.parse(text) as Record<string, unknown>),
});

/** Sends a request with `fetch` and reads the whole answer, which must be as the OpenAPI document describes it. */
export async function ask(url: string, init: BunFetchRequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { redirect: "manual", keepalive: false, ...init });
  const answer = toAnswer(response.status, response.headers, await response.text());
  const { pathname, search } = new URL(url);
  const mayRepeat = new Headers(init.headers).has("idempotency-key");
  assertDescribed({ method: init.method ?? "GET", target: pathname + search, mayRepeat }, answer);
  return answer;
}

export const basic = (username: string, password = ""): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
});

/**
 * Writes bytes to a new connection and returns everything that came back until the server closed it; each further text
 * is sent when something was received for the one before. The last request must ask for the end with `Connection:
 * close`, unless the server closes after it anyway.
 */
export function exchange(port: number, first: string | Uint8Array, ...further: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => socket.write(Buffer.from(first)));
    socket.on("data", (part: Buffer) => {
      const next = further[parts.length];
      parts.push(part);
      if (next !== undefined) socket.write(next);
    });
    socket.on("close", () => resolve(Buffer.concat(parts).toString("utf8")));
    socket.on("error", reject);
  });
}

/**
 * Sends one raw request; `line` is its first line without the HTTP version, `head` has further header lines. The answer
 * must be as the OpenAPI document describes it.
 */
export async function askRaw(port: number, line: string, head: readonly string[] = [], body = ""): Promise<Answer> {
  const lines = [`${line} HTTP/1.1`, "Host: localhost", "Connection: close", ...head];
  const answer = parseAnswer(await exchange(port, `${lines.join("\r\n")}\r\n\r\n${body}`));
  const [method = "", target = ""] = line.split(" ");
  const mayRepeat = head.some((one) => /^idempotency-key:/i.test(one));
  assertDescribed({ method, target: target.replace(/^https?:\/\/[^/?]*/, ""), mayRepeat }, answer);
  return answer;
}

/** The first answer in the bytes that a server sent. */
export function parseAnswer(received: string): Answer {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) throw new Error(`no answer in ${JSON.stringify(received)}`);
  const [statusLine = "", ...lines] = received.slice(0, end).split("\r\n");
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  return toAnswer(Number(statusLine.split(" ")[1]), headers, received.slice(end + 4));
}

/** A body in chunked coding, with one chunk for each text. */
export const chunked = (...texts: readonly string[]): string =>
  [...texts, ""].map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`).join("");
