// `rollcall run`: its options, and how it is put together. Loads nothing of the service: a job waits for this.

import { homedir } from "node:os";
import { join } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { flush } from "../client/flush.ts";
import { lockFor } from "../client/lock.ts";
import { type Moment, momentAt } from "../client/moment.ts";
import type { RunOptions } from "../client/options.ts";
import { readOutcome } from "../client/outcomes.ts";
import type { Server } from "../client/report.ts";
import { runOnce } from "../client/run.ts";
import { sender } from "../client/send.ts";
import { type ClientSettings, readSettings } from "../client/settings.ts";
import { openSpool } from "../client/spool.ts";
import { fileLimitUnder, ignoredSignals } from "../client/surroundings.ts";
import { createTelling } from "../client/telling.ts";
import { parseDuration } from "../config/duration.ts";
import { GRACE_SECONDS_MIN, MAX_RUNTIME_SECONDS_MIN } from "../domain/limits.ts";
import { SECOND } from "../domain/time.ts";
import { counted } from "../domain/wording/spoken-time.ts";
import { endAs, limitFiles, lockFile } from "./c-calls.ts";
import { after, randomId, systemClock } from "./clock.ts";
import { examples, type Shell } from "./command-shell.ts";
import { DONE, type Io, MISUSED, REFUSED } from "./io.ts";
import { machineTimezone } from "./machine-zone.ts";
import { VERSION } from "./version.ts";

/** What scripts expect of something that may work later (EX_TEMPFAIL). */
const STILL_RUNNING = 75;
/** What rollcall itself can hold a run to; a shorter time only ends it. Milliseconds. */
const SHORTEST_WATCHED = MAX_RUNTIME_SECONDS_MIN * SECOND;
/** Before the first retry, unless `--backoff` says otherwise. */
const BACKOFF = 10 * SECOND;
/** How long `--flush` may take. Milliseconds. */
const FLUSH_MAX = 10 * 60 * SECOND;

interface Flags {
  readonly schedule?: string;
  readonly timezone?: string;
  readonly grace?: number;
  readonly name?: string;
  readonly maxRuntime?: number;
  readonly killAfter?: number;
  readonly retries?: number;
  readonly backoff?: number;
  readonly lock?: true;
  readonly outcome?: RunOptions["outcomes"];
  readonly outcomes?: string;
  readonly messageFromStderr?: true;
  readonly flush?: true;
}

export function addRun(program: Command, { environment, io, finish }: Shell): Command {
  return program
    .command("run")
    .argument("[monitor]", "the key of the job's monitor")
    .argument("[command...]", "the command, with its arguments")
    .description("run a job's command on any host, and report its start and its end")
    .option("--schedule <cron>", "when the job is expected, such as '0 2 * * *'; makes the monitor if it is missing")
    .option("--timezone <zone>", "the zone of the schedule (default: this machine's)")
    .option("--grace <duration>", "how late it may be, such as 15m", duration)
    .option("--name <name>", "what people read instead of the key")
    .option("--max-runtime <duration>", "how long a run may take; rollcall tells when it takes longer", duration)
    .option(
      "--kill-after <duration>",
      "end the job at --max-runtime, and kill it when it has not ended so much later",
      duration,
    )
    .option("--retries <count>", "try again when it fails; only the last failure is told", wholeNumber)
    .option(
      "--backoff <duration>",
      "wait before the first retry, and twice as long before each further one (default: 10s)",
      duration,
    )
    .option("--lock", "do not start while the run before it still goes on (exit code 75)")
    .option("--outcome <name=value>", "an outcome of a success: a number, true or false; may be repeated", outcome, {})
    .option("--outcomes <file>", "read outcomes from this file after a success, name=value on each line")
    .option("--message-from-stderr", "tell the last line on stderr with a failure")
    .option("--flush", "send what waits from earlier runs, and run nothing")
    .addHelpText(
      "after",
      `
Where to report: ROLLCALL_URL and ROLLCALL_KEY, or url and key (or key_file) in
~/.config/rollcall/client.toml or /etc/rollcall/client.toml. What cannot be
reported waits on disk, and the next run sends it.

The exit code is the command's. 127: there is no such command; 126: it cannot
be run; 2: run itself was called wrongly.
${examples(
  "rollcall run backup -- /usr/local/bin/backup --full",
  "rollcall run --schedule '0 2 * * *' --grace 30m backup -- backup.sh",
  "rollcall run --flush",
)}`,
    )
    .action(async (monitor: string | undefined, typed: readonly string[], flags: Flags) => {
      const command = typed[0] === "--" ? typed.slice(1) : typed;
      const settings = readSettings({ environment, home: homedir(), isRoot: process.getuid?.() === 0 });
      const fault = faultOf(monitor, command, flags);
      if (fault !== null) {
        io.err(`error: ${fault}`);
        return finish(MISUSED);
      }
      if (monitor === undefined) return finish(await flushAll(settings, io));
      const code = await runJob(optionsOf(monitor, command, flags), settings, io);
      if (code !== null) finish(code);
    });
}

