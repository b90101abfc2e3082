// What a form of ours sent: its fields, counted while they come in.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../domain/errors.ts";
import { readBody } from "../http/api/body.ts";

/** To be used by plugins whose routes take a form: its body is counted where it is read. */
export const FORMS = new Elysia({ name: "forms" }).onParse({ as: "scoped" }, () => null);

export const FORM_BYTES_MAX = 64 * 1024;

/** 413 beyond the limit. */
export async function formOf(request: Request): Promise<URLSearchParams | Refusal> {
  const body = await readBody(request, FORM_BYTES_MAX);
  return isRefusal(body) ? body : new URLSearchParams(Buffer.from(body).toString("utf8"));
}

/** A path of ours to go back to, as a header can have it, and never another site's. */
export function pathBack(path: string | null): string {
  const isOurs = path !== null && /^\/(?![/\\])[^\s\p{Cc}]*$/u.test(path);
  return isOurs ? path.replace(/[^!-~]+/g, encodeURIComponent) : "/";
}

// Whether a request was sent from a page of ours: browsers say so, and no page of another site can lie (CSRF).

type AskedRequest = Pick<Request, "headers" | "url">;

/** Of what changes something. `isSecure`: it came over HTTPS, so a page over plain HTTP is no page of ours. */
export function isFromOurPages({ headers, url }: AskedRequest, isSecure: boolean): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  // Browsers say no more than this over plain HTTP.
  return isOwn({ headers, url }, headers.get("origin"), isSecure);
}

/** For requests that a person may also make in the address bar; null: nothing says where it was made. */
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

/** Where the browser names the host that we were asked for, a proxy has lost the rest of the address. */
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
