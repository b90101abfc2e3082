// Starts the compiled executable for a measurement, without limits, and says how long that took. It measures nothing
// else.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** BENCH_EXECUTABLE names another executable, such as an earlier version. */
export const EXECUTABLE = resolve(process.env["BENCH_EXECUTABLE"] ?? join(import.meta.dir, "../dist/rollcall"));

export interface Rollcall {
  readonly process: Bun.Subprocess;
  readonly port: number;
  /** The address without a slash at its end. */
  readonly url: string;
  /** Milliseconds from the start to the first answer. */
  readonly milliseconds: number;
}

/**
 * Makes a folder that is removed when this process ends, with this configuration if there is one. `within` is the
 * folder in which it is made.
 */
export function benchFolder(
  configuration: string | null = null,
  within = process.env["BENCH_FOLDER"] ?? tmpdir(),
): string {
  const path = mkdtempSync(join(within, "rollcall-bench-"));
  if (configuration !== null) writeFileSync(join(path, "rollcall.toml"), configuration);
  process.on("exit", () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/**
 * Starts rollcall in `directory`, where its output becomes the files `out` and `log`, and waits for its first answer.
 */
export async function startRollcall(
  directory: string,
  port: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<Rollcall> {
  const startedAt = performance.now();
  const child = Bun.spawn([EXECUTABLE, "serve"], {
    cwd: directory,
    stdout: Bun.file(join(directory, "out")),
    stderr: Bun.file(join(directory, "log")),
    env: {
      ...process.env,
      ROLLCALL_SERVER__LISTEN: `127.0.0.1:${port}`,
      ROLLCALL_LIMITS__V1_PER_MINUTE: "0",
      ROLLCALL_LIMITS__V1_PER_HOUR: "0",
      ...environment,
    },
  });
  process.on("exit", () => child.kill("SIGKILL"));
  const scheme = environment["ROLLCALL_SERVER__TLS_CERT"] === undefined ? "http" : "https";
  const url = `${scheme}://127.0.0.1:${port}`;
  for (;;) {
    const answer = await fetch(`${url}/healthz`, { tls: { rejectUnauthorized: false } }).catch(() => null);
    if (answer?.ok) break;
    if (child.exitCode !== null) throw new Error(`rollcall ended with ${child.exitCode}; see ${directory}/log`);
    await Bun.sleep(1);
  }
  return { process: child, port, url, milliseconds: performance.now() - startedAt };
}

export async function stopRollcall({ process: child }: Rollcall): Promise<void> {
  child.kill("SIGTERM");
  await child.exited;
}

/** The API key that the first start wrote. */
export const firstKey = (directory: string): string =>
  /ck_app_\S+/.exec(readFileSync(join(directory, "data/first-key"), "utf8"))![0];

const fromProc = (pid: number, file: string, pattern: RegExp): number =>
  Number(pattern.exec(readFileSync(`/proc/${pid}/${file}`, "utf8"))![1]);

/** The resident memory of the process, in megabytes. Some 57 of them are the executable's file, mapped and shared. */
export const megabytesOf = ({ process: { pid } }: Rollcall): number => fromProc(pid, "status", /VmRSS:\s+(\d+)/) / 1024;

/** The memory that is the process's own and in no file (anonymous), in megabytes. */
export const ownMegabytesOf = ({ process: { pid } }: Pick<Rollcall, "process">): number =>
  fromProc(pid, "status", /RssAnon:\s+(\d+)/) / 1024;

/** The most megabytes that the process has had. */
export const megabytesAtMost = ({ process: { pid } }: Rollcall): number =>
  fromProc(pid, "status", /VmHWM:\s+(\d+)/) / 1024;

/** The bytes that the process has caused to be written to disk so far. */
export const bytesWritten = ({ process: { pid } }: Pick<Rollcall, "process">): number =>
  fromProc(pid, "io", /^write_bytes: (\d+)/m);

/**
 * Nanoseconds that each thread had taken when it was last read, by process and thread, because a thread that has ended
 * still counts.
 */
const takenBy = new Map<number, Map<string, number>>();

/** Seconds of processor time so far. This is finer than `/proc/PID/stat`, which counts in hundredths of a second. */
export function processorSeconds({ process: { pid } }: Pick<Rollcall, "process">): number {
  const taken = takenBy.get(pid) ?? new Map<string, number>();
  takenBy.set(pid, taken);
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const file = `/proc/${pid}/task/${thread}/schedstat`;
    if (existsSync(file)) taken.set(thread, Number(readFileSync(file, "utf8").split(" ")[0]));
  }
  return [...taken.values()].reduce((sum, each) => sum + each, 0) / 1e9;
}

export async function freePort(): Promise<number> {
  const probe = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = probe;
  await probe.stop(true);
  return port!;
}
