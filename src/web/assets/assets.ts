// Serves the files that pages load: style, scripts and icons, each in the best coding that the browser accepts.

import { Elysia, NotFoundError } from "elysia";
import { codingOf } from "../response.ts";
import { readAssets, readIcons } from "./read-assets.ts" with { type: "macro" };
import type { EmbeddedAsset } from "./read-assets.ts";

const EMBEDDED = readAssets();
const DRAWN = readIcons();

const ASSETS: ReadonlyMap<string, EmbeddedAsset> = new Map(
  [EMBEDDED.script, EMBEDDED.worker, EMBEDDED.style].map((asset) => [asset.name, asset]),
);

export const ASSETS_PATH = "/assets/";

export const SCRIPT_PATH = `/assets/${EMBEDDED.script.name}`;
export const WORKER_PATH = `/assets/${EMBEDDED.worker.name}`;
export const STYLE_PATH = `/assets/${EMBEDDED.style.name}`;

const FOR_EVER = "public, max-age=31536000, immutable";

const ICON_COLOURS: Readonly<Record<Tone, string>> = {
  well: "#2f9e5f",
  late: "#c98a16",
  bad: "#d6453d",
  quiet: "#7a8090",
};

export const iconPath = (tone: Tone): string => `/assets/icon-${tone}.svg`;

/**
 * The shapes in the icon, because colour alone does not tell states to everyone: a tick, a clock, a cross, and no shape
 * when the state is unknown.
 */
const ICON_SHAPES: Readonly<Record<Tone, string>> = {
  well: "M4.7 8.4l2.3 2.3 4.4-5",
  late: "M8 4.4V8l2.6 1.7",
  bad: "M5.4 5.4l5.2 5.2m0-5.2l-5.2 5.2",
  quiet: "",
};

const iconOf = (tone: Tone): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7.5" fill="${ICON_COLOURS[tone]}"/>` +
  `<path d="${ICON_SHAPES[tone]}" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>`;

export const TONES = Object.keys(ICON_COLOURS) as Tone[];

export const MANIFEST_PATH = "/assets/manifest.json";
export const TOUCH_ICON_PATH = "/assets/icon-180.png";

const MANIFEST = JSON.stringify({
  name: "rollcall",
  start_url: "/",
  display: "standalone",
  background_color: "#fbfcfd",
  icons: [180, 512].map((side) => ({
    src: `/assets/icon-${side}.png`,
    sizes: `${side}x${side}`,
    type: "image/png",
    purpose: "any maskable",
  })),
});

type SmallFile = Readonly<{ type: string; body: string | Buffer<ArrayBuffer> }>;

const FILES: ReadonlyMap<string, SmallFile> = new Map<string, SmallFile>([
  ...TONES.map((tone) => [`icon-${tone}.svg`, { type: "image/svg+xml", body: iconOf(tone) }] as const),
  ...Object.entries(DRAWN).map(
    ([side, png]) => [`icon-${side}.png`, { type: "image/png", body: Buffer.from(png, "base64") }] as const,
  ),
  ["notifications.js", { type: "text/javascript", body: EMBEDDED.notifications }],
  ["manifest.json", { type: "application/manifest+json", body: MANIFEST }],
]);

function small({ type, body }: SmallFile): Response {
  return new Response(body, {
    headers: {
      "content-type": type,
      "cache-control": "public, max-age=86400",
      "x-content-type-options": "nosniff",
      "service-worker-allowed": "/",
    },
  });
}

/** The routes of the files that pages load. The files say nothing about this installation, so they need no sign-in. */
export const assetRoutes = new Elysia({ name: "assets" })
  // The file is a PNG, which browsers accept under this name.
  .get("/favicon.ico", () => small(FILES.get("icon-32.png")!))
  .get("/assets/:file", ({ params: { file }, request }) => {
    const found = FILES.get(file);
    if (found !== undefined) return small(found);
    const asset = ASSETS.get(file);
    if (asset === undefined) throw new NotFoundError();
    const coding = codingOf(request.headers.get("accept-encoding"), ["br", "zstd", "gzip"]);
    return new Response(bytesOf(asset, coding), {
      headers: {
        "content-type": asset.type,
        "cache-control": FOR_EVER,
        vary: "accept-encoding",
        "x-content-type-options": "nosniff",
        ...(coding === null ? {} : { "content-encoding": coding }),
      },
    });
  });

const bytesOf = ({ codings }: EmbeddedAsset, coding: Exclude<keyof EmbeddedAsset["codings"], "identity"> | null) =>
  Buffer.from(codings[coding ?? "identity"], "base64");

/**
 * How good or bad a state is. `well`: nothing to do; `late`: something is late or tolerated; `bad`: something needs a
 * person; `quiet`: the state is unknown, or says nothing good or bad.
 */
export type Tone = "well" | "late" | "bad" | "quiet";
