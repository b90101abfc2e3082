// What the parts of the command table share: how a command gets at its configuration and the service, how arguments are
// read, how examples are shown. Knows no single command.

import { type Command, InvalidArgumentError, Option } from "commander";
import { parseDuration } from "../config/duration.ts";
import type { ConfigFlags } from "../config/load.ts";
import { SECOND } from "../domain/time.ts";
import type { Io } from "./io.ts";
import type { Caller } from "./socket-client.ts";

/** What commands are given, and where the exit code of the one that ran goes. */
export interface Shell {
  /** As they were typed, without the executable. */
  readonly args: readonly string[];
  readonly environment: Caller["environment"];
  readonly io: Io;
  readonly finish: (exitCode: number) => void;
}

export const callerOf = (command: Command, { args, environment, io }: Shell): Caller => ({
  args,
  flags: flagsOf(command),
  environment,
  io,
});

export const flagsOf = (command: Command): ConfigFlags => {
  const { config, envFile } = command.optsWithGlobals<ConfigFlags>();
  return { ...(config === undefined ? {} : { config }), ...(envFile === undefined ? {} : { envFile }) };
};

/** The number that names a key, an incident or a delivery. */
export function readId(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

/** Lists show all applications. */
export const listedApp = (): Option => new Option("--app <slug>", "only those of this application");

/** As many rows of a list as the service shows at most. */
const LIMIT_MAX = 1_000;

/** How many rows of a list a person wants. */
export const limitOption = (of: string, standard: number): Option =>
  new Option("--limit <count>", `at most this many${of}, 1 to ${LIMIT_MAX} (default: ${standard})`).argParser(
    (text) => {
      const limit = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
      if (limit >= 1 && limit <= LIMIT_MAX) return limit;
      throw new InvalidArgumentError(`It must be a whole number from 1 to ${LIMIT_MAX}.`);
    },
  );

/** A reader of durations within these bounds, themselves written like durations; it answers whole seconds. */
export const durationWithin =
  (shortest: string, longest: string) =>
  (text: string): number => {
    const [least = 0, most = 0] = [shortest, longest].map(parseDuration).map(Number);
    const duration = parseDuration(text);
    if (duration === null || duration < least || duration > most)
      throw new InvalidArgumentError(
        `It must be a duration such as 90s, 15m, 2h or 7d, from ${shortest} to ${longest}.`,
      );
    return duration / SECOND;
  };

export const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;
