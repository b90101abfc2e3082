// An instant on a page: how long ago or how soon, with the exact time in its job's zone beside it. The browser keeps it
// current and adds the viewer's own zone.

import { offsetPeriodAt } from "../../domain/schedule/zone.ts";
import { type Instant, toIso } from "../../domain/time.ts";
import type { SaidPart } from "../../domain/wording/now.ts";
import { ago, dayAndTime, lasting, until } from "../../domain/wording/short-time.ts";
import { dateAndTime, momentInWords } from "../../domain/wording/spoken-time.ts";

/** When a page is made, and the zone in which it tells times: of a job's schedule, or the server's. */
export interface Clocked {
  readonly now: Instant;
  readonly timezone: string;
}

interface ShownMoment extends Clocked {
  readonly at: Instant;
}

/** `3 h ago`. */
export const Ago = ({ at, now, timezone }: ShownMoment) => (
  <time datetime={toIso(at)} data-as="ago" data-zone={timezone} title={momentInWords(at, timezone)}>
    {ago(at, now)}
  </time>
);

/** `9 d`. */
export const For = ({ at, now, timezone }: ShownMoment) => (
  <time datetime={toIso(at)} data-as="for" data-zone={timezone} title={momentInWords(at, timezone)}>
    {lasting(at, now)}
  </time>
);

/** `in 9 h`, `4 min late`. */
export const Until = ({ at, now, timezone }: ShownMoment) => (
  <time
    datetime={toIso(at)}
    data-as="until"
    data-zone={timezone}
    title={momentInWords(at, timezone)}
    class={at < now ? "is-past" : ""}
  >
    {until(at, now)}
  </time>
);

/** `Monday 08:00`. */
export const When = ({ at, now, timezone }: ShownMoment) => (
  <time datetime={toIso(at)} data-as="when" data-zone={timezone} title={momentInWords(at, timezone)}>
    {dayAndTime(at, now, offsetPeriodAt(timezone, at).offset)}
  </time>
);

/** `03:00:00`, where the day and the zone stand above it. */
export const Clock = ({ at, timezone }: Pick<ShownMoment, "at" | "timezone">) => (
  <time datetime={toIso(at)} data-as="clock" data-zone={timezone} title={momentInWords(at, timezone)}>
    {dateAndTime(at + offsetPeriodAt(timezone, at).offset)[1]}
  </time>
);

/** `2026-03-01` in this zone. */
export const dayOf = (at: Instant, timezone: string): string =>
  dateAndTime(at + offsetPeriodAt(timezone, at).offset)[0];

/** `2026-03-01 03:00:00 Europe/Berlin (02:00:00 UTC)`. */
export const Exactly = ({ at, timezone }: Pick<ShownMoment, "at" | "timezone">) => (
  <time datetime={toIso(at)} data-as="exact" data-zone={timezone}>
    {momentInWords(at, timezone)}
  </time>
);

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
          title={momentInWords(at, timezone)}
        >
          {text}
        </time>
      ),
    )}
  </span>
);
