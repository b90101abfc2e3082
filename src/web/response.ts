// Makes the responses of pages: compressed, and with headers that forbid caching and the scripts and frames of other
// sites.

import { csvOf } from "../domain/csv.ts";

/**
 * The content security policy. No inline script or style runs: if a job's name were ever taken for HTML, it could do
 * nothing.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** The headers of every page. A page belongs to the person who asked for it, so no cache may keep it for another. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** Sends the browser to another page of ours, by GET. `path` begins with one slash. */
export const redirect = (path: string, more: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 303, headers: { ...PAGE_HEADERS, location: path, ...more } });

/**
 * The first character of a CSV file. Without this mark Excel reads the file in the encoding of its country, and shows
 * two letters instead of `ü`.
 */
const BYTE_ORDER_MARK = "\ufeff";

export const csvResponse = (name: string, rows: readonly object[]): Response =>
  new Response(BYTE_ORDER_MARK + csvOf(rows), {
    headers: {
      ...PAGE_HEADERS,
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${name}.csv"`,
    },
  });

/**
 * The first of the offered codings (ways to compress) that the browser accepts; `null` when it accepts none of them.
 */
export function codingOf<Offered extends "br" | "zstd" | "gzip">(
  acceptEncoding: string | null,
  offered: readonly Offered[],
): Offered | null {
  const taken = new Set(
    (acceptEncoding ?? "").split(",").flatMap((part) => {
      const [name = "", quality = ""] = part.split(";");
      return /^\s*q=0(?:\.0*)?\s*$/.test(quality) ? [] : [name.trim().toLowerCase()];
    }),
  );
  return offered.find((coding) => taken.has(coding)) ?? null;
}

/** A page is compressed from this many characters on; a shorter page gains nothing. */
const COMPRESSED_FROM = 1_000;

/** Returns the body, compressed if the browser accepts that, and the headers that say how it is compressed. */
export function codedBody(text: string, acceptEncoding: string | null) {
  const coding = text.length < COMPRESSED_FROM ? null : codingOf(acceptEncoding, ["zstd", "gzip"]);
  const vary = { vary: "accept-encoding" };
  switch (coding) {
    case null:
      return { body: text, headers: vary };
    case "zstd":
      return { body: Bun.zstdCompressSync(text, { level: 3 }), headers: { ...vary, "content-encoding": coding } };
    case "gzip":
      return { body: Bun.gzipSync(text, { level: 5 }), headers: { ...vary, "content-encoding": coding } };
    default:
      return coding satisfies never;
  }
}
