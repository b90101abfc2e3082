// The one file that reads the time, waits, and draws random numbers, so that tests can set the time.

import { SECRET_LENGTH } from "../domain/api-key.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { Clock } from "../engine/api.ts";

export const systemClock: Clock = { now: (): Instant => Date.now(), monotonic: () => performance.now() };

/** The longest wait of a timer, in milliseconds; a longer one would fire at once. */
const TIMER_MAX = 2 ** 31 - 1;

/** Calls `run` once, after any number of milliseconds; the returned function cancels it. */
export function after(milliseconds: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = (left: number): void => {
    const next = () => (left > TIMER_MAX ? wait(left - TIMER_MAX) : run());
    timer = setTimeout(next, Math.min(left, TIMER_MAX));
  };
  wait(milliseconds);
  return () => clearTimeout(timer);
}

export const holdStill = (milliseconds: number): void => Bun.sleepSync(milliseconds);

/**
 * How far into the second `run` is called, in milliseconds: a timer may come a millisecond early by the wall clock, in
 * the second before.
 */
const INTO_THE_SECOND = 5;

/**
 * Calls `run` just after each second has begun, because deadlines are whole seconds. The returned function stops it.
 */
export function everySecond(run: () => void): () => void {
  let cancel = () => {};
  const wait = (): void => {
    const sinceBegun = (systemClock.now() - INTO_THE_SECOND) % SECOND;
    cancel = after(SECOND - sinceBegun, () => {
      wait();
      run();
    });
  };
  wait();
  return () => cancel();
}

export const randomId = (): string => crypto.randomUUID();

/** A number of at least 0 and below 1, for spreading retries. Never make a secret from it. */
export const randomFraction = (): number => Math.random();

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The secret part of an API key: 32 base62 characters (R2). */
export const randomSecret = (): string => drawn(BASE62, SECRET_LENGTH);

/** The letters and digits that a person can type into a phone from a screen without mistaking one for another. */
const EASY_TO_TYPE = "abcdefghjkmnpqrstuvwxyz23456789";

/** A topic with 49 random bits, because everyone who knows a topic can read its alerts. */
export const randomTopic = (): string => `rollcall-${drawn(EASY_TO_TYPE, 5)}-${drawn(EASY_TO_TYPE, 5)}`;

/** Draws `length` characters from the system's secure source; each character is equally likely. */
function drawn(alphabet: string, length: number): string {
  /**
   * The largest multiple of the alphabet's length that fits into a byte. Bytes from here on are drawn again, so that
   * chances are equal.
   */
  const limit = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    const fair = crypto.getRandomValues(new Uint8Array(length)).filter((byte) => byte < limit);
    text += Array.from(fair, (byte) => alphabet[byte % alphabet.length]).join("");
  }
  return text.slice(0, length);
}
