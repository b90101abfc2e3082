// What `rollcall discover` has changed on this machine, on disk before a file changes: a manifest, and copies.

import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import Type from "typebox";
import Value from "typebox/value";
import { errorMessage } from "../domain/errors.ts";
import { orElse, unlessMissing } from "../domain/unless-missing.ts";
import type { Place } from "./found.ts";
import { type FileOwner, type Places, sweepHalves, writeWhole } from "./job-files.ts";
import { isDropIn } from "./services.ts";
import { type FileChange, placeLabel, unwrapped, unwrappedOurs } from "./wrap-plan.ts";

export type Ledger = Type.Static<typeof SHAPE>;
export type LedgerEntry = Ledger["entries"][number];

const MANIFEST = "manifest.json";
const PRIVATE = 0o600;

/** It is there, and says nothing that can be trusted. The copies beside it may be whole. */
export class DamagedLedger extends Error {
  constructor(readonly path: string) {
    super(
      `${path} is damaged: --undo --force takes out of the jobs what looks like ours; copies of what stood there lie beside that file`,
    );
  }
}

/** Null: nothing was changed here. Throws when it is there and cannot be read. */
export function readLedger(directory: string): Ledger | null {
  const path = join(directory, MANIFEST);
  const text = unlessMissing(() => readFileSync(path, "utf8"));
  if (text === null) return null;
  const ledger: unknown = orElse(null, () => JSON.parse(text));
  if (!Value.Check(SHAPE, ledger)) throw new DamagedLedger(path);
  return ledger;
}

const SHAPE = Type.Object({
  /** The list of jobs on the server that is this machine's, or this user's. */
  source: Type.String(),
  entries: Type.Array(
    Type.Object({
      place: Type.Union([
        Type.Object({ kind: Type.Literal("file"), path: Type.String() }),
        Type.Object({ kind: Type.Literal("crontab"), user: Type.String() }),
      ]),
      // Of what stood there, beside the manifest; null: there was nothing. A name that leads nowhere else.
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
      // The digest of each text that we put there; the last may not have got there.
      written: Type.Array(Type.String()),
      pairs: Type.Array(Type.Object({ bare: Type.String(), wrapped: Type.String() })),
      keys: Type.Array(Type.String()),
    }),
  ),
});

/** From what stands in these places and looks as we write it. The damaged one stays for a person to read. */
export function rebuildLedger(directory: string, source: string, where: readonly Place[], places: Places): Ledger {
  const distinct = new Map(where.map((place) => [placeLabel(place), place]));
  const entries = [...distinct.values()].flatMap((place): LedgerEntry[] => {
    const now = places.read(place);
    if (now === null) return [];
    const bare = isDropIn(now) ? null : unwrappedOurs(now);
    if (bare === now) return [];
    const copy = bare === null ? null : copyName(place, bare);
    if (copy !== null) keep(directory, copy, Buffer.from(bare!, "latin1"));
    const found = places.ownerOf(place);
    // Its time is that of our own change.
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
  sweepHalves(directory);
}

/** Everything before the change itself: the copy, and the entry that knows it. Answers the ledger with that entry. */
export function noteChange(directory: string, ledger: Ledger, change: FileChange, owner: FileOwner | null): Ledger {
  const name = placeLabel(change.place);
  const known = ledger.entries.find((entry) => placeLabel(entry.place) === name);
  const isWrittenByDiscover =
    known !== undefined && change.before !== null && known.written.includes(digestOf(change.before));
  // Who edited the file meanwhile gets that back without our lines.
  const bare = change.before === null ? null : unwrapped(change.before, known?.pairs ?? [], known?.keys ?? []);
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

/** What an undo makes of a place. `text`: what stands there afterwards; null: the file goes. */
export type Undoing =
  | { readonly is: "bare" }
  | { readonly is: "ours"; readonly text: string | null }
  /** `why`: what keeps us from putting back what stood there. `text` is what stands there now without our lines. */
  | { readonly is: "uncertain"; readonly why: string; readonly text: string | null }
  /** What stands there now is unknown. */
  | { readonly is: "unread"; readonly why: string };

export function undoingOf(directory: string, entry: LedgerEntry, places: Places): Undoing {
  let now: string | null;
  try {
    now = places.read(entry.place);
  } catch (error) {
    return { is: "unread", why: errorMessage(error) };
  }
  const { copy } = entry;
  // Who has removed the file has taken our lines with it.
  if (now === null) return { is: "bare" };
  const before = copy === null ? null : unlessMissing(() => readFileSync(join(directory, copy), "latin1"));
  if (copy !== null && before === now) return { is: "bare" };
  const isLost = copy !== null && before === null;
  if (entry.written.includes(digestOf(now)) && !isLost) return { is: "ours", text: before };
  const why = isLost
    ? "has no copy of what stood there before and stays as it is"
    : "was changed since and stays as it is";
  return { is: "uncertain", why, text: copy === null ? null : unwrapped(now, entry.pairs, entry.keys) };
}

/** Without these keys: their jobs are not here, or could not be wrapped. */
export const ledgerWithoutKeys = (ledger: Ledger, keys: readonly string[]): Ledger => ({
  ...ledger,
  entries: ledger.entries.map((entry) => ({ ...entry, keys: entry.keys.filter((key) => !keys.includes(key)) })),
});

export function forget(directory: string, ledger: Ledger, entry: LedgerEntry): Ledger {
  const next = { ...ledger, entries: ledger.entries.filter((one) => one !== entry) };
  writeLedger(directory, next);
  if (entry.copy !== null) rmSync(join(directory, entry.copy), { force: true });
  return next;
}

function keep(directory: string, name: string, content: Uint8Array): void {
  const owner = { mode: PRIVATE, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  writeWhole(join(directory, name), content, owner, null);
}

const digestOf = (text: string): string => createHash("sha256").update(text, "latin1").digest("hex");
