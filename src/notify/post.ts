// Makes one HTTP request to the address of a destination, within limits of time and size (R40). Errors of the runtime
// may hold the address, so callers get our own words instead.

import { lookup } from "node:dns/promises";
import { type ProxyEnvironment, proxyStatusInWords, requestFailureInWords } from "../domain/proxy.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import { type SendContext, type Verdict, withoutResponse } from "./channel.ts";
import { retryAfterMs, verdictOnStatus } from "./retry.ts";

/** Within how many milliseconds we must reach a receiver and write the whole message (R40). */
export const SEND_TIMEOUT = 15_000;

/**
 * How long a receiver may take to respond once the message is written, as a multiple of the time limit for sending.
 * With `SEND_TIMEOUT` that is a minute.
 */
export const RESPONSE_TIMES = 4;

/** How many bytes of a response we read at most (R40). We do not wait for more. */
const RESPONSE_BYTES = 64 * 1024;

/** When two POSTs go to the same host within these milliseconds, the connection is kept for the second one. */
const FOLLOWS_WITHIN = 2 * SECOND;

/**
 * When we last sent a request to each host. No host is ever removed, because they are few: those of destinations, of
 * push services and of the address that `[self]` pings.
 */
const lastSentAt = new Map<string, Instant>();

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The first 64 KiB of the body, cut anywhere. It is never shown or logged: it may hold the secret address. */
  readonly body: string;
}

let proxies: ProxyEnvironment = {};

/**
 * Remembers the proxies that the environment names. The runtime uses them by itself; we only need them to say that a
 * proxy failed and not the receiver.
 */
export function rememberSendingProxies(environment: ProxyEnvironment): void {
  proxies = environment;
}

/**
 * Reads the address of a destination. Throws unless it is an http(s) URL without credentials (R40). The error does not
 * repeat the address.
 */
export function destinationUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error("a destination's url must be an http(s) URL");
  if (url.username !== "" || url.password !== "") throw new Error("a destination's url must not hold credentials");
  return url;
}

export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

interface Bounds extends Pick<SendContext, "written"> {
  readonly sentAt: Instant;
  /** How many milliseconds connecting and writing may take. After that the response may take RESPONSE_TIMES as long. */
  readonly timeoutMs: number;
  /** Returns the verdict on a response when more than its status decides; `null` when the status alone decides. */
  readonly judge?: (response: HttpResponse) => Verdict | null;
}

/**
 * Sends the request and returns the verdict on it. The promise never rejects: each failure on the way becomes a
 * verdict.
 */
export async function requestDestination(
  { method, url, headers, body }: Outgoing,
  { sentAt, timeoutMs, judge, written }: Bounds,
): Promise<Verdict> {
  const limit = createSendLimit(timeoutMs);
  const { signal } = limit;
  const follows = followsSoon(url.origin, sentAt);
  const sent = body === undefined || method === "GET" ? null : typeof body === "string" ? Buffer.from(body) : body;
  const isWritten = (): void => {
    limit.extend(RESPONSE_TIMES * timeoutMs);
    written?.();
  };
  try {
    // The response is read uncompressed, because a small compressed one could grow far beyond our limit.
    const response = await fetch(url, {
      method,
      ...(sent !== null && { body: tellingWhenAsked(sent, isWritten) }),
      headers: {
        "user-agent": "rollcall",
        "accept-encoding": "identity",
        ...headers,
        ...(sent !== null && { "content-length": String(sent.length) }),
        // When no request follows, the connection is to be closed. But when the body is a stream, the runtime keeps the
        // connection. So this header asks the receiver to close it.
        ...(!follows && { connection: "close" }),
      },
      redirect: "manual",
      keepalive: follows,
      decompress: false,
      signal,
    });
    const { status } = response;
    const read = { status, headers: response.headers, body: await readStart(response) };
    const verdict =
      tlsWanted(url, read) ?? judge?.(read) ?? verdictOnStatus(status, read.headers.get("retry-after"), sentAt);
    return status === 429 ? withPause(verdict, read.body) : toldOfProxy(verdict, url, status);
  } catch (error) {
    if (limit.isExtended() && isTimeout(error)) return withoutResponse(RESPONSE_TIMES * timeoutMs);
    return { verdict: "retry", answer: failureInWords(error, url) };
  } finally {
    limit.end();
  }
}

/**
 * Makes a time limit: `signal` aborts after these milliseconds. When the request is
 * written, the caller calls `extend`, and a new limit takes the place of the first.
 */
export function createSendLimit(milliseconds: number) {
  const abort = new AbortController();
  let current: AbortSignal | null = null;
  const begin = (time: number): void => {
    const signal = AbortSignal.timeout(time);
    current = signal;
    signal.addEventListener("abort", () => {
      if (signal === current) abort.abort();
    });
  };
  begin(milliseconds);
  let isExtended = false;
  return {
    signal: abort.signal,
    isExtended: () => isExtended,
    extend: (time: number): void => {
      if (isExtended) return;
      isExtended = true;
      begin(time);
    },
    end: (): void => {
      current = null;
    },
  };
}

