// Writes the times of one message. The first time in a zone names the zone and UTC; later ones can then be short.

import { offsetPeriodAt } from "../schedule/zone.ts";
import { type Instant, MINUTE } from "../time.ts";
import { dateAndTime } from "./moments.ts";

export type Times = ReturnType<typeof timesOfAMessage>;

/**
 * The first time in a zone is written `2026-03-01 03:00 Europe/Berlin (02:00 UTC)`. Later times are `03:01:05` on the
 * same day and `2026-03-02 03:00` on other days, with UTC again after a clock change. With `severalZones` each time
 * names its zone. It also names its day, unless the last time that was written has the same day (R39).
 */
export function timesOfAMessage({ severalZones }: { readonly severalZones: boolean }) {
  const firsts = new Map<string, { readonly date: string; readonly offset: number }>();
  let lastDate = "";

  function say(when: Instant | string, timezone: string): string {
    const at = typeof when === "string" ? Date.parse(when) : when;
    const { offset } = offsetPeriodAt(timezone, at);
    const [date, time] = shortly(at + offset);
    const first = firsts.get(timezone);
    const dateBefore = severalZones ? lastDate : first?.date;
    lastDate = date;
    if (first === undefined) {
      firsts.set(timezone, { date, offset });
      return isUtc(timezone, offset) ? `${date} ${time} UTC` : `${date} ${time} ${timezone} (${inUtc(at, date)})`;
    }
    const zone = severalZones ? ` ${isUtc(timezone, offset) ? "UTC" : timezone}` : "";
    const said = `${date === dateBefore ? time : `${date} ${time}`}${zone}`;
    return offset === first.offset ? said : `${said} (${inUtc(at, date)})`;
  }

  return {
    /** Writes a time, without its seconds when they are zero. `timezone` must be a zone that `isTimezone` accepts. */
    say,
    /** Writes a time without seconds, for something that is announced, such as the next reminder. */
    sayMinute: (when: Instant | string, timezone: string): string => {
      const at = typeof when === "string" ? Date.parse(when) : when;
      return say(Math.floor(at / MINUTE) * MINUTE, timezone);
    },
    haveSaid: (timezone: string) => firsts.has(timezone),
  };
}

const isUtc = (timezone: string, offset: number): boolean => offset === 0 && /^(Etc\/)?UTC$/i.test(timezone);

/** The time in UTC. Its date is added when it differs from `wallDate`, the date that was written before it. */
function inUtc(at: Instant, wallDate: string): string {
  const [date, time] = shortly(at);
  return `${date === wallDate ? "" : `${date} `}${time} UTC`;
}

function shortly(at: Instant): [date: string, time: string] {
  const [date, time] = dateAndTime(at);
  return [date, time.replace(/:00$/, "")];
}
