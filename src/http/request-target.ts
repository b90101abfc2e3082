// Splits the target of a request into path and query, and decodes parts of it.

/**
 * The path and query of a request, still encoded: the path with its first slash, the query without its question mark.
 */
export type Target = Readonly<{ path: string; query: string }>;

/** The index in a URL at which its host begins at the earliest: after `http://`. */
const HOST_FROM = 7;

/**
 * Splits a request's URL into path and query. Both are printable ASCII; all other characters in them are
 * percent-encoded.
 */
export function splitRequestTarget(url: string): Target {
  // Without a usable Host header, Bun gives as the URL only the path as it was sent, which may not be encoded yet.
  if (url.startsWith("/")) return splitRequestTarget(new URL(`http://localhost${url}`).href);
  const from = url.indexOf("/", HOST_FROM + 1);
  const mark = url.indexOf("?", from);
  if (mark < 0) return { path: url.slice(from), query: "" };
  return { path: url.slice(from, mark), query: url.slice(mark + 1) };
}

/** Decodes percent-encoding; `null` when an escape is broken or the bytes are not UTF-8. */
export function decodePercentEncoding(encoded: string): string | null {
  if (!encoded.includes("%")) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}
