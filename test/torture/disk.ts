// The hurt disk as tests use it: compiles disk.c, starts the executable on it, and says which of its calls fail.

import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

/** Whether there is a compiler to make such a disk. */
export const hasCompiler = Bun.which("gcc") !== null;

/**
 * How calls fail: as a broken disk, as a full one, or as one that is full in the middle of a write; or the process is
 * killed.
 */
export type Failure = "broken" | "full" | "full in the middle" | "killed";

/** Which calls are counted. */
const KINDS = { writes: 1, syncs: 2, reads: 4 } as const;
export type CallKind = keyof typeof KINDS;

/** The numbers of `struct control`, in its order. */
const FIELDS = ["calls", "failFrom", "failTo", "error", "shortBy", "kinds", "deaf"] as const;
type Field = (typeof FIELDS)[number];

/** What can be told to the disk while processes run on it. */
export interface DiskControl {
  /**
   * From the call of this number on, counted from now from 1, calls of these kinds fail until `works`; `once`: only
   * that one fails.
   */
  failFrom(call: number, how: Failure, kinds: readonly CallKind[], once?: boolean): void;
  /** All calls work again; answers how many there were since `failFrom`. */
  works(): number;
  /** From now on syncs of the log beside the database do nothing, and are not written down. */
  ignoreLogSyncs(): void;
}

export interface Disk extends DiskControl, Disposable {
  /** What the executable must be started with. */
  readonly environment: Record<string, string>;
  /** The file in which the writes and syncs of every process that was started with it stand. */
  readonly journal: string;
  /** How long the journal is: all that happens to the disk later comes after this. */
  mark(): number;
}

const CONTROL = "TORTURE_CONTROL";

/** The disk below this directory. */
export function openDisk(directory: string): Disk {
  const place = mkdtempSync(join(tmpdir(), "rollcall-disk-"));
  const library = join(place, "disk.so");
  const journal = join(place, "journal");
  const control = join(place, "control");
  const compiler = ["gcc", "-shared", "-fPIC", "-O1", "-o", library, join(import.meta.dir, "disk.c"), "-ldl"];
  const compiled = Bun.spawnSync([...compiler, "-lpthread"]);
  if (!compiled.success) throw new Error(compiled.stderr.toString());
  writeFileSync(journal, "");
  writeFileSync(control, new Uint8Array(FIELDS.length * BigInt64Array.BYTES_PER_ELEMENT));
  return {
    ...controlIn(control),
    environment: {
      LD_PRELOAD: library,
      TORTURE_DIRECTORY: directory,
      TORTURE_JOURNAL: journal,
      [CONTROL]: control,
    },
    journal,
    mark: () => statSync(journal).size,
    [Symbol.dispose]: () => rmSync(place, { recursive: true }),
  };
}

/** The disk that this process itself was started on. */
export function ownDisk(): DiskControl {
  const control = process.env[CONTROL];
  if (control === undefined) throw new Error(`${CONTROL} is missing: this process was started on no such disk`);
  return controlIn(control);
}

const { EIO, ENOSPC } = constants.errno;
const ERRORS: Readonly<Record<Failure, number>> = {
  broken: EIO,
  full: ENOSPC,
  "full in the middle": ENOSPC,
  killed: -constants.signals.SIGKILL,
};

function controlIn(file: string): DiskControl {
  const control = new BigInt64Array(Bun.mmap(file, { shared: true }).buffer);
  const set = (field: Field, value: number): void => {
    control[FIELDS.indexOf(field)] = BigInt(value);
  };
  const sumOf = (kinds: readonly CallKind[]): number => kinds.reduce((sum, kind) => sum + KINDS[kind], 0);
  return {
    failFrom: (call, how, kinds, once = false) => {
      set("failFrom", 0);
      set("calls", 0);
      set("kinds", sumOf(kinds));
      set("error", ERRORS[how]);
      set("shortBy", how === "full in the middle" ? 1 : 0);
      set("failTo", once ? call + 1 : Number.MAX_SAFE_INTEGER);
      set("failFrom", call);
    },
    works: () => {
      set("failFrom", 0);
      return Number(control[FIELDS.indexOf("calls")]);
    },
    ignoreLogSyncs: () => set("deaf", 1),
  };
}
