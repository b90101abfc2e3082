// Reads a call of `rollcall run` by hand, which is faster than the parser of the other commands: a job waits. Both
// parsers read the options from the table in this file. For help and wrong calls, commands.ts uses the slower parser.

import { checkedReportUrl } from "../../client/client-settings.ts";
import { type RunOptions, readOutcomeOption } from "../../client/options.ts";
import {
  EVERY_SECONDS_MAX,
  EVERY_SECONDS_MIN,
  GRACE_SECONDS_MIN,
  MAX_RUNTIME_SECONDS_MIN,
} from "../../domain/limits.ts";
import { parseDuration, SECOND } from "../../domain/time.ts";
import type { Shell } from "../command-shell.ts";
import { MISUSED } from "../io.ts";
import { flushAll, type RunIo, runJob } from "./run-job.ts";

/**
 * The shortest `--max-runtime` that the service can watch, in milliseconds. With a shorter one, the job is ended at its
 * limit, but the service is told this longer time.
 */
const SHORTEST_WATCHED = MAX_RUNTIME_SECONDS_MIN * SECOND;
/** How many milliseconds to wait before the first retry, unless `--backoff` says otherwise. */
const BACKOFF = 10 * SECOND;
const EXIT_CODE_MAX = 255;

export interface RunOption<Value = unknown> {
  /**
   * The option as help shows it, such as `--grace <duration>`. An option that has no value, such as `--lock`, is a
   * switch.
   */
  readonly flags: string;
  readonly help: string;
  /**
   * Reads the option's value. If the option came earlier in the line, `before` is the value that was read then. It
   * throws a `RangeError` that says what to write.
   */
  readonly read: ((text: string, before?: never) => Value) | undefined;
}

const valued = <Value>(flags: string, help: string, read: RunOption<Value>["read"]) => ({ flags, help, read });
const text = (flags: string, help: string) => valued<string>(flags, help, undefined);
const isSet = (flags: string, help: string) => valued<true>(flags, help, undefined);

export const RUN_OPTIONS = {
  schedule: text(
    "--schedule <cron>",
    "when the job is expected, such as '0 2 * * *'; makes the monitor if it is missing",
  ),
  every: valued("--every <duration>", "instead of a schedule: how far runs may be apart, such as 25h", duration),
  timezone: text("--timezone <zone>", "the zone of the schedule (default: CRON_TZ, else this machine's)"),
  grace: valued("--grace <duration>", "how late it may be, such as 15m", duration),
  name: text("--name <name>", "what people read instead of the key"),
  maxRuntime: valued(
    "--max-runtime <duration>",
    "how long a run may take; rollcall tells when it takes longer",
    duration,
  ),
  killAfter: valued(
    "--kill-after <duration>",
    "end the job at --max-runtime, and kill it when it has not ended so much later",
    duration,
  ),
  retries: valued("--retries <count>", "try again when it fails; only the last failure is told", retryCount),
  backoff: valued(
    "--backoff <duration>",
    "wait before the first retry, and twice as long before each further one (default: 10s)",
    duration,
  ),
  lock: isSet("--lock", "do not start while the run before it still goes on (exit code 75)"),
  successCodes: valued(
    "--success-codes <codes>",
    "exit codes that are a success beside 0, such as 24 or 1,100-127",
    exitCodes,
  ),
  outcome: valued(
    "--outcome <name=value>",
    "an outcome of a success: a number, true or false; may be repeated",
    outcome,
  ),
  outcomes: text("--outcomes <file>", "read outcomes from this file after a success, name=value on each line"),
  messageFromStderr: isSet("--message-from-stderr", "tell the last line on stderr with a failure"),
  outputFromStderr: isSet(
    "--output-from-stderr",
    "send the last lines on stderr with a failure, 10 kB at most; rollcall keeps them where its operator allows it",
  ),
  flush: isSet("--flush", "send what waits from earlier runs, and run nothing"),
  movedFrom: valued(
    "--moved-from <address>",
    "with --flush: send also what waits for the service's former address",
    address,
  ),
};

export type RunFlags = {
  readonly [Name in keyof typeof RUN_OPTIONS]?: ReturnType<NonNullable<(typeof RUN_OPTIONS)[Name]["read"]>>;
};

export interface RunCall {
  readonly monitor: string | undefined;
  /** The words after the monitor and the options: the command with its arguments, perhaps with `--` before it. */
  readonly typed: readonly string[];
  readonly flags: RunFlags;
}

const BY_NAME: ReadonlyMap<string, readonly [key: string, option: RunOption]> = new Map(
  Object.entries<RunOption>(RUN_OPTIONS).map(([key, option]) => [option.flags.split(" ")[0]!, [key, option]]),
);

/**
 * Reads a command line that begins with `run`. Returns `null` when it asks for help or is wrong; the slower parser then
 * answers.
 */
export function readCall(args: readonly string[]): RunCall | null {
  const flags: Record<string, unknown> = {};
  /**
   * Reads the options from this place on. Returns the place of the first word that is no option; `null` when an option
   * is wrong.
   */
  const readOptions = (from: number): number | null => {
    let place = from;
    while (args[place]?.startsWith("-") && args[place] !== "--") {
      const [, name, given] = /^(--[a-z-]+)(?:=(.*))?$/s.exec(args[place]!) ?? [];
      const [key, option] = BY_NAME.get(name ?? "") ?? [];
      if (key === undefined || option === undefined) return null;
      const isSwitch = !option.flags.includes(" ");
      if (isSwitch && given !== undefined) return null;
      const text = isSwitch ? "" : (given ?? args[++place]);
      if (text === undefined) return null;
      try {
        flags[key] = isSwitch ? true : (option.read?.(text, flags[key] as never) ?? text);
      } catch {
        return null;
      }
      place++;
    }
    return place;
  };
  const start = readOptions(1);
  if (start === null || args[start] === "--") return null;
  const [monitor, first] = [args[start], args[start + 1]];
  // Options may also stand between the monitor and `--`, because no command begins with `--`.
  const isBetween = first !== undefined && first !== "--" && first.startsWith("--") && args.indexOf("--", start) > 0;
  const end = isBetween ? readOptions(start + 1) : start + 1;
  if (end === null || (isBetween && args[end] !== "--")) return null;
  return { monitor, typed: args.slice(end), flags: flags as RunFlags };
}

