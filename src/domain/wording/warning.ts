// The `warning` in the receipt of a report (R7, R14): one sentence about what matters most in the monitor or the
// report.

import { DURATION_SECONDS_MAX } from "../limits.ts";
import { isPaused, type Monitor, type Watch } from "../monitor/monitor.ts";
import type { Run } from "../monitor/run.ts";
import { zoneHint } from "../monitor/zone-hint.ts";
import { isUsualMonitorKey } from "../monitor-key.ts";
import { isSameRhythm } from "../schedule/rhythm.ts";
import { durationText, type Instant, SECOND, toIso } from "../time.ts";
import { durationInWords } from "./spoken-time.ts";
import { zoneHintInWords } from "./zone-words.ts";

/** A report and the facts about its monitor. The functions look something up, and are called only when needed. */
export interface Reported {
  readonly kind: "heartbeat" | "start" | "complete" | "fail" | "log";
  /**
   * Unknown parameters of the report, each with the known one that it resembles. If both are the same, the parameter
   * was sent in the body, where it does not belong.
   */
  readonly lookalikes: readonly { readonly name: string; readonly meant: string }[];
  readonly key: string;
  readonly created: boolean;
  /** Whether a complete of the monitor must report outcomes (R27). */
  readonly expectsOutcomes: boolean;
  readonly watchBefore: Watch;
  readonly monitor: Monitor;
  /** Runs without an end that were given up because of this report (R21). */
  readonly outlived: readonly Run[];
  /** The duration in seconds that the report gives, if so much time cannot have passed; otherwise `null` (R43). */
  readonly disbelieved: number | null;
  /** When the report's run began; `null` when its start was not heard. */
  readonly startedAt: Instant | null;
  /** Why no alert of this monitor would reach a person now; `null` when one would (R36). */
  readonly unreachable: () => string | null;
  /**
   * The name of the rate limit's setting that refused reports of this monitor in the last hour; `null` when none did.
   */
  readonly refusedBy: () => string | null;
  /** The time zones in which the job may run, the likeliest first (R13). */
  readonly zones: () => readonly string[];
}

/**
 * Returns the warning; `null` when there is nothing to warn of. By the contract the receipt of a heartbeat warns about
 * anything in the monitor. Receipts of other reports warn only about what the report caused.
 */
export function warningOf(reported: Reported): string | null {
  const isHeartbeat = reported.kind === "heartbeat" || reported.kind === "log";
  const first = isHeartbeat ? aboutMonitor(reported) : aboutOutlived(reported.outlived);
  const duration = aboutDuration(reported);
  const parameters = aboutParameters(reported);
  if (duration === null && parameters === null) return first;
  const sentences = [first, duration, parameters].filter((sentence) => sentence !== null);
  return sentences.length === 0 ? null : sentences.join(" ");
}

/** Warns of the most important fault of the monitor, checked in this order (R14). */
function aboutMonitor(reported: Reported): string | null {
  const { kind, key, created, expectsOutcomes, watchBefore, monitor, outlived, unreachable, refusedBy, zones } =
    reported;
  if (isPaused(monitor)) return "This monitor is paused: reports are recorded, but nothing is watched.";
  const unheard = unreachable();
  if (unheard !== null) return `Alerts of this monitor cannot be delivered: ${unheard}.`;
  const change = aboutSchedule(watchBefore, monitor.watch);
  if (change !== null) return change;
  const setting = refusedBy();
  if (setting !== null) return `Reports of this monitor were refused by the rate limit in the last hour (${setting}).`;
  const givenUp = aboutOutlived(outlived);
  if (givenUp !== null) return givenUp;
  // Nearly every report comes at its slot and needs no hint about its time zone, so that hint is made only when a
  // report missed its slot.
  const hint = monitor.drift.reports === 0 ? null : zoneHint(monitor, zones());
  if (hint !== null) return zoneHintInWords(hint, monitor.watch.timezone);
  if (kind === "heartbeat" && expectsOutcomes)
    return "The outcome checks of this monitor cannot be met by a heartbeat: use complete, with a JSON body.";
  if (created && !isUsualMonitorKey(key))
    return 'The monitor key is accepted; the guideline is lowercase letters, digits, "-", "_" and ".".';
  return null;
}

/** Warns of unknown parameters: `The parameter "grace" is unknown and was ignored; did you mean "gracePeriod"?` */
function aboutParameters({ lookalikes: all }: Reported): string | null {
  const misplaced = aboutMisplaced(all);
  const lookalikes = all.filter(({ name, meant }) => name !== meant);
  if (lookalikes.length === 0 || misplaced !== null) return misplaced;
  const sent = quotedList(lookalikes.map(({ name }) => name));
  const meant = quotedList([...new Set(lookalikes.map((each) => each.meant))]);
  return lookalikes.length === 1
    ? `The parameter ${sent} is unknown and was ignored; did you mean ${meant}?`
    : `The parameters ${sent} are unknown and were ignored; did you mean ${meant}?`;
}

const quotedList = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(", ");

/** Warns of parameters that were sent in the body instead of the query; `null` when there were none. */
export function aboutMisplaced(lookalikes: Reported["lookalikes"]): string | null {
  const names = lookalikes.filter(({ name, meant }) => name === meant).map(({ name }) => name);
  return names.length === 0
    ? null
    : `The body has ${quotedList(names)}, and was ignored: parameters stand in the query, as in ?${names[0]}=VALUE.`;
}

/** Warns of a duration that cannot be true (R43): the client's clock was set, or it gave milliseconds for seconds. */
function aboutDuration({ kind, disbelieved, startedAt }: Reported): string | null {
  if (disbelieved === null || kind === "start" || kind === "log") return null;
  return startedAt === null
    ? `The duration of ${disbelieved} seconds was ignored: it is longer than ${durationInWords(DURATION_SECONDS_MAX * SECOND)}.`
    : `The duration of ${disbelieved} seconds was ignored: the run started at ${toIso(startedAt)}, which is not as long ago.`;
}

/** Warns of runs given up when a later one succeeded: without `maxRuntime` no alert tells of a run that hangs (R21). */
function aboutOutlived(outlived: readonly Run[]): string | null {
  const [oldest] = outlived;
  if (oldest === undefined) return null;
  const runs =
    outlived.length === 1
      ? `The run that started at ${toIso(oldest.startedAt!)} has not reported its end`
      : `${outlived.length} runs (the oldest started at ${toIso(oldest.startedAt!)}) have not reported their end`;
  return `${runs} and no alarm will be raised, since a later one succeeded: set maxRuntime to be told of runs that hang.`;
}

function aboutSchedule(before: Watch, after: Watch): string | null {
  if (isSameRhythm(before, after)) return null;
  const inZones = before.timezone !== after.timezone && before.everySeconds === null && after.everySeconds === null;
  return `The schedule changed from ${scheduleInWords(before, inZones)} to ${scheduleInWords(after, inZones)}.`;
}

function scheduleInWords({ schedule, everySeconds, timezone }: Watch, inZone: boolean): string {
  if (everySeconds !== null) return `every ${durationText(everySeconds)}`;
  if (schedule === null) return "none";
  return inZone ? `${JSON.stringify(schedule)} in ${timezone}` : JSON.stringify(schedule);
}
