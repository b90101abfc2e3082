// Compares secrets that callers give with those that rollcall keeps.

import { timingSafeEqual } from "node:crypto";

/**
 * The comparison takes equally long wherever a wrong secret differs, so that a secret cannot be guessed piece by piece.
 */
export const isSameSecret = (given: string, secret: string): boolean => timingSafeEqual(hashOf(given), hashOf(secret));

const hashOf = (secret: string): Uint8Array => Bun.SHA256.hash(secret) as Uint8Array;
