// Secrets that come in headers.

import { createHash, timingSafeEqual } from "node:crypto";

export const bearerIn = (headers: Headers): string =>
  /^bearer +(\S{1,500}) *$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";

/** Takes as long for one wrong secret as for another. */
export function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
