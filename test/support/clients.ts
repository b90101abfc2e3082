// Tries the scripts of docs/clients.md: in a folder in which a script runs unchanged with a job of the test, and behind
// a gateway that loses answers. This file knows how a script is started, not what it says.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstKeyOf, type Service } from "./executable.ts";

/**
 * Whether the program is installed. Where it is missing a test is skipped, but not with `ROLLCALL_TEST_CLIENTS=needed`.
 */
export function isInstalled(program: string): boolean {
  if (Bun.which(program) !== null) return true;
  if (process.env["ROLLCALL_TEST_CLIENTS"] === "needed") throw new Error(`${program} is missing`);
  return false;
}

/** The environment in which a script reports to this service. */
export const accountOf = (service: Service): Record<string, string> => ({
  ROLLCALL_URL: service.url,
  ROLLCALL_KEY: firstKeyOf(service),
});

/** The jobs that scripts run, as lines of a shell script; `$0.ran` is a file beside it. */
export const JOBS = {
  succeeds: "exit 0",
  fails: "exit 3",
  failsOnce: '[ -e "$0.ran" ] && exit 0; : >"$0.ran"; exit 3',
  isKilled: "kill -TERM $$",
} as const;

/** The size of the file that a script reports, in bytes. */
export const BYTES = 1234;

export interface Ended {
  readonly exitCode: number;
  /** Everything that it wrote. */
  readonly screen: string;
}

interface Places {
  readonly folder: string;
  readonly script: string;
}

/**
 * Writes a script unchanged into a new folder, with this job or none; the folder is removed at the end of its block.
 */
export function placeScript(text: string, ending: string, job: string | null): Places & Disposable {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-client-"));
  writeFileSync(join(folder, "latest.tar.gz"), "x".repeat(BYTES));
  const local = localize(text, folder);
  const script = writeProgram(join(folder, `script.${ending}`), local);
  if (job !== null) writeProgram(join(folder, "backup"), `#!/bin/sh\n${job}\n`);
  return { folder, script, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

/** Replaces the paths in the text by paths in this folder. */
export const localize = (text: string, folder: string): string =>
  text.replaceAll(/\/usr\/local\/bin\/|\/var\/backups\//g, `${folder}/`);

function writeProgram(path: string, text: string): string {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

export interface Running {
  readonly ended: Promise<Ended>;
  /** Ends the command and all that it has started. */
  kill(): void;
}

/** Starts a command whose environment has only what every program needs, and these variables. */
export function startCommand(command: readonly string[], environment: Record<string, string>): Running {
  const { PATH, HOME } = process.env;
  const child = Bun.spawn([...command], {
    env: { PATH, HOME, ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()];
  return {
    ended: Promise.all([child.exited, ...texts]).then(([exitCode, ...parts]) => ({ exitCode, screen: parts.join("") })),
    kill: () => process.kill(-child.pid, "SIGKILL"),
  };
}

/** A report that the gateway let through. */
export interface Passed {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

export interface Gateway extends AsyncDisposable {
  readonly url: string;
  readonly passed: readonly Passed[];
}

/**
 * Passes every request on to the service, and answers 503 instead of the service's answer to the first of each path.
 */
export function startForgetfulGateway(service: string): Gateway {
  const passed: Passed[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = await request.text();
      const isFirst = !passed.some(({ path }) => path === pathname);
      passed.push({ method, path: pathname, headers, body });
      const answer = await fetch(service + pathname + search, { method, headers, body });
      return isFirst ? new Response("lost", { status: 503 }) : new Response(await answer.text(), answer);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    passed,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** No program listens at this port: it belongs to no service, and no system gives it to a program that asks for any. */
export const DEAD_ADDRESS = "http://127.0.0.1:4";
