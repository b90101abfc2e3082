// All jobs of a machine, each with its key. Reads only; the host and the zone are handed in.

import { findAnacronJobs } from "./anacron.ts";
import { type CronWorld, findCronJobs, flavourOf } from "./crontabs.ts";
import type { Found } from "./found.ts";
import type { Host } from "./host.ts";
import type { Manager } from "./managers.ts";
import { keysFor } from "./names.ts";
import { findTimerJobs } from "./timers.ts";

export interface World {
  readonly host: Host;
  /** Whether systemd runs here. */
  readonly systemd: boolean;
  readonly managers: readonly Manager[];
  /** Whether its `crontab` can be asked. */
  readonly isRunning: boolean;
  /** Null: nothing says it. */
  readonly timezone: string | null;
  readonly own: CronWorld["own"];
  /** Jobs that were read from files that were named. */
  readonly more: readonly Found[];
  /** What all new keys begin with. */
  readonly prefix: string;
}

export interface Job extends Found {
  readonly key: string;
}

/** In the order in which they stand: crontabs, anacron, timers, files. */
export function discover({ host, systemd, managers, isRunning, timezone, own, more, prefix }: World): readonly Job[] {
  const found = [
    ...findCronJobs({ host, flavour: flavourOf(host), systemd, isRunning, timezone, own }),
    ...findAnacronJobs(host),
    ...findTimerJobs({ host, managers, timezone }),
    ...more,
  ];
  // What cannot be watched must not take a name from what can.
  const watchable = found.filter(isWatchable);
  const named = keysFor(watchable, prefix);
  const keys = new Map(watchable.map((job, place) => [job, named[place]!]));
  return found.map((job) => ({ ...job, key: keys.get(job) ?? "" }));
}

export const isWatchable = ({ why, watchedAs }: Found): boolean => why === null || watchedAs !== null;
