// What a disk was told, read from the journal of disk.c, and the disk as it may be found after its power was cut: all
// that was synced is there; of the rest any sector, any file's length and the newest names in the directory may be
// missing.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../simulation/random.ts";

/** The smallest piece that a disk writes as a whole. Bytes. */
const SECTOR = 512;

/** `struct record` of disk.c. */
const KINDS = [null, "write", "truncate", "sync", "create", "unlink", "sync directory"] as const;
const NAME_AT = 16;
const NAME_BYTES = 64;
const RECORD_BYTES = NAME_AT + NAME_BYTES;

export interface DiskRecord {
  readonly kind: Exclude<(typeof KINDS)[number], null>;
  /** Of the file in the directory. */
  readonly name: string;
  /** Of a truncation: the new length. */
  readonly offset: number;
  /** Of a write. */
  readonly data: Buffer;
  /** The length of the journal that ends with this record. */
  readonly end: number;
}

export function readJournal(path: string): DiskRecord[] {
  const journal = readFileSync(path);
  const records: DiskRecord[] = [];
  let at = 0;
  while (at + RECORD_BYTES <= journal.length) {
    const bytes = journal.readUInt32LE(at + 4);
    const end = at + RECORD_BYTES + bytes;
    // A process that was killed may have left half a record.
    if (end > journal.length) break;
    const kind = KINDS[journal.readUInt32LE(at)];
    if (kind === null || kind === undefined) throw new Error(`the journal is no journal at ${at}`);
    const name = journal.subarray(at + NAME_AT, at + RECORD_BYTES).toString("latin1");
    const offset = Number(journal.readBigInt64LE(at + 8));
    const data = journal.subarray(at + RECORD_BYTES, end);
    records.push({ kind, name: name.slice(0, name.indexOf("\0")), offset, data, end });
    at = end;
  }
  return records;
}

/** A file's bytes, in a buffer that may be longer and is zero there. */
interface Content {
  bytes: Buffer;
  length: number;
}

/** A file with what is safely on the disk, and what was written since. */
interface DiskFile {
  readonly content: Content;
  unsynced: DiskRecord[];
}

const newFile = (bytes: Buffer = Buffer.alloc(0)): DiskFile => ({
  content: { bytes, length: bytes.length },
  unsynced: [],
});

/** The files of a database as they are, by name; none where there is no directory yet. */
export function databaseFiles(directory: string): Map<string, Buffer> {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  const ours = names.filter((name) => name.startsWith("rollcall.db") && !name.endsWith("-shm"));
  return new Map(ours.map((name) => [name, readFileSync(join(directory, name))]));
}

/** What a disk keeps of what was not synced: of each file one of these shares. */
interface Chance {
  readonly random: Random;
  readonly shares: readonly number[];
}

/** Writes the directory as it may be found when the power is cut after the records. `before`: its files before them. */
export function rebuild(
  before: ReadonlyMap<string, Buffer>,
  records: readonly DiskRecord[],
  chance: Chance,
  directory: string,
): void {
  let names = new Map([...before].map(([name, bytes]) => [name, newFile(bytes)]));
  /** Changes of names since the directory was synced, oldest first. */
  let unsynced: ((names: Map<string, DiskFile>) => void)[] = [];
  const now = new Map(names);
  const rename = (change: (names: Map<string, DiskFile>) => void): void => {
    change(now);
    unsynced.push(change);
  };
  const fileOf = (name: string): DiskFile => {
    const file = now.get(name) ?? newFile();
    // SQLite was not the one who created it, so its name was in the directory before.
    if (!now.has(name)) for (const all of [now, names]) all.set(name, file);
    return file;
  };
  for (const record of records) {
    const { kind, name } = record;
    if (kind === "create") {
      const file = newFile();
      rename((all) => void all.set(name, file));
    } else if (kind === "unlink") rename((all) => void all.delete(name));
    else if (kind === "sync directory") {
      names = new Map(now);
      unsynced = [];
    } else if (kind === "sync") synced(fileOf(name));
    else fileOf(name).unsynced.push(record);
  }
  for (const change of unsynced.slice(0, chance.random.whole(0, unsynced.length))) change(names);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const [name, file] of names) writeFileSync(join(directory, name), found(file, chance), { mode: 0o600 });
}

function synced(file: DiskFile): void {
  for (const record of file.unsynced) apply(file.content, record, () => true);
  file.unsynced = [];
}

/** The file as it may be found: often with some of what was not synced, sometimes with none of it or all. */
function found({ content, unsynced }: DiskFile, { random, shares }: Chance): Buffer {
  const share = random.pick(shares);
  const left: Content = { bytes: Buffer.from(content.bytes), length: content.length };
  for (const record of unsynced) apply(left, record, () => random.chance(share));
  return left.bytes.subarray(0, left.length);
}

/** `keeps` is asked for each sector that the record touches. */
function apply(content: Content, { kind, offset, data }: DiskRecord, keeps: () => boolean): void {
  if (kind === "truncate") {
    if (keeps()) resize(content, offset);
    return;
  }
  const end = offset + data.length;
  for (let from = offset; from < end; ) {
    const to = Math.min(end, (Math.floor(from / SECTOR) + 1) * SECTOR);
    if (keeps()) {
      if (to > content.length) resize(content, to);
      data.copy(content.bytes, from, from - offset, to - offset);
    }
    from = to;
  }
}

/** What is new is zeros. */
function resize(content: Content, length: number): void {
  if (length < content.length) content.bytes.fill(0, length, content.length);
  if (length > content.bytes.length) {
    const longer = Buffer.alloc(2 * length);
    content.bytes.copy(longer);
    content.bytes = longer;
  }
  content.length = length;
}
