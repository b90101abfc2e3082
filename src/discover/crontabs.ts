// Finds the crontabs of a machine that cron reads, and makes a job of each of their lines.

import { basename } from "node:path";
import { accountOf, isMissingUser } from "./accounts.ts";
import type { CronLine, Crontab, Flavour } from "./crontab.ts";
import {
  idleHere,
  isUnclearCrontab,
  LINES_MAX,
  misleadingPeriodicStatus,
  periodicNotes,
  readCrontab,
} from "./crontab.ts";
import { misleadingStatus } from "./exit-status.ts";
import {
  type Found,
  type FoundChange,
  type FoundMisleadingStatus,
  HOUSEKEEPING_CRONTABS,
  NO_JOB,
  type Place,
} from "./found.ts";
import { decodedMachineText, type MachineFiles } from "./host.ts";
import { whyItReports } from "./own-report.ts";
import { stemOf } from "./proposed-keys.ts";
import { worldOfStatus } from "./status-fault.ts";
import { CRON_SHELL, endOfCommand, watchedKey, wrapCommand } from "./wrap.ts";

export const DEBIAN_SPOOL = "/var/spool/cron/crontabs";

export interface CronWorld {
  readonly host: MachineFiles;
  readonly flavour: Flavour;
  readonly systemd: boolean;
  /** The time zone in which cron reads schedules; `null` when nothing says which it is. */
  readonly timezone: string | null;
  /**
   * True on the running machine, where the program `crontab` writes users' crontabs. Below another root directory, in
   * tests, they are written like other files.
   */
  readonly isRunning: boolean;
  /**
   * For a user who is not root, the user's crontab as `crontab -l` prints it, because only root can read the directory
   * of crontabs. `null` for root, and for a user without a crontab.
   */
  readonly own: { readonly user: string; readonly text: string } | null;
}

interface Source {
  readonly place: Place;
  readonly name: string;
  readonly text: string;
  /** The user whose crontab it is; `null` when each line names its user. */
  readonly user: string | null;
  /** Why cron does not read this file; `null` when it reads it. */
  readonly unread: string | null;
}

/**
 * Returns which cron this machine has. Only cronie knows the variable CRON_TZ, so only its program contains that name.
 */
export const flavourOf = (host: MachineFiles): Flavour =>
  ["/usr/sbin/crond", "/usr/sbin/cron"].some((path) => host.read(path)?.includes("CRON_TZ")) ? "cronie" : "debian";

/**
 * Says why no crontab of this machine can be wrapped; `null` when they can be. The cron of busybox gives `%` and `#`
 * other meanings, and not every version of it reads SHELL.
 */
const whyForeign = (host: MachineFiles): string | null =>
  ["/usr/sbin/crond", "/usr/bin/crond", "/sbin/crond"].some((path) => host.link(path)?.endsWith("/busybox"))
    ? "busybox's crond reads crontabs in its own way: put `rollcall run` before the command yourself"
    : null;

export function findCronJobs(world: CronWorld): Found[] {
  return sourcesOf(world).flatMap((source) => {
    const length = source.text.split("\n").length;
    if (length > LINES_MAX) return [tooLong(source, length)];
    const isUnknown = (user: string): boolean => isMissingUser(user, world.host);
    const crontab = readCrontab(source.text, source.user === null, world.flavour, isUnknown);
    const ignored = source.unread ?? crontab.ignored;
    return [
      ...crontab.jobs.map((line) => foundIn(line, source, ignored, world)),
      ...(source.unread === null ? crontab.broken.map((line) => brokenIn(line, source, ignored)) : []),
    ];
  });
}

