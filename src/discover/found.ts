// Declares what is known of a scheduled job that was found on a machine, whatever scheduler runs it.

import { EVERY_SECONDS_MAX, EVERY_SECONDS_MIN } from "../domain/limits.ts";
import { durationText } from "../domain/time.ts";

/** Where the text is that a wrapping changes: a file, or the crontab of a user. */
export type Place =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "crontab"; readonly user: string };

export interface LineChange {
  readonly kind: "line";
  readonly place: Place;
  readonly line: number;
  readonly bare: string;
  wrap(key: string, executable: string): Wrapped;
}

/** A new file that changes a unit of systemd (a drop-in). */
export interface DropIn {
  readonly kind: "drop-in";
  /** The user whose systemd has the unit; `null` when the system's has it. */
  readonly user: string | null;
  readonly path: string;
  content(key: string, executable: string): Wrapped;
}

export type FoundChange = LineChange | DropIn;

/** Says why the exit status of a command does not tell how its job ended. */
export interface FoundMisleadingStatus {
  /** Why the exit status does not tell how the job ended, each reason as a sentence. */
  readonly says: readonly string[];
  /**
   * Makes the line that would stand in place of the job's line, for the monitor with this key. `null` when a short
   * change of the line is not enough; then a person must change the command.
   */
  readonly instead: ((key: string, executable: string) => Wrapped) | null;
}

export type Wrapped = { readonly text: string } | { readonly why: string };

export interface Found {
  /** Where the job is, for people, such as `/etc/crontab:12` or `backup.timer`. */
  readonly where: string;
  /** The service of systemd that runs the job. Absent when none does, or when it is a service of a user's systemd. */
  readonly unit?: string;
  readonly user: string;
  readonly command: string;
  /** A name that is made from the command, and from which the job's key is made. */
  readonly stem: string;
  /** Texts that may be added to `stem` to make the key unique, such as the user; the first is tried first. */
  readonly surnames: readonly string[];
  readonly said: string;
  /** The schedule as a cron expression of five fields; `null` when no such expression means the same. */
  readonly schedule: string | null;
  /**
   * For a job without a schedule: the longest time in seconds from the end of one run to the end of the next; `null`
   * when nothing says it.
   */
  readonly everySeconds: number | null;
  /** The time zone in which the schedule is read; `null` when nothing names one. */
  readonly timezone: string | null;
  /** How many seconds after the time of the schedule the scheduler may start the job at the latest. */
  readonly delaySeconds: number;
  /** The key under which the job is already wrapped; `null` when it is not. */
  readonly watchedAs: string | null;
  /** Why the job cannot be watched, as a sentence without a full stop; `null` when it can. */
  readonly why: string | null;
  /** What a person should know about the job, in sentences. */
  readonly notes: readonly string[];
  readonly change: FoundChange | null;
  /** What is misleading about the job's exit status; `null` when nothing is, as far as the command shows. */
  readonly misleading: FoundMisleadingStatus | null;
  /**
   * True for a job by which the Linux distribution maintains itself. Such a job is listed and watched only when a
   * person asks for it.
   */
  readonly isHousekeeping?: boolean;
}

/** The names, without `.timer`, of timers of Linux distributions whose failures need no alert. */
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
/** The names of files in `/etc/cron.d` that come from Linux distributions, and whose failures need no alert. */
export const HOUSEKEEPING_CRONTABS = new Set(["anacron", "e2scrub_all", "popularity-contest", "sysstat"]);

/**
 * Whether a timer comes from the distribution. `fragment` is the path of its file. A timer of the same name that people
 * have written is in another directory.
 */
export const isHousekeepingTimer = (base: string, fragment: string): boolean =>
  HOUSEKEEPING_TIMERS.has(base) && /^\/(?:usr\/)?lib\//.test(fragment);

/** The fields of an entry that is listed but cannot be read as a job. */
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

/** The longest time in seconds from one run's end to the next one's end, or why rollcall takes no such interval. */
export type Interval = { readonly everySeconds: number } | { readonly why: string };

/** Makes an interval of this many seconds. `seconds` is `null` when the scheduler's text `said` could not be read. */
export function foundInterval(seconds: number | null, said: string): Interval {
  if (seconds === null) return { why: `${said} is not understood` };
  const everySeconds = Math.ceil(seconds);
  return everySeconds >= EVERY_SECONDS_MIN && everySeconds <= EVERY_SECONDS_MAX
    ? { everySeconds }
    : {
        why: `rollcall takes intervals from ${durationText(EVERY_SECONDS_MIN)} to ${durationText(EVERY_SECONDS_MAX)}, and not ${said}`,
      };
}
