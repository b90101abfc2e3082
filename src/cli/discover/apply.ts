// `rollcall discover --apply`: declares the jobs to the server, then writes `rollcall run` before the commands of those
// jobs that the server took. `--diff` shows what `--apply` would change.

import { whyUnableToReport, whyUnstartable } from "../../discover/accounts.ts";
import { isWatchable, type Job } from "../../discover/discover.ts";
import {
  closeLedger,
  type Ledger,
  ledgerWithoutKeys,
  noteChange,
  readLedger,
  writeLedger,
} from "../../discover/ledger.ts";
import { type FileChange, type Plan, placeLabel, placeOfChange, wrapPlanOf } from "../../discover/wrap-plan.ts";
import { errorMessage } from "../../domain/errors.ts";
import { REGISTRY_LENGTH } from "../../domain/limits.ts";
import { hasSlots } from "../../domain/schedule/rhythm.ts";
import { orElse } from "../../domain/unless-missing.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { agrees } from "../command-shell.ts";
import { DONE, type Io, REFUSED } from "../io.ts";
import { say, sayRefused } from "../screens/table.ts";
import { type Changing, reloadUnits } from "./changing.ts";
import { declarationOf, type SyncedJobs, syncJobs } from "./declare-jobs.ts";
import { showDifference, showMisleading } from "./discover-screens.ts";
import { SENT_OF_STDERR } from "./machine.ts";

/**
 * The jobs to declare, and to wrap with `rollcall run`. `named` are those jobs that a person chose by their `key` or
 * `where`, not by a pattern.
 */
type Choice = Readonly<{ chosen: readonly Job[]; named: ReadonlySet<Job> }>;

export function runDiff(changing: Changing, choice: Choice, io: Io): number {
  const { plan, unsettled, ...rest } = intend(changing, choice);
  // Jobs that cannot report yet are shown too: a person who only looks has often not set up the server and its key.
  const jobs = [...plan.wrapped, ...unsettled.map(({ job }) => job)];
  const all = wrapPlanOf(jobs, changing.machine.call, changing.places.read);
  showChanges({ ...rest, unsettled: [], plan: { ...all, left: [...plan.left, ...all.left] } }, changing, io);
  tellLeft(unsettled, "cannot be applied yet", io);
  if (all.changes.length === 0) say(io, "nothing to wrap");
  return DONE;
}

/**
 * Declares the chosen jobs and wraps their commands with `rollcall run`; with `yes` it does not ask first. Returns exit
 * code 1 when a job that could be watched is not.
 */
export async function runApply(changing: Changing, choice: Choice, yes: boolean, io: Io): Promise<number> {
  const intended = intend(changing, choice);
  const { plan, unsettled, outside, kept, gone } = intended;
  const { server } = changing.settings;
  const leftOver = plan.left.length + unsettled.length + outside.length + intended.misleading.length;
  if (plan.wrapped.length === 0 && kept.length === 0 && gone.length === 0) {
    showChanges(intended, changing, io);
    say(io, "nothing to do");
    return leftOver === 0 ? DONE : REFUSED;
  }
  if (typeof server === "string") return sayRefused(io, `nothing was changed: ${server}`);
  showChanges(intended, changing, io);
  const declared = [...kept, ...plan.wrapped];
  if (declared.length > REGISTRY_LENGTH)
    return sayRefused(
      io,
      `nothing was changed: ${declared.length} jobs are more than the ${REGISTRY_LENGTH} that one list takes, --only chooses some`,
    );
  const question = `Declare ${counted(declared.length, "job")} to ${server.url} and change ${counted(plan.changes.length, "file")}?`;
  if (!yes && !(await agrees(io, question))) return REFUSED;

  const { name } = changing.machine;
  const declare = (jobs: readonly Job[]) =>
    syncJobs(
      server,
      changing.source,
      jobs.map((job) => declarationOf(job, name)),
    );
  const isFirst = readLedger(changing.directory) === null;
  // The ledger (the record of what was changed) is written first. If this process is killed before it changes a file,
  // an undo still withdraws the jobs.
  try {
    writeLedger(changing.directory, intended.ledger);
  } catch (error) {
    return sayRefused(io, `nothing was changed: ${changing.directory} cannot be written: ${errorMessage(error)}`);
  }
  const synced = await declare(declared);
  if (typeof synced === "string") {
    if (isFirst) closeLedger(changing.directory);
    return sayRefused(io, `nothing was changed: ${synced}`);
  }
  const refused = new Map(synced.errors.map(({ key, error }) => [key, error]));
  for (const [key, error] of refused) say(io, `${key || "a job"} was not taken: ${error}`);
  if (synced.warning !== null) say(io, synced.warning);
  if (synced.removed.length > 0)
    say(io, `paused on the server, because they are no longer wrapped here: ${synced.removed.join(", ")}`);

  const taken = plan.wrapped.filter(({ key }) => !refused.has(key));
  const accepted = wrapPlanOf(taken, changing.machine.call, changing.places.read);
  tellLeft(accepted.left, "stays as it is", io);
  const failed = wrapAll(accepted.changes, ledgerWithoutKeys(intended.ledger, gone), changing, io);
  const reload = reloadUnits(changing, accepted.changes);
  if (reload !== null) say(io, reload);
  const bare = new Set([...accepted.left.map(({ job }) => job.key), ...failed.flatMap(({ keys }) => keys)]);
  const watched = declared.filter(({ key }) => !refused.has(key) && !bare.has(key));
  if (bare.size > 0) tellUnwrapped(bare, await declare(watched), io);
  io.out(
    `declared ${counted(watched.length, "job")}, changed ${counted(accepted.changes.length - failed.length, "file")}; rollcall discover --undo takes it back`,
  );
  return bare.size + refused.size + leftOver > 0 || reload !== null ? REFUSED : DONE;
}

