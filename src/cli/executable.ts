// This executable: its version, which is stamped in when it is compiled (a release's, else that of package.json), and
// how it runs itself again. An upgrade may have replaced the file since it started: the running one is meant.

import { version } from "../../package.json" with { type: "json" };

/** Only `make dist` defines this constant. */
declare const ROLLCALL_VERSION: string | undefined;

export const VERSION: string = typeof ROLLCALL_VERSION === "string" ? ROLLCALL_VERSION : version;

/** The directory in which the files of a compiled executable appear to be. */
const COMPILED = "/$bunfs/";

/** False when rollcall is run from its source. */
export const isCompiled = (): boolean => Bun.main.startsWith(COMPILED);

export function executableCommand(): readonly [string, ...string[]] {
  if (!isCompiled()) return [process.execPath, Bun.main];
  return process.platform === "linux" ? ["/proc/self/exe"] : [process.execPath];
}

/** The environment for other programs: without our configuration, since that may hold secrets. */
export const environmentForOthers = (): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("ROLLCALL_")));

/** The environment for programs that get alerts: without anything that may be a secret. */
export const plainEnvironment = (): Readonly<Record<string, string | undefined>> => {
  const { PATH, HOME, USER, LANG, TZ } = process.env;
  return { PATH, HOME, USER, LANG, TZ };
};

/**
 * The path where other programs find the executable, also after an upgrade. When it is run from its source, the
 * installed path is assumed.
 */
export const installedAs = (): string => (isCompiled() ? process.execPath : "/usr/local/bin/rollcall");
