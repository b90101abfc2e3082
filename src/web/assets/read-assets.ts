// A macro: runs when the program is transpiled or compiled, and puts the files that browsers load into the code, ready
// to be sent. Import it only `with { type: "macro" }`; at run time there is no folder to read.

import { join } from "node:path";
import { brotliCompressSync, constants, crc32, deflateSync } from "node:zlib";

/** A file in every coding that browsers take, as base64. */
export interface EmbeddedAsset {
  /** With a hash of its content, so that it may be kept for ever. */
  readonly name: string;
  readonly type: string;
  readonly codings: { readonly identity: string; readonly gzip: string; readonly br: string; readonly zstd: string };
}

export const readAssets = () => ({
  script: embedded("rollcall", "js", "text/javascript", bundled("browser/main.ts")),
  worker: embedded("windows", "js", "text/javascript", bundled("browser/worker.ts")),
  style: embedded("rollcall", "css", "text/css", bundled("style/style.css")),
});

/** As base64, by their side in pixels: for home screens, and for browsers that ask for `favicon.ico`. */
export const drawIcons = (): { readonly [side: string]: string } =>
  Object.fromEntries([32, 180, 512].map((side) => [side, pngOf(side).toString("base64")]));

const MARK = [0x3b, 0x62, 0xc4];
/** The ends of the two strokes of a tick, of a side of 1. */
const STROKES = [
  [0.28, 0.53, 0.44, 0.68],
  [0.44, 0.68, 0.73, 0.35],
] as const;
const THICK = 0.055;

/** A white tick on the mark's colour. */
function pngOf(side: number): Buffer {
  const rows = Array.from({ length: side }, (_, y) => [
    0,
    ...Array.from({ length: side }, (_, x) => {
      const white = Math.max(...STROKES.map((stroke) => coveredBy(stroke, (x + 0.5) / side, (y + 0.5) / side, side)));
      return MARK.map((part) => Math.round(part + (255 - part) * white));
    }).flat(),
  ]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2], 8);
  const pixels = deflateSync(Buffer.from(rows.flat()), { level: 9 });
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

/** How much of a pixel a stroke with round ends covers. */
function coveredBy([ax, ay, bx, by]: (typeof STROKES)[number], x: number, y: number, side: number): number {
  const [wide, high] = [bx - ax, by - ay];
  const along = Math.min(1, Math.max(0, ((x - ax) * wide + (y - ay) * high) / (wide ** 2 + high ** 2)));
  const distance = Math.hypot(x - ax - along * wide, y - ay - along * high);
  return Math.min(1, Math.max(0, (THICK - distance) * side + 0.5));
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

/** The file with what it imports. In a process of its own, because a macro runs inside a build. */
function bundled(file: string): string {
  const command = [process.execPath, "build", "--target=browser", "--minify", join(import.meta.dir, file)];
  const { stdout, stderr, success } = Bun.spawnSync(command, { cwd: import.meta.dir });
  if (!success) throw new Error(`${file} cannot be bundled: ${stderr}`);
  return stdout.toString();
}

function embedded(stem: string, ending: string, type: string, text: string): EmbeddedAsset {
  const bytes = Buffer.from(text);
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 12);
  const br = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } });
  const base64 = (coded: Uint8Array): string => Buffer.from(coded).toString("base64");
  return {
    name: `${stem}-${hash}.${ending}`,
    type: `${type}; charset=utf-8`,
    codings: {
      identity: base64(bytes),
      gzip: base64(Bun.gzipSync(bytes, { level: 9 })),
      br: base64(br),
      zstd: base64(Bun.zstdCompressSync(bytes, { level: 19 })),
    },
  };
}
