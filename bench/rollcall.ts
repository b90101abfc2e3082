// Starts the compiled executable for a measurement, without limits, and says how long that took. Measures nothing else.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** BENCH_EXECUTABLE names another one, such as an earlier version. */
const EXECUTABLE = resolve(process.env["BENCH_EXECUTABLE"] ?? join(import.meta.dir, "../dist/rollcall"));

export interface Rollcall {
  readonly process: Bun.Subprocess;
  readonly port: number;
  /** Without a slash at its end. */
  readonly url: string;
  /** From its start to its first answer. */
  readonly milliseconds: number;
}

/** A folder of its own, with this configuration if there is one; the answer's second part removes it. */
export function benchFolder(configuration: string | null = null): readonly [path: string, remove: () => void] {
  const path = mkdtempSync(join(process.env["BENCH_FOLDER"] ?? tmpdir(), "rollcall-bench-"));
  if (configuration !== null) writeFileSync(join(path, "rollcall.toml"), configuration);
  return [path, () => rmSync(path, { recursive: true })];
}

/** Starts it in `directory`, where its output becomes the files `out` and `log`, and waits for its first answer. */
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
  process.on("exit", () => child.kill());
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

/** The API key that its first start wrote. */
export const firstKey = (directory: string): string =>
  /ck_app_\S+/.exec(readFileSync(join(directory, "data/first-key"), "utf8"))![0];

const fromProc = (pid: number, file: string, pattern: RegExp): number =>
  Number(pattern.exec(readFileSync(`/proc/${pid}/${file}`, "utf8"))![1]);

/** Resident memory. */
export const megabytesOf = ({ process: { pid } }: Rollcall): number => fromProc(pid, "status", /VmRSS:\s+(\d+)/) / 1024;

/** Bytes it has caused to be written to disk so far. */
export const bytesWritten = ({ process: { pid } }: Rollcall): number => fromProc(pid, "io", /^write_bytes: (\d+)/m);

/** Seconds of processor time so far. */
export function processorSeconds({ process: { pid } }: Rollcall): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export async function freePort(): Promise<number> {
  const probe = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = probe;
  await probe.stop(true);
  return port!;
}
