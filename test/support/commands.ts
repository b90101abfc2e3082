// Commands run in this process against a service of the test: the real engine behind a real socket, found by a
// configuration of its own.

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
  /** The configuration file. */
  readonly config: string;
  run(...args: string[]): ReturnType<typeof rollcall>;
  /** The same in a terminal of this many columns, without colours. */
  runAt(width: number, ...args: string[]): ReturnType<typeof rollcall>;
  /** The same in a terminal at which a person types these lines. */
  runTyping(lines: readonly string[], ...args: string[]): ReturnType<typeof rollcall>;
}

/** A configuration whose data directory is its own; `more` is added to it. */
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

/** The same with a service that listens there. */
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

/** A service with the monitor `backup`, created by hand. */
export async function withBackup(...policy: Parameters<typeof openRunning>): Promise<Running> {
  const place = openRunning(...policy);
  const { exitCode, err } = await place.run("monitor", "create", "backup", ...DAILY);
  if (exitCode !== 0) throw new Error(err);
  return place;
}

/** The cells of what a command printed, line by line. */
export const cells = (out: string): string[][] => out.split("\n").map((line) => line.split(/ {2,}/));
