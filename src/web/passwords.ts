// Hashing passwords: slow by design, and off the thread that answers requests. Keeps no password.

import { ARGON2ID, spelled } from "../domain/people/sign-in.ts";

/** The argon2id hash in PHC form. Takes some tens of milliseconds. */
export const hashPassword = (password: string): Promise<string> => Bun.password.hash(spelled(password), ARGON2ID);

/** Whether the password is the hash's. False too where the hash cannot be read. Takes as long as `hashPassword`. */
export const isPassword = (password: string, hash: string): Promise<boolean> =>
  Bun.password.verify(spelled(password), hash).catch(() => false);
