// Wraps the parts of a page that stays open. The browser then connects to the server and replaces the parts that have
// changed.

import { raw } from "hono/html";
import type { PropsWithChildren } from "hono/jsx";
import type { InPieces } from "../../domain/in-pieces.ts";
import { splitRequestTarget } from "../../http/request-target.ts";
import { Headline } from "../parts/headline.tsx";
import { Shape } from "../parts/shapes.tsx";

export const Live = ({ path, children }: PropsWithChildren<{ path: string }>) => (
  <div id="live" data-live={path}>
    <p id="stale" class="trouble" role="status" hidden>
      <Shape health="unknown" />
      <span>
        Not up to date since <time data-as="when" datetime="1970-01-01T00:00:00Z" />: rollcall cannot be reached.
      </span>
    </p>
    {children}
  </div>
);

export const Part = ({ of, id }: { of: Shown; id: string }) => raw(of.parts.get(id) ?? "");

export const LIVE_PATH = "/live/windows";

/**
 * Whether a script of an open page sent the request by itself. Such a request does not show that a person is there, so
 * it does not prolong the session.
 */
export const isLiveRequest = ({ url }: Pick<Request, "url">): boolean => splitRequestTarget(url).path === LIVE_PATH;

/** The address that a page asks the live connection to watch. `path` is the page's path, with its query. */
export function livePath(path: string, shown: Shown): string {
  const url = new URL(path, "http://localhost");
  url.searchParams.set("seen", contentHashOf(shown));
  return url.pathname + url.search;
}

// Updates an open page whose subject is gone: its headline says so, and its other parts stay as they were.

export const partsOfGoneSubject = (): InPieces<Shown> =>
  shownParts({ headline: <Headline saying={{ sentence: "This is no longer here.", tone: "quiet" }} /> });

// Holds a page as parts that are updated separately, and finds which parts to send to a browser that has an older page.

export interface Shown {
  /** The HTML of each part by the id of its element. */
  readonly parts: ReadonlyMap<string, string>;
  /** The list whose rows come, go and change their order; `null` without one. The HTML of its rows is in `parts`. */
  readonly list: ShownList | null;
}

export interface ShownList {
  readonly id: string;
  /** How the id of each row begins. */
  readonly rows: string;
  /** A text that names the rows in their order: when it changes, the list is sent as a whole. */
  readonly order: string;
  readonly html: () => string;
}

/**
 * Renders the parts of a page that has no list of rows. A template does its work when it becomes text, so each piece of
 * this work renders one part.
 */
export function* shownParts(templates: Readonly<Record<string, unknown>>): InPieces<Shown> {
  const parts = new Map<string, string>();
  for (const [id, template] of Object.entries(templates)) {
    yield;
    parts.set(id, String(template));
  }
  return { parts, list: null };
}

/**
 * Returns the HTML of the parts that changed since `before`; empty when none has. With `before` `null`, all parts count
 * as changed.
 */
export function differenceOf(before: Shown | null, { parts, list }: Shown): string {
  const isNewList = list !== null && before?.list?.order !== list.order;
  const changed = [...parts].filter(([id, html]) => {
    if (isNewList && id.startsWith(list.rows)) return false;
    const was = before?.parts.get(id) ?? "";
    return was !== html && timeless(was) !== timeless(html);
  });
  return [...changed, ...(isNewList ? [[list.id, list.html()] as const] : [])]
    .map(([id, html]) => `<template data-part="${id}">${html}</template>`)
    .join("\n");
}

export function contentHashOf({ parts, list }: Shown): string {
  const hash = new Bun.CryptoHasher("sha1").update(list?.order ?? "");
  for (const html of parts.values()) hash.update(timeless(html));
  return hash.digest("base64url");
}

/** Removes relative times such as `5 min ago`, which change all the time and which the browser computes itself. */
const timeless = (html: string): string =>
  html.replaceAll(/(<time\b[^>]*>)[^<]*/g, "$1").replaceAll(' class="is-past"', "");
