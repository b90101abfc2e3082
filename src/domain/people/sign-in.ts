// The rules of signing in: passkeys, passwords, sessions, one-time links, and how often people may try.

import { type Refusal, refuse, refuseField } from "../errors.ts";
import { judgeRate, type RateLimit, type Window } from "../rate-limit.ts";
import { cleanLine } from "../text.ts";
import { DAY, HOUR, type Instant, MINUTE } from "../time.ts";

/** How many passkeys one person may have, more than a person has devices. */
export const PASSKEYS_MAX = 20;
export const CHALLENGE_SPAN = 5 * MINUTE;
/** Within how many milliseconds of signing in a person without a password may add a passkey. */
const FRESH_SPAN = 15 * MINUTE;

const NAME_LENGTH = 60;

/** The passkey's name as people read it; never empty. */
export const passkeyName = (text: string): string => cleanLine(text, NAME_LENGTH) || "Passkey";

/** Where passkeys work. A browser offers a passkey only to the site for which it was made. */
export interface PasskeySite {
  /** The host, which is the id of the relying party. */
  readonly id: string;
  readonly origin: string;
}

/**
 * The site of passkeys. `publicUrl` is where people reach the dashboard, or `null` when it is not known. A refusal says
 * what is missing.
 */
export function passkeySite(publicUrl: string | null): PasskeySite | Refusal {
  if (publicUrl === null)
    return refuse(
      "INVALID_REQUEST",
      "passkeys are off: they need server.public_url, the https address at which people reach these pages",
    );
  const { protocol, hostname, origin } = new URL(publicUrl);
  const isThisMachine = hostname === "localhost" || hostname.endsWith(".localhost");
  if (protocol !== "https:" && !isThisMachine)
    return refuse("INVALID_REQUEST", "passkeys are off: browsers give them to https addresses alone");
  if (isNumeric(hostname))
    return refuse(
      "INVALID_REQUEST",
      "passkeys are off: browsers give them to a host with a name, and server.public_url has a number",
    );
  return { id: hostname, origin };
}

const isNumeric = (hostname: string): boolean => hostname.startsWith("[") || /^[\d.]+$/.test(hostname);

export const isFresh = (signedInAt: Instant, now: Instant): boolean => now < signedInAt + FRESH_SPAN;

// Rules for passwords and their hashes. Hashing takes long by design, so the edges do it (web/passwords.ts).

/**
 * How many code points a password must have. Length is the only rule, because rules about characters lead people to
 * worse passwords.
 */
export const PASSWORD_MIN = 12;
/** How many code points a password may have. A long one takes no longer to hash, but longer to read. */
export const PASSWORD_MAX = 256;

/** The cost of one hash: 19 MiB and two passes, which is the least that OWASP recommends for argon2id. */
export const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

export function checkPassword(password: string): Refusal | null {
  const { length } = [...password.slice(0, 2 * PASSWORD_MAX + 2)];
  if (length < PASSWORD_MIN)
    return refuseField("password", `it is too short, at least ${PASSWORD_MIN} characters are needed`);
  if (length > PASSWORD_MAX)
    return refuseField("password", `it is too long, at most ${PASSWORD_MAX} characters are taken`);
  return password.isWellFormed() ? null : refuseField("password", "it is not Unicode text");
}

/** The password as it is hashed. Keyboards write some letters in more than one way, so it is normalised. */
export const spelled = (password: string): string => password.normalize("NFKC");

/** A hash in PHC form: KiB of memory, passes, lanes, salt, hash. */
const HASH = /^\$argon2id\$v=19\$m=(\d{4,6}),t=(\d),p=([1-4])\$[A-Za-z0-9+/]{16,64}\$[A-Za-z0-9+/]{32,128}$/;
const MEMORY_MAX = 262_144;

/** Refuses a text that is not an argon2id hash, or one that would take too long to compare with. */
export function checkPasswordHash(hash: string): Refusal | null {
  const memory = Number(HASH.exec(hash)?.[1] ?? Number.NaN);
  if (memory >= ARGON2ID.memoryCost && memory <= MEMORY_MAX) return null;
  return refuseField("passwordHash", "it is no argon2id hash of at least 19 MiB and at most 256 MiB");
}

