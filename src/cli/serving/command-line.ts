// Finds how commands for this service must begin so that they work from any directory, because alerts name them and
// people copy them from a phone. With the package installed, the bare name `rollcall` is enough. When rollcall runs
// from a clone, the bare name would find neither the program nor the data.

import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type ConfigFlags, loadDirectory } from "../../config/load.ts";
import type { Log } from "../../domain/log.ts";
import { asTypedBy } from "../../domain/wording/wording.ts";
import { foundBy, programFor, shellQuoted } from "../command-hints.ts";
import { installedAs } from "../executable.ts";

export interface StartedAs {
  /**
   * The executable, and the file that the name `rollcall` leads to by the search path; `null` when it leads to none.
   */
  readonly executable: string;
  readonly found: string | null;
  readonly cwd: string;
  /** The paths as they were given; `undefined` when one was not. */
  readonly config: string | undefined;
  readonly envFile?: string | undefined;
  readonly directory: string;
  /** True in a container: a shell in it has the same environment, so commands need no setting. */
  readonly isContainer: boolean;
}

/** `directoryBy` says where a command with these flags, run in that directory, would look for the data. */
export function commandLineOf(
  { executable, found, cwd, config, envFile, directory, isContainer }: StartedAs,
  directoryBy: (flags: ConfigFlags, cwd: string) => string | null,
): string {
  const name = found === executable ? "rollcall" : shellQuoted(executable);
  const whole = (file: string): string => (isAbsolute(file) ? file : join(cwd, file));
  const flags = {
    ...(config !== undefined && { config: whole(config) }),
    ...(envFile !== undefined && { envFile: whole(envFile) }),
  };
  if (isContainer || directoryBy({}, "/") === directory) return name;
  if (Object.keys(flags).length > 0 && directoryBy(flags, "/") === directory) return `${name}${flagsOf(flags)}`;
  if (config === undefined && envFile === undefined && directoryBy({}, cwd) === directory)
    return `cd ${shellQuoted(cwd)} && ${programFor(executable, found, cwd)}`;
  return `ROLLCALL_STORAGE__DIRECTORY=${shellQuoted(directory)} ${name}`;
}

const flagsOf = ({ config, envFile }: ConfigFlags): string =>
  [config && ` --config ${shellQuoted(config)}`, envFile && ` --env-file ${shellQuoted(envFile)}`].join("");

export function commandLineHere({ config, envFile }: ConfigFlags, directory: string): string {
  const { env } = process;
  return commandLineOf(
    {
      executable: installedAs(),
      found: foundBy("rollcall"),
      cwd: process.cwd(),
      config: config ?? env["ROLLCALL_CONFIG"],
      envFile,
      directory,
      isContainer: env["container"] !== undefined,
    },
    directoryBy,
  );
}

const readFile = (path: string): string => readFileSync(path, "utf8");

function directoryBy(flags: ConfigFlags, cwd: string): string | null {
  const loaded = loadDirectory({ flags, environment: {}, cwd, readFile, readFound: readFile });
  return "directory" in loaded ? loaded.directory : null;
}

/**
 * Replaces the beginning of commands in sentences of the log by one that works here; where `rollcall` works, nothing is
 * replaced.
 */
export function logTypedBy(log: Log, commandLine: string): Log {
  if (commandLine === "rollcall") return log;
  return (level, event, fields = {}) => {
    const typed = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" ? asTypedBy(value, commandLine) : value,
    ]);
    log(level, event, Object.fromEntries(typed));
  };
}