/**
 * Says which declared jobs could not be wrapped. They will not report, so they would be missed if the server had not
 * paused them.
 */
function tellUnwrapped(keys: ReadonlySet<string>, synced: SyncedJobs | string, io: Io): void {
  const named = [...keys].join(", ");
  if (typeof synced !== "string") say(io, `paused on the server, because they were not wrapped: ${named}`);
  else say(io, `not wrapped, but declared, so they will be missed: ${named}: pause them on the server (${synced})`);
}

function intend({ machine, directory, source, places, settings }: Changing, { chosen, named }: Choice) {
  const ledger = readLedger(directory) ?? { source, entries: [] };
  const { kept, outside } = jobsWithOurKeys(ledger, machine.jobs);
  const found = new Set(kept.map(({ key }) => key));
  const bare = chosen.filter((job) => isWatchable(job) && job.watchedAs === null && job.change !== null);
  const misleading = bare.filter((job) => job.misleading !== null && !named.has(job));
  const open = bare.filter((job) => !misleading.includes(job));
  const unsettled = open.flatMap((job) => {
    const why = whyUnsettledHere(job, machine, typeof settings.server === "string" ? null : settings.server.key);
    return why === null ? [] : [{ job, why }];
  });
  const settled = open.filter((job) => unsettled.every((one) => one.job !== job));
  const tooMany = tooManyIn(settled, REGISTRY_LENGTH - kept.length);
  const fitting = settled.filter((job) => !tooMany.includes(job));
  const plan = wrapPlanOf(fitting, machine.call, places.read);
  return {
    ledger,
    plan,
    /** Jobs that could not report, or that only another user may change, each with the reason. */
    unsettled,
    /** Jobs whose exit status does not say whether they succeeded, and that were not chosen by name. */
    misleading,
    kept,
    /**
     * Jobs that report with the key of another job, or for which the list sent to the server has no room, each with
     * the reason.
     */
    outside: [...outside, ...tooMany.map((job) => ({ job, why: TOO_MANY }))],
    /** Keys in the ledger that no wrapped job of the machine has any more. */
    gone: ledger.entries.flatMap(({ keys }) => keys).filter((key) => !found.has(key)),
  };
}

/**
 * Finds the jobs that were wrapped before, by their keys in the ledger. A key counts only in the file where the ledger
 * has it, and only for one job of that file. Otherwise any user could write a key into a crontab and change what root
 * declares.
 */
function jobsWithOurKeys({ entries }: Ledger, jobs: readonly Job[]) {
  const kept = new Map<string, Job>();
  const outside: Plan["left"][number][] = [];
  const ours = new Map(entries.flatMap((entry) => entry.keys.map((key) => [key, entry])));
  // Whether the job's line is still as we wrote it. Such jobs are looked at first, before lines that were edited or
  // copied.
  const isAsWritten = (job: Job): boolean =>
    ours
      .get(job.watchedAs!)
      ?.pairs.some(({ wrapped }) => job.change?.kind === "line" && wrapped === job.change.bare) === true;
  const carrying = jobs.filter((job) => job.watchedAs !== null && ours.has(job.watchedAs));
  for (const job of [...carrying.filter(isAsWritten), ...carrying.filter((one) => !isAsWritten(one))]) {
    const key = job.watchedAs!;
    const place = placeLabel(ours.get(key)!.place);
    const isThere = job.change !== null && placeLabel(placeOfChange(job.change)) === place;
    if (!isThere || kept.has(key))
      outside.push({ job, why: `it has the key ${key} of a job in ${place}: give it another` });
    else if (hasSlots(job)) kept.set(key, job);
  }
  return { kept: jobs.filter((job) => kept.get(job.watchedAs ?? "") === job), outside };
}

