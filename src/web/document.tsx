// What every page stands in: the head, the bar with the places to go, and the page's own content.

import type { Child } from "hono/jsx";
import { codedBody, PAGE_HEADERS } from "./answer.ts";
import { iconPath, SCRIPT_PATH, STYLE_PATH, type Tone } from "./assets/assets.ts";
import { Bar, Help } from "./parts/bar.tsx";
import { Sprite } from "./parts/shapes.tsx";
import { themeOf } from "./theme.ts";
import type { Viewer } from "./viewer.ts";

/** Who asks for a page; `viewer` null: no one has signed in, and the bar leads nowhere. */
export interface PageAsked {
  readonly request: Request;
  readonly viewer: Viewer | null;
}

interface Frame {
  readonly title: string;
  /** Absent: quiet. */
  readonly tone?: Tone;
  /** The path of the page, for the place it has in the bar; absent: it has none. */
  readonly path?: string;
  /** Absent: 200. */
  readonly status?: number;
  /** Beside those of every page. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A menu that was opened stays open when its surroundings change. */
const HTMX = JSON.stringify({
  includeIndicatorCSS: false,
  extensions: "sse",
  history: false,
  morphIgnore: ["data-htmx-powered", "open"],
});

export function pageAnswer({ request, viewer }: PageAsked, frame: Frame, content: Child): Response {
  const { title, tone = "quiet", path = "", status = 200 } = frame;
  const theme = themeOf(request);
  const page = (
    <html lang="en" {...(theme === "auto" ? {} : { "data-theme": theme })}>
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
        <Bar viewer={viewer} theme={theme} path={path} />
        <main id="main">{content}</main>
        {viewer === null ? null : <Help />}
      </body>
    </html>
  );
  const { body, headers } = codedBody(`<!doctype html>${page}`, request.headers.get("accept-encoding"));
  return new Response(body, {
    status,
    headers: { ...PAGE_HEADERS, "content-type": "text/html; charset=utf-8", ...headers, ...frame.headers },
  });
}
