// What the address of the day asks for: which span, of which jobs, and which page of them. Everything that is not
// understood is left out.

import { DAY, HOUR, type Instant, toIso } from "../../domain/time.ts";

export const SPANS = ["day", "week"] as const;
export const SHOWN = ["all", "trouble"] as const;

export interface DayQuery {
  readonly span: (typeof SPANS)[number];
  /** Where the span ends, a whole hour; null: some time after now, and it goes on with the clock. */
  readonly until: Instant | null;
  readonly show: (typeof SHOWN)[number];
  /** Part of a name or key; empty: all. */
  readonly find: string;
  /** A slug; empty: all. */
  readonly app: string;
  /** From 1. */
  readonly page: number;
}

export const DAY_PATH = "/day";

const TEXT_LENGTH = 200;
const PAGE_MAX = 100_000;
/** Nothing is kept for longer than the first, and nobody plans further than the second. */
const LONGEST_AGO = 400 * DAY;
const LONGEST_AHEAD = 92 * DAY;

export function readQuery(search: URLSearchParams, now: Instant): DayQuery {
  const page = Number(search.get("page"));
  return {
    span: SPANS.find((one) => one === search.get("span")) ?? "day",
    until: untilOf(search.get("until"), now),
    show: SHOWN.find((one) => one === search.get("show")) ?? "all",
    find: (search.get("find") ?? "").trim().slice(0, TEXT_LENGTH),
    app: (search.get("app") ?? "").slice(0, TEXT_LENGTH),
    page: Number.isInteger(page) && page > 0 && page <= PAGE_MAX ? page : 1,
  };
}

function untilOf(text: string | null, now: Instant): Instant | null {
  const at = Date.parse(text ?? "");
  if (Number.isNaN(at) || at < now - LONGEST_AGO || at > now + LONGEST_AHEAD) return null;
  return Math.floor(at / HOUR) * HOUR;
}

/** The address without what is as usual. */
export function dayPath({ span, until, show, find, app, page }: DayQuery, path = DAY_PATH): string {
  const search = new URLSearchParams({
    ...(span === SPANS[0] ? {} : { span }),
    ...(until === null ? {} : { until: `${toIso(until).slice(0, 16)}Z` }),
    ...(show === SHOWN[0] ? {} : { show }),
    ...(find === "" ? {} : { find }),
    ...(app === "" ? {} : { app }),
    ...(page === 1 ? {} : { page: String(page) }),
  }).toString();
  return search === "" ? path : `${path}?${search}`;
}
