// The hurt disk as tests use it: compiles disk.c, starts the executable on it, and says which of its calls fail.

import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

/** Whether there is a compiler to make such a disk. */
export const hasCompiler = Bun.which("gcc") !== null;

/** How calls fail: as a broken disk, as a full one, or as one that is full in the middle of a write. */
export type Failure = "broken" | "full" | "full in the middle";

/** Which calls are counted. */
const KINDS = { writes: 1, syncs: 2, reads: 4 } as const;
export type CallKind = keyof typeof KINDS;

/** The numbers of `struct control`, in its order. */
const FIELDS = ["calls", "failFrom", "failTo", "error", "shortBy", "kinds", "deaf"] as const;
type Field = (typeof FIELDS)[number];

export interface Disk extends Disposable {
  /** What the executable must be started with. */
  readonly environment: Record<string, string>;
  /** The file in which the writes and syncs of every process that was started with it stand. */
  readonly journal: string;
  /** How long the journal is: all that happens to the disk later comes after this. */
  mark(): number;
  /** From the call of this number on, counted from now from 1, calls of these kinds fail until `works`. */
  failFrom(call: number, how: Failure, kinds: readonly CallKind[]): void;
  /** All calls work again; answers how many there were since `failFrom`. */
  works(): number;
  /** From now on syncs of the log beside the database do nothing, and are not written down. */
  ignoreLogSyncs(): void;
}

/** The disk below this directory. */
export function openDisk(directory: string): Disk {
  const place = mkdtempSync(join(tmpdir(), "rollcall-disk-"));
  const [library, journal, controlFile] = ["disk.so", "journal", "control"].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  const compiler = ["gcc", "-shared", "-fPIC", "-O1", "-o", library, join(import.meta.dir, "disk.c"), "-ldl"];
  const compiled = Bun.spawnSync([...compiler, "-lpthread"]);
  if (!compiled.success) throw new Error(compiled.stderr.toString());
  writeFileSync(journal, "");
  writeFileSync(controlFile, new Uint8Array(FIELDS.length * BigInt64Array.BYTES_PER_ELEMENT));
  const control = new BigInt64Array(Bun.mmap(controlFile, { shared: true }).buffer);
  const set = (field: Field, value: number): void => {
    control[FIELDS.indexOf(field)] = BigInt(value);
  };
  return {
    environment: {
      LD_PRELOAD: library,
      TORTURE_DIRECTORY: directory,
      TORTURE_JOURNAL: journal,
      TORTURE_CONTROL: controlFile,
    },
    journal,
    mark: () => statSync(journal).size,
    failFrom: (call, how, kinds) => {
      set("failFrom", 0);
      set("calls", 0);
      set(
        "kinds",
        kinds.reduce((sum, kind) => sum + KINDS[kind], 0),
      );
      set("error", how === "broken" ? constants.errno.EIO : constants.errno.ENOSPC);
      set("shortBy", how === "full in the middle" ? 1 : 0);
      set("failTo", Number.MAX_SAFE_INTEGER);
      set("failFrom", call);
    },
    works: () => {
      set("failFrom", 0);
      return Number(control[FIELDS.indexOf("calls")]);
    },
    ignoreLogSyncs: () => set("deaf", 1),
    [Symbol.dispose]: () => rmSync(place, { recursive: true }),
  };
}