const TOO_MANY = `its user has too many jobs for one list of ${REGISTRY_LENGTH}: --only chooses some`;

/**
 * Returns the jobs to leave out when there are more than `most`: all jobs of the users who have the most, until the
 * others fit.
 */
function tooManyIn(jobs: readonly Job[], most: number): readonly Job[] {
  const users = Map.groupBy(jobs, (job) => {
    const place = placeOfChange(job.change!);
    return place.kind === "crontab" && place.user !== "root" ? place.user : null;
  });
  users.delete(null);
  const tooMany: Job[] = [];
  const byCount = [...users.values()].sort((one, other) => other.length - one.length);
  for (const theirs of byCount) if (jobs.length - tooMany.length > most) tooMany.push(...theirs);
  return tooMany;
}

function whyUnsettledHere(
  job: Job,
  { isRoot, user, host, system }: Changing["machine"],
  key: string | null,
): string | null {
  const unitOf = job.change!.kind === "drop-in" ? job.change!.user : null;
  if (isRoot && unitOf !== null) return `it is for ${unitOf} to change: run rollcall discover --apply as ${unitOf}`;
  if (!isRoot && job.user !== user) return `only root may change it`;
  if (!isRoot && job.change!.kind === "drop-in" && unitOf === null) return "only root may change units of the system";
  const isOwn = job.change!.kind === "line" || unitOf !== null;
  return whyUnstartable(job.user, system.executable, host) ?? whyUnableToReport(job.user, isOwn, key, host);
}

function showChanges(
  { plan, unsettled, misleading, outside, kept, gone }: ReturnType<typeof intend>,
  { source, machine }: Changing,
  io: Io,
): void {
  for (const { place, before, after } of plan.changes) showDifference(placeLabel(place), before, after, io);
  tellLeft([...unsettled, ...outside, ...plan.left], "stays as it is", io);
  showMisleading(misleading, machine.call, io);
  if (plan.wrapped.length > 0) {
    say(io, `new: ${plan.wrapped.map(({ key }) => key).join(", ")}`);
    say(io, SENT_OF_STDERR[machine.stderr].says);
  }
  if (kept.length > 0) say(io, `declared again: ${kept.map(({ key }) => key).join(", ")}`);
  // A job that something has written bare again is wrapped once more, under the same key.
  const paused = gone.filter((key) => plan.wrapped.every((job) => job.key !== key));
  if (paused.length > 0)
    say(
      io,
      `no longer wrapped here, so the server pauses them as the list of ${source} is complete: ${paused.join(", ")}`,
    );
}

const NAMED_MAX = 20;

function tellLeft(left: Plan["left"], what: string, io: Io): void {
  for (const [why, jobs] of Map.groupBy(left, (one) => one.why)) {
    const named = jobs.slice(0, NAMED_MAX).map(({ job }) => job.where);
    if (jobs.length > NAMED_MAX) named.push(`and ${jobs.length - NAMED_MAX} more`);
    say(io, `${what}: ${named.join(", ")}: ${why}`);
  }
}

function wrapAll(changes: readonly FileChange[], start: Ledger, { directory, places }: Changing, io: Io) {
  let ledger = start;
  const failed: FileChange[] = [];
  // If the ledger cannot be written, this command goes on: an undo leaves a file alone that has none of our changes. If
  // the command ended here, the server would expect reports of jobs that are not wrapped.
  const writeIfPossible = (next: Ledger): void => orElse(undefined, () => writeLedger(directory, next));
  writeIfPossible(start);
  for (const change of changes) {
    try {
      const owner = places.ownerOf(change.place);
      ledger = noteChange(directory, ledger, change, owner);
      places.write(change.place, change.after, owner, null);
      io.out(`changed ${placeLabel(change.place)}`);
    } catch (error) {
      failed.push(change);
      say(io, `${placeLabel(change.place)} was not changed: ${errorMessage(error)}`);
      ledger = ledgerWithoutKeys(ledger, change.keys);
      writeIfPossible(ledger);
    }
  }
  return failed;
}
