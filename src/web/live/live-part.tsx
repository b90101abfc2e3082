// What stands around the parts of a page that stays open: it connects, and puts what has changed in its place.

import { raw } from "hono/html";
import type { PropsWithChildren } from "hono/jsx";
import type { InPieces } from "../../domain/in-pieces.ts";
import { readTarget } from "../../http/api/read-path.ts";
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

/** Whether a page asked by itself: that says nothing about whether a person is there. */
export const isLive = ({ url }: Pick<Request, "url">): boolean => readTarget(url).path === LIVE_PATH;

/** What a page asks that connection for. `path`: its own, with its search. */
export function livePath(path: string, shown: Shown): string {
  const url = new URL(path, "http://localhost");
  url.searchParams.set("seen", markOf(shown));
  return url.pathname + url.search;
}

// What becomes of an open page whose subject is gone: it says so on top, and shows the rest as it was.

export const notHere = (): InPieces<Shown> =>
  shownParts({ headline: <Headline saying={{ sentence: "This is no longer here.", tone: "quiet" }} /> });

// A page in the parts that change on their own, and what to send to a browser whose page shows older ones.

export interface Shown {
  /** HTML by the id of the element that it is. */
  readonly parts: ReadonlyMap<string, string>;
  /** A list whose rows are parts too; null: the page has none. */
  readonly list: ShownList | null;
}

export interface ShownList {
  readonly id: string;
  /** What the ids of its rows begin with. */
  readonly rows: string;
  /** Which rows stand where: when this changes, the list is sent as a whole. */
  readonly order: string;
  readonly html: () => string;
}

/**
 * Parts by their ids, of a page without such a list. Templates do their work when they become text: a part in each
 * piece.
 */
export function* shownParts(templates: Readonly<Record<string, unknown>>): InPieces<Shown> {
  const parts = new Map<string, string>();
  for (const [id, template] of Object.entries(templates)) {
    yield;
    parts.set(id, String(template));
  }
  return { parts, list: null };
}

/** Empty: nothing has changed. `before` null: everything has. */
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

export function markOf({ parts, list }: Shown): string {
  const hash = new Bun.CryptoHasher("sha1").update(list?.order ?? "");
  for (const html of parts.values()) hash.update(timeless(html));
  return hash.digest("base64url");
}

/** How long ago something was changes all the time, and the browser knows it. */
const timeless = (html: string): string =>
  html.replaceAll(/(<time\b[^>]*>)[^<]*/g, "$1").replaceAll(' class="is-past"', "");