/** Null: it is a right call, of a command or with `--flush` alone. */
function faultOf(monitor: string | undefined, command: readonly string[], flags: Flags): string | null {
  if (flags.flush) return monitor === undefined ? null : "--flush runs nothing: leave out the monitor and the command";
  if (monitor === undefined || command.length === 0)
    return "a monitor and a command are needed: rollcall run MONITOR -- COMMAND";
  if (flags.killAfter !== undefined && flags.maxRuntime === undefined)
    return "--kill-after needs --max-runtime: it says how long the job may take until then";
  if (flags.grace !== undefined && flags.grace < GRACE_SECONDS_MIN * SECOND) return "--grace: must be at least 1m";
  if (flags.maxRuntime !== undefined && flags.killAfter === undefined && flags.maxRuntime < SHORTEST_WATCHED)
    return "--max-runtime: must be at least 1m, or --kill-after must say how the job is ended";
  return null;
}

/** Does not return when the command was run: this process then ends as the command did. */
async function runJob(options: RunOptions, settings: ClientSettings, io: Io): Promise<number | null> {
  const { server } = settings;
  const say = (sentence: string): void => io.err(`rollcall run: ${sentence}`);
  // Before anything listens to signals, or opens a file.
  const ignored = ignoredSignals(process.ppid);
  const limit = fileLimitUnder(process.ppid);
  if (limit !== null) limitFiles(limit);
  const held = options.lock ? lockOf(options.monitor, settings) : null;
  if (options.lock && held === null) {
    say(`${options.monitor} was not started: the run before it still goes on`);
    return STILL_RUNNING;
  }
  if (typeof server === "string") say(`nobody hears of ${options.monitor}: ${server}`);
  const telling = typeof server === "string" ? null : createTelling({ ...postOf(server, settings), after, say });
  endAs(
    await runOnce(options, {
      telling,
      ignored,
      held,
      now,
      monotonic: systemClock.monotonic,
      after,
      newId: randomId,
      say,
      writeError: (piece) => void process.stderr.write(piece),
    }),
  );
}

const now = (): Moment => momentAt(systemClock.now());

const postOf = (server: Server, { spool }: ClientSettings) => ({
  send: sender(server, now, `rollcall/${VERSION}`),
  spool: openSpool(spool, server),
});

/** Of one application's job on one server; of any, where nobody is told. */
function lockOf(monitor: string, { server, spool }: ClientSettings): number | null {
  const whose = typeof server === "string" ? [] : [server.url, withoutSecret(server.key)];
  return lockFor([...whose, monitor], join(spool, "locks"), lockFile);
}

/** It names the application, and stays when the key is replaced. */
const withoutSecret = (key: string): string => key.slice(0, key.lastIndexOf("_"));

async function flushAll(settings: ClientSettings, io: Io): Promise<number> {
  const { server } = settings;
  if (typeof server === "string") {
    io.err(`error: ${server}`);
    return MISUSED;
  }
  const { spool, send } = postOf(server, settings);
  const ending = new AbortController();
  after(FLUSH_MAX, () => ending.abort());
  const { sent, refused, left, why } = await flush(spool, send, ending.signal, ({ report }, why) =>
    io.err(`the ${report.kind} of ${report.monitor} is lost: the server refused it: ${why}`),
  );
  const others = spool.others();
  io.out(`${counted(sent, "report")} sent${refused === 0 ? "" : `, ${refused} refused`}, ${left} left`);
  if (why !== null) io.err(`the rest waits: ${why}`);
  if (others > 0)
    io.err(`${counted(others, "report")} of another key or server ${others === 1 ? "waits" : "wait"}, too`);
  return left === 0 && refused === 0 ? DONE : REFUSED;
}

const optionsOf = (monitor: string, command: readonly string[], flags: Flags): RunOptions => ({
  monitor,
  command,
  declared: declaredBy(flags),
  maxRuntime: flags.maxRuntime ?? null,
  killAfter: flags.killAfter ?? null,
  retries: flags.retries ?? 0,
  backoff: flags.backoff ?? BACKOFF,
  lock: flags.lock ?? false,
  outcomes: flags.outcome ?? {},
  outcomesFile: flags.outcomes ?? null,
  messageFromStderr: flags.messageFromStderr ?? false,
});

function declaredBy({ schedule, timezone, grace, name, maxRuntime }: Flags): Readonly<Record<string, string>> {
  const zone = timezone ?? (schedule === undefined ? undefined : (machineTimezone() ?? undefined));
  const all = {
    schedule,
    timezone: zone,
    gracePeriod: grace === undefined ? undefined : secondsOf(grace),
    name,
    maxRuntime: maxRuntime === undefined ? undefined : secondsOf(Math.max(maxRuntime, SHORTEST_WATCHED)),
  };
  return Object.fromEntries(Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

const secondsOf = (milliseconds: number): string => `${milliseconds / SECOND}`;

function duration(text: string): number {
  const found = parseDuration(text);
  if (found === null || found === 0) throw new InvalidArgumentError("write 30s, 15m, 2h or 7d.");
  return found;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError("write a whole number from 0 to 999.");
  return Number(text);
}

function outcome(text: string, before: Flags["outcome"] = {}): RunOptions["outcomes"] {
  const read = readOutcome(text);
  if (read === null) throw new InvalidArgumentError("write name=value; the value a number, true or false.");
  return { ...before, [read[0]]: read[1] };
}
