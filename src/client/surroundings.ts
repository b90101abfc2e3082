// Gives a job the surroundings that it would have if our parent had started it: the signals that are meant for it, the
// files that are open for it, and how many files it may open. Bun has changed these for us. On other systems than Linux
// the job gets what we have.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { constants } from "node:os";
import { orElse, unlessMissing } from "../domain/unless-missing.ts";

/** How many files the kernel and systemd allow a process to open, unless they are configured otherwise. */
const USUAL_FILES = 1024;
/** These programs do not pass their own limits on to what they start. */
const SERVICE_MANAGERS = new Set(["systemd", "init"]);

export type FileLimit = Readonly<{ soft: number; hard: number }>;

/**
 * How many files the job could open if our parent had started it. Our own limit does not say it, because Bun has raised
 * that at its start. If the parent is a service manager, the soft limit is `USUAL_FILES`. `null` when our own limit is
 * right, or the right one is not known. Our own is right when our hard limit is not the parent's: a shell has then
 * called `ulimit -n`, which sets both limits, before it became this process.
 */
export function fileLimitUnder(parent: number): FileLimit | null {
  const [ours, theirs] = [limitOf("self"), limitOf(parent)];
  if (ours === null) return null;
  if (isServiceManager(parent)) return USUAL_FILES >= ours.soft ? null : { soft: USUAL_FILES, hard: ours.hard };
  return theirs === null || theirs.hard !== ours.hard || theirs.soft >= ours.soft ? null : theirs;
}

function limitOf(process: number | "self"): FileLimit | null {
  const limits = unlessMissing(() => readFileSync(`/proc/${process}/limits`, "utf8"));
  const [, soft, hard] = /^Max open files\s+(\d+)\s+(\d+)/m.exec(limits ?? "") ?? [];
  return soft === undefined ? null : { soft: Number(soft), hard: Number(hard) };
}

const isServiceManager = (pid: number): boolean =>
  SERVICE_MANAGERS.has(unlessMissing(() => readFileSync(`/proc/${pid}/comm`, "utf8"))?.trim() ?? "");

/**
 * The signals that a job must ignore from its start, as under `nohup`. Must be called before anything listens to
 * signals. Bun ignores SIGPIPE, so we cannot see whether our parent did; service managers let their services ignore it.
 */
export function ignoredSignals(parent: number): readonly NodeJS.Signals[] {
  const status = unlessMissing(() => readFileSync("/proc/self/status", "utf8"));
  const mask = BigInt(`0x${/^SigIgn:\s*([\da-f]+)/m.exec(status ?? "")?.[1] ?? "0"}`);
  const isIgnored = (signal: NodeJS.Signals): boolean => ((mask >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
  const ignored = [...HEARD, ...UNHEARD].filter(isIgnored);
  return isServiceManager(parent) ? [...ignored, "SIGPIPE"] : ignored;
}

const HEARD = [
  "SIGHUP",
  "SIGINT",
  "SIGQUIT",
  "SIGTERM",
  "SIGUSR1",
  "SIGUSR2",
  "SIGALRM",
  "SIGCONT",
  "SIGWINCH",
] as const satisfies readonly NodeJS.Signals[];

/**
 * The signals that mean nothing to us, and that a job ignores if our parent did. dash, unlike bash, cannot start a
 * program that ignores SIGCHLD, so a job that it starts for us hears of its children.
 */
const UNHEARD = ["SIGCHLD", "SIGTSTP", "SIGTTIN", "SIGTTOU"] as const satisfies readonly NodeJS.Signals[];

const ENDING: ReadonlySet<NodeJS.Signals> = new Set(["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"]);
/** The signals that a terminal sends to all processes in it. The job has got them itself, so they are not passed on. */
const BY_TERMINAL: ReadonlySet<NodeJS.Signals> = new Set(["SIGINT", "SIGQUIT", "SIGWINCH"]);

/** The numbers of the files that our parent left open for the job, besides the three standard ones. */
export const inheritedFiles = (): readonly number[] =>
  orElse([], () => readdirSync("/proc/self/fd"))
    .map(Number)
    .filter((file) => file > LAST_STANDARD && isOfParent(file));

const LAST_STANDARD = 2;

/** Whether a file is open and none of those that Bun opens for itself at its start. */
function isOfParent(file: number): boolean {
  const target = orElse(null, () => readlinkSync(`/proc/self/fd/${file}`));
  return target !== null && !/^anon_inode:\[?event/.test(target);
}

export type IsTerminal = (file: number) => boolean;

const STANDARD = [0, 1, 2];

/**
 * From now on each signal is given to `onward` and no longer ends this process. For a signal that asks for an end,
 * `onEnd` is called as well. A signal that came from our terminal is not given to `onward`, because the job has got it
 * itself. `isTerminal` is called only for a signal that may come from a terminal.
 */
export function hearSignals(
  ignored: readonly NodeJS.Signals[],
  isTerminal: IsTerminal,
  onward: (signal: NodeJS.Signals) => void,
  onEnd: () => void,
) {
  for (const signal of HEARD) {
    if (ignored.includes(signal)) continue;
    process.on(signal, () => {
      if (!(BY_TERMINAL.has(signal) && STANDARD.some(isTerminal))) onward(signal);
      if (ENDING.has(signal)) onEnd();
    });
  }
}
