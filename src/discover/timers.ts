// Finds the timers of systemd that are enabled or have been started, and the service that each of them starts.

import { type CalendarEvent, readCalendar } from "../domain/schedule/calendar-events.ts";
import { type Found, foundInterval, type Interval, isHousekeepingTimer, NO_JOB } from "./found.ts";
import { decodedMachineText, type MachineFiles } from "./host.ts";
import type { Manager } from "./managers.ts";
import { proposedKeyText } from "./proposed-keys.ts";
import { serviceOf } from "./services.ts";
import {
  expandedSpecifiers,
  isYesInUnit,
  lastSettingValue,
  readUnit,
  settingValues,
  spanSeconds,
  timesOfTimer,
  type Unit,
  wantedUnits,
} from "./unit-file.ts";
import { preventingNotes } from "./unit-notes.ts";

/** How many seconds after its time a timer of systemd may start its service, unless it sets AccuracySec=. */
const ACCURACY_DEFAULT = 60;
const USER_TIMERS_MAX = 200;
/** The settings by which a timer starts its service once, some time after a boot or after the timer's own start. */
const STARTING = ["OnActiveSec", "OnBootSec", "OnStartupSec"] as const;
/** The settings by which a timer starts its service again and again, some time after its last start or last end. */
const REPEATING = ["OnUnitActiveSec", "OnUnitInactiveSec"] as const;

export const findTimerJobs = (host: MachineFiles, managers: readonly Manager[], timezone: string | null): Found[] =>
  managers.flatMap((manager) => {
    const wanted = new Set(wantedUnits(".timer", manager, host));
    const started = [...(manager.loaded ?? [])].filter(([name, { isActive }]) => isActive && name.endsWith(".timer"));
    const names = new Set([...wanted, ...started.map(([name]) => name)]);
    if (manager.user !== null && names.size > USER_TIMERS_MAX) return [tooManyTimers(manager.user, names.size)];
    return [...names].sort().flatMap((name) => {
      const timer = readUnit(name, manager, host);
      return timer === null || isOfCrontab(timer.settings)
        ? []
        : [foundIn({ name, isWanted: wanted.has(name), ...timer }, manager, host, timezone)];
    });
  });

/** Whether systemd-cron made the unit from a line of a crontab. The job is then found and wrapped in the crontab. */
const isOfCrontab = (settings: Unit["settings"]): boolean =>
  /^(?:\/etc\/(?:ana)?crontab$|\/etc\/cron\.d\/|\/var\/spool\/cron\/)/.test(
    lastSettingValue(settings, "Unit", "SourcePath") ?? "",
  );

const tooManyTimers = (user: string, timers: number): Found => ({
  ...NO_JOB,
  where: `timers of ${user}`,
  user,
  stem: "timers",
  why: `there are ${timers} of them, and at most ${USER_TIMERS_MAX} are read`,
});

type Timer = Unit & { readonly name: string; readonly isWanted: boolean };

function foundIn(timer: Timer, manager: Manager, host: MachineFiles, machineZone: string | null): Found {
  const { name, settings } = timer;
  const base = name.replace(/\.timer$/, "");
  const times = timesOfTimer(settings);
  const events = settingValues(times, "Timer", "OnCalendar");
  const event: CalendarEvent | null = events.length === 0 ? null : readCalendar(events);
  const read = event?.read ?? null;
  const unit = expandedSpecifiers(lastSettingValue(settings, "Timer", "Unit") ?? `${base}.service`, name);
  const service = serviceOf(unit, manager, host);
  const starting = spansOf(times, STARTING);
  const repeating = spansOf(times, REPEATING);
  const monotonic = [...starting, ...repeating];
  const interval = event === null ? readInterval(starting, repeating) : null;
  const timezone = event?.timezone ?? machineZone;
  const why =
    manager.idle ??
    (manager.loaded?.get(name)?.isTransient ? "a program made it, and makes it again without what we add" : null) ??
    (read !== null && "why" in read ? read.why : null) ??
    (interval !== null && "why" in interval ? interval.why : null) ??
    service.why ??
    (event !== null && timezone === null
      ? "nothing says this machine's time zone: set /etc/localtime or give --timezone"
      : null);
  return {
    where: manager.user === null ? name : `${name} of ${manager.user}`,
    ...(manager.user === null ? { unit } : {}),
    user: service.user,
    command: decodedMachineText(service.command),
    stem: proposedKeyText(base) || "timer",
    surnames: [...(manager.user === null ? [] : [manager.user]), "timer"],
    said: [...events, ...monotonic.map(({ said }) => said)].join("; "),
    schedule: read !== null && "schedule" in read ? read.schedule : null,
    everySeconds: interval !== null && "everySeconds" in interval ? interval.everySeconds : null,
    // An interval means the same in every time zone, so no zone is given for it.
    timezone: event === null ? null : timezone,
    delaySeconds: delayOf(settings),
    watchedAs: service.watchedAs,
    why,
    notes: [
      ...(event === null ? startNotes(starting) : calendarNotes(settings, monotonic)),
      ...preventingNotes(timer.settings, name),
      ...service.notes,
      ...liveNotes(timer, unit, manager),
    ],
    change: service.change,
    misleading: service.misleading,
    isHousekeeping: isHousekeepingTimer(base, timer.fragment),
  };
}

