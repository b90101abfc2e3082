// The frame of every page: the head, the bar with the links to the main pages, and the page's content.

import type { Child } from "hono/jsx";
import type { Toast } from "./acts/done.ts";
import {
  iconPath,
  MANIFEST_PATH,
  SCRIPT_PATH,
  STYLE_PATH,
  TONES,
  TOUCH_ICON_PATH,
  type Tone,
  WORKER_PATH,
} from "./assets/assets.ts";
import { ButtonLink, Submit } from "./parts/act.tsx";
import { Bar, Help, Palette, RefusedDialog } from "./parts/bar.tsx";
import { Sprite } from "./parts/shapes.tsx";
import { ToastPlace } from "./parts/toast.tsx";
import { codedBody, PAGE_HEADERS } from "./response.ts";
import { themeOf } from "./theme.ts";
import type { Viewer } from "./viewer.ts";

/**
 * Who asks for a page. `viewer` is `null` when the visitor has not signed in; the bar then has no links. `toast` tells
 * what the person has just done; `null` or absent when there is nothing to tell.
 */
export type PageAsked = Readonly<{ request: Request; viewer: Viewer | null; toast?: Toast | null }>;

interface Frame {
  readonly title: string;
  /** How good or bad a state the page's icon shows; `quiet` when absent. */
  readonly tone?: Tone;
  /** The path of the page, so that the bar marks its link to this page; absent when the bar has no link to it. */
  readonly path?: string;
  /** HTTP status; 200 when absent. */
  readonly status?: number;
  /** Headers in addition to those of every page. */
  readonly headers?: Readonly<Record<string, string>>;
}

const ICONS = Object.fromEntries(TONES.map((tone) => [`data-${tone}`, iconPath(tone)]));

export function pageResponse({ request, viewer, toast = null }: PageAsked, frame: Frame, content: Child): Response {
  const { title, tone = "quiet", path = "", status = 200 } = frame;
  const theme = themeOf(request);
  // The address may be no valid URL when the request came under a foreign host name. The page then shows the refusal of
  // such a request.
  const address = URL.parse(request.url);
  const page = (
    <html lang="en" {...(theme === "auto" ? {} : { "data-theme": theme })}>
      <head>
        <meta charset="utf-8" />
        <title>{`${title} · rollcall`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content="#fbfcfd" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#111419" media="(prefers-color-scheme: dark)" />
        <link id="icon" rel="icon" type="image/svg+xml" href={iconPath(tone)} {...ICONS} />
        <link rel="apple-touch-icon" href={TOUCH_ICON_PATH} />
        <link rel="manifest" href={MANIFEST_PATH} />
        <link rel="stylesheet" href={STYLE_PATH} />
        <script src={SCRIPT_PATH} data-worker={WORKER_PATH} defer />
      </head>
      <body>
        <a class="skip" href="#main">
          To the content
        </a>
        <Sprite />
        <Bar viewer={viewer} theme={theme} path={path} />
        <main id="main">
          {content}
          <p id="as-of" class="note" hidden />
        </main>
        {viewer === null ? null : (
          <>
            <span id="sign" hidden />
            <Help />
            <RefusedDialog />
            <Palette />
            <ToastPlace toast={toast} back={address === null ? "/" : address.pathname + address.search} />
          </>
        )}
      </body>
    </html>
  );
  const { body, headers } = codedBody(`<!doctype html>${page}`, request.headers.get("accept-encoding"));
  return new Response(body, {
    status,
    headers: { ...PAGE_HEADERS, "content-type": "text/html; charset=utf-8", ...headers, ...frame.headers },
  });
}

interface Confirmed {
  readonly to: string;
  /** The words on the button, for an action that cannot be undone. */
  readonly does: string;
  /** The page to go back to without acting, and the words of the link that leads there. */
  readonly back: string;
  readonly keeps: string;
}

export const confirmPage = (
  asked: PageAsked,
  question: string,
  { to, does, back, keeps }: Confirmed,
  content: Child,
): Response =>
  pageResponse(
    asked,
    { title: question.replace("?", ""), path: back },
    <section class="plain">
      <h1 class="headline is-quiet">{question}</h1>
      {content}
      <form class="acts" method="post" action={to}>
        <Submit kind="danger">{does}</Submit>
        <ButtonLink to={back} kind="plain">
          {keeps}
        </ButtonLink>
      </form>
    </section>,
  );
