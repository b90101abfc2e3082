// One HTTP request to a configured address, within R40's bounds. The address is a secret, and the texts of `fetch` and
// the receiver may contain it: only our own words leave this file.

import { connectionFailure } from "../domain/connection-failure.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { ClaimedDelivery } from "../engine/api.ts";
import type { Channel, SendContext, Verdict } from "./channel.ts";
import { verdictOnStatus } from "./retry.ts";

/** R40: the limit for the whole exchange, including the answer. Milliseconds. */
export const SEND_TIMEOUT = 15_000;

/** R40: how much of an answer we read; we do not wait for the rest. */
const ANSWER_BYTES = 64 * 1024;

/** How long a connection is kept for the next message. Milliseconds from one POST to the next at the same host. */
const FOLLOWS_WITHIN = 2 * SECOND;

/** When we sent the last POST to each host: a few hosts, since they come from the configuration. */
const lastSentAt = new Map<string, Instant>();

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly sentAt: Instant;
  readonly timeoutMs: number;
  /** The verdict when the status is not enough; null: the status decides. */
  readonly judge?: (answer: HttpAnswer, sentAt: Instant) => Verdict | null;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Its beginning, within R40's bound; may break off. Never repeat it: it may hold the address. */
  readonly body: string;
}

/** The address of a destination. Throws, without repeating it, unless it is http(s) and free of credentials (R40). */
export function destinationUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error("a destination's url must be an http(s) URL");
  if (url.username !== "" || url.password !== "") throw new Error("a destination's url must not hold credentials");
  return url;
}

/** Posts once. Never rejects: every failure on the way is a verdict. */
export const post = ({ headers, body, ...bounds }: Post): Promise<Verdict> =>
  request({ method: "POST", headers, body }, bounds);

interface Posting extends Pick<Post, "url" | "timeoutMs" | "judge"> {
  readonly headers?: Post["headers"];
}

/** How a channel sends that posts JSON to one address. */
export const postsJson =
  ({ headers, ...to }: Posting, bodyOf: (delivery: ClaimedDelivery, context: SendContext) => string): Channel["send"] =>
  async (delivery, context) =>
    post({
      ...to,
      headers: { "content-type": "application/json", ...headers },
      body: bodyOf(delivery, context),
      sentAt: context.sentAt,
    });

/** What a channel needs whose receiver gave us one address for all. */
export interface AddressOf<Type extends string> {
  readonly type: Type;
  readonly url: string;
}

/**
 * Of a good status without the receiver's own confirmation: something in between answered, such as a proxy or a
 * network's login page, and that passes. Null: the status decides.
 */
export const unlessConfirmed = ({ status }: HttpAnswer, isConfirmed: boolean, but: string): Verdict | null =>
  status < 200 || status >= 300 || isConfirmed ? null : { verdict: "retry", answer: `HTTP ${status}, but ${but}` };

/** Asks once, with GET; otherwise the same. */
export const get = (bounds: Pick<Post, "url" | "sentAt" | "timeoutMs">): Promise<Verdict> =>
  request({ method: "GET" }, bounds);

async function request(
  { headers, ...asked }: { readonly method: string; readonly body?: string; readonly headers?: Post["headers"] },
  { url, sentAt, timeoutMs, judge }: Omit<Post, "headers" | "body">,
): Promise<Verdict> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    // Not decompressed, so that 64 KiB stay 64 KiB.
    const response = await fetch(url, {
      ...asked,
      headers: { "user-agent": "rollcall", "accept-encoding": "identity", ...headers },
      redirect: "manual",
      keepalive: followsSoon(url.origin, sentAt),
      decompress: false,
      signal,
    });
    const { status, headers: answered } = response;
    const answer = { status, headers: answered, body: await readStart(response) };
    return judge?.(answer, sentAt) ?? verdictOnStatus(status, answered.get("retry-after"), sentAt);
  } catch (error) {
    return { verdict: "retry", answer: failureInWords(error) };
  }
}

/**
 * Whether we posted to this host just before. Alerts are rare, so a connection kept since the last one is probably
 * dead; but when thousands come at once, opening a new one for each would take longer than all the rest.
 */
function followsSoon(host: string, sentAt: Instant): boolean {
  const before = lastSentAt.get(host);
  lastSentAt.set(host, sentAt);
  return before !== undefined && before <= sentAt && sentAt - before < FOLLOWS_WITHIN;
}

/** Within bounds, so that hanging up looks like no fault there. The status counts already: a body may break off. */
async function readStart(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    while (reader !== undefined && length < ANSWER_BYTES) {
      const { value, done } = await reader.read();
      if (done) break;
      pieces.push(value);
      length += value.length;
    }
    reader?.cancel().catch(() => {});
  } catch {
    // We read no more than this.
  }
  return Buffer.concat(pieces).toString("utf8", 0, ANSWER_BYTES);
}

function failureInWords(error: unknown): string {
  if (!(error instanceof Error)) return "failed";
  if (error.name === "TimeoutError" || error.name === "AbortError") return "timed out";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return connectionFailure(code) ?? "connection failed";
}

/** The fields of a JSON object; any other text has none. */
export function factsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
