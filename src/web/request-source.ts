// Decides whether a request was sent from a page of ours: browsers say so, and no page of another site can lie about it
// (CSRF).

import { type Refusal, refuse } from "../domain/errors.ts";

type AskedRequest = Pick<Request, "headers" | "url">;

/**
 * Whether a page of ours sent a request that changes something. `isSecure` says that the request came over HTTPS; then
 * a page over plain HTTP is not a page of ours.
 */
export function isFromOurPages({ headers, url }: AskedRequest, isSecure: boolean): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  // Over plain HTTP, browsers send no `sec-fetch-site`, but they send the `origin` header.
  return isOwn({ headers, url }, headers.get("origin"), isSecure);
}

/** Whether a page of ours or the address bar sent a request; `null` when no header says where the request was made. */
export function isAskedByPerson({ headers, url }: AskedRequest, isSecure: boolean): boolean | null {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none";
  const referer = headers.get("referer");
  return referer === null ? null : isOwn({ headers, url }, referer, isSecure);
}

function isOwn(asked: AskedRequest, sent: string | null, isSecure: boolean): boolean {
  const origin = URL.parse(sent ?? "");
  const own = ownAddress(asked, isSecure);
  return origin !== null && own !== null && origin.origin === own.origin;
}

const ownAddress = ({ headers, url }: AskedRequest, isSecure: boolean): URL | null =>
  URL.parse(`${isSecure ? "https" : "http"}://${headers.get("host") ?? new URL(url).host}`);

const FROM_ELSEWHERE = "the form was not sent from a page of this rollcall; nothing was done";

/**
 * The refusal of a request that no page of ours has sent. If the browser names our host with another scheme or port, a
 * proxy has changed the address, and the refusal says how to correct that.
 */
export function notFromOurPages(asked: AskedRequest, isSecure: boolean): Refusal {
  const origin = URL.parse(asked.headers.get("origin") ?? "");
  const own = ownAddress(asked, isSecure);
  const isMangled = origin !== null && own !== null && origin.hostname === own.hostname && origin.origin !== own.origin;
  if (!isMangled) return refuse("ACCESS_DENIED", FROM_ELSEWHERE);
  const remedy =
    origin.protocol === own.protocol
      ? "let the proxy pass on the host with its port (nginx: proxy_set_header Host $http_host)"
      : "let the proxy set X-Forwarded-Proto, and name it in server.trusted_proxies";
  return refuse(
    "ACCESS_DENIED",
    `the browser sent the form from ${origin.origin}, and a proxy asked for ${own.origin}: ${remedy}; nothing was done`,
  );
}
