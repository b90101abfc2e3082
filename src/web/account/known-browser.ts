// The mark of a browser in which a person has signed in: it says so to us alone, and lets nobody in. It is made from the hash
// of the person's password, so nothing is stored, and another password makes all browsers strange again.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Known } from "../../engine/people/people.ts";

/** Of letters that a cookie can have. */
const MARK = /^([\w-]{16})\.([\w-]{43})$/;

const signed = (personId: number, passwordHash: string, id: string): Buffer =>
  createHmac("sha256", passwordHash).update(`browser ${id} of person ${personId}`).digest();

const ID_LENGTH = 16;

/** A new one; null: the person has no password, so tries by password are nothing to them. `random`: letters that nobody can guess. */
export function newMark({ id: personId, passwordHash }: Known, random: string): string | null {
  if (passwordHash === null) return null;
  const id = random.slice(0, ID_LENGTH);
  return `${id}.${signed(personId, passwordHash, id).toString("base64url")}`;
}

/** Which browser of the person this is; null: it has no mark of theirs. */
export function markedBrowser({ id: personId, passwordHash }: Known, mark: string | null): string | null {
  const [, id = "", signature = ""] = MARK.exec(mark ?? "") ?? [];
  if (id === "" || passwordHash === null) return null;
  return timingSafeEqual(Buffer.from(signature, "base64url"), signed(personId, passwordHash, id)) ? id : null;
}