/**
 * Returns the body as a stream that calls `asked` when the runtime starts to read it. The runtime does so once it is
 * connected, and these few kilobytes are then as good as written.
 */
const tellingWhenAsked = (bytes: Uint8Array<ArrayBuffer>, asked: () => void): ReadableStream =>
  new ReadableStream({
    // With a stream of another type the runtime often closes the connection, which the next message could have used.
    type: "direct",
    pull: (controller) => {
      asked();
      controller.write(bytes);
      controller.close();
    },
  });

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError");

/**
 * If a proxy may have answered in the receiver's place, adds that to the verdict, so that people do not blame the
 * receiver.
 */
function toldOfProxy(verdict: Verdict, url: URL, status: number): Verdict {
  const told = verdict.verdict === "delivered" ? null : proxyStatusInWords(status, url.href, proxies);
  return told === null ? verdict : { ...verdict, answer: `${verdict.answer}, ${told}` };
}

/**
 * Matches the responses (status 400) of nginx, Go's servers (Caddy) and Apache when plain HTTP comes to a port for TLS.
 */
const TLS_PORT =
  /plain HTTP request was sent to HTTPS port|Client sent an HTTP request to an HTTPS server|speaking plain HTTP to an SSL-enabled server port/;

function tlsWanted({ protocol }: URL, { status, body }: HttpResponse): Verdict | null {
  if (protocol !== "http:" || status !== 400 || !TLS_PORT.test(body)) return null;
  return { verdict: "blocked", answer: "HTTP 400 Bad Request: this port wants https:// in the address" };
}

/**
 * Adds to the verdict the pause before the next attempt for which Discord, Telegram, Zulip or Matrix asks in its JSON.
 * The pause may be exact to a millisecond.
 */
function withPause(verdict: Verdict, body: string): Verdict {
  const { parameters, ...facts } = jsonFieldsIn(body);
  const { retry_after: inside } = Object(parameters);
  const waits = [facts["retry_after"], facts["retry-after"], inside, Number(facts["retry_after_ms"]) / SECOND];
  const asked = waits.map((wait) => (typeof wait === "number" ? (retryAfterMs(String(wait), 0) ?? 0) : 0));
  if (verdict.verdict !== "retry") return verdict;
  const afterMs = Math.max(verdict.afterMs ?? 0, ...asked);
  return afterMs === 0 ? verdict : { ...verdict, afterMs };
}

/**
 * Whether we sent a request to this host less than 2 s ago, so that its connection is used again. Alerts are rare, so
 * an older connection is probably dead. But when thousands come at once, a connection for each would take longest.
 */
function followsSoon(host: string, sentAt: Instant): boolean {
  const before = lastSentAt.get(host);
  lastSentAt.set(host, sentAt);
  return before !== undefined && before <= sentAt && sentAt - before < FOLLOWS_WITHIN;
}

/** Returns the first 64 KiB of the body, or less when it breaks off. Of a longer body the rest is not read. */
async function readStart(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    while (reader !== undefined && length < RESPONSE_BYTES) {
      const { value, done } = await reader.read();
      if (done) break;
      pieces.push(value);
      length += value.length;
    }
    reader?.cancel().catch(() => {});
  } catch {
    // A body that breaks off is no failure: the status and what came before decide.
  }
  return Buffer.concat(pieces).toString("utf8", 0, RESPONSE_BYTES);
}

function failureInWords(error: unknown, url: URL): string {
  if (!(error instanceof Error)) return "failed";
  const code = isTimeout(error) ? "ETIMEDOUT" : "code" in error && typeof error.code === "string" ? error.code : "";
  return requestFailureInWords({ code, message: error.message }, url.href, proxies) ?? "connection failed";
}

/** Returns the fields of a JSON object; any other text gives an object without fields. */
export function jsonFieldsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export const jsonObjectsIn = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.map(Object) : [];

/** Returns the value if it is a text, otherwise the empty text: what comes from outside may be of any type. */
export const jsonTextOf = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * Whether the response comes from the receiver, for a receiver whose response may hold anything but a web page. A web
 * page comes from a proxy or the login page of a network.
 */
export const isReceiverResponse = ({ headers, body }: HttpResponse): boolean =>
  !/^text\/html\b/i.test(headers.get("content-type") ?? "") && !body.trimStart().startsWith("<");

// Loads in advance what the runtime would start with the first message: at that time there may be no free file
// descriptor, which would end the process.

/**
 * Starts the runtime's HTTP client and name resolver; resolves when both run. Nothing is sent: no socket exists at the
 * path `nowhere`.
 */
export async function warmUpSending(nowhere: string): Promise<void> {
  const nothing = () => {};
  await Promise.all([
    fetch("https://localhost/", { unix: nowhere }).catch(nothing),
    lookup("localhost").catch(nothing),
  ]);
  // The first time that an error's stack is read, the runtime opens the executable. This makes it do so now.
  void new Error("warm").stack;
}
