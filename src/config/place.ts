// What the rules between keys work with: the place of a value in what was written, and the names of keys in the
// program. Knows how to point at the right line, not what is wrong.

import type Type from "typebox";
import type { TSchema } from "typebox";
import type { Path } from "./fault.ts";
import type { Surroundings } from "./surroundings.ts";

/** Where a value was written. Every path begins there. */
export interface ConfigPlace {
  readonly path: Path;
  /** The place of the whole configuration. */
  readonly whole: ConfigPlace;
  readonly surroundings: Surroundings;
  /** A fault at a key that was written, or at the nearest table around it. */
  complain(path: Path, what: string, rule: string): void;
  /** A fault for a missing key; silent when the key is there but wrong, because that is already a fault. */
  miss(path: Path, rule: string): void;
  /** We report it, and it stops nothing. */
  warn(path: Path, what: string, rule: string): void;
  isWritten(path: Path): boolean;
  /** The names in a table as it was written, also those of faulty values; null: something else stands there. */
  names(path: Path): readonly string[] | null;
  /** The text of a key as it was written. */
  text(path: Path): string;
  /** The text of a PEM file that a key names; null after a fault. `secret`: it must never be shown. */
  pem(path: Path, file: string, secret: boolean): string | null;
}

/** `integration_key` is `integrationKey` in the program. */
export type CamelCase<Key extends PropertyKey> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

export const camelCase = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

interface Inherited {
  readonly inherited: true;
}

/** What the program gets for a table. */
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
