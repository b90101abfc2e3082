// The compiled executable as its operator uses it: started in a new folder, watched, killed and started again. Tests
// see what a person at a terminal sees: output, exit codes, files. It needs dist/rollcall as `make build` leaves it.

import { Database, type SQLQueryBindings } from "bun:sqlite";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "./http-client.ts";

export const ROOT = join(import.meta.dir, "../..");
export const EXECUTABLE = join(ROOT, "dist/rollcall");

/** A wait in a test is given up after this many milliseconds. */
const PATIENCE = 60_000;
const LOOK_EVERY = 20;

export interface Fact {
  readonly event: string;
  readonly [field: string]: unknown;
}

export interface Ran {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

interface Launched {
  /** The number of the process, for tests that send it signals which do not end it. */
  readonly pid: number;
  /** The text that it has written to stdout and stderr so far. */
  out(): string;
  err(): string;
  /** The lines that it has logged of this event so far. */
  facts(event: string): Fact[];
  /** Waits for a line of the log that has these fields; a line that is already written counts too. */
  logged(event: string, fields?: Readonly<Record<string, unknown>>, patience?: number): Promise<Fact>;
  /**
   * Sends the signal and waits for the end. It returns the exit code, which is above 128 after a signal that killed the
   * process.
   */
  end(signal: NodeJS.Signals): Promise<number>;
}

export interface Service extends Launched {
  readonly url: string;
}

export interface Folder extends AsyncDisposable {
  readonly path: string;
  /** Starts `serve` and does not wait. `limit` is a shell command that runs before it, such as `ulimit -n 60`. */
  launch(environment?: Record<string, string>, limit?: string): Launched;
  /**
   * Starts `serve` and waits until it listens: on a free port, unless the environment names another. `inherited` is an
   * open descriptor that it gets as number 3.
   */
  serve(environment?: Record<string, string>, limit?: string, inherited?: number): Promise<Service>;
  /** Runs `rollcall` with these arguments to its end. */
  run(args: readonly string[], environment?: Record<string, string>): Promise<Ran>;
  /** Reads rows of its database; it cannot change them. */
  rows(sql: string, ...values: SQLQueryBindings[]): Record<string, unknown>[];
}

/**
 * Makes a new folder with these files; the folder, and what runs in it, are removed at the end of the block that holds
 * it (`await using`).
 */
export function openFolder(files: Readonly<Record<string, string>> = {}): Folder {
  assertCompiled();
  const inTheWay = fileInTheWay();
  if (inTheWay !== null)
    throw new Error(
      `${inTheWay} is on this machine, and the tested executable would read it: move it away, then test again`,
    );
  const path = mkdtempSync(join(tmpdir(), "rollcall-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  const outputs = mkdtempSync(join(tmpdir(), "rollcall-output-"));
  const started: Process[] = [];
  const start = (
    args: readonly string[],
    environment: Record<string, string>,
    limit?: string,
    inherited?: number,
  ): Process => {
    const output = join(outputs, String(started.length));
    const process = startProcess(path, output, args, environment, limit, inherited);
    started.push(process);
    return process;
  };
  return {
    path,
    launch: (environment = {}, limit) => launched(start(["serve"], environment, limit)),
    serve: async (environment = {}, limit, inherited) => {
      const service = launched(start(["serve"], environment, limit, inherited));
      const { url } = await service.logged("listening");
      return { ...service, url: String(url) };
    },
    run: (args, environment = {}) => ended(start(args, environment)),
    rows: (sql, ...values) => {
      using database = new Database(join(path, "data/rollcall.db"), { readonly: true, strict: true });
      return database.query<Record<string, unknown>, SQLQueryBindings[]>(sql).all(...values);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(started.map(({ end }) => end("SIGKILL")));
      rmSync(path, { recursive: true });
      rmSync(outputs, { recursive: true });
    },
  };
}

/** Calls `look` until the result is not `null`, and returns it. `what` completes "waited in vain for". */
export async function until<Found>(
  what: string,
  look: () => Found | null | Promise<Found | null>,
  patience = PATIENCE,
): Promise<Found> {
  const deadline = Date.now() + patience;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (Date.now() > deadline) throw new Error(`waited ${patience / 1_000} s in vain for ${what}`);
    await Bun.sleep(LOOK_EVERY);
  }
}

const FIRST_WORDS = new WeakMap<Service, string>();

/**
 * The text of a first start for its operator, which is in a file, because its output is no terminal. The first report
 * takes the key out of that file and the first sign-in the link, so each service's file is read once.
 */
export function firstWordsOf(service: Service): string {
  const known = FIRST_WORDS.get(service);
  if (known !== undefined) return known;
  const [written] = service.facts("first_key_written");
  if (written === undefined) throw new Error(`no first key was written:\n${service.err()}`);
  const words = readFileSync(String(written["file"]), "utf8");
  FIRST_WORDS.set(service, words);
  return words;
}

/** The key in that text. */
export const firstKeyOf = (service: Service): string => /ck_app_\S+/.exec(firstWordsOf(service))![0];

/** Reports as a job does; `rest` follows the key. It returns the HTTP status. */
export async function report(service: Service, key: string, monitor: string, rest = ""): Promise<number> {
  const { status } = await ask(`${service.url}/api/v1/ping/${monitor}/${key}${rest}`);
  return status;
}

interface Process {
  readonly command: string;
  readonly pid: number;
  readonly exited: Promise<number>;
  hasExited(): boolean;
  out(): string;
  err(): string;
  end(signal: NodeJS.Signals): Promise<number>;
}

/** Stdout is a file: text that was written before a line of the log is there when the line is, as for a person. */
function startProcess(
  cwd: string,
  output: string,
  args: readonly string[],
  environment: Record<string, string>,
  limit = ":",
  inherited?: number,
): Process {
  // The umask is 0, so that every private file was made private by rollcall.
  const child = Bun.spawn(["/bin/sh", "-c", `umask 0; ${limit}; exec "$0" "$@"`, EXECUTABLE, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], ROLLCALL_SERVER__LISTEN: "127.0.0.1:0", ...environment },
    stdio: ["ignore", Bun.file(output), "pipe", ...(inherited === undefined ? [] : [inherited])],
  });
  let log = "";
  const collect = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const bytes of child.stderr) log += decoder.decode(bytes, { stream: true });
  };
  const exited = Promise.all([child.exited, collect()]).then(([exitCode]) => exitCode);
  return {
    command: ["rollcall", ...args].join(" "),
    pid: child.pid,
    exited,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    out: () => readFileSync(output, "utf8"),
    err: () => log,
    end: async (signal) => {
      child.kill(signal);
      return exited;
    },
  };
}

