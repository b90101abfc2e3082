// `rollcall discover`: finds the jobs of cron and systemd on this machine and shows them. It can put `rollcall run`
// before their commands (wrap them), so that they report, and take it away again.

import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Command, Option } from "commander";
import type { LockFile } from "../../client/spool-files.ts";
import { isWatchable, type Job } from "../../discover/discover.ts";
import { errorMessage } from "../../domain/errors.ts";
import { patternMatcher } from "../../domain/pattern.ts";
import { lockFile } from "../client/c-calls.ts";
import { examples, type Shell } from "../command-shell.ts";
import { installedAs } from "../executable.ts";
import { DONE, type Io, MISUSED, NOT_RUNNING, REFUSED } from "../io.ts";
import { say, sayRefused } from "../screens/table.ts";
import { runApply, runDiff } from "./apply.ts";
import { changingOf, ledgerDirectory } from "./changing.ts";
import { jobAsJson, showJobs } from "./discover-screens.ts";
import {
  type DiscoverOptions,
  lookAt,
  type Machine,
  SENT_OF_STDERR,
  type SystemManager,
  thisSystem,
} from "./machine.ts";
import { runUndo } from "./undo.ts";

interface Options extends DiscoverOptions {
  readonly json?: boolean;
  readonly diff?: boolean;
  readonly apply?: boolean;
  readonly undo?: boolean;
  readonly force?: boolean;
  readonly allUsers?: boolean;
  readonly yes?: boolean;
}

/** Adds the command. `system` is the machine; tests pass a made-up one, whose files are in a directory. */
export function addDiscover(program: Command, shell: Shell, system = thisSystem()): void {
  const { finish } = shell;
  program
    .command("discover")
    .description("find the jobs of cron and the timers of systemd on this machine, and say which can be watched")
    .option("--only <pattern...>", "only jobs with this key or place; * stands for any letters")
    .option("--skip <pattern...>", "all jobs but these")
    .option("--mine", "only the jobs of your own crontab")
    .option("--all", "also the distribution's own housekeeping, such as logrotate.timer")
    .option("--prefix <text>", "what new keys begin with (default: this machine's name and a dash)")
    .option("--timezone <zone>", "the zone of this machine, where it does not say it")
    .addOption(new Option("--diff", "show what --apply would change").conflicts(["apply", "undo", "json"]))
    .addOption(
      new Option("--apply", "declare the jobs to the server, and put `rollcall run` before their commands").conflicts([
        "undo",
        "json",
      ]),
    )
    .addOption(new Option("--undo", "put back what --apply has changed").conflicts(["json", "only", "skip"]))
    .addOption(
      new Option(
        "--stderr <what>",
        "what of a failing job's stderr is sent: its last line, as the message; all its last lines too, which rollcall keeps where its operator sets keep_output; or none",
      )
        .choices(Object.keys(SENT_OF_STDERR))
        .default("line"),
    )
    .option("--force", "with --undo: take our lines also out of files that were changed since")
    .addOption(
      new Option("--all-users", "with --undo, as root: also what users have applied themselves").conflicts([
        "apply",
        "diff",
        "json",
      ]),
    )
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      examples(
        "sudo rollcall discover",
        "rollcall discover --json",
        "sudo rollcall discover --apply --skip 'web1-cron-*'",
        "sudo rollcall discover --undo",
        "rollcall discover --mine --apply",
      ),
    )
    .action(async (options: Options) => finish(await runDiscover(system, options, shell)));
}

async function runDiscover(system: SystemManager, options: Options, shell: Shell): Promise<number> {
  const { io } = shell;
  const alone = options.force ? "force" : options.allUsers ? "all-users" : null;
  if (alone !== null && !options.undo) return sayRefused(io, `--${alone} goes with --undo`, MISUSED);
  const directory = ledgerDirectory(system, shell);
  /** The exit code if the next step throws: `MISUSED` where a wrong zone or pattern may be the cause. */
  let code = REFUSED;
  try {
    // The lock keeps other processes from changing jobs until this command ends. An undo makes no directory for it:
    // without the directory nothing was ever changed.
    const isHeld = options.apply || (options.undo && existsSync(directory));
    using _ = isHeld ? holdLedger(directory, lockFile) : null;
    code = MISUSED;
    const machine = lookAt(system, options);
    const isMine = ({ where }: Job): boolean => where.replace(/:\d+$/, "") === `crontab of ${machine.user}`;
    const { chosen, leftOut, named } = choose(options.mine ? machine.jobs.filter(isMine) : machine.jobs, options);
    code = REFUSED;
    if (options.undo) return await undo(machine, options, shell);
    if (options.apply) return await runApply(changingOf(machine, shell), { chosen, named }, options.yes ?? false, io);
    if (options.diff) return runDiff(changingOf(machine, shell), { chosen, named }, io);
    if (options.json)
      io.out(
        JSON.stringify(
          chosen.map((job) => jobAsJson(job, machine.call)),
          null,
          2,
        ),
      );
    else showJobs(machine, chosen, leftOut, io);
    return DONE;
  } catch (error) {
    return sayRefused(io, errorMessage(error), code);
  }
}

