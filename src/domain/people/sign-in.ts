// The rules of signing in: passkeys, passwords, sessions, one-time links, and how often people may try.

import { type Refusal, refuse, refuseField } from "../errors.ts";
import { judgeRate, type RateLimit, type Window } from "../rate-limit.ts";
import { cleanLine } from "../text.ts";
import { DAY, HOUR, type Instant, MINUTE } from "../time.ts";

/** How many passkeys one person may have. It is more than a person has devices. */
export const PASSKEYS_MAX = 20;
export const CHALLENGE_SPAN = 5 * MINUTE;
/** For how many milliseconds after signing in a person without a password may add a passkey. */
const FRESH_SPAN = 15 * MINUTE;

const NAME_LENGTH = 60;

/** The name of a passkey, cleaned for display. Without a usable name it is "Passkey". */
export const passkeyName = (text: string): string => cleanLine(text, NAME_LENGTH) || "Passkey";

/** The site for which passkeys are made. A browser offers a passkey only to the site that made it. */
export interface PasskeySite {
  /** The host name of the site, which WebAuthn calls the id of the relying party. */
  readonly id: string;
  readonly origin: string;
}

/** The site for passkeys at the address of the pages (`null` when unknown), or a refusal that says what is missing. */
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

export const isFreshSignIn = (signedInAt: Instant, now: Instant): boolean => now < signedInAt + FRESH_SPAN;

// Rules for passwords and their hashes. Hashing takes long on purpose, so web/account/passwords.ts does it, outside the
// domain.

/**
 * The shortest password, in characters. Length is the only rule, because rules about kinds of characters lead people to
 * worse passwords.
 */
export const PASSWORD_MIN = 12;
/** The longest password, in characters. Hashing a long password costs nothing more, but reading it does. */
export const PASSWORD_MAX = 256;

/** What one hash costs: 19 MiB of memory and two passes. OWASP recommends at least that for argon2id. */
export const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

export function checkPassword(password: string): Refusal | null {
  const { length } = [...password.slice(0, 2 * PASSWORD_MAX + 2)];
  if (length < PASSWORD_MIN)
    return refuseField("password", `it is too short, at least ${PASSWORD_MIN} characters are needed`);
  if (length > PASSWORD_MAX)
    return refuseField("password", `it is too long, at most ${PASSWORD_MAX} characters are taken`);
  return password.isWellFormed() ? null : refuseField("password", "it is not Unicode text");
}

/** The password in the form that is hashed. Keyboards encode some letters in several ways, which this makes equal. */
export const normalizedPassword = (password: string): string => password.normalize("NFKC");

/** The form of a stored hash: memory in KiB, passes, lanes, salt and hash. */
const HASH = /^\$argon2id\$v=19\$m=(\d{4,6}),t=(\d),p=([1-4])\$[A-Za-z0-9+/]{16,64}\$[A-Za-z0-9+/]{32,128}$/;
const MEMORY_MAX = 262_144;

/** Refuses a text that is no argon2id hash, and a hash that costs too little or takes too long to check. */
export function checkPasswordHash(hash: string): Refusal | null {
  const memory = Number(HASH.exec(hash)?.[1] ?? Number.NaN);
  if (memory >= ARGON2ID.memoryCost && memory <= MEMORY_MAX) return null;
  return refuseField("passwordHash", "it is no argon2id hash of at least 19 MiB and at most 256 MiB");
}

// How long a session and a one-time link last, and which form their secret tokens have.

/** A session ends after this many milliseconds without use. */
export const SESSION_IDLE = 14 * DAY;
/** A session ends after this many milliseconds, even if it is used all the time. */
export const SESSION_MAX = 90 * DAY;
/** How many sessions one person may have. It is more than a person has devices. When there are more, the oldest end. */
export const SESSIONS_MAX = 20;
export const LINK_SPAN = DAY;

type SessionTimes = Readonly<{ createdAt: Instant; usedAt: Instant }>;

export const sessionEnd = ({ createdAt, usedAt }: SessionTimes): Instant =>
  Math.min(usedAt + SESSION_IDLE, createdAt + SESSION_MAX);

export const isSessionLive = (session: SessionTimes, now: Instant): boolean => now < sessionEnd(session);

/** The length of a token, in characters. With 62 possible characters, 43 of them carry 256 bits. */
const TOKEN_LENGTH = 43;

const TOKEN = /^[0-9A-Za-z]{43}$/;

/** Makes a token. `randomSecret` returns letters and digits from a secure source, which carry 190 bits at each call. */
export const newSignInToken = (randomSecret: () => string): string =>
  (randomSecret() + randomSecret()).slice(0, TOKEN_LENGTH);

/** Whether the text has the form of a token. Any other text is refused without looking it up. */
export const isSignInToken = (text: string): boolean => TOKEN.test(text);

// How often people may try to sign in, and which counters count a try. If only tries for a name were limited, anyone
// could lock that person out. If only tries from a network were, many networks could guess one person's password.

/** The counters and their limits. A network is what one customer of a provider has: a /24 of IPv4, a /48 of IPv6. */
export const COUNTERS = {
  network: [
    { setting: "sign-ins from a network in a minute", most: 10, span: MINUTE },
    { setting: "sign-ins from a network in an hour", most: 60, span: HOUR },
  ],
  nameThere: [
    { setting: "sign-ins of a person from a network in ten minutes", most: 10, span: 10 * MINUTE },
    { setting: "sign-ins of a person from a network in a day", most: 100, span: DAY },
  ],
  /**
   * Counts tries for one name from all networks. The limit is higher than what one network may use up, and too low to
   * guess a good password.
   */
  name: [
    { setting: "sign-ins of a person in an hour", most: 300, span: HOUR },
    { setting: "sign-ins of a person in a day", most: 1_000, span: DAY },
  ],
  /**
   * Counts tries for one person from a browser in which this person has signed in before. Tries from other places do
   * not count here, so they cannot lock the person out.
   */
  browser: [
    { setting: "sign-ins of a person from a browser in ten minutes", most: 10, span: 10 * MINUTE },
    { setting: "sign-ins of a person from a browser in a day", most: 100, span: DAY },
  ],
  /** Counts how often a network begins to sign in by a provider or by a passkey. */
  beginnings: [
    { setting: "sign-ins begun from a network in a minute", most: 20, span: MINUTE },
    { setting: "sign-ins begun from a network in an hour", most: 200, span: HOUR },
  ],
} as const satisfies Readonly<Record<string, readonly RateLimit[]>>;

export type Counter = keyof typeof COUNTERS;

export const countersOf = (isKnownBrowser: boolean): readonly Counter[] =>
  isKnownBrowser ? ["browser"] : ["network", "nameThere", "name"];

type CountedTries = readonly (readonly [counter: Counter, windows: readonly Window[] | undefined])[];

/** Returns the counters with this try. If one is at its limit, counts nothing and returns the seconds to wait. */
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
