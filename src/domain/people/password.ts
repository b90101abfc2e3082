// Rules for passwords, and the form in which one is kept. Hashing takes long by design, so the edges do it
// (web/passwords.ts); nothing here sees time or randomness.

import { type Refusal, refuse } from "../errors.ts";

/** In code points. Length is the one rule: rules about characters make people choose worse ones. */
export const PASSWORD_MIN = 12;
/** Hashing takes no longer for a long one, but reading does. */
export const PASSWORD_MAX = 256;

/** What one hash costs: 19 MiB and two passes, the least that is recommended for argon2id (OWASP). */
export const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

export function checkPassword(password: string): Refusal | null {
  const { length } = [...password.slice(0, 2 * PASSWORD_MAX + 2)];
  if (length < PASSWORD_MIN)
    return refuse("INVALID_REQUEST", `password: it is too short, at least ${PASSWORD_MIN} characters are needed`);
  if (length > PASSWORD_MAX)
    return refuse("INVALID_REQUEST", `password: it is too long, at most ${PASSWORD_MAX} characters are taken`);
  return password.isWellFormed() ? null : refuse("INVALID_REQUEST", "password: it is not Unicode text");
}

/** As it is hashed: keyboards write some letters in more than one way. */
export const spelled = (password: string): string => password.normalize("NFKC");

/** In PHC form; KiB of memory, passes, lanes, salt, hash. */
const HASH = /^\$argon2id\$v=19\$m=(\d{4,6}),t=(\d),p=([1-4])\$[A-Za-z0-9+/]{16,64}\$[A-Za-z0-9+/]{32,128}$/;
const MEMORY_MAX = 262_144;

/** Refuses what is no argon2id hash, or one that would take too long to compare with. */
export function checkPasswordHash(hash: string): Refusal | null {
  const memory = Number(HASH.exec(hash)?.[1] ?? Number.NaN);
  if (memory >= ARGON2ID.memoryCost && memory <= MEMORY_MAX) return null;
  return refuse("INVALID_REQUEST", "passwordHash: it is no argon2id hash of at least 19 MiB and at most 256 MiB");
}
