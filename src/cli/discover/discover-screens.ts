// Prints what `rollcall discover` found: the jobs that can be watched, those that cannot with the reason, and what to
// know of them.

import { formatPatch, structuredPatch } from "diff";
import { isWatchable, type Job } from "../../discover/discover.ts";
import { decodedMachineText } from "../../discover/host.ts";
import { type WrappingCall, whyUnwrapped } from "../../discover/wrap-plan.ts";
import { visibleText } from "../../domain/text.ts";
import { durationText } from "../../domain/time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { Io } from "../io.ts";
import { printedShortText, printedZone, unbroken } from "../screens/spoken.ts";
import { formatRows, formatText, say } from "../screens/table.ts";
import { declaredGraceOf } from "./declare-jobs.ts";
import type { Machine } from "./machine.ts";

const COMMAND_SHOWN = 60;

/** Prints the jobs. `leftOut` is how many of the distribution's own jobs the list leaves out. */
export function showJobs({ isLive, unseen, call }: Machine, jobs: readonly Job[], leftOut: number, io: Io): void {
  const watched = jobs.filter(isWatchable);
  const others = jobs.filter((job) => !isWatchable(job));
  const print = (lines: readonly string[]): void => {
    for (const line of lines) io.out(line);
  };
  const zones = new Set(watched.filter(({ schedule }) => schedule !== null).map(({ timezone }) => timezone));
  if (watched.length > 0) {
    const oneZone = zones.size <= 1;
    const rows = watched.map((job) => ({
      KEY: job.key,
      SCHEDULE: unbroken(rhythmText(job)),
      ...(oneZone ? {} : { ZONE: printedZone(job.timezone ?? "-") }),
      USER: job.user,
      WHERE: job.where,
      "": job.watchedAs === null ? "" : "watched",
    }));
    print(formatRows(rows, io));
    if (zones.size === 1)
      print(["", ...formatText(`Schedules are read in ${[...zones][0] ?? "the server's zone"}.`, io.width)]);
  }
  const notes = Map.groupBy(
    watched.flatMap((job) => notesOf(job, call).map((note) => ({ key: job.key, note }))),
    ({ note }) => note,
  );
  if (notes.size > 0) io.out("");
  for (const [note, named] of notes) print(formatText(`${named.map(({ key }) => key).join(", ")}: ${note}`, io.width));
  const misleading = watched.filter(({ misleading }) => misleading !== null);
  if (misleading.length > 0) io.out("");
  showMisleading(misleading, call, io);
  if (others.length > 0) {
    if (watched.length > 0) io.out("");
    print(
      formatText(
        `${counted(others.length, "job")} cannot be watched as ${others.length === 1 ? "it is" : "they are"}:`,
        io.width,
      ),
    );
    io.out("");
    const rows = others.map((job) => ({
      WHERE: job.where,
      COMMAND: printedShortText(job.command, COMMAND_SHOWN),
      WHY: job.why ?? "",
    }));
    print(formatRows(rows, io));
  }
  if (leftOut > 0)
    print([
      "",
      ...formatText(
        `${counted(leftOut, "job")} of the distribution's own housekeeping ${leftOut === 1 ? "is" : "are"} left out; --all has ${leftOut === 1 ? "it" : "them"}, too.`,
        io.width,
      ),
    ]);
  if (isLive)
    print(["", ...formatText("Timers are those that systemd has loaded or would start at a boot.", io.width)]);
  if (watched.some(({ watchedAs, change }) => watchedAs === null && change !== null))
    print(["", ...formatText("rollcall discover --diff shows what --apply would change.", io.width)]);
  for (const line of unseen) say(io, line);
  if (jobs.length + leftOut === 0) say(io, "no scheduled job was found");
}

function notesOf(job: Job, call: WrappingCall): readonly string[] {
  const why = job.watchedAs === null ? whyUnwrapped(job, call) : null;
  return why === null ? job.notes : [...job.notes, `--apply leaves it as it is: ${why}.`];
}

/**
 * Prints the jobs whose exit status does not say whether they succeeded, each with the reasons. It adds the line that
 * we would write instead, where there is one.
 */
export function showMisleading(jobs: readonly Job[], call: WrappingCall, io: Io): void {
  if (jobs.length === 0) return;
  const print = (text: string): void => {
    for (const line of formatText(text, io.width)) io.out(line);
  };
  print(
    `The exit status of ${counted(jobs.length, "job")} does not say whether the job succeeded. --apply leaves ${jobs.length === 1 ? "it" : "them"} out; --only with the key wraps one as it stands. The line that we would write instead is for you to put there:`,
  );
  for (const job of jobs) {
    io.out("");
    print(`${job.key} (${job.where}): ${job.misleading!.says.join(" ")}`);
    const line = insteadOf(job, call);
    for (const part of line?.split("\n") ?? []) io.out(`  ${visibleText(part)}`);
  }
}

function insteadOf({ misleading, key }: Job, { executable, options }: WrappingCall): string | null {
  const made = misleading?.instead?.(key + options, executable);
  return made !== undefined && "text" in made ? decodedMachineText(made.text) : null;
}

const rhythmText = ({ schedule, everySeconds, said }: Job): string =>
  schedule ?? (everySeconds === null ? said : `every ${durationText(everySeconds)}`);

/** Returns a job as `--json` prints it; `key` is `null` when the job cannot be watched. */
export const jobAsJson = (job: Job, call: WrappingCall) => ({
  key: isWatchable(job) ? job.key : null,
  where: job.where,
  user: job.user,
  command: job.command,
  schedule: job.schedule,
  every: job.everySeconds === null ? null : durationText(job.everySeconds),
  said: job.said,
  timezone: job.timezone,
  gracePeriod: declaredGraceOf(job),
  watchedAs: job.watchedAs,
  why: isWatchable(job) ? null : job.why,
  notes: notesOf(job, call),
  status: job.misleading === null ? null : { says: job.misleading.says, instead: insteadOf(job, call) },
});

/**
 * Prints the change of a file as a diff. `before` is `null` for a new file, `after` for a removed one. The texts are
 * Latin-1: each byte of the file is one character.
 */
export function showDifference(name: string, before: string | null, after: string | null, io: Io): void {
  const patch = structuredPatch(
    before === null ? "/dev/null" : name,
    after === null ? "/dev/null" : name,
    decodedMachineText(before ?? ""),
    decodedMachineText(after ?? ""),
  );
  const lines = formatPatch(patch)
    .split("\n")
    .filter((line) => !/^(?:=+$|Index: )/.test(line));
  for (const line of lines.slice(0, -1)) io.out(line.split("\t").map(visibleText).join("\t"));
}
