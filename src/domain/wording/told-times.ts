// How one message says its times: the zone and UTC once, with the first; what follows is read in the same zone. Nobody can
// read a message full of zones at night.

import { stretchAt } from "../schedule/zone.ts";
import { type Instant, MINUTE } from "../time.ts";
import { dateAndTime } from "./spoken-time.ts";

/** Says the next time of a message, in the order in which it is read. */
export interface Times {
  /** Seconds are left out where they are nought. The zone must be one that `isTimezone` accepts. */
  say(at: Instant | string, timezone: string): string;
  /** The same without seconds, for announced times. */
  sayMinute(at: Instant | string, timezone: string): string;
  /** Whether a time was said in this zone, so that its name is known. */
  haveSaid(timezone: string): boolean;
}

interface Said {
  readonly date: string;
  readonly offset: number;
}

/**
 * The times of one message. The first in a zone is `2026-03-01 03:00 Europe/Berlin (02:00 UTC)`; later ones are `03:01:05`
 * on its day and `2026-03-02 03:00` on others, with UTC again where the clocks have been changed in between.
 */
export function timesOfAMessage(): Times {
  const firsts = new Map<string, Said>();

  function say(when: Instant | string, timezone: string): string {
    const at = typeof when === "string" ? Date.parse(when) : when;
    const { offset } = stretchAt(timezone, at);
    const [date, time] = shortly(at + offset);
    const first = firsts.get(timezone);
    if (first === undefined) {
      firsts.set(timezone, { date, offset });
      return isUtc(timezone, offset) ? `${date} ${time} UTC` : `${date} ${time} ${timezone} (${inUtc(at, date)})`;
    }
    const said = date === first.date ? time : `${date} ${time}`;
    return offset === first.offset ? said : `${said} (${inUtc(at, date)})`;
  }

  return {
    say,
    sayMinute: (when, timezone) => {
      const at = typeof when === "string" ? Date.parse(when) : when;
      return say(Math.floor(at / MINUTE) * MINUTE, timezone);
    },
    haveSaid: (timezone) => firsts.has(timezone),
  };
}

const isUtc = (timezone: string, offset: number): boolean => offset === 0 && /^(Etc\/)?UTC$/i.test(timezone);

/** With its date when that is another than the wall's. */
function inUtc(at: Instant, wallDate: string): string {
  const [date, time] = shortly(at);
  return `${date === wallDate ? "" : `${date} `}${time} UTC`;
}

function shortly(at: Instant): [date: string, time: string] {
  const [date, time] = dateAndTime(at);
  return [date, time.replace(/:00$/, "")];
}
