// What `rollcall run` has the system do to files, as strace writes it down, and the directory as it may be found after
// the power was cut: what was synced is there; of the rest any name and any part of a file may be missing.

import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Random } from "../simulation/random.ts";

/** Whether there is a strace to write it down. */
export const hasStrace = Bun.which("strace") !== null;

const CALLS =
  "execve,open,openat,creat,close,write,writev,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat";

/** Before a command: what it and all that it starts do is written into `file`. */
export const traced = (file: string): readonly string[] => [
  ...["strace", "-f", "-q", "-xx", "-s", "100000", "--seccomp-bpf", "-o", file],
  ...["-e", `trace=${CALLS}`, "-e", "signal=none"],
];

export type Change =
  | { readonly kind: "mkdir" | "create" | "unlink" | "sync"; readonly path: string }
  | { readonly kind: "rename"; readonly path: string; readonly to: string }
  | { readonly kind: "write"; readonly path: string; readonly data: Buffer }
  /** A run of this monitor came to its own end. */
  | { readonly kind: "ended"; readonly monitor: string };

/** What was done below `root`, in order. Throws for what it does not understand. */
export function readTrace(text: string, root: string): Change[] {
  const broken = new Map<string, string>();
  const changes: Change[] = [];
  const processes = new Map<string, Process>();
  for (const line of text.split("\n")) {
    const [, pid = "", said = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (said.endsWith("<unfinished ...>")) {
      broken.set(pid, said.slice(0, -"<unfinished ...>".length));
      continue;
    }
    const whole = said.replace(/^<\.\.\. \w+ resumed>/, () => broken.get(pid) ?? "");
    const process = processes.get(pid) ?? { files: new Map(), monitor: null };
    processes.set(pid, process);
    changes.push(...changesOf(decoded(whole), process, root));
  }
  return changes;
}

interface Process {
  /** Paths of open files below the root, by descriptor. */
  readonly files: Map<string, string>;
  /** Whose run it is; null: none. */
  monitor: string | null;
}

interface Call {
  readonly name: string;
  readonly texts: readonly Buffer[];
  readonly rest: string;
  readonly result: string;
}

/** `name(…, "…", …) = result`, each text in its bytes; `rest` is what stands between them. */
function decoded(said: string): Call | { readonly exit: true } | null {
  if (said.startsWith("+++ exited")) return { exit: true };
  const [, name, inside, result] = /^(\w+)\((.*)\)\s+= (\d+)/.exec(said) ?? [];
  if (name === undefined || inside === undefined || result === undefined) return null;
  const texts: Buffer[] = [];
  const rest = inside.replaceAll(/"((?:\\x[\da-f]{2})*)"/g, (_, hex: string) => {
    texts.push(Buffer.from(hex.replaceAll("\\x", ""), "hex"));
    return '""';
  });
  return { name, texts, rest, result };
}

function changesOf(call: ReturnType<typeof decoded>, process: Process, root: string): Change[] {
  if (call === null) return [];
  if ("exit" in call) return process.monitor === null ? [] : [{ kind: "ended", monitor: process.monitor }];
  const { name, texts, rest, result } = call;
  const words = texts.map((text) => text.toString());
  const [path = "", to = ""] = words;
  const isOurs = path === root || path.startsWith(`${root}/`);
  switch (name) {
    case "execve": {
      const at = words.lastIndexOf("--");
      process.monitor = words[0]!.endsWith("/rollcall") && at > 0 ? words[at - 1]! : null;
      return [];
    }
    case "open":
    case "openat":
      process.files.delete(result);
      if (!isOurs) return [];
      process.files.set(result, path);
      return rest.includes("O_CREAT") ? [{ kind: "create", path }] : [];
    case "close":
      process.files.delete(rest.trim());
      return [];
    case "mkdir":
    case "unlink":
      return isOurs ? [{ kind: name, path }] : [];
    case "rename":
      return isOurs ? [{ kind: "rename", path, to }] : [];
    default:
      return changesOfFile(call, process.files.get(rest.split(",")[0]!.trim()), isOurs);
  }
}

function changesOfFile({ name, texts, rest, result }: Call, file: string | undefined, isOurs: boolean): Change[] {
  if (file === undefined && !isOurs) return [];
  if (file !== undefined && (name === "fsync" || name === "fdatasync")) return [{ kind: "sync", path: file }];
  if (file === undefined || name !== "write") throw new Error(`nobody has said what ${name}(${rest}) does to a disk`);
  return [{ kind: "write", path: file, data: texts[0]!.subarray(0, Number(result)) }];
}

interface File {
  synced: Buffer;
  /** All that was written. */
  written: Buffer;
}

interface Directory {
  names: Map<string, File | Directory>;
  /** Changes of names since it was synced, oldest first. */
  unsynced: ((names: Directory["names"]) => void)[];
  /** With all of them. */
  readonly now: Directory["names"];
}

const newDirectory = (): Directory => ({ names: new Map(), unsynced: [], now: new Map() });

/**
 * Writes below `target` what may be found of `root` when the power is cut after these changes. `shares`: how much a
 * disk keeps of what was not synced; one of them is drawn.
 */
export function rebuildTree(
  changes: readonly Change[],
  root: string,
  chance: { readonly random: Random; readonly shares: readonly number[] },
  target: string,
): void {
  const all = new Map<string, File | Directory>([[root, newDirectory()]]);
  const directoryOf = (path: string): Directory => all.get(dirname(path)) as Directory;
  const rename = (path: string, change: (names: Directory["names"]) => void): void => {
    const { now, unsynced } = directoryOf(path);
    change(now);
    unsynced.push(change);
  };
  const put = (path: string, made: File | Directory): void => {
    all.set(path, made);
    rename(path, (names) => void names.set(basename(path), made));
  };
  for (const change of changes) {
    if (change.kind === "mkdir") put(change.path, newDirectory());
    else if (change.kind === "create" && !all.has(change.path))
      put(change.path, { synced: Buffer.alloc(0), written: Buffer.alloc(0) });
    else if (change.kind === "unlink") {
      all.delete(change.path);
      rename(change.path, (names) => void names.delete(basename(change.path)));
    } else if (change.kind === "rename") {
      const { path, to } = change;
      const moved = all.get(path)!;
      all.delete(path);
      all.set(to, moved);
      rename(path, (names) => {
        names.delete(basename(path));
        names.set(basename(to), moved);
      });
    } else if (change.kind === "write") {
      const file = all.get(change.path) as File;
      file.written = Buffer.concat([file.written, change.data]);
    } else if (change.kind === "sync") synced(all.get(change.path)!);
  }
  writeFound(all.get(root) as Directory, chance.random, chance.random.pick(chance.shares), target);
}

function synced(node: File | Directory): void {
  if ("written" in node) node.synced = node.written;
  else {
    node.names = new Map(node.now);
    node.unsynced = [];
  }
}

function writeFound(directory: Directory, random: Random, share: number, target: string): void {
  mkdirSync(target, { recursive: true, mode: 0o700 });
  const names = new Map(directory.names);
  for (const change of directory.unsynced) if (random.chance(share)) change(names);
  for (const [name, node] of names) {
    const path = join(target, name);
    if ("written" in node) writeFileSync(path, foundOf(node, random, share), { mode: 0o600 });
    else writeFound(node, random, share, path);
  }
}

/** What was not synced may be there, in part, or as zeros. */
function foundOf({ synced, written }: File, random: Random, share: number): Buffer {
  if (random.chance(share)) return written;
  const length = random.whole(synced.length, written.length);
  const found = random.chance(0.5) ? Buffer.from(written.subarray(0, length)) : Buffer.alloc(length);
  synced.copy(found);
  return found;
}
