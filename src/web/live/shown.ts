// A page in the parts that change on their own, and what to send to a browser whose page shows older ones.

import type { InPieces } from "../../domain/in-pieces.ts";

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
    .map(([id, html]) => `<hx-partial hx-target="#${id}" hx-swap="outerMorph">${html}</hx-partial>`)
    .join("\n");
}

/** Tells whether two pages show the same. */
export function markOf({ parts }: Shown): string {
  const hash = new Bun.CryptoHasher("sha1");
  for (const html of parts.values()) hash.update(timeless(html));
  return hash.digest("base64url");
}

/** How long ago something was changes all the time, and the browser knows it. */
const timeless = (html: string): string =>
  html.replaceAll(/(<time\b[^>]*>)[^<]*/g, "$1").replaceAll(' class="is-past"', "");
