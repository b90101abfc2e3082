// One scheduled job that was found on a machine, from whichever scheduler.

import { EVERY_SECONDS_MAX, EVERY_SECONDS_MIN } from "../domain/limits.ts";
import { durationText } from "../domain/time.ts";

export type Place =
  | { readonly kind: "file"; readonly path: string }
  /** Read and written by `crontab`. */
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
  /** Whose unit it is; null: the system's. */
  readonly user: string | null;
  readonly path: string;
  content(key: string, executable: string): Wrapped;
}

export type FoundChange = LineChange | DropIn;

/** What its exit status says other than its outcome. */
export interface FoundDoubt {
  /** Sentences. */
  readonly says: readonly string[];
  /** The line that we would write instead; null: nothing short mends it. */
  readonly instead: ((key: string, executable: string) => Wrapped) | null;
}

export type Wrapped = { readonly text: string } | { readonly why: string };

export interface Found {
  /** For people, such as `/etc/crontab:12` or `backup.timer`. */
  readonly where: string;
  /** The service of the system's systemd that runs it; absent: none does. */
  readonly unit?: string;
  readonly user: string;
  readonly command: string;
  /** What its key begins as: a name made of the command. */
  readonly stem: string;
  /** What may be added to make the key unique, the shorter first. */
  readonly surnames: readonly string[];
  readonly said: string;
  /** As rollcall reads it, five fields; null: no such schedule says the same. */
  readonly schedule: string | null;
  /** How far the ends of its runs may be apart, of a job without a schedule; null: nothing says it. */
  readonly everySeconds: number | null;
  /** Null: nothing says it. */
  readonly timezone: string | null;
  /** How late its scheduler may start it by itself, in seconds. */
  readonly delaySeconds: number;
  /** It is wrapped already, under this key. */
  readonly watchedAs: string | null;
  /** Why it cannot be watched, in a sentence without a full stop; null: it can. */
  readonly why: string | null;
  /** What a reader should know of it, in sentences. */
  readonly notes: readonly string[];
  readonly change: FoundChange | null;
  /** Null: its exit status is its outcome, as far as its words show. */
  readonly doubt: FoundDoubt | null;
  /** The distribution brings it for its own upkeep; it is listed and watched only where a person asks for it. */
  readonly isHousekeeping?: boolean;
}

/** Of whose failure people want no alarm. Without `.timer`. */
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
/** By their names in `/etc/cron.d`. */
export const HOUSEKEEPING_CRONTABS = new Set(["anacron", "e2scrub_all", "popularity-contest", "sysstat"]);

/** `fragment`: where its unit lies. A timer of such a name that people have written themselves is theirs. */
export const isHousekeepingTimer = (base: string, fragment: string): boolean =>
  HOUSEKEEPING_TIMERS.has(base) && /^\/(?:usr\/)?lib\//.test(fragment);

/** What is known of what cannot be read as a job. */
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
  doubt: null,
} as const;

/** How far the ends of the runs of a job may be apart; `why`: rollcall takes no such interval. */
export type Interval = { readonly everySeconds: number } | { readonly why: string };

/** `seconds` null: the text says no span. */
export function intervalOf(seconds: number | null, said: string): Interval {
  if (seconds === null) return { why: `${said} is not understood` };
  const everySeconds = Math.ceil(seconds);
  return everySeconds >= EVERY_SECONDS_MIN && everySeconds <= EVERY_SECONDS_MAX
    ? { everySeconds }
    : {
        why: `rollcall takes intervals from ${durationText(EVERY_SECONDS_MIN)} to ${durationText(EVERY_SECONDS_MAX)}, and not ${said}`,
      };
}
