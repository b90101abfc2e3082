// The ledger of what `rollcall discover` has changed on this machine, for `--undo`: a manifest, and copies of the texts
// as they were before. Both are on disk before a file is changed.

import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import Type from "typebox";
import Value from "typebox/value";
import { errorMessage } from "../domain/errors.ts";
import { orElse, unlessMissing } from "../domain/unless-missing.ts";
import type { Place } from "./found.ts";
import { type FileOwner, type Places, replaceJobFile, sweepUnfinishedJobFiles } from "./job-files.ts";
import { isDropIn } from "./services.ts";
import { type FileChange, placeLabel, textWithoutOurWrapping, textWithoutWrapping } from "./wrap-plan.ts";

export type Ledger = Type.Static<typeof SHAPE>;
export type LedgerEntry = Ledger["entries"][number];

const MANIFEST = "manifest.json";
const PRIVATE = 0o600;

/** Thrown when the ledger's manifest is damaged. The copies of the texts beside it may still be whole. */
export class DamagedLedger extends Error {
  constructor(readonly path: string) {
    super(
      `${path} is damaged: --undo --force takes out of the jobs what looks like ours; copies of what stood there lie beside that file`,
    );
  }
}

/** Reads the ledger; `null` when nothing was changed here. It throws when the ledger is there but cannot be read. */
export function readLedger(directory: string): Ledger | null {
  const path = join(directory, MANIFEST);
  const text = unlessMissing(() => readFileSync(path, "utf8"));
  if (text === null) return null;
  const ledger: unknown = orElse(null, () => JSON.parse(text));
  if (!Value.Check(SHAPE, ledger)) throw new DamagedLedger(path);
  return ledger;
}

const SHAPE = Type.Object({
  /** The name (`source`) under which the server knows the list of this machine's jobs, or of this user's. */
  source: Type.String(),
  entries: Type.Array(
    Type.Object({
      place: Type.Union([
        Type.Object({ kind: Type.Literal("file"), path: Type.String() }),
        Type.Object({ kind: Type.Literal("crontab"), user: Type.String() }),
      ]),
      // The file name, in the ledger's directory, of the copy of the text as it was before our change; `null` when
      // there was no file. The pattern allows no path to another directory.
      copy: Type.Union([Type.String({ pattern: "^[0-9a-f-]+$" }), Type.Null()]),
      owner: Type.Union([
        Type.Object({
          mode: Type.Number(),
          uid: Type.Number(),
          gid: Type.Number(),
          changed: Type.Optional(Type.String()),
        }),
        Type.Null(),
      ]),
      // A hash of each text that we wrote to this file or crontab. The hash is noted before the text is written, so the
      // last text may never have been written.
      written: Type.Array(Type.String()),
      pairs: Type.Array(Type.Object({ bare: Type.String(), wrapped: Type.String() })),
      keys: Type.Array(Type.String()),
    }),
  ),
});

/**
 * Makes a new ledger of those files and crontabs of `where` whose text looks as rollcall writes it. The damaged
 * manifest is kept under another name, for a person to read.
 */
export function rebuildLedger(directory: string, source: string, where: readonly Place[], places: Places): Ledger {
  const distinct = new Map(where.map((place) => [placeLabel(place), place]));
  const entries = [...distinct.values()].flatMap((place): LedgerEntry[] => {
    const now = places.read(place);
    if (now === null) return [];
    const bare = isDropIn(now) ? null : textWithoutOurWrapping(now);
    if (bare === now) return [];
    const copy = bare === null ? null : copyName(place, bare);
    if (copy !== null) keep(directory, copy, Buffer.from(bare!, "latin1"));
    const found = places.ownerOf(place);
    // The file's modification time is left out, because it is the time of our own change.
    const owner = found === null ? null : { mode: found.mode, uid: found.uid, gid: found.gid };
    return [{ place, copy, owner, written: [digestOf(now)], pairs: [], keys: [] }];
  });
  copyFileSync(join(directory, MANIFEST), join(directory, `${MANIFEST}.damaged`));
  const ledger = { source, entries };
  writeLedger(directory, ledger);
  return ledger;
}

const copyName = (place: Place, text: string): string =>
  `${digestOf(placeLabel(place)).slice(0, 16)}-${digestOf(text).slice(0, 16)}`;

export const writeLedger = (directory: string, ledger: Ledger): void =>
  keep(directory, MANIFEST, Buffer.from(JSON.stringify(ledger, null, 2)));

