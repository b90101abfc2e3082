// Hashes passwords: slowly by design, and off the thread that answers requests. Stores no password.

import { ARGON2ID, normalizedPassword } from "../../domain/people/sign-in.ts";

/** Returns the argon2id hash in PHC form. Hashing takes some tens of milliseconds. */
export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(normalizedPassword(password), ARGON2ID);

/**
 * Returns whether the hash is that of the password; `false` also when the hash cannot be read. The check takes as long
 * as `hashPassword`.
 */
export const isPassword = (password: string, hash: string): Promise<boolean> =>
  Bun.password.verify(normalizedPassword(password), hash).catch(() => false);
