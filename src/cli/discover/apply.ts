// `rollcall discover --diff` and `--apply`: shows what would change; then declares the jobs and, if the server has taken
// them, wraps them. What the server refuses stays as it is.

import { isWatchable, type Job } from "../../discover/discover.ts";
import { closeLedger, type Ledger, noteChange, readLedger, withoutKeys, writeLedger } from "../../discover/ledger.ts";
import { type FileChange, nameOf, type Plan, planOf } from "../../discover/plan.ts";
import { whyUnsettled, whyUnstartable } from "../../discover/readers.ts";
import { REGISTRY_LENGTH } from "../../domain/limits.ts";
import { messageOf } from "../../domain/message-of.ts";
import { hasSlots } from "../../domain/schedule/rhythm.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { agrees } from "../command-shell.ts";
import { DONE, type Io, REFUSED, say } from "../io.ts";
import { type Changing, reloadUnits } from "./changing.ts";
import { declarationOf } from "./declaring.ts";
import { showDifference } from "./diff.ts";
import { type Synced, syncJobs } from "./sync.ts";

interface Intended {
  readonly ledger: Ledger;
  readonly plan: Plan;
  /** Jobs that would tell nobody, or that only somebody else may change, and why. */
  readonly unsettled: Plan["left"];
  /** Wrapped by us before. */
  readonly kept: readonly Job[];
  /** Keys of the ledger that no job has any more. */
  readonly gone: readonly string[];
}

/** Shows everything that an apply would do. Exit code 0, also where that is nothing. */
export function runDiff(changing: Changing, chosen: readonly Job[], io: Io): number {
  const { plan, unsettled, ...rest } = intend(changing, chosen);
  // Also what no server can be told of yet: who looks has mostly not set that up.
  const all = planOf(
    [...plan.wrapped, ...unsettled.map(({ job }) => job)],
    changing.machine.system.executable,
    changing.places.read,
  );
  show({ ...rest, unsettled: [], plan: { ...all, left: [...plan.left, ...all.left] } }, changing, io);
  tellLeft(unsettled, "cannot be applied yet", io);
  if (all.changes.length === 0) say(io, "nothing to wrap");
  return DONE;
}

/** `yes`: do not ask. Exit code 1 where something that could be watched is not. */
export async function runApply(changing: Changing, chosen: readonly Job[], yes: boolean, io: Io): Promise<number> {
  const intended = intend(changing, chosen);
  const { plan, unsettled, kept, gone } = intended;
  const { server } = changing.settings;
  const leftOver = plan.left.length + unsettled.length;
  if (plan.wrapped.length === 0 && kept.length === 0 && gone.length === 0) {
    show(intended, changing, io);
    say(io, "nothing to do");
    return leftOver === 0 ? DONE : REFUSED;
  }
  if (typeof server === "string") return refuse(io, `nothing was changed: ${server}`);
  show(intended, changing, io);
  const declared = [...kept, ...plan.wrapped];
  if (declared.length > REGISTRY_LENGTH)
    return refuse(
      io,
      `nothing was changed: ${declared.length} jobs are more than the ${REGISTRY_LENGTH} that one list takes, --only chooses some`,
    );
  const question = `Declare ${counted(declared.length, "job")} to ${server.url} and change ${counted(plan.changes.length, "file")}?`;
  if (!yes && !(await agrees(io, question))) return REFUSED;

  const declare = (jobs: readonly Job[]) =>
    syncJobs(
      server,
      changing.source,
      jobs.map((job) => declarationOf(job, changing.machine.name)),
    );
  const isFirst = readLedger(changing.directory) === null;
  // So that an undo withdraws them, if this is killed before a file is changed.
  writeLedger(changing.directory, intended.ledger);
  const synced = await declare(declared);
  if (typeof synced === "string") {
    if (isFirst) closeLedger(changing.directory);
    return refuse(io, `nothing was changed: ${synced}`);
  }
  const refused = new Map(synced.errors.map(({ key, error }) => [key, error]));
  for (const [key, error] of refused) say(io, `${key || "a job"} was not taken: ${error}`);
  if (synced.removed.length > 0)
    say(io, `paused on the server, because their jobs are gone: ${synced.removed.join(", ")}`);

  const accepted = planOf(
    plan.wrapped.filter(({ key }) => !refused.has(key)),
    changing.machine.system.executable,
    changing.places.read,
  );
  tellLeft(accepted.left, "stays as it is", io);
  const failed = wrapAll(accepted.changes, withoutKeys(intended.ledger, gone), changing, io);
  const reload = reloadUnits(
    changing,
    accepted.changes.map(({ place }) => place),
  );
  if (reload !== null) say(io, reload);
  const bare = new Set([...accepted.left.map(({ job }) => job.key), ...failed.flatMap(({ keys }) => keys)]);
  const watched = declared.filter(({ key }) => !refused.has(key) && !bare.has(key));
  if (bare.size > 0) tellBare(bare, await declare(watched), io);
  io.out(
    `declared ${counted(watched.length, "job")}, changed ${counted(accepted.changes.length - failed.length, "file")}; rollcall discover --undo takes it back`,
  );
  return bare.size + refused.size + leftOver > 0 || reload !== null ? REFUSED : DONE;
}

