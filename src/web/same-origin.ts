// Whether a form was sent from a page of ours: a browser says so, and no page of another site can make it lie (CSRF).

/** For requests that change something. `isSecure`: it came over HTTPS, so a page that came over plain HTTP is no page of ours. */
export function isFromOurPages({ headers, url }: Pick<Request, "headers" | "url">, isSecure: boolean): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  // Browsers say no more than this over plain HTTP.
  const origin = URL.parse(headers.get("origin") ?? "");
  const own = URL.parse(`${isSecure ? "https" : "http"}://${headers.get("host") ?? new URL(url).host}`);
  return origin !== null && own !== null && origin.origin === own.origin;
}
