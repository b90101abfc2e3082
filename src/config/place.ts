// Declares what the reader of the configuration is given, so that tests can replace it. `ConfigPlace` is the place in
// the tree at which a rule about several keys is checked; `Surroundings` are the environment and the files.

import { resolve } from "node:path";
import type Type from "typebox";
import type { TSchema } from "typebox";
import { codeOf } from "../domain/unless-missing.ts";
import type { Path } from "./fault.ts";

export interface ConfigPlace {
  readonly path: Path;
  readonly whole: ConfigPlace;
  readonly surroundings: Surroundings;
  /** Reports a fault of a key. The fault's place is where the key was written, or else the nearest table around it. */
  complain(path: Path, what: string, rule: string): void;
  /** Reports a missing key, unless it was written with a fault, because that fault is reported already. */
  miss(path: Path, rule: string): void;
  warn(path: Path, what: string, rule: string): void;
  isWritten(path: Path): boolean;
  /** The names written in a table, also those whose values have a fault; `null` when the value is no table. */
  names(path: Path): readonly string[] | null;
  text(path: Path): string;
  /**
   * The text of the PEM file that a key names; `null` when it cannot be read, which is reported. `secret` says that the
   * text must never be shown.
   */
  pem(path: Path, file: string, secret: boolean): string | null;
}

/** The name that the program uses for a key: `integration_key` becomes `integrationKey`. */
export type CamelCase<Key extends PropertyKey> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

export const camelCaseKey = (key: string): string =>
  key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

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
  /** The directory from which relative paths are resolved, even those in a configuration file elsewhere. */
  readonly cwd: string;
  /** The text of the file; throws an error with a `code` (`ENOENT`, `EACCES`) when it cannot be read. */
  readonly readFile: (path: string) => string;
  /**
   * The text of a configuration file in a usual place, which the operator did not name. Throws an `UntrustedFile` when
   * another user could have written it.
   */
  readonly readFound: (path: string) => string;
  /** The name of a user who may read a file that this user may not read; `null` when it is not known. */
  readonly readerOf?: (path: string) => string | null;
}

/**
 * The error when another user could have written or could change a configuration file that the operator did not name.
 * Its message says who, as the end of a sentence.
 */
export class UntrustedFile extends Error {}

export type Text = { readonly text: string } | { readonly code: string };

/** Returns the text of a file. If the file cannot be read, it returns the system's error code, such as `ENOENT`. */
export function readConfigText(surroundings: Pick<Surroundings, "cwd" | "readFile">, path: string): Text {
  try {
    return { text: surroundings.readFile(resolve(surroundings.cwd, path)) };
  } catch (error) {
    const code = codeOf(error);
    if (code === null) throw error;
    return { code };
  }
}