function sourcesOf({ host, flavour, own, isRunning }: CronWorld): Source[] {
  const system = ["/etc/crontab", ...host.names("/etc/cron.d").map((name) => `/etc/cron.d/${name}`)];
  const ofSystem = system.flatMap((path) => {
    const text = host.read(path);
    if (text === null || path.endsWith("/.placeholder")) return [];
    const place = { kind: "file", path } as const;
    return [{ place, name: path, text, user: null, unread: whyUnread(path, host, flavour) }];
  });
  const users = new Map<string, Source>();
  const add = (user: string, text: string, place: Place, unread: string | null): void => {
    users.set(user, { place, name: `crontab of ${user}`, text, user, unread });
  };
  if (own !== null) add(own.user, own.text, { kind: "crontab", user: own.user }, null);
  for (const spool of [DEBIAN_SPOOL, "/var/spool/cron"])
    for (const user of host.names(spool)) {
      if (user.startsWith(".") || users.has(user) || host.facts(`${spool}/${user}`)?.kind !== "file") continue;
      const path = `${spool}/${user}`;
      const text = host.read(path) ?? "";
      const unread = whyUnreadOf(user, path, host, flavour);
      if (isRunning) add(user, withoutHeader(text, flavour), { kind: "crontab", user }, unread);
      else add(user, text, { kind: "file", path }, unread);
    }
  const ofUsers = [...users].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, source]) => source);
  return [...ofSystem, ...ofUsers];
}

