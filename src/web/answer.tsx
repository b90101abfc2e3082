// A page as an answer: rendered, compressed, and with the headers that keep scripts, frames and caches of others away.

import type { Child } from "hono/jsx";
import { codedBody } from "./coding.ts";

/** No inline script or style runs, so a name that became markup could do nothing. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** A page belongs to the person who asked: no cache may keep it for another. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** `page` is the whole document. */
export function pageAnswer(request: Request, page: Child, status = 200, more: Readonly<Record<string, string>> = {}) {
  const { body, headers } = codedBody(`<!doctype html>${page}`, request.headers.get("accept-encoding"));
  return new Response(body, {
    status,
    headers: { ...PAGE_HEADERS, "content-type": "text/html; charset=utf-8", ...headers, ...more },
  });
}

/** To another page of ours, by GET. `path` begins with one slash. */
export const redirect = (path: string, more: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 303, headers: { ...PAGE_HEADERS, location: path, ...more } });
