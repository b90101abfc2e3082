// The options of `rollcall run`. Loads nothing of the service: a job waits for this.

import { type Command, InvalidArgumentError } from "commander";
import type { RunOptions } from "../../client/options.ts";
import { readOutcome } from "../../client/outcomes.ts";
import { addressOf } from "../../client/settings.ts";
import {
  EVERY_SECONDS_MAX,
  EVERY_SECONDS_MIN,
  GRACE_SECONDS_MIN,
  MAX_RUNTIME_SECONDS_MIN,
} from "../../domain/limits.ts";
import { parseDuration, SECOND } from "../../domain/time.ts";
import { examples, type Shell } from "../command-shell.ts";
import { MISUSED } from "../io.ts";
import { machineTimezone } from "../machine-zone.ts";
import { flushAll, runJob } from "./run-job.ts";

/** What rollcall itself can hold a run to; a shorter time only ends it. Milliseconds. */
const SHORTEST_WATCHED = MAX_RUNTIME_SECONDS_MIN * SECOND;
/** Before the first retry, unless `--backoff` says otherwise. */
const BACKOFF = 10 * SECOND;
const EXIT_CODE_MAX = 255;

interface RunFlags {
  readonly schedule?: string;
  readonly every?: number;
  readonly timezone?: string;
  readonly grace?: number;
  readonly name?: string;
  readonly maxRuntime?: number;
  readonly killAfter?: number;
  readonly retries?: number;
  readonly backoff?: number;
  readonly lock?: true;
  readonly successCodes?: ReadonlySet<number>;
  readonly outcome?: RunOptions["outcomes"];
  readonly outcomes?: string;
  readonly messageFromStderr?: true;
  readonly outputFromStderr?: true;
  readonly flush?: true;
  readonly movedFrom?: string;
}

export function addRun(program: Command, { args, environment, io, finish }: Shell): Command {
  return program
    .command("run")
    .argument("[monitor]", "the key of the job's monitor")
    .argument("[command...]", "the command, with its arguments")
    .description("run a job's command on any host, and report its start and its end")
    .option("--schedule <cron>", "when the job is expected, such as '0 2 * * *'; makes the monitor if it is missing")
    .option("--every <duration>", "instead of a schedule: how far runs may be apart, such as 25h", duration)
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
    .option("--success-codes <codes>", "exit codes that are a success beside 0, such as 24 or 1,100-127", exitCodes)
    .option("--outcome <name=value>", "an outcome of a success: a number, true or false; may be repeated", outcome, {})
    .option("--outcomes <file>", "read outcomes from this file after a success, name=value on each line")
    .option("--message-from-stderr", "tell the last line on stderr with a failure")
    .option(
      "--output-from-stderr",
      "send the last lines on stderr with a failure, 10 kB at most; rollcall keeps them where its operator allows it",
    )
    .option("--flush", "send what waits from earlier runs, and run nothing")
    .option("--moved-from <address>", "with --flush: send also what waits for the service's former address", address)
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
    .action(async (monitor: string | undefined, words: readonly string[], _flags: RunFlags, self: Command) => {
      const typed = withoutOptions(words, self);
      const command = typed[0] === "--" ? typed.slice(1) : typed;
      const flags = self.opts<RunFlags>();
      const fault = misplaced(args, typed) ?? faultOf(monitor, command, flags);
      if (fault !== null) {
        io.err(`error: ${fault}`);
        return finish(MISUSED);
      }
      if (monitor === undefined) return finish(await flushAll(environment, io, flags.movedFrom ?? null));
      finish(await runJob(optionsOf(monitor, command, flags), environment, io));
    });
}

/**
 * The words behind the monitor without options that stand before `--`; those count as if they stood before the monitor. No
 * command begins as an option does.
 */
function withoutOptions(words: readonly string[], self: Command): readonly string[] {
  const end = words.indexOf("--");
  if (end <= 0 || !words[0]!.startsWith("--")) return words;
  const { operands, unknown } = self.parseOptions(words.slice(0, end));
  const [stray] = [...operands, ...unknown];
  if (stray !== undefined)
    self.error(`error: ${stray} stands between the monitor and --, where only options of rollcall run may`);
  return words.slice(end);
}

