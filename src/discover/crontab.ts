// Reads a crontab as Debian's cron and cronie do: its lines, what stands in their environment, and which of them cron
// refuses. Texts hold a byte in each character.

import { type Read, readCronSchedule } from "../domain/schedule/cron-schedule.ts";

/** `debian`: Vixie's cron, as Debian has it. `cronie`: the one of Red Hat and many others. */
export type Flavour = "debian" | "cronie";

export interface CronLine {
  /** From 0. */
  readonly number: number;
  /** Everything before the command: the schedule, and in a system's crontab the user. */
  readonly before: string;
  /** As it stands there. */
  readonly said: string;
  readonly schedule: Read;
  /** Null: the crontab's own user. */
  readonly user: string | null;
  /** As it stands there, with what cron makes of `%`. */
  readonly command: string;
  /** What the lines before have set. */
  readonly environment: ReadonlyMap<string, string>;
}

export interface Crontab {
  readonly jobs: readonly CronLine[];
  /** Lines that cron refuses, from 0. */
  readonly broken: readonly { readonly number: number; readonly text: string; readonly why: string }[];
  /** Why cron reads nothing of it; null: it does. */
  readonly ignored: string | null;
}

const FIELDS = "[^\\s#@]\\S*[ \\t]+\\S+[ \\t]+\\S+[ \\t]+\\S+[ \\t]+\\S+";
const OWN = new RegExp(`^([ \\t]*(@[^ \\t]+|${FIELDS})[ \\t]+)([^ \\t].*)$`, "s");
const OF_SYSTEM = new RegExp(`^([ \\t]*(@[^ \\t]+|${FIELDS})[ \\t]+([^ \\t]+)[ \\t]+)([^ \\t].*)$`, "s");
/** A name may stand in quotation marks; none has a space or begins a schedule. */
const ASSIGNMENT = /^[ \t]*(?:"([^"=]*)"|'([^'=]*)'|([^\s="'][^\s=]*))\s*=\s*(.*?)\s*$/s;

/** `withUser`: the sixth field is a user. */
export function readCrontab(text: string, withUser: boolean, flavour: Flavour): Crontab {
  const lines = text.split("\n");
  const rest = lines.pop()!;
  const environment = new Map<string, string>();
  const jobs: CronLine[] = [];
  const broken: { number: number; text: string; why: string }[] = [];
  // Debian's cron reads nothing of a file without a last end of line; its last line is listed with the others.
  for (const [number, line] of (flavour === "debian" ? [...lines, rest] : lines).entries()) {
    if (/^[ \t]*(?:#|$)/.test(line)) continue;
    const assigned = ASSIGNMENT.exec(line);
    if (assigned !== null) {
      environment.set(assigned[1] ?? assigned[2] ?? assigned[3] ?? "", unquoted(assigned[4]!));
      continue;
    }
    const job = readLine(line, withUser, flavour);
    if ("why" in job) broken.push({ number, text: line, why: job.why });
    else jobs.push({ number, ...job, environment: new Map(environment) });
  }
  if (rest !== "" && flavour === "cronie" && !/^[ \t]*#/.test(rest))
    broken.push({ number: lines.length, text: rest, why: "cron refuses a last line without an end of line" });
  return { jobs, broken, ignored: flavour === "debian" ? whyIgnored(rest, broken) : null };
}

/** Debian's cron reads a crontab wholly or not at all. */
function whyIgnored(rest: string, broken: Crontab["broken"]): string | null {
  if (rest !== "") return "its last line has no end of line, so cron ignores the whole file";
  const [first] = broken;
  return first === undefined ? null : `line ${first.number + 1} makes cron ignore the whole file: ${first.why}`;
}

type Line = Omit<CronLine, "number" | "environment">;

function readLine(line: string, withUser: boolean, flavour: Flavour): Line | { readonly why: string } {
  // In cronie a dash before the schedule keeps the run out of its log.
  const dash = flavour === "cronie" ? (/^[ \t]*-/.exec(line)?.[0] ?? "") : "";
  const parts = (withUser ? OF_SYSTEM : OWN).exec(line.slice(dash.length));
  if (parts === null)
    return { why: withUser ? "it has no schedule, user and command" : "it has no schedule and command" };
  const command = parts.at(-1)!;
  const said = parts[2]!;
  const schedule = readCronSchedule(said);
  if ("why" in schedule && schedule.broken) return { why: schedule.why };
  if (command.startsWith("*")) return { why: "its command begins with a star, as a sixth field would" };
  return { before: dash + parts[1]!, said, schedule, user: withUser ? parts[3]! : null, command };
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/s.exec(value)?.[2] ?? value;
