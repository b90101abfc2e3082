// Since when the clock of dates has agreed with the time that passes. A computer that slept looks like a step, too.

import { type Instant, MINUTE } from "../domain/time.ts";
import type { Clock } from "../engine/api.ts";

/** Less is a clock that is being set right little by little, or a look that came late. */
const STEP = MINUTE;

export function createSteady(clock: Clock) {
  let offset = clock.now() - clock.monotonic();
  let steadyFrom = clock.monotonic();
  return {
    /** The start of this process, or when the clock was last seen to have stepped. */
    since: (): Instant => {
      const [now, monotonic] = [clock.now(), clock.monotonic()];
      if (Math.abs(now - monotonic - offset) > STEP) steadyFrom = monotonic;
      offset = now - monotonic;
      return now - (monotonic - steadyFrom);
    },
  };
}