export function closeLedger(directory: string): void {
  rmSync(join(directory, MANIFEST), { force: true });
  sweepUnfinishedJobFiles(directory);
}

/**
 * Notes a change before it is made: copies the present text, and writes the ledger with an entry for the change.
 * Returns that ledger.
 */
export function noteChange(directory: string, ledger: Ledger, change: FileChange, owner: FileOwner | null): Ledger {
  const name = placeLabel(change.place);
  const known = ledger.entries.find((entry) => placeLabel(entry.place) === name);
  const isWrittenByDiscover =
    known !== undefined && change.before !== null && known.written.includes(digestOf(change.before));
  // The copy is for an undo. If someone edited the file after our last change, a new copy is made: the edited text
  // without what we had added.
  const bare =
    change.before === null ? null : textWithoutWrapping(change.before, known?.pairs ?? [], known?.keys ?? []);
  const copy = isWrittenByDiscover ? known.copy : bare === null ? null : copyName(change.place, bare);
  if (!isWrittenByDiscover && copy !== null) keep(directory, copy, Buffer.from(bare!, "latin1"));
  const entry: LedgerEntry = {
    place: change.place,
    copy,
    owner: isWrittenByDiscover ? known.owner : owner,
    written: [...(isWrittenByDiscover ? known.written : []), digestOf(change.after)],
    pairs: [...(known?.pairs ?? []), ...change.pairs],
    keys: [...new Set([...(known?.keys ?? []), ...change.keys])],
  };
  const next = { ...ledger, entries: [...ledger.entries.filter((one) => one !== known), entry] };
  writeLedger(directory, next);
  if (known !== undefined && known.copy !== null && known.copy !== copy)
    rmSync(join(directory, known.copy), { force: true });
  return next;
}

/** What an undo finds in a file or crontab. `text` is what the undo writes there; with `null` it removes the file. */
export type Undoing =
  /** None of our changes is in the file or crontab any more, so nothing is done. */
  | { readonly is: "bare" }
  | { readonly is: "ours"; readonly text: string | null }
  /**
   * The text as it was before our change cannot simply be restored; `why` says why. `text` is the present text without
   * what we added; `null` when the file did not exist before our change.
   */
  | { readonly is: "uncertain"; readonly why: string; readonly text: string | null }
  | { readonly is: "unread"; readonly why: string };

export function undoingOf(directory: string, entry: LedgerEntry, places: Places): Undoing {
  let now: string | null;
  try {
    now = places.read(entry.place);
  } catch (error) {
    return { is: "unread", why: errorMessage(error) };
  }
  const { copy } = entry;
  // The file was removed, and with it the lines that we added.
  if (now === null) return { is: "bare" };
  const before = copy === null ? null : unlessMissing(() => readFileSync(join(directory, copy), "latin1"));
  if (copy !== null && before === now) return { is: "bare" };
  const isLost = copy !== null && before === null;
  if (entry.written.includes(digestOf(now)) && !isLost) return { is: "ours", text: before };
  const why = isLost
    ? "has no copy of what stood there before and stays as it is"
    : "was changed since and stays as it is";
  return { is: "uncertain", why, text: copy === null ? null : textWithoutWrapping(now, entry.pairs, entry.keys) };
}

/** Returns the ledger without these keys, whose jobs are not on this machine any more or could not be wrapped. */
export const ledgerWithoutKeys = (ledger: Ledger, keys: readonly string[]): Ledger => ({
  ...ledger,
  entries: ledger.entries.map((entry) => ({ ...entry, keys: entry.keys.filter((key) => !keys.includes(key)) })),
});

export const ledgerWithoutEntry = (ledger: Ledger, entry: LedgerEntry): Ledger => ({
  ...ledger,
  entries: ledger.entries.filter((one) => one !== entry),
});

/** Writes the ledger that is left, and removes the copy of this entry, whose change has been undone. */
export function forgetEntry(directory: string, left: Ledger, entry: LedgerEntry): void {
  writeLedger(directory, left);
  if (entry.copy !== null) rmSync(join(directory, entry.copy), { force: true });
}

function keep(directory: string, name: string, content: Uint8Array): void {
  const owner = { mode: PRIVATE, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  replaceJobFile(join(directory, name), content, owner, null);
}

const digestOf = (text: string): string => createHash("sha256").update(text, "latin1").digest("hex");
