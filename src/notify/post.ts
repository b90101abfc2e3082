// Makes one HTTP request to a configured address, within R40's bounds. Errors of the runtime do not leave this file,
// only our own words do.

import { lookup } from "node:dns/promises";
import { failureOnTheWay, type ProxyEnvironment, statusOnTheWay } from "../domain/proxy.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import { type SendContext, type Verdict, withoutResponse } from "./channel.ts";
import { retryAfterMs, verdictOnStatus } from "./retry.ts";

/** Within how many milliseconds a receiver must be reached and the whole message written (R40). */
export const SEND_TIMEOUT = 15_000;

/** How many times as long the whole response may take, once the message is written. */
export const RESPONSE_TIMES = 4;

/** How many bytes of a response we read (R40). We do not wait for the rest. */
const RESPONSE_BYTES = 64 * 1024;

/** How long a connection is kept for the next message, in milliseconds from one POST to the next at the same host. */
const FOLLOWS_WITHIN = 2 * SECOND;

/** When we sent the last POST to each host. The map stays small, since hosts come from the configuration. */
const lastSentAt = new Map<string, Instant>();

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /**
   * The beginning of the response's body, within R40's bound; it may break off. Never repeat it to a reader: it may
   * hold the address.
   */
  readonly body: string;
}

let proxies: ProxyEnvironment = {};

/**
 * Notes the proxies of the environment, which the runtime uses by itself, so that a proxy's failure is told as the
 * proxy's.
 */
export function knowProxies(environment: ProxyEnvironment): void {
  proxies = environment;
}

/**
 * The address of a destination. It throws, without repeating the address, unless that is http(s) and free of
 * credentials (R40).
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
  /** Limits the connection and the request to these milliseconds; the response may take RESPONSE_TIMES as long. */
  readonly timeoutMs: number;
  /** Gives the verdict when the status is not enough; returns `null` when the status decides. */
  readonly judge?: (response: HttpResponse) => Verdict | null;
}

/** Makes the request once. It never rejects: every failure on the way is a verdict. */
export async function request(
  { method, url, headers, body }: Outgoing,
  { sentAt, timeoutMs, judge, written }: Bounds,
): Promise<Verdict> {
  const limit = createLimit(timeoutMs);
  const { signal } = limit;
  const follows = followsSoon(url.origin, sentAt);
  const sent = body === undefined || method === "GET" ? null : typeof body === "string" ? Buffer.from(body) : body;
  const isWritten = (): void => {
    limit.extend(RESPONSE_TIMES * timeoutMs);
    written?.();
  };
  try {
    // The response is not decompressed, so that 64 KiB stay 64 KiB.
    const response = await fetch(url, {
      method,
      ...(sent !== null && { body: tellingWhenAsked(sent, isWritten) }),
      headers: {
        "user-agent": "rollcall",
        "accept-encoding": "identity",
        ...headers,
        ...(sent !== null && { "content-length": String(sent.length) }),
        // When the body is a stream, the runtime keeps the connection in spite of this header.
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

/** Ends an attempt that takes too long. It may take longer once its request is written. */
export function createLimit(milliseconds: number) {
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
 * The body as a stream. The runtime asks for it once the connection stands: these few kilobytes are then as good as
 * written.
 */
const tellingWhenAsked = (bytes: Uint8Array<ArrayBuffer>, asked: () => void): ReadableStream =>
  new ReadableStream({
    // With a stream of another type the runtime often gives up the connection, which the next message could have used.
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
 * The verdict on a response of a proxy for plain HTTP. It answers in the receiver's place, so its response says nothing
 * about the message.
 */
function toldOfProxy(verdict: Verdict, url: URL, status: number): Verdict {
  const told = verdict.verdict === "delivered" ? null : statusOnTheWay(status, url.href, proxies);
  return told === null ? verdict : { ...verdict, answer: `${verdict.answer}, ${told}` };
}

/**
 * Matches the words with which servers answer plain HTTP at a port for TLS, with a 400: nginx, Go's servers (Caddy),
 * and Apache.
 */
const TLS_PORT =
  /plain HTTP request was sent to HTTPS port|Client sent an HTTP request to an HTTPS server|speaking plain HTTP to an SSL-enabled server port/;

function tlsWanted({ protocol }: URL, { status, body }: HttpResponse): Verdict | null {
  if (protocol !== "http:" || status !== 400 || !TLS_PORT.test(body)) return null;
  return { verdict: "blocked", answer: "HTTP 400 Bad Request: this port wants https:// in the address" };
}

/**
 * Adds the pause that many services give in their JSON, to the millisecond: these are the fields of Discord, Telegram,
 * Zulip and Matrix.
 */
function withPause(verdict: Verdict, body: string): Verdict {
  const { parameters, ...facts } = factsIn(body);
  const { retry_after: inside } = Object(parameters);
  const waits = [facts["retry_after"], facts["retry-after"], inside, Number(facts["retry_after_ms"]) / SECOND];
  const asked = waits.map((wait) => (typeof wait === "number" ? (retryAfterMs(String(wait), 0) ?? 0) : 0));
  if (verdict.verdict !== "retry") return verdict;
  const afterMs = Math.max(verdict.afterMs ?? 0, ...asked);
  return afterMs === 0 ? verdict : { ...verdict, afterMs };
}

/**
 * Whether we posted to this host just before. Alerts are rare, so a connection that is kept since the last one is
 * probably dead; but when thousands come at once, opening a new one for each would take longer than all the rest.
 */
function followsSoon(host: string, sentAt: Instant): boolean {
  const before = lastSentAt.get(host);
  lastSentAt.set(host, sentAt);
  return before !== undefined && before <= sentAt && sentAt - before < FOLLOWS_WITHIN;
}

/**
 * Reads the response within bounds, and ends the connection so that the receiver sees no fault. A body that breaks off
 * is no failure, because the status already counts.
 */
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
    // The rest of the response is not read.
  }
  return Buffer.concat(pieces).toString("utf8", 0, RESPONSE_BYTES);
}

function failureInWords(error: unknown, url: URL): string {
  if (!(error instanceof Error)) return "failed";
  const code = isTimeout(error) ? "ETIMEDOUT" : "code" in error && typeof error.code === "string" ? error.code : "";
  return failureOnTheWay({ code, message: error.message }, url.href, proxies) ?? "connection failed";
}

/** The fields of a JSON object; any other text gives none. */
export function factsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The fields of each object in a list; any other value gives an empty list. */
export const listIn = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.map(Object) : []);

/**
 * The value as a text. Where people write freely a value may be of any type; a value that is no text becomes the empty
 * one.
 */
export const textValue = (value: unknown): string => (typeof value === "string" ? value : "");

/** Whether a response is not a web page, for receivers that may answer anything else, or nothing. */
export const isNoPage = ({ headers, body }: HttpResponse): boolean =>
  !/^text\/html\b/i.test(headers.get("content-type") ?? "") && !body.trimStart().startsWith("<");

// Loads in advance what the runtime would start with the first message: at that time there may be no free descriptor,
// which would end the process.

/** Resolves when all of it runs. No data leave this computer: no socket exists at the path `nowhere`. */
export async function warmUp(nowhere: string): Promise<void> {
  const nothing = () => {};
  await Promise.all([
    fetch("https://localhost/", { unix: nowhere }).catch(nothing),
    lookup("localhost").catch(nothing),
  ]);
  // The runtime reads an error's origin from the executable when it is first asked for one.
  void new Error("warm").stack;
}
