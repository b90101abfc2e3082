// The addresses of connections that keep pages true, and how a page's own becomes one of them.

import { readTarget } from "../../http/api/paths.ts";
import { markOf, type Shown } from "./shown.ts";

export const LIVE = "/live";

/** Whether a page asked by itself: that says nothing about whether a person is there. */
export const isLive = ({ url }: Pick<Request, "url">): boolean => readTarget(url).path.startsWith(`${LIVE}/`);

/** Where a page keeps itself true. `path`: its own, with its search. */
export function livePath(path: string, shown: Shown): string {
  const url = new URL(LIVE + path, "http://localhost");
  url.searchParams.set("seen", markOf(shown));
  return url.pathname + url.search;
}
