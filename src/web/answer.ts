// What answers of pages share: the headers that keep scripts, frames and caches of others away, and compression.

import { csvOf } from "../domain/csv.ts";

/** No inline script or style runs, so a name that became markup could do nothing. */
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

/** A page belongs to the person who asked: no cache may keep it for another. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** To another page of ours, by GET. `path` begins with one slash. */
export const redirect = (path: string, more: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 303, headers: { ...PAGE_HEADERS, location: path, ...more } });

/** Without it Excel reads a file in the letters of its country, and `ü` as two. */
const BYTE_ORDER_MARK = "\ufeff";

/** A list of ours, to be kept as a file. */
export const csvAnswer = (name: string, rows: readonly object[]): Response =>
  new Response(BYTE_ORDER_MARK + csvOf(rows), {
    headers: {
      ...PAGE_HEADERS,
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${name}.csv"`,
    },
  });

/** The first of these that the browser takes; null: none. */
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

/** Shorter pages gain nothing. */
const WORTH_IT = 1_000;

/** A body for this request, and the headers that say how it is coded. */
export function codedBody(text: string, acceptEncoding: string | null) {
  const coding = text.length < WORTH_IT ? null : codingOf(acceptEncoding, ["zstd", "gzip"]);
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
