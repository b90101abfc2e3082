// What everybody may have: an answer that caches keep for a moment and ask for again by its tag. It sets no cookie, runs
// nothing, and stands in no frame.

import { codedBody } from "../coding.ts";

/** Text that was made once for all who ask. */
export interface Made {
  readonly text: string;
  readonly type: string;
  readonly tag: string;
}

export const made = (text: string, type: string): Made => ({ text, type, tag: `W/"${Bun.hash(text).toString(36)}"` });

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow",
  "cross-origin-opener-policy": "same-origin",
};

/** `seconds`: how long a cache may keep it. `for`: a picture and what programs read may be shown by other sites. */
export function publicAnswer(
  request: Request,
  { text, type, tag }: Made,
  { seconds, isForOtherSites }: { readonly seconds: number; readonly isForOtherSites: boolean },
): Response {
  const common = {
    ...HEADERS,
    "cache-control": `public, max-age=${seconds}`,
    "cross-origin-resource-policy": isForOtherSites ? "cross-origin" : "same-origin",
    ...(isForOtherSites ? { "access-control-allow-origin": "*" } : {}),
    etag: tag,
    vary: "accept-encoding",
  };
  if (isKnown(request.headers.get("if-none-match"), tag)) return new Response(null, { status: 304, headers: common });
  const { body, headers } = codedBody(text, request.headers.get("accept-encoding"));
  return new Response(body, { headers: { ...common, "content-type": type, ...headers } });
}

const isKnown = (tags: string | null, tag: string): boolean =>
  tags !== null && tags.length < 1_000 && tags.split(",").some((one) => one.trim() === tag || one.trim() === "*");

export const tooMany = (seconds: number): Response =>
  new Response("too many requests from here; try again later\n", {
    status: 429,
    headers: { ...HEADERS, "content-type": "text/plain; charset=utf-8", "retry-after": String(seconds) },
  });
