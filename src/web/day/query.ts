// What the address of the day asks for: which span, of which jobs, and which page of them. Everything that is not
// understood is left out.

import { DAY, HOUR, type Instant, MINUTE, toIso } from "../../domain/time.ts";
import { addressOf, oneOf, textIn } from "../list-query.ts";
import { pageIn } from "../overview/model.ts";

export const SPANS = ["day", "week", "hour"] as const;
export const SHOWN = ["all", "trouble"] as const;

export type DayQuery = Readonly<ReturnType<typeof readQuery>>;

export const DAY_PATH = "/day";

/** Nothing is kept for longer than the first, and no one plans further than the second. */
const LONGEST_AGO = 400 * DAY;
const LONGEST_AHEAD = 92 * DAY;

/** What a person zooms into: to the minutes of its first, and for no longer than the last. */
const ZOOM = { step: 5 * MINUTE, least: 15 * MINUTE, most: 2 * DAY };

export const readQuery = (search: URLSearchParams, now: Instant) => ({
  span: oneOf(SPANS, search, "span"),
  ...endsOf(search, now),
  show: oneOf(SHOWN, search, "show"),
  /** Part of a name or key; empty: all. */
  find: textIn(search, "find"),
  /** A slug; empty: all. */
  app: textIn(search, "app"),
  page: pageIn(search),
});

interface ShownEnds {
  /** Where an hour begins that has another length; null: it has the usual one. */
  readonly from: Instant | null;
  /** Where the span ends; null: some time after now, and it goes on with the clock. */
  readonly until: Instant | null;
}

function endsOf(search: URLSearchParams, now: Instant): ShownEnds {
  const isZoomed = oneOf(SPANS, search, "span") === "hour";
  const step = isZoomed ? ZOOM.step : HOUR;
  const until = instantIn(search.get("until"), now);
  if (until === null) return { from: null, until };
  const end = Math.ceil(until / step) * step;
  const from = isZoomed ? instantIn(search.get("from"), now) : null;
  if (from === null || from >= end) return { from: null, until: end };
  const begin = Math.floor(from / step) * step;
  return { from: Math.max(end - ZOOM.most, Math.min(begin, end - ZOOM.least)), until: end };
}

function instantIn(text: string | null, now: Instant): Instant | null {
  const at = Date.parse(text ?? "");
  return at >= now - LONGEST_AGO && at <= now + LONGEST_AHEAD ? at : null;
}

const minuteOf = (at: Instant | null): string | null => (at === null ? null : `${toIso(at).slice(0, 16)}Z`);

export const dayPath = ({ span, from, until, show, find, app, page }: DayQuery, path = DAY_PATH): string =>
  addressOf(path, {
    span: [span, SPANS],
    from: minuteOf(from),
    until: minuteOf(until),
    show: [show, SHOWN],
    find,
    app,
    page: page === 1 ? null : page,
  });
