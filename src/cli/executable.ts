// Facts about this executable: its version, and how it starts itself again. The version is that of the release, or of
// package.json in other builds. On Linux a compiled executable starts the running version again, even after an upgrade
// has replaced the file.

import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { shellQuoted } from "../domain/text.ts";
import { orElse } from "../domain/unless-missing.ts";

/** Defined only in a release, which `make dist` compiles. */
declare const ROLLCALL_VERSION: string | undefined;

export const VERSION: string = typeof ROLLCALL_VERSION === "string" ? ROLLCALL_VERSION : version;

/** The directory in which a compiled executable sees its own files. */
const COMPILED = "/$bunfs/";

/** Returns false when rollcall runs from its source. */
const isCompiled = (): boolean => Bun.main.startsWith(COMPILED);

export function executableCommand(): readonly [string, ...string[]] {
  if (!isCompiled()) return [process.execPath, Bun.main];
  return process.platform === "linux" ? ["/proc/self/exe"] : [process.execPath];
}

/** Returns the environment for programs that we start: without our configuration, which may hold secrets. */
export const environmentForOthers = (): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("ROLLCALL_")));

/** Returns the environment for programs that get alerts: only variables that are never secret. */
export const plainEnvironment = (): Readonly<Record<string, string | undefined>> => {
  const { PATH, HOME, USER, LANG, TZ } = process.env;
  return { PATH, HOME, USER, LANG, TZ };
};

/**
 * Returns the path under which other programs find rollcall, even after an upgrade. When rollcall runs from its source,
 * that is where `make install` puts it.
 */
export const installedAs = (): string => (isCompiled() ? process.execPath : "/usr/local/bin/rollcall");

/**
 * Returns how a person here must call this executable: `rollcall` if the search path leads to it, otherwise by its
 * path.
 */
export const programHere = (): string =>
  isCompiled() ? programFor(installedAs(), foundOnPath("rollcall"), process.cwd()) : "rollcall";

export function programFor(executable: string, found: string | null, cwd: string): string {
  if (found === executable) return "rollcall";
  const near = relative(cwd, executable);
  const isBelow = near !== "" && !near.startsWith("..");
  return shellQuoted(isBelow ? (near.includes("/") ? near : `./${near}`) : executable);
}

/** Returns the file that a shell would run for this name; `null` when the search path has none. */
export const foundOnPath = (name: string): string | null => orElse(null, () => realpathSync(Bun.which(name) ?? ""));
