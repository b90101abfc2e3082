// The type of a scheduled job that was found on a machine, for every scheduler.

import { EVERY_SECONDS_MAX, EVERY_SECONDS_MIN } from "../domain/limits.ts";
import { durationText } from "../domain/time.ts";

export type Place =
  | { readonly kind: "file"; readonly path: string }
  /** A crontab that only the program `crontab` reads and writes. */
  | { readonly kind: "crontab"; readonly user: string };

export interface LineChange {
  readonly kind: "line";
  readonly place: Place;
  readonly line: number;
  readonly bare: string;
  wrap(key: string, executable: string): Wrapped;
}

/** A new file beside a unit. */
export interface DropIn {
  readonly kind: "drop-in";
  /** The user whose unit it is; `null` when it is the system's. */
  readonly user: string | null;
  readonly path: string;
  content(key: string, executable: string): Wrapped;
}

export type FoundChange = LineChange | DropIn;

/** What is misleading about an exit status: it does not say how the job ended. */
export interface FoundMisleadingStatus {
  /** The reasons, as sentences. */
  readonly says: readonly string[];
  /** Makes the line that we would write instead; `null` when no short change is enough. */
  readonly instead: ((key: string, executable: string) => Wrapped) | null;
}

export type Wrapped = { readonly text: string } | { readonly why: string };

export interface Found {
  /** The place for people, such as `/etc/crontab:12` or `backup.timer`. */
  readonly where: string;
  /** The service of the system's systemd that runs the job; absent when none does. */
  readonly unit?: string;
  readonly user: string;
  readonly command: string;
  /** The beginning of the job's key: a name made from the command. */
  readonly stem: string;
  /** Texts that may be added to make the key unique, the shorter ones first. */
  readonly surnames: readonly string[];
  readonly said: string;
  /** The schedule in rollcall's form, five fields; `null` when no such schedule means the same. */
  readonly schedule: string | null;
  /** The longest time between the ends of two runs, for a job without a schedule; `null` when nothing says it. */
  readonly everySeconds: number | null;
  /** The zone in which the schedule is read; `null` when nothing names one. */
  readonly timezone: string | null;
  /** How late the scheduler may start the job by itself, in seconds. */
  readonly delaySeconds: number;
  /** The key under which the job is already wrapped; `null` when it is not wrapped. */
  readonly watchedAs: string | null;
  /** Why the job cannot be watched, in a sentence without a full stop; `null` when it can. */
  readonly why: string | null;
  /** What a reader should know about the job, in sentences. */
  readonly notes: readonly string[];
  readonly change: FoundChange | null;
  /** What is misleading about its exit status; `null` when that says how the job ended, as far as the command shows. */
  readonly misleading: FoundMisleadingStatus | null;
  /**
   * True for a job that the distribution brings for its own upkeep. It is listed and watched only when a person asks
   * for it.
   */
  readonly isHousekeeping?: boolean;
}

/** The names, without `.timer`, of timers of the distribution whose failures need no alarm. */
const HOUSEKEEPING_TIMERS = new Set([
  ...["apt-daily", "apt-daily-upgrade", "dpkg-db-backup", "apport-autoreport", "popularity-contest", "dnf-makecache"],
  ...["update-notifier-download", "update-notifier-motd", "motd-news", "ua-timer", "apt-news", "esm-cache"],
  ...["fwupd-refresh", "packagekit-offline-update", "archlinux-keyring-wkd-sync", "pamac-cleancache"],
  ...["man-db", "man-db-cache-update", "mlocate", "mlocate-updatedb", "plocate-updatedb", "updatedb"],
  ...["fstrim", "e2scrub_all", "e2scrub_reap", "xfs_scrub_all", "logrotate", "shadow", "unbound-anchor"],
  ...["systemd-tmpfiles-clean", "snapd.snap-repair", "grub-boot-success"],
  ...["anacron", "exim4-base", "ntpsec-rotate-stats", "phpsessionclean", "atop-rotate"],
  ...["sysstat-collect", "sysstat-rotate", "sysstat-summary"],
]);
/** The names of the distribution's files in `/etc/cron.d` whose failures need no alarm. */
export const HOUSEKEEPING_CRONTABS = new Set(["anacron", "e2scrub_all", "popularity-contest", "sysstat"]);

/**
 * Whether a timer is the distribution's. `fragment` is the path of the unit's file. A timer with such a name that
 * people have written is theirs.
 */
export const isHousekeepingTimer = (base: string, fragment: string): boolean =>
  HOUSEKEEPING_TIMERS.has(base) && /^\/(?:usr\/)?lib\//.test(fragment);

/** The fields of an entry that cannot be read as a job. */
export const NO_JOB = {
  command: "",
  surnames: [],
  said: "",
  schedule: null,
  everySeconds: null,
  timezone: null,
  delaySeconds: 0,
  watchedAs: null,
  notes: [],
  change: null,
  misleading: null,
} as const;

/** The longest time between the ends of two runs. `why` says why rollcall takes no such interval. */
export type Interval = { readonly everySeconds: number } | { readonly why: string };

/** An interval of so many seconds; `seconds` is `null` when the text is no span. */
export function intervalOf(seconds: number | null, said: string): Interval {
  if (seconds === null) return { why: `${said} is not understood` };
  const everySeconds = Math.ceil(seconds);
  return everySeconds >= EVERY_SECONDS_MIN && everySeconds <= EVERY_SECONDS_MAX
    ? { everySeconds }
    : {
        why: `rollcall takes intervals from ${durationText(EVERY_SECONDS_MIN)} to ${durationText(EVERY_SECONDS_MAX)}, and not ${said}`,
      };
}
