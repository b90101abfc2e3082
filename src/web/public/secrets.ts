// What keeps status pages and badges from everybody: a page's token, and an address for each badge that is made from it,
// so that a badge in a public place leads neither to the page nor to another badge.

import { createHash, createHmac, timingSafeEqual } from "node:crypto";

export const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/** Which of these hashes is that of the secret; takes the same time whichever it is, and when it is none. */
export function placeOf(hashes: readonly Buffer[], secret: string): number {
  const wanted = hashOf(secret);
  return hashes.reduce((found, hash, place) => (timingSafeEqual(hash, wanted) ? place : found), -1);
}

const BADGE_LENGTH = 27;

/** `key` null: of the whole application. */
export const badgeName = (token: string, key: string | null): string =>
  createHmac("sha256", token)
    .update(key === null ? "application" : `job ${key}`)
    .digest("base64url")
    .slice(0, BADGE_LENGTH);
