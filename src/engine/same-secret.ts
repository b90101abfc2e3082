// Compares secrets that callers give with those that rollcall keeps.

import { timingSafeEqual } from "node:crypto";

/** A wrong secret takes equally long wherever it differs, so that it cannot be guessed piece by piece. */
export const isSameSecret = (given: string, secret: string): boolean => timingSafeEqual(hashOf(given), hashOf(secret));

const hashOf = (secret: string): Uint8Array => Bun.SHA256.hash(secret) as Uint8Array;
