// Reads what the address of the day page asks for: which span, which jobs, and which page of them. Any other parameter
// or value is ignored.

import { DAY, HOUR, type Instant, MINUTE, toIso } from "../../domain/time.ts";
import { pathWithQuery, textParameter, wordParameter } from "../list-query.ts";
import { pageIn } from "../overview/model.ts";

export const SPANS = ["day", "week", "hour"] as const;
export const SHOWN = ["all", "trouble"] as const;

export type DayQuery = Readonly<ReturnType<typeof readDayQuery>>;

export const DAY_PATH = "/day";

/**
 * How many milliseconds before now, and after now, the ends of a span may lie. By default no history is kept for longer
 * than `LONGEST_AGO`, and few people plan further ahead than `LONGEST_AHEAD`.
 */
const LONGEST_AGO = 400 * DAY;
const LONGEST_AHEAD = 92 * DAY;

/**
 * The limits of a zoom, in milliseconds: it begins and ends at a multiple of `step`, and lasts from `least` to `most`.
 */
const ZOOM = { step: 5 * MINUTE, least: 15 * MINUTE, most: 2 * DAY };

export const readDayQuery = (search: URLSearchParams, now: Instant) => ({
  span: wordParameter(SPANS, search, "span"),
  ...endsOf(search, now),
  show: wordParameter(SHOWN, search, "show"),
  /** The words of the search, which `findsJob` reads; an empty text finds all jobs. */
  find: textParameter(search, "find"),
  /** The slug of an application; empty for all. */
  app: textParameter(search, "app"),
  page: pageIn(search),
});

interface ShownEnds {
  /** The start of the span after a zoom; `null` when the span has its usual length. */
  readonly from: Instant | null;
  /** The end of the span; `null` for a span around now, which moves on with the clock. */
  readonly until: Instant | null;
}

function endsOf(search: URLSearchParams, now: Instant): ShownEnds {
  const isZoomed = wordParameter(SPANS, search, "span") === "hour";
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
  pathWithQuery(path, {
    span: [span, SPANS],
    from: minuteOf(from),
    until: minuteOf(until),
    show: [show, SHOWN],
    find,
    app,
    page: page === 1 ? null : page,
  });