/**
 * Does what the call asks for and returns the exit code. If a signal ended the job, this process ends the same way
 * instead. `args` are all words of the command line.
 */
export async function carryOut(
  { monitor, typed, flags }: RunCall,
  { args, environment, io }: { readonly io: RunIo } & Omit<Shell, "io" | "finish">,
): Promise<number> {
  const command = typed[0] === "--" ? typed.slice(1) : typed;
  const fault = misplaced(args, typed) ?? faultOf(monitor, command, flags);
  if (fault !== null) {
    io.err(`error: ${fault}`);
    return MISUSED;
  }
  if (monitor === undefined) return flushAll(environment, io, flags.movedFrom ?? null);
  return runJob(runOptions(monitor, command, await withZone(flags, environment, io)), environment, io);
}

/**
 * Returns a sentence when a word is in the wrong place; otherwise `null`. `typed` are the words after the monitor and
 * the options.
 */
function misplaced(args: readonly string[], typed: readonly string[]): string | null {
  const [first = ""] = typed;
  if (first === "--") return null;
  // How many words follow `--`. In `run -- backup --all` no monitor stands before `--`, so `backup` was taken for the
  // monitor. Then `typed` has fewer words than follow `--`.
  const behind = args.includes("--") ? args.length - args.indexOf("--") - 1 : 0;
  if (behind > typed.length) return "no monitor stands before --: rollcall run MONITOR -- COMMAND";
  return first.startsWith("--") ? `${first} stands behind the monitor: then -- must come before the command` : null;
}

/**
 * Returns a sentence about what is wrong with the call; `null` when nothing is. A right call has a monitor and a
 * command, or only `--flush`.
 */
function faultOf(monitor: string | undefined, command: readonly string[], flags: RunFlags): string | null {
  if (flags.movedFrom !== undefined && !flags.flush) return "--moved-from belongs to --flush";
  if (flags.flush) return monitor === undefined ? null : "--flush runs nothing: leave out the monitor and the command";
  if (monitor === undefined || command.length === 0)
    return "a monitor and a command are needed: rollcall run MONITOR -- COMMAND";
  if (flags.killAfter !== undefined && flags.maxRuntime === undefined)
    return "--kill-after needs --max-runtime: it says how long the job may take until then";
  if (flags.schedule !== undefined && /^[\d*,/-]+$/.test(flags.schedule))
    return "--schedule: has one field; write all five in quotes, such as --schedule '0 2 * * *'";
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

const runOptions = (monitor: string, command: readonly string[], flags: RunFlags): RunOptions => ({
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

/**
 * Adds the zone in which the schedule is read, if `--timezone` does not name it: the zone of this machine's cron, which
 * starts the job.
 */
async function withZone(flags: RunFlags, environment: Shell["environment"], io: RunIo): Promise<RunFlags> {
  if (flags.schedule === undefined || flags.timezone !== undefined) return flags;
  const { zoneOfRun: jobZone } = await import("./job-zone.ts");
  const { timezone, doubt } = jobZone(environment);
  const where = timezone ?? "the time zone of the server";
  if (doubt !== null) io.err(`rollcall: ${doubt}: the schedule is read in ${where}, --timezone names another`);
  return timezone === null ? flags : { ...flags, timezone };
}

function declaredBy(flags: RunFlags): Readonly<Record<string, string>> {
  const { schedule, every, timezone, grace, name, maxRuntime } = flags;
  const all = {
    schedule,
    every: every === undefined ? undefined : `${secondsText(every)}s`,
    timezone,
    gracePeriod: grace === undefined ? undefined : secondsText(grace),
    name,
    maxRuntime: maxRuntime === undefined ? undefined : secondsText(Math.max(maxRuntime, SHORTEST_WATCHED)),
  };
  return Object.fromEntries(Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

const secondsText = (milliseconds: number): string => `${milliseconds / SECOND}`;

function duration(text: string): number {
  const found = parseDuration(text);
  if (found === null || found === 0) throw new RangeError("write 30s, 15m, 2h or 7d.");
  return found;
}

function address(text: string): string {
  try {
    return checkedReportUrl(text);
  } catch {
    throw new RangeError("write the address without a path, such as https://cron.example.org.");
  }
}

function retryCount(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new RangeError("write a whole number from 0 to 999.");
  return Number(text);
}

function exitCodes(text: string): ReadonlySet<number> {
  const codes = new Set<number>();
  for (const part of text.split(",")) {
    const [, first, last = first] = /^\s*(\d{1,3})(?:-(\d{1,3}))?\s*$/.exec(part) ?? [];
    if (first === undefined || Number(first) > Number(last) || Number(last) > EXIT_CODE_MAX)
      throw new RangeError(`write exit codes from 0 to ${EXIT_CODE_MAX}, such as 24 or 1,100-127.`);
    for (let code = Number(first); code <= Number(last); code++) codes.add(code);
  }
  return codes;
}

function outcome(text: string, before: RunOptions["outcomes"] = {}): RunOptions["outcomes"] {
  const read = readOutcomeOption(text);
  if (read === null) throw new RangeError("write name=value; the value a number, true or false.");
  return { ...before, [read[0]]: read[1] };
}
