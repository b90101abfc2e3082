// The law of maintenance windows: which pause by hand stands at every moment, by its own record of every window and
// every signal. Takes a timeline and throws where the law does not hold.

import type { Watch } from "../../../src/domain/monitor/monitor.ts";
import { transition } from "../../../src/domain/monitor/transition.ts";
import type { Instant } from "../../../src/domain/time.ts";
import { laterEnd, manualBy, must, type Span, windowEnd, windowsAt, windowsIn } from "../timelines/facts.ts";
import { type Moment, type Timeline, watched } from "../timelines/timeline.ts";

/** R24: a window pauses from its start to its end; the later end wins, and who is resumed in it stays so. */
export function maintenance(timeline: Timeline): void {
  for (const { moments } of [timeline, watched(timeline)]) {
    let since = timeline.createdAt;
    let manual = laterEnd(null, windowEnd(timeline.watch, since));
    for (const moment of moments) {
      const { before, at, after } = moment;
      manual = manualAfter(moment, manualBy(before.watch, manual, since, at).manual);
      since = at;
      must(Bun.deepEquals(after.monitor.pauses.manual, manual), "another pause by hand stands", moment);
      if (manual === null && windowEnd(after.monitor.watch, at) !== null) staysResumed(moment);
    }
  }
}

/** Who was resumed in a window is not paused again because something else about the monitor is declared. */
function staysResumed(moment: Moment): void {
  const { monitor } = moment.after;
  const watch = { ...monitor.watch, graceSeconds: monitor.watch.graceSeconds + 60 };
  const declared = transition(monitor, { kind: "declare", watch }, moment.at, moment.gaps);
  must(declared.monitor.pauses.manual === null, "a window begins again because of a declaration", moment);
}

type Manual = Moment["before"]["pauses"]["manual"];

/** What the signal itself makes of the pause. */
function manualAfter({ signal, at, before, after }: Moment, manual: Manual): Manual {
  const { watch } = after.monitor;
  switch (signal.kind) {
    case "pause":
      if (signal.pause !== "manual") return manual;
      // A shorter one does not end the window that pauses it.
      return manualBy(watch, laterEnd({ until: signal.until }, manual && windowEnd(watch, at)), at, at).manual;
    case "resume":
      return signal.pause === "manual" ? null : manual;
    case "declare": {
      const [old, now] = [windowsAt(before.watch, at), windowsAt(watch, at)];
      const of = (some: readonly Span[]) => some.filter(({ until }) => until === manual?.until).length;
      // What was taken out or made shorter takes its pause with it, but for what the pause outlasted.
      const byHand = signal.byHand ?? at;
      const isGone = manual !== null && of(old) > 0 && of(now) === 0 && byHand !== manual.until;
      const shorter = [at, byHand, ...now.map(({ until }) => until)].filter((until) => until < (manual?.until ?? at));
      const left = isGone ? { until: Math.max(...shorter) } : manual;
      const added = now.filter(({ from, until }) => !old.some((one) => one.from === from && one.until >= until));
      const paused = added.reduce((pause, { until }) => laterEnd(pause, until), left);
      return manualBy(watch, paused, at, at).manual;
    }
    case "rebase":
      return laterEnd(isOfLaterWindow(watch, manual, at) ? null : manual, windowEnd(watch, at));
    default:
      return manual;
  }
}

/** Such a pause began only because the clock was wrong: it has not begun. */
const isOfLaterWindow = (watch: Watch, manual: Manual, now: Instant): boolean =>
  manual !== null && windowsIn(watch, now, manual.until ?? now).some(({ until }) => until === manual.until);
