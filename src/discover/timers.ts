// The timers of systemd that are enabled: when each starts its service, and how that service would be wrapped.

import { type CalendarEvent, readCalendar } from "./calendar.ts";
import type { Found } from "./found.ts";
import { decoded, type Host } from "./host.ts";
import { cleaned } from "./names.ts";
import { type Service, serviceOf } from "./services.ts";
import { lastOf, readUnit, type Unit, valuesOf, wantedUnits } from "./unit-file.ts";

/** How exactly a timer of systemd keeps time unless it says more. Seconds. */
const ACCURACY_DEFAULT = 60;
const MONOTONIC = ["OnActiveSec", "OnBootSec", "OnStartupSec", "OnUnitActiveSec", "OnUnitInactiveSec"] as const;

export interface TimerWorld {
  readonly host: Host;
  /** Whether it runs here. */
  readonly systemd: boolean;
  /** The machine's; null: nothing says it. */
  readonly timezone: string | null;
}

export const findTimerJobs = (world: TimerWorld): Found[] =>
  wantedUnits(".timer", world.host).flatMap((name) => {
    const timer = readUnit(name, world.host);
    return timer === null ? [] : [foundIn(name, timer, world)];
  });

function foundIn(name: string, { settings }: Unit, { host, systemd, timezone: machineZone }: TimerWorld): Found {
  const base = name.replace(/\.timer$/, "");
  const events = valuesOf(settings, "Timer", "OnCalendar");
  const event: CalendarEvent | null = events.length === 0 ? null : readCalendar(events);
  const read = event?.read ?? null;
  const unit = lastOf(settings, "Timer", "Unit") ?? `${base}.service`;
  const service = serviceOf(unit, host);
  const monotonic = MONOTONIC.flatMap((one) => valuesOf(settings, "Timer", one).map((value) => `${one}=${value}`));
  const timezone = event?.timezone ?? machineZone;
  const why =
    (systemd ? null : "systemd does not run here, so its timers start nothing") ??
    (read === null ? whyNoCalendar(monotonic) : "why" in read ? read.why : null) ??
    service.why ??
    (timezone === null ? "nothing says this machine's time zone: set /etc/localtime or give --timezone" : null);
  return {
    where: name,
    user: service.user,
    command: decoded(service.command),
    stem: cleaned(base) || "timer",
    surnames: ["timer"],
    said: [...events, ...monotonic].join("; "),
    schedule: read !== null && "schedule" in read ? read.schedule : null,
    timezone,
    delaySeconds: delayOf(settings),
    watchedAs: service.watchedAs,
    why,
    notes: notesOf(settings, event, monotonic, service),
    change: service.change,
  };
}

function whyNoCalendar(monotonic: readonly string[]): string {
  if (monotonic.length === 0) return "it has no time at which it starts";
  return `it runs by time passed (${monotonic.join(", ")}) and not by the clock, and no schedule says that`;
}

function delayOf(settings: Unit["settings"]): number {
  const delay = secondsOf(lastOf(settings, "Timer", "RandomizedDelaySec") ?? "0") ?? 0;
  const accuracy = secondsOf(lastOf(settings, "Timer", "AccuracySec") ?? "") ?? ACCURACY_DEFAULT;
  return Math.ceil(delay + accuracy);
}

function notesOf(
  settings: Unit["settings"],
  event: CalendarEvent | null,
  monotonic: readonly string[],
  service: Service,
): string[] {
  const notes: string[] = [];
  if (event !== null && monotonic.length > 0)
    notes.push(`Its runs by ${monotonic.join(", ")} come besides, and nothing waits for them.`);
  const isPersistent = /^(?:yes|true|on|1)$/i.test(lastOf(settings, "Timer", "Persistent") ?? "");
  if (event !== null && isPersistent)
    notes.push("It is persistent: a run missed while the machine was off comes at its start, and ends the alarm.");
  return [...notes, ...service.notes];
}

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:us|usec|µs)$/, 1e-6],
  [/^(?:ms|msec)$/, 1e-3],
  [/^(?:|s|sec|seconds?)$/, 1],
  [/^(?:m|min|minutes?)$/, 60],
  [/^(?:h|hr|hours?)$/, 3_600],
  [/^(?:d|days?)$/, 86_400],
  [/^(?:w|weeks?)$/, 604_800],
  [/^(?:M|months?)$/, 2_629_800],
  [/^(?:y|years?)$/, 31_557_600],
];

/** A span as systemd writes it, such as `1h 30min`, in seconds; null: it is none. */
export function secondsOf(text: string): number | null {
  if (!/^\s*(?:[\d.]+\s*[a-zA-Zµ]*\s*)+$/.test(text)) return null;
  let sum = 0;
  for (const [, number, unit] of text.matchAll(/([\d.]+)\s*([a-zA-Zµ]*)/g)) {
    const factor = UNITS.find(([names]) => names.test(unit!));
    if (factor === undefined) return null;
    sum += Number(number) * factor[1];
  }
  return sum;
}
