// What the configuration is read from, passed in so that reading itself touches no disk and no process.

import { resolve } from "node:path";

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Relative paths start here, in whatever place they were written. */
  readonly cwd: string;
  /** The text of the file; throws an error with a `code` (`ENOENT`, `EACCES`) when it cannot be read. */
  readonly readFile: (path: string) => string;
  /** The same of a file that nobody has named; throws a `Stranger` where it must not count. */
  readonly readFound: (path: string) => string;
  /** Whose user may read a file that this one may not, by name; null, or left out: it is not known. */
  readonly readerOf?: (path: string) => string | null;
}

/** Somebody else could have put the file there, or could change it. The message says who, and ends a sentence. */
export class Stranger extends Error {}

export type Text = { readonly text: string } | { readonly code: string };

/** The file's text, or the system's code for why it cannot be read. */
export function readText(surroundings: Pick<Surroundings, "cwd" | "readFile">, path: string): Text {
  try {
    return { text: surroundings.readFile(resolve(surroundings.cwd, path)) };
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "string") return { code: error.code };
    throw error;
  }
}
