// Jobs that run at intervals: how far the ends of their runs may be apart, where rollcall takes that.

import { EVERY_SECONDS_MAX, EVERY_SECONDS_MIN } from "../domain/limits.ts";
import { durationText } from "../domain/time.ts";

/** `why`: rollcall takes no such interval. */
export type Interval = { readonly everySeconds: number } | { readonly why: string };

/** `seconds` null: the text says no span. */
export function intervalOf(seconds: number | null, said: string): Interval {
  if (seconds === null) return { why: `${said} is not understood` };
  const everySeconds = Math.ceil(seconds);
  return everySeconds >= EVERY_SECONDS_MIN && everySeconds <= EVERY_SECONDS_MAX
    ? { everySeconds }
    : {
        why: `rollcall takes intervals from ${durationText(EVERY_SECONDS_MIN)} to ${durationText(EVERY_SECONDS_MAX)}, and not ${said}`,
      };
}
