// What every page stands in: the head, the bar with the places to go, and the page's own content.

import type { PropsWithChildren } from "hono/jsx";
import { iconPath, SCRIPT_PATH, STYLE_PATH, type Tone } from "./assets/assets.ts";
import type { Look } from "./look.ts";
import { Bar, Help } from "./parts/bar.tsx";
import { Sprite } from "./parts/shapes.tsx";
import type { Viewer } from "./viewer.ts";

/** What a page's frame depends on. */
export interface Frame {
  readonly title: string;
  readonly tone: Tone;
  /** Null: nobody has signed in, and the bar leads nowhere. */
  readonly viewer: Viewer | null;
  readonly look: Look;
  /** The path of the page, for the place it has in the bar. */
  readonly path: string;
}

/** A menu that somebody has opened stays open when its surroundings change. */
const HTMX = JSON.stringify({
  includeIndicatorCSS: false,
  extensions: "sse",
  history: false,
  morphIgnore: ["data-htmx-powered", "open"],
});

export const Document = ({ title, tone, viewer, look, path, children }: PropsWithChildren<Frame>) => (
  <html lang="en" {...(look === "auto" ? {} : { "data-look": look })}>
    <head>
      <meta charset="utf-8" />
      <title>{`${title} · rollcall`}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="htmx-config" content={HTMX} />
      <link id="icon" rel="icon" type="image/svg+xml" href={iconPath(tone)} />
      <link rel="stylesheet" href={STYLE_PATH} />
      <script src={SCRIPT_PATH} defer />
    </head>
    <body>
      <a class="skip" href="#main">
        To the content
      </a>
      <Sprite />
      <Bar viewer={viewer} look={look} path={path} />
      <main id="main">{children}</main>
      {viewer === null ? null : <Help />}
    </body>
  </html>
);
