// Wakes less often than something changes: the first change wakes at once, those that follow it soon together.

import type { PagesParts } from "../pages-parts.ts";

type OnChange = (wake: () => void) => () => void;

/** `rest`: the least between two wakes, in milliseconds. */
export const slowly =
  (onChange: OnChange, rest: number, { clock, after }: Pick<PagesParts, "clock" | "after">): OnChange =>
  (wake) => {
    let lastAt = Number.NEGATIVE_INFINITY;
    let cancel: (() => void) | null = null;

    function wakeNow(): void {
      cancel = null;
      lastAt = clock.monotonic();
      wake();
    }

    const end = onChange(() => {
      if (cancel !== null) return;
      const left = lastAt + rest - clock.monotonic();
      if (left <= 0) wakeNow();
      else cancel = after(left, wakeNow);
    });
    return () => {
      cancel?.();
      end();
    };
  };
