// Which compression a browser takes, and a page in it.

type Coding = "br" | "zstd" | "gzip";

/** The first of these that the browser takes; null: none. */
export function codingOf<Offered extends Coding>(
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
