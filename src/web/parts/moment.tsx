// An instant on a page: how long ago or how soon, with the exact time in its job's zone beside it.

import { offsetPeriodAt } from "../../domain/schedule/zone.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND, toIso } from "../../domain/time.ts";
import { dateAndTime, momentInWords } from "../../domain/wording/moments.ts";
import type { SaidPart } from "../../domain/wording/now.ts";
import { ago, dayAndTime, until } from "../../domain/wording/short-time.ts";
import { durationInWords } from "../../domain/wording/spoken-time.ts";

import type { StoryZones } from "../viewer-zone.ts";

/** When a page is made, and the zone in which it tells times: of a job's schedule, or the server's. */
export type Clocked = Readonly<{ now: Instant; timezone: string }>;

type ShownMoment = Clocked & Readonly<{ at: Instant }>;

type ZonedMoment = Pick<ShownMoment, "at" | "timezone">;

/** `as`: how the browser says it again. */
const said =
  <Of extends ZonedMoment>(as: string, words: (of: Of) => string, classOf?: (of: Of) => string) =>
  (of: Of) => (
    <time
      datetime={toIso(of.at)}
      data-as={as}
      data-zone={of.timezone}
      data-wall={wallOf(of.at, of.timezone).join(" ")}
      title={momentInWords(of.at, of.timezone)}
      class={classOf?.(of)}
    >
      {words(of)}
    </time>
  );

/** `3 h ago`. */
export const Ago = said<ShownMoment>("ago", ({ at, now }) => ago(at, now));

/** `9 days`: since then, in whole ones of the largest unit. */
export const For = said<ShownMoment>("since", ({ at, now }) => {
  const unit = [DAY, HOUR, MINUTE].find((one) => now - at >= one) ?? SECOND;
  return durationInWords(Math.floor((now - at) / unit) * unit);
});

/** `in 9 h`, `4 min late`. */
export const Until = said<ShownMoment>(
  "until",
  ({ at, now }) => until(at, now),
  ({ at, now }) => (at < now ? "is-past" : ""),
);

/** `Monday 08:00`. */
export const When = said<ShownMoment>("when", ({ at, now, timezone }) =>
  dayAndTime(at, now, offsetPeriodAt(timezone, at).offset),
);

/** `03:00:00`, where the day and the zone stand above it. */
export const Clock = said<ZonedMoment>("clock", ({ at, timezone }) => wallOf(at, timezone)[1]);

/** The same, and below it in the other zone, with the date where that differs. */
export const Clocks = ({ at, timezone, beside }: StoryZones & { readonly at: Instant }) => {
  const [date, time] = wallOf(at, beside ?? timezone);
  return (
    <span class="event-when">
      <Clock at={at} timezone={timezone} />
      {beside === null ? null : <small>{date === dayOf(at, timezone) ? time : `${date} ${time}`}</small>}
    </span>
  );
};

const wallOf = (at: Instant, timezone: string) => dateAndTime(at + offsetPeriodAt(timezone, at).offset);

/** `2026-03-01` in this zone. */
export const dayOf = (at: Instant, timezone: string): string => wallOf(at, timezone)[0];

/** `2026-03-01 03:00:00 Europe/Berlin (02:00:00 UTC)`. */
export const Exactly = said<ZonedMoment>("exact", ({ at, timezone }) => momentInWords(at, timezone));

/** `2026-03-01 03:00:00`, where the zone stands above it. */
export const DateAndTime = said<ZonedMoment>("clock", ({ at, timezone }) => wallOf(at, timezone).join(" "));

/** `Monday 08:00` on the clocks of this zone, which stands beside it. */
export const OnItsClock = said<ShownMoment>("clock", ({ at, now, timezone }) =>
  dayAndTime(at, now, offsetPeriodAt(timezone, at).offset),
);

/** The same, which the browser says in the viewer's zone. */
export const Wall = said<ZonedMoment>("exact", ({ at, timezone }) => wallOf(at, timezone).join(" "));

// What a job is doing now, as its sentence: the browser keeps its times current.

/** `timezone`: of its job's schedule. */
export const Sentence = ({ parts, timezone }: { parts: readonly SaidPart[]; timezone: string }) => (
  <span data-said>
    {parts.map(({ text, at, as }, place) =>
      at === null || as === null ? (
        <bdi key={place}>{text}</bdi>
      ) : (
        <time
          key={place}
          datetime={toIso(at as Instant)}
          data-as={as}
          data-zone={timezone}
          data-wall={wallOf(at, timezone).join(" ")}
          title={momentInWords(at, timezone)}
        >
          {text}
        </time>
      ),
    )}
  </span>
);
