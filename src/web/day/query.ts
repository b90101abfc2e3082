// What the address of the day asks for: which span, of which jobs, and which page of them. Everything that is not
// understood is left out.

import { DAY, HOUR, type Instant, toIso } from "../../domain/time.ts";
import { addressOf, oneOf, textIn } from "../list-query.ts";
import { pageIn } from "../overview/model.ts";

export const SPANS = ["day", "week"] as const;
export const SHOWN = ["all", "trouble"] as const;

export type DayQuery = Readonly<ReturnType<typeof readQuery>>;

export const DAY_PATH = "/day";

/** Nothing is kept for longer than the first, and no one plans further than the second. */
const LONGEST_AGO = 400 * DAY;
const LONGEST_AHEAD = 92 * DAY;

export const readQuery = (search: URLSearchParams, now: Instant) => ({
  span: oneOf(SPANS, search, "span"),
  /** Where the span ends, a whole hour; null: some time after now, and it goes on with the clock. */
  until: untilOf(search.get("until"), now),
  show: oneOf(SHOWN, search, "show"),
  /** Part of a name or key; empty: all. */
  find: textIn(search, "find"),
  /** A slug; empty: all. */
  app: textIn(search, "app"),
  page: pageIn(search),
});

function untilOf(text: string | null, now: Instant): Instant | null {
  const at = Date.parse(text ?? "");
  if (Number.isNaN(at) || at < now - LONGEST_AGO || at > now + LONGEST_AHEAD) return null;
  return Math.floor(at / HOUR) * HOUR;
}

export const dayPath = ({ span, until, show, find, app, page }: DayQuery, path = DAY_PATH): string =>
  addressOf(path, {
    span: [span, SPANS],
    until: until === null ? null : `${toIso(until).slice(0, 16)}Z`,
    show: [show, SHOWN],
    find,
    app,
    page: page === 1 ? null : page,
  });
