// The files that browsers load beside a page: one script, one style, and the icon in the colour of the headline. Each
// is sent in the best coding that the browser takes.

import { Elysia, NotFoundError } from "elysia";
import { codingOf } from "../answer.ts";
import { readAssets } from "./read-assets.ts" with { type: "macro" };
import type { EmbeddedAsset } from "./read-assets.ts";

const EMBEDDED = readAssets();

const ASSETS: ReadonlyMap<string, EmbeddedAsset> = new Map(Object.values(EMBEDDED).map((asset) => [asset.name, asset]));

/** What all of them begin with. */
export const ASSETS_PATH = "/assets/";

export const SCRIPT_PATH = `/assets/${EMBEDDED.script.name}`;
export const STYLE_PATH = `/assets/${EMBEDDED.style.name}`;

const FOR_EVER = "public, max-age=31536000, immutable";

/** Colours that a tab shows on light and on dark. */
const ICON_COLOURS: Readonly<Record<Tone, string>> = {
  well: "#2f9e5f",
  late: "#c98a16",
  bad: "#d6453d",
  quiet: "#7a8090",
};

export const iconPath = (tone: Tone): string => `/assets/icon-${tone}.svg`;

const icon = (colour: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.5" fill="${colour}"/></svg>`;

const ICONS: ReadonlyMap<string, string> = new Map(
  Object.entries(ICON_COLOURS).map(([tone, colour]) => [`icon-${tone}.svg`, icon(colour)]),
);

/** They tell nothing of this installation, so they need no sign-in. */
export const assetRoutes = new Elysia({ name: "assets" }).get("/assets/:file", ({ params: { file }, request }) => {
  const image = ICONS.get(file);
  if (image !== undefined)
    return new Response(image, {
      headers: { "content-type": "image/svg+xml", "cache-control": "public, max-age=86400" },
    });
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

// How a page is meant: the colour of its headline and of the browser's tab.

/** Nothing to do; something is late or tolerated; something needs a person; nothing can be said. */
export type Tone = "well" | "late" | "bad" | "quiet";
