// Starts the compiled executable for a measurement, without limits, and says how long that took. Measures nothing else.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** BENCH_EXECUTABLE names another one to be measured, such as an older release. */
const EXECUTABLE = process.env["BENCH_EXECUTABLE"] ?? join(import.meta.dir, "../dist/rollcall");

export interface Rollcall {
  readonly process: Bun.Subprocess;
  readonly port: number;
  /** From its start to its first answer. */
  readonly milliseconds: number;
}

/** A folder of its own, with this configuration if there is one; the answer's second part removes it. */
export function benchFolder(configuration: string | null = null): readonly [path: string, remove: () => void] {
  const path = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  if (configuration !== null) writeFileSync(join(path, "rollcall.toml"), configuration);
  return [path, () => rmSync(path, { recursive: true })];
}

/** Starts it in `directory`, where its output becomes the files `out` and `log`, and waits for its first answer. */
export async function startRollcall(directory: string, port: number): Promise<Rollcall> {
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
    },
  });
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null);
    if (answer?.ok) break;
    if (child.exitCode !== null) throw new Error(`rollcall ended with ${child.exitCode}; see ${directory}/log`);
    await Bun.sleep(1);
  }
  return { process: child, port, milliseconds: performance.now() - startedAt };
}

export async function stopRollcall({ process: child }: Rollcall): Promise<void> {
  child.kill("SIGTERM");
  await child.exited;
}

export async function freePort(): Promise<number> {
  const probe = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = probe;
  await probe.stop(true);
  return port!;
}
