// Finds all scheduled jobs of a machine and proposes the key of a monitor for each. Changes nothing.

import { spoolNote } from "./accounts.ts";
import { misleadingPeriodicStatus, periodicNotes } from "./crontab.ts";
import { type CronWorld, findCronJobs, flavourOf } from "./crontabs.ts";
import { misleadingStatus } from "./exit-status.ts";
import {
  type Found,
  type FoundChange,
  type FoundMisleadingStatus,
  foundInterval,
  type Interval,
  type Wrapped,
} from "./found.ts";
import { decodedMachineText, type MachineFiles } from "./host.ts";
import type { Manager } from "./managers.ts";
import { whyItReports } from "./own-report.ts";
import { proposedKeys, stemOf } from "./proposed-keys.ts";
import { worldOfStatus } from "./status-fault.ts";
import { findTimerJobs } from "./timers.ts";
import { watchedKey, wrapForAnacron } from "./wrap.ts";

export interface World extends Omit<CronWorld, "flavour"> {
  readonly managers: readonly Manager[];
  readonly prefix: string;
}

export type Job = Found & Readonly<{ key: string }>;

/** Returns the jobs in this order: those of crontabs, of anacron, of systemd's timers. */
export function discover({ managers, prefix, ...world }: World): readonly Job[] {
  const { host, timezone } = world;
  const found = [
    ...findCronJobs({ ...world, flavour: flavourOf(host) }),
    ...findAnacronJobs(host),
    ...findTimerJobs(host, managers, timezone),
  ];
  // Only jobs that can be watched get keys, so that no other job takes a key from one of them.
  const watchable = found.filter(isWatchable);
  const named = proposedKeys(watchable, prefix);
  const keys = new Map(watchable.map((job, place) => [job, named[place]!]));
  return found.map((job) => {
    const note = job.change === null || job.user === "" ? null : spoolNote(job.user, host);
    return { ...job, key: keys.get(job) ?? "", notes: note === null ? job.notes : [...job.notes, note] };
  });
}

export const isWatchable = ({ why, watchedAs }: Found): boolean => why === null || watchedAs !== null;

// The following reads the jobs of anacron. `/etc/anacrontab` says after how many days a job runs again, but no time.

const ANACRONTAB = "/etc/anacrontab";
const ANACRONS = ["/usr/sbin/anacron", "/usr/bin/anacron", "/sbin/anacron"];
const DAY = 86_400;
/** The names of intervals, in days. Debian's anacron knows only `@monthly`, cronie's knows all of them. */
const NAMED: ReadonlyMap<string, number> = new Map([
  ["@daily", 1],
  ["@weekly", 7],
  ["@monthly", 31],
  ["@yearly", 366],
  ["@annually", 366],
]);

function findAnacronJobs(host: MachineFiles): Found[] {
  const text = host.read(ANACRONTAB);
  if (text === null) return [];
  const isHere = ANACRONS.some((path) => host.facts(path) !== null);
  const lines = text.split("\n");
  let randomMinutes = 0;
  return lines.flatMap((line, number) => {
    randomMinutes = Number(/^\s*RANDOM_DELAY\s*=\s*(\d+)/.exec(line)?.[1] ?? randomMinutes);
    const [, before, period, delay, name, command] = /^(\s*(@\w+|\d+)\s+(\d+)\s+([^\s/]+)\s+)(\S.*)$/s.exec(line) ?? [];
    if (period === undefined) return [];
    const often = period.startsWith("@") ? period.slice(1) : period === "1" ? "every day" : `every ${period} days`;
    const interval = readPeriod(period, often);
    const watchedAs = watchedKey(command!);
    const isHalf = line.endsWith("\\") || (lines[number - 1] ?? "").endsWith("\\");
    return [
      {
        where: `${ANACRONTAB}:${number + 1}`,
        user: "root",
        command: decodedMachineText(command!).trim(),
        stem: stemOf(decodedMachineText(command!)),
        surnames: [decodedMachineText(name!)],
        said: often,
        schedule: null,
        everySeconds: "everySeconds" in interval ? interval.everySeconds : null,
        timezone: null,
        // anacron counts calendar days, and looks for due jobs once a day or an hour. So a run may come a day late.
        delaySeconds: DAY + (Number(delay) + randomMinutes) * 60,
        watchedAs,
        why:
          (isHere ? null : "there is no anacron here that would run it") ??
          ("why" in interval ? interval.why : null) ??
          (isHalf ? "it goes on in another line: put `rollcall run` before the command yourself" : null) ??
          (watchedAs === null ? whyItReports(decodedMachineText(command!)) : null),
        notes: periodicNotes(decodedMachineText(command!), host),
        change: anacronChange(number, before!, command!),
        misleading: watchedAs === null ? misleadingAnacronStatus(before!, command!, host) : null,
      },
    ];
  });
}

function readPeriod(period: string, often: string): Interval {
  const days = NAMED.get(period) ?? (/^\d+$/.test(period) ? Number(period) : null);
  return days === null ? { why: `anacron knows no ${period}` } : foundInterval(days * DAY, often);
}

function misleadingAnacronStatus(before: string, command: string, host: MachineFiles): FoundMisleadingStatus | null {
  const misleading = misleadingStatus(command, worldOfStatus(host));
  if (misleading === null) return misleadingPeriodicStatus(command, host);
  const { mended } = misleading;
  const instead = (key: string, executable: string): Wrapped => {
    const wrapped = wrapForAnacron(mended!.command, key, executable);
    return "why" in wrapped ? wrapped : { text: before + mended!.before + wrapped.text };
  };
  return {
    says: misleading.says.map(decodedMachineText),
    instead: mended === null || mended.needsBash ? null : instead,
  };
}

const anacronChange = (line: number, before: string, command: string): FoundChange => ({
  kind: "line",
  place: { kind: "file", path: ANACRONTAB },
  line,
  bare: before + command,
  wrap: (key, executable) => {
    const wrapped = wrapForAnacron(command, key, executable);
    return "why" in wrapped ? wrapped : { text: before + wrapped.text };
  },
});