async function undo(machine: Machine, options: Options, shell: Shell): Promise<number> {
  const { force = false, yes = false, allUsers = false } = options;
  if (allUsers && !machine.isRoot) return sayRefused(shell.io, "--all-users: only root can", MISUSED);
  const codes = [await runUndo(changingOf(machine, shell), force, yes, shell.io)];
  if (allUsers) codes.push(undoForUsers(force, shell.io));
  // These jobs still call rollcall, although no ledger has them: people wrapped them by hand or copied them here.
  // Without rollcall they would not run.
  const left = lookAt(machine.system, options).jobs.filter(({ watchedAs }) => watchedAs !== null);
  if (left.length > 0)
    say(shell.io, `rollcall still runs, and they need it: ${left.map(({ where }) => where).join(", ")}`);
  return codes.includes(REFUSED) ? REFUSED : Math.max(...codes);
}

/**
 * Chooses jobs by the options. Throws when a pattern matches no job, since it is mistyped. `leftOut` is how many of the
 * distribution's own jobs were left out. `named` are the chosen jobs that `--only` names by their `key` or `where`, not
 * by a pattern.
 */
function choose(jobs: readonly Job[], { only, skip = [], all = false }: DiscoverOptions) {
  const meant = (pattern: string): readonly Job[] => {
    const matches = patternMatcher(pattern);
    const found = jobs.filter(
      (job) => (isWatchable(job) && matches(job.key)) || matches(job.where) || matches(job.where.replace(/:\d+$/, "")),
    );
    if (found.length === 0) throw new Error(`no job has the key or place ${JSON.stringify(pattern)}`);
    return found;
  };
  const isUpkeep = (job: Job): boolean => !all && job.isHousekeeping === true && job.watchedAs === null;
  const groups = only?.map(meant) ?? [jobs];
  const skipped = new Set(skip.flatMap(meant));
  const wanted = new Set(groups.flat().filter((job) => !skipped.has(job)));
  // A pattern that matches only the distribution's own jobs means these jobs, so they are not left out.
  const named = new Set(groups.flatMap((group) => (only !== undefined && group.every(isUpkeep) ? group : [])));
  const chosen = jobs.filter((job) => wanted.has(job) && (!isUpkeep(job) || named.has(job)));
  const isByName = ({ key, where }: Job): boolean => only?.some((one) => one === key || one === where) === true;
  return { chosen, leftOut: wanted.size - chosen.length, named: new Set(chosen.filter(isByName)) };
}

// Allows only one change of this machine's jobs at a time: two would overwrite each other's ledger, and send the server
// two lists that it takes as complete.

/**
 * Locks the directory of the ledger, the record of all changes, until the result is disposed of. Throws when another
 * process has the lock.
 */
function holdLedger(directory: string, lock: LockFile): Disposable {
  mkdirSync(directory, { recursive: true });
  const file = openSync(directory, "r");
  const held = { [Symbol.dispose]: () => closeSync(file) };
  if (lock(file)) return held;
  held[Symbol.dispose]();
  throw new Error("another rollcall discover is changing these jobs: try again when it has ended");
}

// `rollcall discover --undo --all-users`: root also undoes what users have applied themselves. Each undo runs as that
// user, never as root: an undo obeys files in the user's home, and the user can write anything into those.

/**
 * Where the ledger of a user is, below the home. A user's XDG_STATE_HOME may put the ledger elsewhere. Then root does
 * not find it, and only that user can undo the changes.
 */
const LEDGER = ".local/state/rollcall/discover/manifest.json";

/** How many milliseconds the undo of one user may take; then root goes on with the next. */
const UNDO_MAX_MS = 120_000;

/**
 * Undoes what users have applied. Returns the worst exit code: 1 when a job is still wrapped with `rollcall run`, 3
 * when none is but a server could not be told.
 */
function undoForUsers(force: boolean, io: Io): number {
  let worst = DONE;
  for (const { user, home } of usersWithLedger()) {
    say(io, `as ${user}:`);
    const ran = Bun.spawnSync(
      ["runuser", "-u", user, "--", installedAs(), "discover", "--undo", "--yes", ...(force ? ["--force"] : [])],
      {
        cwd: "/",
        env: { PATH: process.env["PATH"], HOME: home },
        stdin: "ignore",
        stdout: "inherit",
        stderr: "inherit",
        timeout: UNDO_MAX_MS,
        // The started process belongs to the user, who could control it and through it type into root's terminal. So it
        // gets no terminal.
        detached: true,
      },
    );
    const isBare = ran.exitCode === DONE || ran.exitCode === NOT_RUNNING;
    if (!isBare)
      say(
        io,
        `not all that ${user} has applied could be taken back; what stood there is in ${join(home, dirname(LEDGER))}`,
      );
    if (ran.exitCode !== DONE && worst !== REFUSED) worst = isBare ? NOT_RUNNING : REFUSED;
  }
  return worst;
}

function usersWithLedger(): readonly { readonly user: string; readonly home: string }[] {
  const rows = readFileSync("/etc/passwd", "utf8").split("\n");
  const accounts = rows.map((row) => row.split(":"));
  return accounts.flatMap(([user, , uid, , , home]) =>
    user && uid !== "0" && home?.startsWith("/") && existsSync(join(home, LEDGER)) ? [{ user, home }] : [],
  );
}
