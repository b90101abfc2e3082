// What `rollcall discover` has changed on this machine, and what stood there before: a directory with one manifest and a
// copy of each file. It is on disk before a file changes, so that a change can always be taken back.

import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { unlessMissing } from "../domain/unless-missing.ts";
import type { Place } from "./found.ts";
import type { Places } from "./places.ts";
import { type FileChange, nameOf, type Pair, unwrapped } from "./plan.ts";
import { type Owner, sweepHalves, writeWhole } from "./whole-file.ts";

export interface Entry {
  readonly place: Place;
  /** The copy of what stood there, beside the manifest; null: there was nothing. */
  readonly copy: string | null;
  readonly owner: Owner | null;
  /** The digest of each text that we put there; the last may not have got there. */
  readonly written: readonly string[];
  readonly pairs: readonly Pair[];
  readonly keys: readonly string[];
}

export interface Ledger {
  /** The list of jobs on the server that is this machine's, or this user's. */
  readonly source: string;
  readonly entries: readonly Entry[];
}

const MANIFEST = "manifest.json";
/** Crontabs may hold secrets. */
const PRIVATE = 0o600;

/** Null: nothing was changed here. Throws when it is there and cannot be read. */
export function readLedger(directory: string): Ledger | null {
  const path = join(directory, MANIFEST);
  const text = unlessMissing(() => readFileSync(path, "utf8"));
  if (text === null) return null;
  const ledger = parsed(text);
  if (ledger !== null) return ledger;
  throw new Error(
    `${path}: is damaged, so nobody knows what stood there before: take rollcall out of the jobs by hand, then remove this file`,
  );
}

/** Null: it is none of ours. */
function parsed(text: string): Ledger | null {
  try {
    const ledger: Partial<Ledger> | null = JSON.parse(text);
    return typeof ledger?.source === "string" && Array.isArray(ledger.entries) ? (ledger as Ledger) : null;
  } catch {
    return null;
  }
}

export const writeLedger = (directory: string, ledger: Ledger): void =>
  keep(directory, MANIFEST, Buffer.from(JSON.stringify(ledger, null, 2)));

/** When nothing of ours is left here, nor on the server. */
export function closeLedger(directory: string): void {
  rmSync(join(directory, MANIFEST), { force: true });
  sweepHalves(directory);
}

/** Everything before the change itself: the copy, and the entry that knows it. Answers the ledger with that entry. */
export function noteChange(directory: string, ledger: Ledger, change: FileChange, owner: Owner | null): Ledger {
  const name = nameOf(change.place);
  const known = ledger.entries.find((entry) => nameOf(entry.place) === name);
  const isOurs = known !== undefined && change.before !== null && known.written.includes(digestOf(change.before));
  // Who edited the file meanwhile gets that back without our lines.
  const bare = change.before === null ? null : unwrapped(change.before, known?.pairs ?? [], known?.keys ?? []);
  const copy = isOurs
    ? known.copy
    : bare === null
      ? null
      : `${digestOf(name).slice(0, 16)}-${digestOf(bare).slice(0, 16)}`;
  if (!isOurs && copy !== null) keep(directory, copy, Buffer.from(bare!, "latin1"));
  const entry: Entry = {
    place: change.place,
    copy,
    owner: isOurs ? known.owner : owner,
    written: [...(isOurs ? known.written : []), digestOf(change.after)],
    pairs: [...(known?.pairs ?? []), ...change.pairs],
    keys: [...new Set([...(known?.keys ?? []), ...change.keys])],
  };
  const next = { ...ledger, entries: [...ledger.entries.filter((one) => one !== known), entry] };
  writeLedger(directory, next);
  if (known !== undefined && known.copy !== null && known.copy !== copy)
    rmSync(join(directory, known.copy), { force: true });
  return next;
}

/** What an undo makes of a place. `text` null: the file goes. */
export type Undoing =
  | { readonly is: "bare" }
  | { readonly is: "ours"; readonly text: string | null }
  /** Somebody has changed it since; `text` is what stands there without our lines. */
  | { readonly is: "changed"; readonly text: string | null };

/** Throws when the copy is gone. */
export function undoingOf(directory: string, entry: Entry, places: Places): Undoing {
  const now = places.read(entry.place);
  const before = entry.copy === null ? null : readFileSync(join(directory, entry.copy), "latin1");
  if (now === before) return { is: "bare" };
  if (now !== null && entry.written.includes(digestOf(now))) return { is: "ours", text: before };
  return { is: "changed", text: now === null || entry.copy === null ? null : unwrapped(now, entry.pairs, entry.keys) };
}

/** After it has been taken back. */
export function forget(directory: string, ledger: Ledger, entry: Entry): Ledger {
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
