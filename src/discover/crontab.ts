// Reads a crontab as Debian's cron or cronie does, and finds the lines that cron refuses. The text is given as Latin-1,
// one character for each byte, because cron's limits count bytes.

import { type ReadSchedule, readCronSchedule } from "../domain/schedule/cron-schedule.ts";
import type { FoundMisleadingStatus } from "./found.ts";
import { decodedMachineText, type MachineFiles } from "./host.ts";
import { COMMAND_MAX } from "./wrap.ts";

/** `debian` is Vixie's cron, as Debian has it; `cronie` is the cron of Red Hat and many others. */
export type Flavour = "debian" | "cronie";

export interface CronLine {
  readonly number: number;
  readonly before: string;
  readonly said: string;
  readonly schedule: ReadSchedule;
  /** The user whom the line names; `null` when the command runs as the user whose crontab it is. */
  readonly user: string | null;
  /** The command as it is written, still with `%` where cron will put the end of a line. */
  readonly command: string;
  readonly environment: ReadonlyMap<string, string>;
}

export interface Crontab {
  readonly jobs: readonly CronLine[];
  /** The lines that cron refuses. `number` counts the lines of the crontab from 0. */
  readonly broken: readonly { readonly number: number; readonly text: string; readonly why: string }[];
  /** Why cron ignores the whole crontab; `null` when it does not. */
  readonly ignored: string | null;
}

