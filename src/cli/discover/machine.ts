// Reads from this machine what `rollcall discover` needs: files, time zone, host name, this user's crontab, and the
// units of systemd.

import { hostname } from "node:os";
import { discover } from "../../discover/discover.ts";
import { type MachineFiles, machineFilesAt } from "../../discover/host.ts";
import type { LoadedUnits, Manager, UserOfUnits } from "../../discover/managers.ts";
import { askUnits, systemManager, userManager, usersOfUnits } from "../../discover/managers.ts";
import { proposedKeyText } from "../../discover/proposed-keys.ts";
import type { WrappingCall } from "../../discover/wrap-plan.ts";
import { spellTimezone } from "../../domain/schedule/zone.ts";
import { orElse } from "../../domain/unless-missing.ts";
import { installedAs } from "../executable.ts";
import { machineZoneFrom } from "../machine-zone.ts";
import { ownUser } from "../own-user.ts";

export interface SystemManager {
  readonly root: string;
  /** The machine's host name, with or without its domain. */
  readonly hostname: string;
  readonly executable: string;
  /**
   * Whether the machine's systemd and `crontab` command can be asked. In tests they cannot: then only files are read
   * and written.
   */
  readonly isRunning: boolean;
}

export const thisSystem = (): SystemManager => ({
  root: "/",
  hostname: hostname(),
  executable: installedAs(),
  isRunning: true,
});

/**
 * How much of a failing job's stderr is sent: the options that `rollcall run` gets, and a sentence for people. The
 * message is always kept; the last lines are kept only if an operator allows it (R46).
 */
export const SENT_OF_STDERR = {
  none: { options: "", says: "nothing of their stderr is sent: an alert says with what exit status a job failed" },
  line: {
    options: " --message-from-stderr",
    says: "the last line on stderr is the message of a failure; for all the last lines give --stderr all, which needs keep_output in rollcall's configuration",
  },
  all: {
    options: " --message-from-stderr --output-from-stderr",
    says: "the last lines on stderr are sent with a failure; rollcall keeps them where its configuration has keep_output",
  },
} as const;

export interface DiscoverOptions {
  readonly timezone?: string;
  readonly prefix?: string;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly all?: boolean;
  /** True when only this user's crontab matters, so that other unreadable files are not mentioned. */
  readonly mine?: boolean;
  readonly stderr: keyof typeof SENT_OF_STDERR;
}

export type Machine = ReturnType<typeof lookAt>;

/** Finds the jobs of the machine. Throws an error with a sentence for people when an option is wrong. */
export function lookAt(system: SystemManager, options: DiscoverOptions) {
  const host = machineFilesAt(system.root);
  const isRoot = process.getuid?.() === 0;
  const user = ownUser() ?? "root";
  const { isRunning } = system;
  /** The host's name without its domain, with which the keys of jobs begin. */
  const name = proposedKeyText(system.hostname.split(".")[0]!) || "host";
  const systemd = host.facts("/run/systemd/system") !== null;
  const { managers, isLive, silent } = managersOf(host, systemd, isRunning, isRoot, user);
  const jobs = discover({
    host,
    systemd,
    managers,
    isRunning,
    timezone: timezoneOf(options, host),
    own: isRoot || !isRunning ? null : ownCrontab(user),
    prefix: options.prefix ?? `${name}-`,
  });
  const unseen = host.unread().map(({ path, why }) => `${path} was not looked at: ${why}`);
  const call: WrappingCall = { executable: system.executable, options: SENT_OF_STDERR[options.stderr].options };
  const missed = options.mine ? [] : [...silent, ...unseen];
  return { system, call, stderr: options.stderr, name, host, isRoot, user, jobs, isLive, unseen: missed };
}

/**
 * Returns the time zone of cron and systemd. They use the zone of the machine, whatever the variable TZ says in this
 * process.
 */
function timezoneOf({ timezone }: DiscoverOptions, host: MachineFiles): string | null {
  if (timezone !== undefined) {
    const spelled = spellTimezone(timezone);
    if (spelled === null) throw new Error(`--timezone: there is no zone ${JSON.stringify(timezone)}`);
    return spelled;
  }
  // Without this file the C library uses UTC. With it, only the target of its link or /etc/timezone can name the zone.
  const runtime = host.facts("/etc/localtime") === null ? "UTC" : "";
  const { timezone: found } = machineZoneFrom({
    isNotUtc: false,
    variable: null,
    localtime: host.link("/etc/localtime"),
    timezone: host.read("/etc/timezone"),
    runtime,
  });
  return found;
}

function ownCrontab(user: string): { readonly user: string; readonly text: string } | null {
  const listed = orElse(null, () => Bun.spawnSync(["crontab", "-l"]));
  return listed?.exitCode === 0 ? { user, text: listed.stdout.toString("latin1") } : null;
}

/**
 * Returns the systemd of the machine and that of each user; without root only this user's. `isLive` says whether the
 * running systemd named its units. `silent` has a sentence for each systemd that did not answer, whose units are read
 * from files instead.
 */
export function managersOf(host: MachineFiles, systemd: boolean, isRunning: boolean, isRoot: boolean, user: string) {
  const silent: string[] = [];
  const heard = (who: string, asked: LoadedUnits | string): LoadedUnits | null => {
    if (typeof asked !== "string") return asked;
    silent.push(`${who} did not tell of its timers (${asked}), so they are those of the files`);
    return null;
  };
  const isLive = systemd && isRunning;
  const system = systemManager(systemd, isLive ? heard("systemd", askUnits(["systemctl"], process.env)) : null);
  const users = usersOfUnits(host, isRoot ? null : user).map((one) => {
    const runs = isLive && host.facts(`/run/user/${one.uid}/systemd`) !== null;
    return userManager(one, systemd, runs ? heard(`systemd of ${one.user}`, askUser(one, user)) : null);
  });
  const managers: readonly Manager[] = [system, ...users];
  return { managers, isLive: system.loaded !== null, silent };
}

/**
 * Asks the systemd of a user, which answers only that user. So root runs `systemctl` as that user. The user could read
 * the environment of that process, so the process gets almost none of root's variables.
 */
function askUser({ user, uid }: UserOfUnits, ourselves: string): LoadedUnits | string {
  const runtime = { XDG_RUNTIME_DIR: `/run/user/${uid}` };
  if (user === ourselves) return askUnits(["systemctl", "--user"], { ...process.env, ...runtime });
  return askUnits(["runuser", "-u", user, "--", "systemctl", "--user"], { PATH: process.env["PATH"], ...runtime });
}
