// A macro that puts the files that browsers load into the executable. It must be imported only `with { type: "macro"
// }`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

/** A file in every coding that browsers accept, as base64. */
export interface EmbeddedAsset {
  /**
   * The name contains a hash of the content. So a changed file has another name, and a browser may keep a file for
   * ever.
   */
  readonly name: string;
  readonly type: string;
  readonly codings: { readonly identity: string; readonly gzip: string; readonly br: string; readonly zstd: string };
}

export const readAssets = () => ({
  script: embedded("rollcall", "js", "text/javascript", bundled("browser/browser-main.ts")),
  worker: embedded("windows", "js", "text/javascript", bundled("browser/worker.ts")),
  /**
   * This script's name never changes: a browser that notifies a person looks under this name for the newest version.
   */
  notifications: bundled("browser/notifications.ts"),
  style: embedded("rollcall", "css", "text/css", bundled("style/style.css")),
});

/** The icons as base64, by their side in pixels: for home screens, and for browsers that ask for `favicon.ico`. */
export const readIcons = (): { readonly [side: string]: string } =>
  Object.fromEntries(
    [32, 180, 512].map((side) => [side, readFileSync(join(import.meta.dir, `icon-${side}.png`)).toString("base64")]),
  );

/**
 * Returns the script or style with all that it imports. The bundler runs in a separate process, because a macro already
 * runs inside a build.
 */
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
