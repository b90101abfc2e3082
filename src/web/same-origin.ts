// Whether a form was sent from a page of ours: a browser says so, and no page of another site can make it lie (CSRF).

/** For requests that change something. */
export function isFromOurPages({ headers, url }: Pick<Request, "headers" | "url">): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  // Browsers say no more than this over plain HTTP.
  const origin = headers.get("origin");
  return origin !== null && URL.canParse(origin) && new URL(origin).host === (headers.get("host") ?? new URL(url).host);
}
