// This executable: its version, stamped in when it is compiled (a release's, else that of package.json), and how it
// runs itself again. An upgrade may have replaced the file since: what runs now is meant.

import { version } from "../../package.json" with { type: "json" };

/** Only `make dist` defines it. */
declare const ROLLCALL_VERSION: string | undefined;

export const VERSION: string = typeof ROLLCALL_VERSION === "string" ? ROLLCALL_VERSION : version;

/** Where the files of a compiled executable appear to be. */
const COMPILED = "/$bunfs/";

/** Not run from its source. */
export const isCompiled = (): boolean => Bun.main.startsWith(COMPILED);

export function executableCommand(): readonly [string, ...string[]] {
  if (!isCompiled()) return [process.execPath, Bun.main];
  return process.platform === "linux" ? ["/proc/self/exe"] : [process.execPath];
}

/** What other programs may read of our environment: no configuration of ours, since that may hold secrets. */
export const environmentForOthers = (): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("ROLLCALL_")));

/** What programs that get alerts may read of it: nothing that may be a secret. */
export const plainEnvironment = (): Readonly<Record<string, string | undefined>> => {
  const { PATH, HOME, USER, LANG, TZ } = process.env;
  return { PATH, HOME, USER, LANG, TZ };
};

/** Where other programs find the executable, also after an upgrade. Run from its source it is not installed. */
export const installedAs = (): string => (isCompiled() ? process.execPath : "/usr/local/bin/rollcall");
