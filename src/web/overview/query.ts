// What the address of the overview asks for: which jobs, in which groups and order, and which page of them. Everything
// that is not understood is left out.

import { addressOf, numberIn, oneOf, textIn } from "../list-query.ts";

export const SHOWN = ["all", "trouble", "late", "waiting", "well", "paused"] as const;
const GROUPS = ["application", "source", "environment", "owner"] as const;
const SORTS = ["trouble", "name", "last", "next"] as const;

export interface OverviewQuery {
  /** Part of a name or key; empty: all. */
  readonly find: string;
  readonly show: (typeof SHOWN)[number];
  readonly group: (typeof GROUPS)[number];
  readonly sort: (typeof SORTS)[number];
  /** From 1. */
  readonly page: number;
}

const PAGE_MAX = 100_000;

export const readQuery = (search: URLSearchParams): OverviewQuery => ({
  find: textIn(search, "find"),
  show: oneOf(SHOWN, search, "show"),
  group: oneOf(GROUPS, search, "group"),
  sort: oneOf(SORTS, search, "sort"),
  page: pageIn(search),
});

/** One that nobody can reach stands for the first. */
export function pageIn(search: URLSearchParams): number {
  const page = numberIn(search, "page") ?? 1;
  return page <= PAGE_MAX ? page : 1;
}

/** The address without what is as usual; `/` when all is. */
export const overviewPath = ({ find, show, group, sort, page }: OverviewQuery, path = "/"): string =>
  addressOf(path, {
    find,
    show: [show, SHOWN],
    group: [group, GROUPS],
    sort: [sort, SORTS],
    page: page === 1 ? null : page,
  });
