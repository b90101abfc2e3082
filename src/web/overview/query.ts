// What the address of the overview asks for: which jobs, in which groups and order, and which page of them. Everything
// that is not understood is left out.

export const SHOWN = ["all", "trouble", "late", "waiting", "well", "paused"] as const;
export const GROUPS = ["application", "source", "environment", "owner"] as const;
export const SORTS = ["trouble", "name", "last", "next"] as const;

export interface OverviewQuery {
  /** Part of a name or key; empty: all. */
  readonly find: string;
  readonly show: (typeof SHOWN)[number];
  readonly group: (typeof GROUPS)[number];
  readonly sort: (typeof SORTS)[number];
  /** From 1. */
  readonly page: number;
}

const FIND_LENGTH = 200;
const PAGE_MAX = 100_000;

export function readQuery(search: URLSearchParams): OverviewQuery {
  const page = Number(search.get("page"));
  return {
    find: (search.get("find") ?? "").trim().slice(0, FIND_LENGTH),
    show: oneOf(SHOWN, search.get("show")),
    group: oneOf(GROUPS, search.get("group")),
    sort: oneOf(SORTS, search.get("sort")),
    page: Number.isInteger(page) && page > 0 && page <= PAGE_MAX ? page : 1,
  };
}

/** The word, or the first of all when it is none of them. */
const oneOf = <Words extends readonly string[]>(words: Words, word: string | null): Words[number] =>
  words.find((one) => one === word) ?? words[0]!;

/** The address without what is as usual; `/` when all is. */
export function overviewPath({ find, show, group, sort, page }: OverviewQuery, path = "/"): string {
  const search = new URLSearchParams({
    ...(find === "" ? {} : { find }),
    ...(show === SHOWN[0] ? {} : { show }),
    ...(group === GROUPS[0] ? {} : { group }),
    ...(sort === SORTS[0] ? {} : { sort }),
    ...(page === 1 ? {} : { page: String(page) }),
  }).toString();
  return search === "" ? path : `${path}?${search}`;
}