/** `typed` is what stands behind the monitor and its options. Null: nothing stands in a wrong place. */
function misplaced(args: readonly string[], typed: readonly string[]): string | null {
  const [first = ""] = typed;
  if (first === "--") return null;
  // What was meant as the command would be the monitor, and the first of its arguments the command.
  const behind = args.includes("--") ? args.length - args.indexOf("--") - 1 : 0;
  if (behind > typed.length) return "no monitor stands before --: rollcall run MONITOR -- COMMAND";
  return first.startsWith("--") ? `${first} stands behind the monitor: then -- must come before the command` : null;
}

/** Null: it is a right call, of a command or with `--flush` alone. */
function faultOf(monitor: string | undefined, command: readonly string[], flags: RunFlags): string | null {
  if (flags.movedFrom !== undefined && !flags.flush) return "--moved-from belongs to --flush";
  if (flags.flush) return monitor === undefined ? null : "--flush runs nothing: leave out the monitor and the command";
  if (monitor === undefined || command.length === 0)
    return "a monitor and a command are needed: rollcall run MONITOR -- COMMAND";
  if (flags.killAfter !== undefined && flags.maxRuntime === undefined)
    return "--kill-after needs --max-runtime: it says how long the job may take until then";
  if (flags.every !== undefined && flags.schedule !== undefined) return "--schedule and --every: give one of them";
  if (
    flags.every !== undefined &&
    (flags.every < EVERY_SECONDS_MIN * SECOND || flags.every > EVERY_SECONDS_MAX * SECOND)
  )
    return "--every: must be 10s to 366d";
  if (flags.grace !== undefined && flags.grace < GRACE_SECONDS_MIN * SECOND) return "--grace: must be at least 1m";
  if (flags.maxRuntime !== undefined && flags.killAfter === undefined && flags.maxRuntime < SHORTEST_WATCHED)
    return "--max-runtime: must be at least 1m, or --kill-after must say how the job is ended";
  return null;
}

const optionsOf = (monitor: string, command: readonly string[], flags: RunFlags): RunOptions => ({
  monitor,
  command,
  declared: declaredBy(flags),
  maxRuntime: flags.maxRuntime ?? null,
  killAfter: flags.killAfter ?? null,
  retries: flags.retries ?? 0,
  backoff: flags.backoff ?? BACKOFF,
  lock: flags.lock ?? false,
  successCodes: flags.successCodes ?? new Set(),
  outcomes: flags.outcome ?? {},
  outcomesFile: flags.outcomes ?? null,
  messageFromStderr: flags.messageFromStderr ?? false,
  outputFromStderr: flags.outputFromStderr ?? false,
});

function declaredBy({
  schedule,
  every,
  timezone,
  grace,
  name,
  maxRuntime,
}: RunFlags): Readonly<Record<string, string>> {
  const zone = timezone ?? (schedule === undefined ? undefined : (machineTimezone() ?? undefined));
  const all = {
    schedule,
    every: every === undefined ? undefined : `${secondsOf(every)}s`,
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

function address(text: string): string {
  try {
    return addressOf(text);
  } catch {
    throw new InvalidArgumentError("write the address without a path, such as https://cron.example.org.");
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError("write a whole number from 0 to 999.");
  return Number(text);
}

function exitCodes(text: string): ReadonlySet<number> {
  const codes = new Set<number>();
  for (const part of text.split(",")) {
    const [, first, last = first] = /^\s*(\d{1,3})(?:-(\d{1,3}))?\s*$/.exec(part) ?? [];
    if (first === undefined || Number(first) > Number(last) || Number(last) > EXIT_CODE_MAX)
      throw new InvalidArgumentError(`write exit codes from 0 to ${EXIT_CODE_MAX}, such as 24 or 1,100-127.`);
    for (let code = Number(first); code <= Number(last); code++) codes.add(code);
  }
  return codes;
}

function outcome(text: string, before: RunFlags["outcome"] = {}): RunOptions["outcomes"] {
  const read = readOutcome(text);
  if (read === null) throw new InvalidArgumentError("write name=value; the value a number, true or false.");
  return { ...before, [read[0]]: read[1] };
}
