// Commands that run in this process against a service of the test: a real engine behind a real socket, which the
// commands find by the configuration of the test.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Policy } from "../../src/domain/settings/policy.ts";
import { createManagement } from "../../src/http/management/management.ts";
import { rollcall, typing } from "./command-line.ts";
import { openService, type Service } from "./engine.ts";
import { heldToSchemas } from "./management.ts";

export interface Place extends Disposable {
  readonly socket: string;
  /** The path of the configuration file. */
  readonly config: string;
  run(...args: string[]): ReturnType<typeof rollcall>;
  /** Runs a command in a terminal of this many columns, without colours. */
  runAt(width: number, ...args: string[]): ReturnType<typeof rollcall>;
  /** Runs a command in a terminal in which a person types these lines. */
  runTyping(lines: readonly string[], ...args: string[]): ReturnType<typeof rollcall>;
}

/** Makes a configuration with a new data directory; `more` is added to it. */
export function openPlace(more = ""): Place {
  const root = mkdtempSync(join(tmpdir(), "rollcall-commands-"));
  const data = join(root, "data");
  mkdirSync(data);
  const config = join(root, "rollcall.toml");
  writeFileSync(config, `[storage]\ndirectory = "${data}"\n${more}`);
  return {
    socket: join(data, "rollcall.sock"),
    config,
    run: (...args) => rollcall(args, { ROLLCALL_CONFIG: config }),
    runAt: (width, ...args) => rollcall(args, { ROLLCALL_CONFIG: config, NO_COLOR: "1" }, width),
    runTyping: (lines, ...args) =>
      rollcall(args, { ROLLCALL_CONFIG: config, NO_COLOR: "1" }, 80, typing(true, ...lines)),
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}

export interface Running extends AsyncDisposable {
  readonly service: Service;
  readonly config: string;
  run: Place["run"];
  runAt: Place["runAt"];
  runTyping: Place["runTyping"];
}

/** Makes a configuration with a new data directory, and a service that listens there. */
export function openRunning(policy?: Policy, more?: string): Running {
  const { socket, config, run, runAt, runTyping, [Symbol.dispose]: remove } = openPlace(more);
  const service = openService(policy);
  const management = createManagement(heldToSchemas(service.engine), socket, () => {});
  return {
    service,
    config,
    run,
    runAt,
    runTyping,
    [Symbol.asyncDispose]: async () => {
      await management.stop();
      service[Symbol.dispose]();
      remove();
    },
  };
}

export const DAILY = ["--schedule", "0 2 * * *"];

/** A service with the monitor `backup`, which was created by hand. */
export async function withBackup(...policy: Parameters<typeof openRunning>): Promise<Running> {
  const place = openRunning(...policy);
  const { exitCode, err } = await place.run("monitor", "create", "backup", ...DAILY);
  if (exitCode !== 0) throw new Error(err);
  return place;
}

/** The cells of a command's output, line by line. */
export const cells = (out: string): string[][] => out.split("\n").map((line) => line.split(/ {2,}/));
