// Finds how a command for this service must begin to work from any directory. Alerts name such commands, and people
// copy them. With the package installed it is just `rollcall`. When rollcall runs from a clone, `rollcall` alone would
// find neither the program nor the data.

import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type ConfigFlags, loadDirectory } from "../../config/load.ts";
import type { Log } from "../../domain/log.ts";
import { shellQuoted } from "../../domain/text.ts";
import { asTypedBy } from "../../domain/wording/wording.ts";
import { foundOnPath, installedAs, programFor } from "../executable.ts";

export interface StartedAs {
  /**
   * `executable` is the file that runs. `found` is the file that a shell runs for the name `rollcall`; `null` when it
   * finds none.
   */
  readonly executable: string;
  readonly found: string | null;
  readonly cwd: string;
  /** The paths of `--config` and `--env-file` as they were typed; `undefined` when not given. */
  readonly config: string | undefined;
  readonly envFile?: string | undefined;
  readonly directory: string;
  /** True in a container: a shell there has the same environment, so commands need no options. */
  readonly isContainer: boolean;
}

/**
 * Returns how a command for this service must begin. `directoryBy` says in which directory a command would look for the
 * data, if it is run in `cwd` with these flags.
 */
export function serviceCommandLine(
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

export function serviceCommandLineHere({ config, envFile }: ConfigFlags, directory: string): string {
  const { env } = process;
  return serviceCommandLine(
    {
      executable: installedAs(),
      found: foundOnPath("rollcall"),
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
 * Returns a log in whose sentences commands begin as they must here, for example `/opt/rollcall` instead of `rollcall`.
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
