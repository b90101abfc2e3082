// A machine for configuration tests: files, environment and working directory as plain data, which the real loader
// reads.

import type { Config } from "../../src/config/all-keys.ts";
import { formatFault } from "../../src/config/fault.ts";
import { type ConfigFlags, type Inputs, loadConfig, loadDirectory } from "../../src/config/load.ts";
import type { KeptText } from "../../src/domain/settings/kept.ts";

export interface World {
  readonly flags?: ConfigFlags;
  readonly environment?: Readonly<Record<string, string>>;
  /** Files by absolute path; an `Error` is thrown when the file is read. */
  readonly files?: Readonly<Record<string, string | Error>>;
  /** The pieces that operations keep. */
  readonly kept?: readonly KeptText[];
}

export const CWD = "/home/ada";

export const systemError = (code: string): Error => Object.assign(new Error(code), { code });

function inputsOf({ flags = {}, environment = {}, files = {}, kept = [] }: World): Inputs {
  const readFile = (path: string): string => {
    const found = files[path] ?? systemError("ENOENT");
    if (found instanceof Error) throw found;
    return found;
  };
  return { flags, environment, cwd: CWD, readFile, readFound: readFile, kept };
}

export const loadIn = (world: World) => loadConfig(inputsOf(world));

/** The data directory as commands find it, or the faults as they are printed. */
export function directoryIn(world: World): string | string[] {
  const loaded = loadDirectory(inputsOf(world));
  return "faults" in loaded ? loaded.faults.map(formatFault) : loaded.directory;
}

/** A machine with this `rollcall.toml` in the working directory. */
export const withToml = (toml: string, { files = {}, ...world }: World = {}): World => ({
  ...world,
  files: { ...files, [`${CWD}/rollcall.toml`]: toml },
});

/** The faults as they are printed; none when the configuration loads. */
export function faultsIn(world: World): string[] {
  const loaded = loadIn(world);
  return "faults" in loaded ? loaded.faults.map(formatFault) : [];
}

/** The configuration; a fault fails the test with the fault's text. */
export function configIn(world: World): Config {
  const loaded = loadIn(world);
  if ("faults" in loaded) throw new Error(loaded.faults.map(formatFault).join("\n"));
  return loaded.config;
}