function launched(process: Process): Launched {
  const { pid, out, err, end } = process;
  const facts: Launched["facts"] = (event) => readFacts(err(), event);
  const logged: Launched["logged"] = async (event, fields = {}, patience = PATIENCE) => {
    const asked = Object.entries(fields);
    const matching = () => facts(event).find((fact) => asked.every(([name, value]) => fact[name] === value));
    try {
      return await until(`"${event}" in the log`, () => matching() ?? nothingYet(process), patience);
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : error}\n${err()}`);
    }
  };
  return { pid, out, err, facts, logged, end };
}

function nothingYet({ command, hasExited }: Process): null {
  if (hasExited()) throw new Error(`${command} has ended`);
  return null;
}

/** The complete lines of a log that are of this event; only they are parsed, because tests look often. */
const readFacts = (log: string, event: string): Fact[] =>
  log
    .split("\n")
    .slice(0, -1)
    .filter((line) => line.includes(JSON.stringify(event)))
    .map((line): Fact => JSON.parse(line))
    .filter((fact) => fact.event === event);

async function ended(process: Process): Promise<Ran> {
  const { command, hasExited, exited, end, out, err } = process;
  try {
    await until(`the end of ${command}`, () => (hasExited() ? true : null));
  } catch (error) {
    await end("SIGKILL");
    throw new Error(`${error instanceof Error ? error.message : error}\n${out()}${err()}`);
  }
  return { exitCode: await exited, out: out(), err: err() };
}

/** Files that the executable reads when a test gives it none. */
const FILES_OF_MACHINE = [
  "/etc/rollcall/rollcall.toml",
  "/etc/rollcall/client.toml",
  join(homedir(), ".config/rollcall/client.toml"),
];

/** A configuration that no test has written, such as that of an installed rollcall; `null` when there is none. */
export const fileInTheWay = (files: readonly string[] = FILES_OF_MACHINE): string | null =>
  files.find((file) => existsSync(file)) ?? null;

/** The files from which the Makefile compiles. */
const SOURCES = ["src", "drizzle", "packaging/rollcall.service", "package.json", "tsconfig.json"];

const isCompiled = false;

/** Throws when the executable is older than its sources, because tests of it would prove nothing. */
function assertCompiled(): void {
  if (isCompiled) return;
  const compiledAt = changedAt(EXECUTABLE);
  if (compiledAt === null) throw new Error("dist/rollcall is missing; run `make build` first");
  const [newest] = SOURCES.flatMap(filesIn).filter((file) => changedAt(join(ROOT, file))! > compiledAt);
  if (newest !== undefined) throw new Error(`dist/rollcall is older than ${newest}; run \`make build\` first`);
}

function filesIn(path: string): string[] {
  if (!statSync(join(ROOT, path)).isDirectory()) return [path];
  const entries = readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
}

const changedAt = (path: string): number | null => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
