// Decides how often and for how long a delivery is tried (R36). Pure: time and chance are parameters.

import { STATUS_CODES } from "node:http";
import type { Message } from "../domain/message/message.ts";
import { DRILL_PATIENCE } from "../domain/message/test-message.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../domain/time.ts";
import type { Channel, Verdict } from "./channel.ts";

/** The milliseconds to wait after the first failed attempt, the second and so on. Later waits are an hour. */
const STEPS = [
  5 * SECOND,
  15 * SECOND,
  45 * SECOND,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  20 * MINUTE,
  30 * MINUTE,
] as const;

/** Each wait varies at random by up to this share, so that deliveries that failed together are not tried together. */
const SPREAD = 0.2;

const RETRY_AFTER_MAX = HOUR;

/** A test has only one attempt: the person who asked for it waits for the result, so a later one would be useless. */
const PATIENCE_TEST = 0;

/** Returns how many milliseconds after its creation a delivery of this message is given up on this channel. */
export function patienceOf({ patienceMs = DAY }: Pick<Channel, "patienceMs">, message: Message): number {
  if (message.type === "destination.test") return message.data.test.kind === "drill" ? DRILL_PATIENCE : PATIENCE_TEST;
  return patienceMs;
}

/**
 * Returns the milliseconds to wait after a failed attempt. `attempts` is how many attempts came before this one;
 * `random` returns a number of at least 0 and below 1.
 */
export function deliveryBackoff(attempts: number, random: () => number): number {
  return spread(STEPS[attempts] ?? HOUR, random);
}

const spread = (wait: number, random: () => number): number => Math.round(wait * (1 - SPREAD + 2 * SPREAD * random()));

/**
 * What follows from an attempt. With `retry` the delivery is tried again at `at`, and for `holdMs` milliseconds nothing
 * else is sent to its destination.
 */
export type Decision =
  | { readonly decision: "sent" }
  | { readonly decision: "retry"; readonly at: Instant; readonly holdMs: number }
  | { readonly decision: "give_up" };

/**
 * How many milliseconds a failing destination is left alone at most, unless it asks for more. So we soon learn when it
 * works again.
 */
const HOLD_MAX = MINUTE;

/**
 * Returns when a delivery is given up: `patience` milliseconds after `createdAt`, but no sooner than an hour after
 * `steadySince`. A `patience` below an hour takes the place of that hour. `steadySince` is the start of the process or
 * the last time that the clock was set. Before a start nothing was tried, and before the clock was set the delivery's
 * age is not known.
 */
export const sendingGivenUpAt = (createdAt: Instant, patience: number, steadySince: Instant): Instant =>
  Math.max(createdAt + patience, steadySince + Math.min(patience, TRIED_AT_LEAST));

const TRIED_AT_LEAST = HOUR;

export function decideRetry(
  verdict: Verdict,
  attempts: number,
  giveUpAt: Instant,
  now: Instant,
  random: () => number,
): Decision {
  if (verdict.verdict === "delivered") return { decision: "sent" };
  if (verdict.verdict === "hopeless" || verdict.verdict === "rejected") return { decision: "give_up" };
  if (now >= giveUpAt) return { decision: "give_up" };

  if (verdict.verdict === "blocked") {
    const at = Math.min(now + spread(HOUR, random), giveUpAt);
    // The content of this message may be the reason. So the destination is not held, and the next message shows whether
    // the destination takes other messages.
    if (verdict.perhapsContent) return { decision: "retry", at, holdMs: 0 };
    return { decision: "retry", at, holdMs: verdict.recipientOnly ? 0 : Math.min(at - now, HOLD_MAX) };
  }
  // Most receivers have taken a message that was written but got no response. Sending it again soon would show it to
  // people again and again, so the next attempt is an hour later.
  if (verdict.perhapsTaken) {
    const at = now + HOUR + Math.round(SPREAD * HOUR * random());
    return at > giveUpAt ? { decision: "give_up" } : { decision: "retry", at, holdMs: HOLD_MAX };
  }
  const asked = Math.min(verdict.afterMs ?? 0, RETRY_AFTER_MAX);
  const wait = Math.max(deliveryBackoff(attempts, random), asked);
  // The last attempt is made exactly when the patience ends, so that "after 24 hours" means 24 hours.
  const at = Math.min(now + wait, giveUpAt);
  return { decision: "retry", at, holdMs: verdict.recipientOnly ? 0 : Math.min(at - now, Math.max(HOLD_MAX, asked)) };
}

/**
 * Returns the verdict on an HTTP response (R36, R40). `retryAfter` is the header of that name, `sentAt` is when we sent
 * the request. A date in the header is counted from `sentAt`, so we wait some seconds longer than asked, never shorter.
 */
export function verdictOnStatus(status: number, retryAfter: string | null, sentAt: Instant): Verdict {
  const answer = `HTTP ${status} ${STATUS_CODES[status] ?? ""}`.trim();
  if (status >= 200 && status < 300) return { verdict: "delivered", answer };
  if (status === 400 || status === 413 || status === 422) return { verdict: "rejected", answer };
  if (status >= 500 || status === 408 || status === 425 || status === 429) {
    const afterMs = retryAfterMs(retryAfter, sentAt);
    return afterMs === null ? { verdict: "retry", answer } : { verdict: "retry", answer, afterMs };
  }
  // These statuses mean that the configured address or login is wrong.
  if (status < 400 || ABOUT_THE_ADDRESS.has(status)) return { verdict: "blocked", answer };
  // 403, 406 and others can also come from a filter in front of the receiver, which refused the content.
  return { verdict: "blocked", answer, perhapsContent: true };
}

/** Statuses that say: no login or a wrong one, not paid, nothing at this address, or nothing that accepts a POST. */
const ABOUT_THE_ADDRESS: ReadonlySet<number> = new Set([401, 402, 404, 405, 407, 410]);

/**
 * The milliseconds from `now` to what `Retry-After` says: seconds such as `1.5`, or an HTTP date; `null` for anything
 * else.
 */
export function retryAfterMs(header: string | null, now: Instant): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Math.ceil(Number(text) * SECOND);
  if (!/^[A-Z][a-z]{2,8}, .{10,30} GMT$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
