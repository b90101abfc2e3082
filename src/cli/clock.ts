// Reads the time, waits, and draws random numbers. Other files get these as parameters, so that tests can set the time.
// Only `AbortSignal.timeout` is used elsewhere too, and the browser's scripts use the browser's clock.

import { SECRET_LENGTH } from "../domain/api-key.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { Clock } from "../engine/api.ts";

export const systemClock: Clock = { now: (): Instant => Date.now(), monotonic: () => performance.now() };

/** The longest time in milliseconds that one timer can wait; the runtime would fire a longer one at once. */
const TIMER_MAX = 2 ** 31 - 1;

/** Calls `run` once after this number of milliseconds, however large. The function that it returns cancels the call. */
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
 * Each second `run` is called this many milliseconds after the second has begun. A timer may fire a millisecond early,
 * and would then fall into the second before.
 */
const INTO_THE_SECOND = 5;

/**
 * Calls `run` just after the start of each second, because deadlines are whole seconds. The function that it returns
 * stops the calls.
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

/**
 * Returns a random number of at least 0 and below 1, for spreading retries over time. It is not secure: never make a
 * secret from it.
 */
export const randomFraction = (): number => Math.random();

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Makes the secret part of an API key: 32 base62 characters (R2). */
export const randomSecret = (): string => drawn(BASE62, SECRET_LENGTH);

/**
 * Letters and digits that a person can type from a screen into a phone. `l`, `1`, `o` and `0` are left out, because
 * they look alike.
 */
const EASY_TO_TYPE = "abcdefghjkmnpqrstuvwxyz23456789";

/**
 * Makes a topic for ntfy with 49 random bits. Everyone who knows a topic can read its alerts, so it must be hard to
 * guess.
 */
export const randomTopic = (): string => `rollcall-${drawn(EASY_TO_TYPE, 5)}-${drawn(EASY_TO_TYPE, 5)}`;

/**
 * Returns `length` random characters of the alphabet from the system's secure source; each character is equally likely.
 */
function drawn(alphabet: string, length: number): string {
  /**
   * The largest multiple of the alphabet's length that is at most 256. Bytes from here on are thrown away, because with
   * them the first letters of the alphabet would be drawn more often.
   */
  const limit = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    const fair = crypto.getRandomValues(new Uint8Array(length)).filter((byte) => byte < limit);
    text += Array.from(fair, (byte) => alphabet[byte % alphabet.length]).join("");
  }
  return text.slice(0, length);
}