/** Nobody reports for what could not be wrapped. */
function tellBare(keys: ReadonlySet<string>, synced: Synced | string, io: Io): void {
  const named = [...keys].join(", ");
  if (typeof synced !== "string") say(io, `paused on the server, because they were not wrapped: ${named}`);
  else say(io, `not wrapped, but declared, so they will be missed: ${named}: pause them on the server (${synced})`);
}

function intend({ machine, directory, source, places }: Changing, chosen: readonly Job[]): Intended {
  const ledger = readLedger(directory) ?? { source, entries: [] };
  const ours = new Set(ledger.entries.flatMap(({ keys }) => keys));
  const kept = machine.jobs.filter((job) => job.watchedAs !== null && hasSlots(job) && ours.has(job.watchedAs));
  const found = new Set(kept.map(({ key }) => key));
  const open = chosen.filter((job) => isWatchable(job) && job.watchedAs === null && job.change !== null);
  const unsettled = open.flatMap((job) => {
    const why = whyUntold(job, machine);
    return why === null ? [] : [{ job, why }];
  });
  const settled = open.filter((job) => unsettled.every((one) => one.job !== job));
  const plan = planOf(settled, machine.system.executable, places.read);
  return {
    ledger,
    plan,
    unsettled,
    kept,
    gone: [...ours].filter((key) => !found.has(key)),
  };
}

function whyUntold(job: Job, { isRoot, user, host, system }: Changing["machine"]): string | null {
  const unitOf = job.change!.kind === "drop-in" ? job.change!.user : null;
  if (isRoot && unitOf !== null) return `it is for ${unitOf} to change: run rollcall discover --apply as ${unitOf}`;
  if (!isRoot && job.user !== user) return `only root may change it`;
  if (!isRoot && job.change!.kind === "drop-in" && unitOf === null) return "only root may change units of the system";
  const isOwn = job.change!.kind === "line" || unitOf !== null;
  return whyUnstartable(job.user, system.executable, host) ?? whyUnsettled(job.user, isOwn, host);
}

function show({ plan, unsettled, kept, gone }: Intended, { source }: Changing, io: Io): void {
  for (const { place, before, after } of plan.changes) showDifference({ name: nameOf(place), before, after }, io);
  tellLeft([...unsettled, ...plan.left], "stays as it is", io);
  if (plan.wrapped.length > 0) say(io, `new: ${plan.wrapped.map(({ key }) => key).join(", ")}`);
  if (kept.length > 0) say(io, `declared again: ${kept.map(({ key }) => key).join(", ")}`);
  if (gone.length > 0)
    say(io, `no longer here, so the server pauses them as the list of ${source} is complete: ${gone.join(", ")}`);
}

/** One line for each reason. */
function tellLeft(left: Plan["left"], what: string, io: Io): void {
  for (const [why, jobs] of Map.groupBy(left, (one) => one.why))
    say(io, `${what}: ${jobs.map(({ job }) => job.where).join(", ")}: ${why}`);
}

/** Answers what could not be written. */
function wrapAll(changes: readonly FileChange[], start: Ledger, { directory, places }: Changing, io: Io) {
  let ledger = start;
  const failed: FileChange[] = [];
  writeLedger(directory, start);
  for (const change of changes) {
    try {
      const owner = places.ownerOf(change.place);
      ledger = noteChange(directory, ledger, change, owner);
      places.write(change.place, change.after, owner, null);
      io.out(`changed ${nameOf(change.place)}`);
    } catch (error) {
      failed.push(change);
      say(io, `${nameOf(change.place)} was not changed: ${messageOf(error)}`);
      ledger = withoutKeys(ledger, change.keys);
      writeLedger(directory, ledger);
    }
  }
  return failed;
}

function refuse(io: Io, line: string): number {
  say(io, line);
  return REFUSED;
}
