// `rollcall discover --undo`: restores each changed file byte for byte, and withdraws the jobs from the server. A file
// that was changed again since `--apply` is left as it is. With `--force` only our lines are taken out of it.

import type { FoundChange, Place } from "../../discover/found.ts";
import type { Ledger, LedgerEntry, Undoing } from "../../discover/ledger.ts";
import {
  closeLedger,
  DamagedLedger,
  forgetEntry,
  ledgerWithoutEntry,
  readLedger,
  rebuildLedger,
  undoingOf,
} from "../../discover/ledger.ts";
import { placeLabel } from "../../discover/wrap-plan.ts";
import { errorMessage } from "../../domain/errors.ts";
import { orElse } from "../../domain/unless-missing.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { agrees } from "../command-shell.ts";
import { DONE, type Io, NOT_RUNNING, REFUSED } from "../io.ts";
import { say } from "../screens/table.ts";
import { type Changing, reloadUnits } from "./changing.ts";
import { syncJobs } from "./declare-jobs.ts";
import { showDifference } from "./discover-screens.ts";

type Step = Readonly<{ entry: LedgerEntry; undoing: Undoing }>;

/**
 * Undoes what `--apply` has done. Returns exit code 1 when a job is still wrapped with `rollcall run`, or systemd could
 * not read its units again. Otherwise returns 3 when the server could not be told.
 */
export async function runUndo(changing: Changing, force: boolean, yes: boolean, io: Io): Promise<number> {
  const { directory, places } = changing;
  const ledger = ledgerOf(changing, force, io);
  if (ledger === null) {
    say(io, "nothing to undo: rollcall discover has changed nothing here");
    return DONE;
  }
  const steps = ledger.entries.map((entry): Step => ({ entry, undoing: undoingOf(directory, entry, places) }));
  for (const step of steps) showStep(step, force, changing, io);
  const taken = steps.filter(({ undoing }) => undoing.is !== "unread" && (undoing.is !== "uncertain" || force));
  const changes = taken.filter(({ undoing }) => undoing.is !== "bare").length;
  if (!yes && changes > 0 && !(await agrees(io, `Put back ${counted(changes, "file")}?`))) return REFUSED;

  const { rest, failed } = putBack(taken, ledger, changing, io);
  const reload = reloadUnits(
    changing,
    taken.map(({ entry }) => entry),
  );
  if (reload !== null) say(io, reload);
  const withdrawn = await withdrawDeclared(rest, changing, io);
  if (failed > 0 || reload !== null || taken.length < steps.length) return REFUSED;
  return withdrawn ? DONE : NOT_RUNNING;
}

/**
 * Returns the ledger, which lists the changes to undo; `null` when nothing was changed here. With force, a damaged
 * ledger is made again from the jobs.
 */
function ledgerOf(changing: Changing, force: boolean, io: Io): Ledger | null {
  const { directory, source, machine } = changing;
  try {
    return readLedger(directory);
  } catch (error) {
    if (!(error instanceof DamagedLedger && force)) throw error;
    say(io, `${error.path} is damaged: all that looks like ours goes, and copies of what stood there stay beside it`);
    const places = machine.jobs.flatMap(({ change }) => (change === null ? [] : (ownPlace(change, machine) ?? [])));
    return rebuildLedger(directory, source, places, changing.places);
  }
}

/** Returns the file or crontab of this change if this user can have made it; `null` if only another user can. */
function ownPlace(change: FoundChange, { isRoot, user }: Changing["machine"]): Place | null {
  if (change.kind === "drop-in")
    return change.user === (isRoot ? null : user) ? { kind: "file", path: change.path } : null;
  return isRoot || (change.place.kind === "crontab" && change.place.user === user) ? change.place : null;
}

function showStep({ entry, undoing }: Step, force: boolean, { places }: Changing, io: Io): void {
  if (undoing.is === "bare") return;
  const name = placeLabel(entry.place);
  if (undoing.is === "unread") return say(io, `${name} stays as it is: ${undoing.why}`);
  if (undoing.is === "uncertain" && !force)
    say(io, `${name} ${undoing.why}; --force takes only our lines out of it, as here:`);
  showDifference(name, places.read(entry.place), undoing.text, io);
}

function putBack(steps: readonly Step[], ledger: Ledger, { directory, places }: Changing, io: Io) {
  let rest = ledger;
  let failed = 0;
  // If the ledger cannot be written, the next undo finds that the file is bare already.
  const forget = (entry: LedgerEntry): void => orElse(undefined, () => forgetEntry(directory, rest, entry));
  for (const { entry, undoing } of steps) {
    const name = placeLabel(entry.place);
    try {
      takeBack(entry, undoing, places);
      rest = ledgerWithoutEntry(rest, entry);
      forget(entry);
      io.out(`put back ${name}`);
    } catch (error) {
      failed++;
      say(io, `${name} was not put back: ${errorMessage(error)}`);
    }
  }
  return { rest, failed };
}

function takeBack({ place, copy, owner }: LedgerEntry, undoing: Undoing, places: Changing["places"]): void {
  // `remove` and `sweep` also remove temporary files that a killed process of ours has left.
  if (undoing.is === "bare") return copy === null ? places.remove(place) : places.sweep(place);
  if (undoing.is === "unread") throw new Error(undoing.why);
  if (undoing.text === null) return places.remove(place);
  places.write(place, undoing.text, owner, undoing.is === "ours" ? (owner?.changed ?? null) : null);
}

async function withdrawDeclared(
  rest: Ledger,
  { settings: { server }, source, directory }: Changing,
  io: Io,
): Promise<boolean> {
  const keys = rest.entries.flatMap((entry) => entry.keys);
  const left = keys.map((key) => ({ key }));
  const synced = typeof server === "string" ? server : await syncJobs(server, source, left);
  if (typeof synced === "string") {
    say(io, `the jobs are still declared, and will be missed: pause them on the server, or run this again (${synced})`);
    return false;
  }
  if (keys.length === 0) closeLedger(directory);
  if (synced.removed.length > 0) io.out(`paused on the server: ${synced.removed.join(", ")}`);
  return synced.errors.length === 0;
}
