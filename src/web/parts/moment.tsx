// Writes an instant on a page in words, for example how long ago it was. When the pointer is on the words, they show
// the exact time.

import { offsetPeriodAt } from "../../domain/schedule/zone.ts";
import { type Instant, toIso } from "../../domain/time.ts";
import { dateAndTimeIn, dayOf, momentInWords } from "../../domain/wording/moments.ts";
import type { WordedPart } from "../../domain/wording/now.ts";
import { CHANGING_TIMES, dayAndTime } from "../../domain/wording/short-time.ts";
import type { ViewerZones } from "../viewer-zone.ts";

/**
 * The time at which a page is made, and the zone in which it tells times: the viewer's, that of a job's schedule, or
 * the server's.
 */
export type Clocked = Readonly<{ now: Instant; timezone: string }>;

type ShownMoment = Clocked & Readonly<{ at: Instant }>;

type ZonedMoment = Pick<ShownMoment, "at" | "timezone">;

type WrittenMoment = ZonedMoment & Readonly<{ as: string; text: string; look?: string | undefined }>;

/** An instant as `text`. `as` tells the browser's script which words it must write when time has passed. */
const Moment = ({ at, timezone, as, text, look }: WrittenMoment) => (
  <time
    datetime={toIso(at)}
    data-as={as}
    data-zone={timezone}
    data-wall={dateAndTimeIn(at, timezone).join(" ")}
    title={momentInWords(at, timezone)}
    class={look}
  >
    {text}
  </time>
);

/** Makes a component that writes an instant in the words that `words` returns. */
const momentComponent =
  <Of extends ZonedMoment>(as: string, words: (of: Of) => string, classOf?: (of: Of) => string) =>
  (of: Of) => <Moment at={of.at} timezone={of.timezone} as={as} text={words(of)} look={classOf?.(of)} />;

/**
 * Makes a component that writes an instant in one of the ways of `CHANGING_TIMES`. The browser's script knows these,
 * too, and keeps the words current.
 */
const changing = (as: keyof typeof CHANGING_TIMES, classOf?: (of: ShownMoment) => string) =>
  momentComponent<ShownMoment>(as, ({ at, now }) => CHANGING_TIMES[as](at, now), classOf);

/** Writes how long ago an instant was: `3 h ago`. */
export const Ago = changing("ago");

/** Writes the time since an instant, rounded down to its largest unit: `9 days`. */
export const For = changing("since");

/** Writes how soon an instant is, or how late: `in 9 h`, `4 min late`. */
export const Until = changing("until", ({ at, now }) => (at < now ? "is-past" : ""));

/** Writes a day and a time: `Monday 08:00`. */
export const When = momentComponent<ShownMoment>("when", ({ at, now, timezone }) =>
  dayAndTime(at, now, offsetPeriodAt(timezone, at).offset),
);

/** Writes a time of day as `03:00:00`, where the day and the zone are written above it. */
export const Clock = momentComponent<ZonedMoment>("clock", ({ at, timezone }) => dateAndTimeIn(at, timezone)[1]);

/**
 * Writes the time of day, and below it the same instant in the zone `beside`, with a date when that zone has another
 * day.
 */
export const Clocks = ({ at, timezone, beside }: ViewerZones & { readonly at: Instant }) => {
  const [date, time] = dateAndTimeIn(at, beside ?? timezone);
  return (
    <span class="event-when">
      <Clock at={at} timezone={timezone} />
      {beside === null ? null : <small>{date === dayOf(at, timezone) ? time : `${date} ${time}`}</small>}
    </span>
  );
};

/** Writes an instant as `2026-03-01 03:00:00 Europe/Berlin (02:00:00 UTC)`. */
export const Exactly = momentComponent<ZonedMoment>("exact", ({ at, timezone }) => momentInWords(at, timezone));

/** Writes an instant as `2026-03-01 03:00:00`, where the zone is written above it. */
export const DateAndTime = momentComponent<ZonedMoment>("clock", ({ at, timezone }) =>
  dateAndTimeIn(at, timezone).join(" "),
);

/**
 * Writes an instant as `Monday 08:00` in the zone `timezone`, which the page names beside it. The browser does not
 * rewrite the instant in the viewer's zone.
 */
export const OnItsClock = momentComponent<ShownMoment>("clock", ({ at, now, timezone }) =>
  dayAndTime(at, now, offsetPeriodAt(timezone, at).offset),
);

/** Writes an instant as `2026-03-01 03:00:00`; the browser rewrites it in the viewer's zone. */
export const ViewersDateAndTime = momentComponent<ZonedMoment>("exact", ({ at, timezone }) =>
  dateAndTimeIn(at, timezone).join(" "),
);

// Draws the sentence about what a job is doing now. The browser keeps the times in it current.

export const Sentence = ({ parts, timezone }: { parts: readonly WordedPart[]; timezone: string }) => (
  <span data-said>
    {parts.map(({ text, at, as }, place) =>
      at === null || as === null ? (
        <bdi key={place}>{text}</bdi>
      ) : (
        <Moment key={place} at={at} timezone={timezone} as={as} text={text} />
      ),
    )}
  </span>
);