// How long a session and a one-time link last, and the form of their tokens. It knows neither cookies nor hashes.

/** After how many milliseconds without use a session ends. */
export const SESSION_IDLE = 14 * DAY;
/** After how many milliseconds a session ends, even if it is used all the time. */
export const SESSION_MAX = 90 * DAY;
/** How many sessions one person may have, more than a person has devices. The oldest end first. */
export const SESSIONS_MAX = 20;
export const LINK_SPAN = DAY;

type SessionTimes = Readonly<{ createdAt: Instant; usedAt: Instant }>;

export const sessionEnd = ({ createdAt, usedAt }: SessionTimes): Instant =>
  Math.min(usedAt + SESSION_IDLE, createdAt + SESSION_MAX);

export const isSessionLive = (session: SessionTimes, now: Instant): boolean => now < sessionEnd(session);

/** How many characters a token's secret part has. 43 characters out of 62 carry 256 bits. */
const TOKEN_LENGTH = 43;

const TOKEN = /^[0-9A-Za-z]{43}$/;

/** Makes a token. `randomSecret` returns letters from a secure source, 190 bits at a call. */
export const newToken = (randomSecret: () => string): string =>
  (randomSecret() + randomSecret()).slice(0, TOKEN_LENGTH);

/** Whether the text has the form of a token. Any other text need not be looked up. */
export const isToken = (text: string): boolean => TOKEN.test(text);

// How often people may try to sign in, and where a try is counted. A limit for a name alone would let anyone lock its
// owner out; a limit for networks alone would let many networks guess at one name.

/** The counters. A network is what one customer has: a /48 of IPv6, a /24 of IPv4. */
export const COUNTERS = {
  /** Counts all tries from one network. */
  network: [
    { setting: "sign-ins from a network in a minute", most: 10, span: MINUTE },
    { setting: "sign-ins from a network in an hour", most: 60, span: HOUR },
  ],
  /** Counts tries for one name from one network. */
  nameThere: [
    { setting: "sign-ins of a person from a network in ten minutes", most: 10, span: 10 * MINUTE },
    { setting: "sign-ins of a person from a network in a day", most: 100, span: DAY },
  ],
  /**
   * Counts tries for one name from all networks. The limit is too low to guess a password that is in no list, and
   * higher than what one network can use up.
   */
  name: [
    { setting: "sign-ins of a person in an hour", most: 300, span: HOUR },
    { setting: "sign-ins of a person in a day", most: 1_000, span: DAY },
  ],
  /**
   * Counts tries for one person from a browser in which they have signed in before. Tries elsewhere do not count there.
   */
  browser: [
    { setting: "sign-ins of a person from a browser in ten minutes", most: 10, span: 10 * MINUTE },
    { setting: "sign-ins of a person from a browser in a day", most: 100, span: DAY },
  ],
  /** Counts redirects to a provider and passkey challenges that a network begins. */
  beginnings: [
    { setting: "sign-ins begun from a network in a minute", most: 20, span: MINUTE },
    { setting: "sign-ins begun from a network in an hour", most: 200, span: HOUR },
  ],
} as const satisfies Readonly<Record<string, readonly RateLimit[]>>;

export type Counter = keyof typeof COUNTERS;

export const countersOf = (isKnownBrowser: boolean): readonly Counter[] =>
  isKnownBrowser ? ["browser"] : ["network", "nameThere", "name"];

type CountedTries = readonly (readonly [counter: Counter, windows: readonly Window[] | undefined])[];

/** Returns the new counts, or the seconds until a try is accepted. A refused try is not counted. */
export function judgeTry(
  counted: CountedTries,
  now: number,
): { readonly windows: readonly (readonly Window[])[] } | { readonly seconds: number } {
  const windows: (readonly Window[])[] = [];
  let seconds = 0;
  for (const [counter, before] of counted) {
    const verdict = judgeRate(COUNTERS[counter], before, now);
    if (verdict.accepted) windows.push(verdict.windows);
    else seconds = Math.max(seconds, verdict.retryAfterSeconds);
  }
  return seconds > 0 ? { seconds } : { windows };
}