type WrittenSpan = ReturnType<typeof spansOf>[number];

const spansOf = (settings: Unit["settings"], names: readonly string[]) =>
  names.flatMap((name) =>
    settingValues(settings, "Timer", name).map((value) => ({ said: `${name}=${value}`, seconds: spanSeconds(value) })),
  );

/**
 * Returns the interval of a timer: the shortest of its `repeating` settings. OnUnitInactiveSec= counts from the end of
 * a run, and is taken too, because rollcall measures intervals from end to end (R44).
 */
function readInterval(starting: readonly WrittenSpan[], repeating: readonly WrittenSpan[]): Interval {
  const unread = repeating.find(({ seconds }) => seconds === null);
  const shortest = unread ?? [...repeating].sort((one, other) => one.seconds! - other.seconds!)[0];
  if (shortest !== undefined) return foundInterval(shortest.seconds, shortest.said);
  if (starting.length === 0) return { why: "it has no time at which it starts" };
  return { why: `it runs once after a start (${spanList(starting)}), so no time says when a report is due` };
}

const spanList = (spans: readonly WrittenSpan[]): string => spans.map(({ said }) => said).join(", ");

function delayOf(settings: Unit["settings"]): number {
  const delay = spanSeconds(lastSettingValue(settings, "Timer", "RandomizedDelaySec") ?? "0") ?? 0;
  const accuracy = spanSeconds(lastSettingValue(settings, "Timer", "AccuracySec") ?? "") ?? ACCURACY_DEFAULT;
  // From version 258 on, systemd chooses a random offset for each machine, which the expression does not show.
  const offset = spanSeconds(lastSettingValue(settings, "Timer", "RandomizedOffsetSec") ?? "0") ?? 0;
  return Math.ceil(delay + offset + accuracy);
}

function calendarNotes(settings: Unit["settings"], monotonic: readonly WrittenSpan[]): readonly string[] {
  const notes: string[] = [];
  if (monotonic.length > 0) notes.push(`Its runs by ${spanList(monotonic)} come besides, and nothing waits for them.`);
  const isPersistent = isYesInUnit(lastSettingValue(settings, "Timer", "Persistent") ?? "");
  if (isPersistent)
    notes.push("It is persistent: a run missed while the machine was off comes at its start, and ends the alarm.");
  return notes;
}

/**
 * Returns a note for a timer that starts its service only some time after an earlier run; otherwise none. systemd
 * forgets earlier runs at a boot, so nothing starts the first run after the boot.
 */
const startNotes = (starting: readonly WrittenSpan[]): readonly string[] =>
  starting.length > 0
    ? []
    : ["Nothing starts its first run after a boot: it needs OnBootSec= or OnActiveSec= beside its interval."];

function liveNotes({ name, isWanted }: Timer, service: string, { loaded, user }: Manager): readonly string[] {
  if (loaded === null) return [];
  const notes: string[] = [];
  const systemctl = user === null ? "systemctl" : "systemctl --user";
  if (!isWanted) notes.push(`It was started and is not enabled, so no boot starts it: ${systemctl} enable ${name}.`);
  if (loaded.get(name)?.isActive !== true)
    notes.push(`It is enabled and does not run now, so its runs will be missed: ${systemctl} start ${name}.`);
  if ([name, service].some((unit) => loaded.get(unit)?.isStale))
    notes.push(
      `systemd has not read its files since they changed; ${systemctl} daemon-reload, which --apply does, too.`,
    );
  return notes;
}
