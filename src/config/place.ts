// Two interfaces: what a rule between keys may ask and report (`ConfigPlace`), and what reading needs of the process
// and the disk (`Surroundings`). Both are passed in, so that tests need neither.

import { resolve } from "node:path";
import type Type from "typebox";
import type { TSchema } from "typebox";
import { codeOf } from "../domain/unless-missing.ts";
import type { Path } from "./fault.ts";

export interface ConfigPlace {
  readonly path: Path;
  readonly whole: ConfigPlace;
  readonly surroundings: Surroundings;
  /** Reports a fault at a key that was written, or at the nearest table around it. */
  complain(path: Path, what: string, rule: string): void;
  /** Reports a missing key; silent when the key is there but wrong, because that is already a fault. */
  miss(path: Path, rule: string): void;
  /** Reports a warning, which does not stop the reading. */
  warn(path: Path, what: string, rule: string): void;
  isWritten(path: Path): boolean;
  /** The names in a table as it was written, also those of faulty values; `null` when the value is no table. */
  names(path: Path): readonly string[] | null;
  text(path: Path): string;
  /** The text of a PEM file that a key names; `null` after a fault. `secret` says that the text must never be shown. */
  pem(path: Path, file: string, secret: boolean): string | null;
}

/** The program's name of a key: `integration_key` becomes `integrationKey`. */
export type CamelCase<Key extends PropertyKey> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

export const camelCase = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

type Inherited = Readonly<{ inherited: true }>;

export type Fields<P extends Type.TProperties> = Flat<
  {
    readonly [Key in keyof P as P[Key] extends Inherited ? never : CamelCase<Key>]:
      | Type.Static<P[Key]>
      | (P[Key] extends Type.TOptional<TSchema> ? null : never);
  } & {
    readonly [Key in keyof P as P[Key] extends Inherited ? CamelCase<Key> : never]?: Type.Static<P[Key]>;
  }
>;

type Flat<T> = { readonly [Key in keyof T]: T[Key] };

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The directory where relative paths begin, wherever they were written. */
  readonly cwd: string;
  /** The text of the file; throws an error with a `code` (`ENOENT`, `EACCES`) when it cannot be read. */
  readonly readFile: (path: string) => string;
  /** The text of one of the usual files; throws a `Stranger` when the file must not count. */
  readonly readFound: (path: string) => string;
  /** The name of a user who may read a file that this user may not; `null`, or absent, when it is not known. */
  readonly readerOf?: (path: string) => string | null;
}

/**
 * The error when another user could have put the file there, or could change it. The message says who, as the end of a
 * sentence.
 */
export class Stranger extends Error {}

export type Text = { readonly text: string } | { readonly code: string };

/** The file's text, or the system's code for the reason why it cannot be read. */
export function readText(surroundings: Pick<Surroundings, "cwd" | "readFile">, path: string): Text {
  try {
    return { text: surroundings.readFile(resolve(surroundings.cwd, path)) };
  } catch (error) {
    const code = codeOf(error);
    if (code === null) throw error;
    return { code };
  }
}