const FIELDS = "[^\\s#@]\\S*[ \\t]+\\S+[ \\t]+\\S+[ \\t]+\\S+[ \\t]+\\S+";
/** Matches a line of a user's crontab. Debian's cron accepts a line without a command, and runs nothing for it. */
const USER_LINE = new RegExp(`^([ \\t]*(@[^ \\t]+|${FIELDS})(?:[ \\t]+|$))(.*)$`, "s");
const SYSTEM_LINE = new RegExp(`^([ \\t]*(@[^ \\t]+|${FIELDS})[ \\t]+([^ \\t]+)[ \\t]+)(.*)$`, "s");
/** Matches an assignment such as `SHELL=/bin/bash`. Name and value may be quoted; nothing follows the second quote. */
const ASSIGNMENT = /^[ \t]*(?:"([^"=]*)"|'([^'=]*)'|((?!["'])[^\s=]*))\s*=\s*(?:"([^"]*)"|'([^']*)'|((?!["']).*))$/s;
/**
 * Matches an item of a field, such as `1-5`. Debian's cron reads items with commas between them, and ignores the rest
 * of the field: of `5;x` it reads `5`.
 */
const ITEM = "(?:\\*|[A-Za-z0-9]+(?:-[A-Za-z0-9]+)?)(?:/[0-9]+)?";
const READ_BY_DEBIAN = new RegExp(`(?<![^ \\t])(${ITEM}(?:,${ITEM})*)[^ \\tA-Za-z0-9,/*-][^ \\t]*`, "g");
/** How many bytes a line may have; people do not write longer ones. A longer line is listed as broken. */
const LINE_MAX = 16_384;
const LINE_SHOWN = 100;
export const LINES_MAX = 2_000;
/** Matches the option `-n` before a command in cronie: cron then sends mail only about failures. */
const MAIL_FAILURES = /^-n[ \t]+/;

/**
 * Reads a crontab. `withUser` says that each line names its user behind the schedule. `isMissing` says whether the
 * machine lacks a user of this name.
 */
export function readCrontab(
  text: string,
  withUser: boolean,
  flavour: Flavour,
  isMissing: (user: string) => boolean = () => false,
): Crontab {
  const lines = text.split("\n");
  const rest = lines.pop()!;
  const environment = new Map<string, string>();
  const jobs: CronLine[] = [];
  const broken: { number: number; text: string; why: string }[] = [];
  // Debian's cron ignores a file whose last line has no end of line. That line is read all the same, to list its job.
  for (const [number, line] of (flavour === "debian" ? [...lines, rest] : lines).entries()) {
    if (/^[ \t]*(?:#|$)/.test(line)) continue;
    if (line.length > LINE_MAX) {
      broken.push({ number, text: line.slice(0, LINE_SHOWN), why: `it is longer than ${LINE_MAX} bytes` });
      continue;
    }
    const [assigned, ...parts] = ASSIGNMENT.exec(line.trimEnd()) ?? [];
    const [name, value] = [parts.slice(0, 3), parts.slice(3)].map((one) => one.find((part) => part !== undefined));
    // Debian's cron accepts an empty value only in quotation marks.
    if (assigned !== undefined && (flavour === "cronie" || parts[5] !== "")) {
      environment.set(name!, value!);
      continue;
    }
    const job = /^[ \t]*\w+[ \t]*=/.test(line) ? UNASSIGNED : readLine(line, withUser, flavour);
    if ("why" in job) broken.push({ number, text: line, why: job.why });
    else if (job.user !== null && isMissing(job.user))
      broken.push({ number, text: line, why: `there is no user ${job.user}` });
    else jobs.push({ number, ...job, environment: new Map(environment) });
  }
  if (rest !== "" && flavour === "cronie" && !/^[ \t]*#/.test(rest))
    broken.push({ number: lines.length, text: rest, why: "cron refuses a last line without an end of line" });
  return { jobs, broken, ignored: flavour === "debian" ? whyIgnored(rest, broken) : null };
}

/**
 * Says why Debian's cron ignores the whole crontab; `null` when it does not. One wrong line is enough, because that
 * cron reads a crontab as a whole or not at all.
 */
function whyIgnored(rest: string, broken: Crontab["broken"]): string | null {
  if (rest !== "") return "its last line has no end of line, so cron ignores the whole file";
  const [first] = broken;
  return first === undefined ? null : `line ${first.number + 1} makes cron ignore the whole file: ${first.why}`;
}

const UNASSIGNED = {
  why: 'cron takes it for no assignment: an empty value is "", and behind quotation marks nothing may stand',
};

function readLine(
  line: string,
  withUser: boolean,
  flavour: Flavour,
): Omit<CronLine, "number" | "environment"> | { readonly why: string } {
  // In cronie a dash before the schedule keeps the run out of cron's log.
  const dash = flavour === "cronie" ? (/^[ \t]*-/.exec(line)?.[0] ?? "") : "";
  const parts = (withUser ? SYSTEM_LINE : USER_LINE).exec(line.slice(dash.length));
  const [, start, said, ...others] = parts ?? [];
  const rest = others.at(-1) ?? "";
  if (parts === null || (rest === "" && flavour === "cronie"))
    return { why: withUser ? "it has no schedule, user and command" : "it has no schedule and command" };
  const user = withUser ? others[0]! : null;
  const schedule = readCronSchedule(
    decodedMachineText(flavour === "debian" ? said!.replaceAll(READ_BY_DEBIAN, "$1") : said!),
  );
  if ("why" in schedule && schedule.broken) return { why: schedule.why };
  if ((user ?? rest).startsWith("*"))
    return { why: "it begins with a star behind its schedule, as a sixth field would" };
  const option = flavour === "cronie" ? (MAIL_FAILURES.exec(rest)?.[0] ?? "") : "";
  const command = rest.slice(option.length);
  if (flavour === "cronie" && command.startsWith("-")) return { why: `cron knows no option ${command.split(" ")[0]}` };
  if (flavour === "debian" && command.length > COMMAND_MAX)
    return { why: `its command is ${command.length} bytes long, and cron takes ${COMMAND_MAX}` };
  return { before: dash + start + option, said: said!, schedule, user, command };
}

/**
 * Whether the text that Debian's `crontab -l` printed may differ from the file. `crontab -l` prints a carriage return
 * as `\r` and a backspace as `\b`; but the file may also hold these two letters.
 */
export const isUnclearCrontab = (shown: string): boolean => /\\[rb]/.test(shown);

// The following is about a line of cron or anacron that runs a directory of scripts, such as /etc/cron.daily. The whole
// directory is one monitor: a script that fails makes it fail, and the scripts stay as they are.

const DIRECTORY = /\brun-parts\b[^;&|}]*?(\/etc\/cron\.\w+)/;

/** Notes about a command with `run-parts`: which scripts that runs, and which files it passes over without a word. */
export function periodicNotes(command: string, host: MachineFiles): readonly string[] {
  const directory = DIRECTORY.exec(command)?.[1];
  if (directory === undefined) return [];
  const names = host.names(directory).filter((name) => !name.startsWith("."));
  // Whether run-parts is Red Hat's script, which accepts more names. Debian's is a program.
  const isScript = host.read("/usr/bin/run-parts")?.startsWith("#!") === true;
  const isTaken = (name: string): boolean =>
    isScript ? !/[~,]$|,v$|\.(?:rpmsave|rpmorig|rpmnew|swp|cfsaved)$/.test(name) : /^[A-Za-z0-9_-]+$/.test(name);
  const isRun = (name: string): boolean => {
    const facts = host.facts(`${directory}/${name}`);
    return isTaken(name) && facts?.kind === "file" && (facts.mode & 0o111) !== 0;
  };
  const [scripts, others] = [names.filter(isRun), names.filter((name) => !isRun(name))];
  const fails = isSilent(host) ? "" : ", and fails if one of these does";
  const notes =
    scripts.length === 0
      ? [`It runs ${directory}, which has no script.`]
      : [`It runs ${directory} as one job${fails}: ${scripts.join(", ")}.`];
  if (others.length > 0)
    notes.push(`run-parts passes over these, because of their names or modes: ${others.join(", ")}.`);
  return notes;
}

/** Whether run-parts is Red Hat's script, which ends with 0 even if a script that it runs fails. */
const isSilent = (host: MachineFiles): boolean =>
  /^#![\s\S]*\n\s*exit 0\s*$/.test(host.read("/usr/bin/run-parts") ?? "");

export const misleadingPeriodicStatus = (command: string, host: MachineFiles): FoundMisleadingStatus | null =>
  DIRECTORY.test(command) && isSilent(host)
    ? {
        says: [
          "run-parts of this system ends with 0 also when a script fails: that would be told as a success. Each script can report by itself.",
        ],
        instead: null,
      }
    : null;

/**
 * Says why this command does nothing on this machine; `null` when it does something. Packages often have crontabs that
 * leave the work to systemd or anacron where these exist.
 */
export function idleHere(command: string, host: MachineFiles, systemd: boolean): string | null {
  if (/\/run\/systemd\/system\b/.test(command) && systemd)
    return "it does nothing while systemd runs: a timer does its work";
  const [, path, joined] = /^(?:\/usr\/bin\/)?(?:test|\[) +-[xef] +(\S+?) *(?:\])? *(&&|\|\|)/.exec(command) ?? [];
  if (path === undefined || !path.startsWith("/")) return null;
  const isThere = host.facts(path) !== null;
  if (joined === "||" && isThere) {
    const instead = path.endsWith("/anacron") ? "anacron does its work" : "it looks for that first";
    return `it does nothing because there is ${path}: ${instead}`;
  }
  return joined === "&&" && !isThere ? `it does nothing because there is no ${path}` : null;
}