/** Removes the three comments that Debian's `crontab` writes into the file and does not show to people. */
const withoutHeader = (text: string, flavour: Flavour): string =>
  flavour === "debian" ? text.replace(/^# DO NOT EDIT THIS FILE[^\n]*\n#[^\n]*\n#[^\n]*\n/, "") : text;

function whyUnread(path: string, host: MachineFiles, flavour: Flavour): string | null {
  const name = basename(path);
  if (path !== "/etc/crontab") {
    if (flavour === "debian" && !/^[A-Za-z0-9_-]+$/.test(name))
      return "cron does not read this file: its name has other characters than letters, digits, - and _";
    if (/^[.#]|~$|\.rpm(?:save|orig|new)$/.test(name)) return "cron does not read this file because of its name";
  }
  const facts = host.facts(path);
  if (facts === null || facts.kind !== "file") return "cron does not read it: it is no regular file";
  if (facts.uid !== 0) return "cron does not read it: its owner is not root";
  if ((facts.mode & 0o022) !== 0) return "cron does not read it: others than root may write to it";
  return facts.links > 1 ? "cron does not read it: it has several hard links" : null;
}

function whyUnreadOf(user: string, path: string, host: MachineFiles, flavour: Flavour): string | null {
  if (isMissingUser(user, host)) return `cron does not read it: there is no user ${user}`;
  const facts = host.facts(path)!;
  if (facts.uid !== 0 && facts.uid !== accountOf(user, host).uid)
    return `cron does not read it: its owner is neither ${user} nor root`;
  // cronie also accepts a file that others may read, as long as only its owner may write to it.
  const open = flavour === "debian" ? facts.mode !== 0o600 : (facts.mode & 0o7533) !== 0o400;
  if (open || host.link(path) !== null) return "cron does not read it: its mode is not 0600, or it is a link";
  return facts.links > 1 ? "cron does not read it: it has several hard links" : null;
}

function foundIn(line: CronLine, source: Source, ignored: string | null, world: CronWorld): Found {
  const user = line.user ?? source.user!;
  const end = endOfCommand(line.command);
  const command = decodedMachineText(line.command.slice(0, end).replaceAll("\\%", "%")).trim();
  const zone = zoneOf(line, world);
  const { schedule } = line;
  const why =
    ignored ??
    whyForeign(world.host) ??
    ("why" in schedule ? schedule.why : null) ??
    (line.command.trim() === "" ? "it has no command" : null) ??
    (watchedKey(line.command) === null ? whyItReports(decodedMachineText(line.command)) : null) ??
    idleHere(command, world.host, world.systemd) ??
    whyUnclear(source, world) ??
    (zone.timezone === null ? "nothing says this machine's time zone: set /etc/localtime or give --timezone" : null);
  const file = source.user === null && source.place.kind === "file" ? basename(source.place.path) : "";
  return {
    where: `${source.name}:${line.number + 1}`,
    user,
    command,
    stem: stemOf(command),
    surnames: [user, ...(file === "" || file === "crontab" ? [] : [file])],
    said: decodedMachineText(line.said).replaceAll(/[ \t]+/g, " "),
    schedule: "schedule" in schedule ? schedule.schedule : null,
    everySeconds: null,
    timezone: zone.timezone,
    delaySeconds: delayOf(line, world),
    watchedAs: watchedKey(line.command),
    why,
    notes: [...zone.notes, ...lineEndNotes(line), ...periodicNotes(command, world.host)],
    change: cronLineChange(line, source),
    misleading: watchedKey(line.command) === null ? misleadingLineStatus(line, end, world.host) : null,
    isHousekeeping: HOUSEKEEPING_CRONTABS.has(file),
  };
}

/** Says why this crontab cannot be written back, because its text is not known for certain; `null` when it can. */
const whyUnclear = ({ user, text }: Source, { own, flavour }: CronWorld): string | null =>
  flavour === "debian" && own !== null && user === own.user && isUnclearCrontab(text)
    ? "crontab -l shows \\r or \\b in this crontab, and may mean a carriage return or a backspace: only root can tell and wrap it"
    : null;

function cronLineChange(line: CronLine, { place }: Source): FoundChange {
  const shell = line.environment.get("SHELL") || CRON_SHELL;
  const blanks = line.user === null ? 0 : /[ \t]*$/.exec(line.before)![0].length - 1;
  return {
    kind: "line",
    place,
    line: line.number,
    bare: line.before + line.command,
    wrap: (key, executable) => {
      const wrapped = wrapCommand(line.command, shell, blanks, key, executable);
      return "why" in wrapped ? wrapped : { text: line.before + wrapped.text };
    },
  };
}

function misleadingLineStatus(line: CronLine, end: number, host: MachineFiles): FoundMisleadingStatus | null {
  const shell = line.environment.get("SHELL") || CRON_SHELL;
  const misleading = misleadingStatus(line.command.slice(0, end), worldOfStatus(host));
  if (misleading === null) return misleadingPeriodicStatus(line.command, host);
  const says = misleading.says.map(decodedMachineText);
  const { mended } = misleading;
  if (mended === null) return { says, instead: null };
  const reader = mended.needsBash && !/\/(?:bash|zsh|ksh)$/.test(shell) ? BASH : shell;
  if (reader !== shell && host.facts(BASH) === null) return { says, instead: null };
  return {
    says,
    instead: (key, executable) => {
      const wrapped = wrapCommand(mended.command + line.command.slice(end), reader, 0, key, executable);
      return "why" in wrapped ? wrapped : { text: line.before + mended.before + wrapped.text };
    },
  };
}

const BASH = "/bin/bash";

const lineEndNotes = ({ command }: CronLine): readonly string[] =>
  command.endsWith("\r")
    ? ["Its line ends as in Windows, and cron makes the carriage return a letter of the command: fix the file first."]
    : [];

function zoneOf({ environment }: CronLine, { flavour, timezone }: CronWorld) {
  const named = environment.get("CRON_TZ");
  if (named === undefined || flavour === "cronie") return { timezone: named ?? timezone, notes: [] };
  const note = `CRON_TZ=${named} stands above it, but this cron does not know that variable and reads schedules in the machine's zone.`;
  return { timezone, notes: [note] };
}

/** How many seconds after its time cron may start a job. cronie's RANDOM_DELAY is the longest delay, in minutes. */
function delayOf({ environment }: CronLine, { flavour }: CronWorld): number {
  const minutes = Number(environment.get("RANDOM_DELAY") ?? 0);
  return flavour === "cronie" && minutes > 0 ? Math.ceil(minutes) * 60 : 0;
}

const tooLong = ({ name, user }: Source, lines: number): Found => ({
  ...NO_JOB,
  where: name,
  user: user ?? "",
  stem: "crontab",
  why: `it has ${lines} lines, and at most ${LINES_MAX} are read`,
});

function brokenIn({ number, text, why }: Crontab["broken"][number], source: Source, ignored: string | null): Found {
  const { name, user } = source;
  const line = decodedMachineText(text).trim();
  return {
    ...NO_JOB,
    where: `${name}:${number + 1}`,
    user: user ?? "",
    command: line,
    stem: stemOf(line),
    why: ignored === null ? why : `${why}; cron ignores the whole file for it`,
  };
}
