// Reads the secrets of a command from standard input, so that neither the list of processes nor the history of the
// shell shows them.

import { resolve } from "node:path";
import type { Io } from "../io.ts";

/** What a person types instead of a secret. */
const FROM_INPUT = "-";

/**
 * Returns the value of a field as it is sent. It reads the secret from standard input where `-` was typed instead, or
 * `KEY=-` in a list.
 */
export async function withTyped(io: Io, field: string, given: unknown): Promise<unknown> {
  if (given === FROM_INPUT) return await typedSecret(io, field);
  return Array.isArray(given) ? await typedWords(io, given.map(String)) : given;
}

/** Does that for words `KEY=VALUE`. The inputs of several words `KEY=-` are lines, in the order of the words. */
export async function typedWords(io: Io, given: readonly string[]): Promise<string[]> {
  const words: string[] = [];
  for (const word of given) {
    const key = word.endsWith(`=${FROM_INPUT}`) ? word.slice(0, -2) : null;
    words.push(key === null ? fromHere(word) : `${key}=${await typedSecret(io, key)}`);
  }
  return words;
}

/**
 * Makes the path in `KEY_file=PATH` absolute. It is relative to the directory of this command, and the service may run
 * in another one.
 */
const fromHere = (word: string): string =>
  word.replace(/^([a-z_]+_file)=(.+)$/s, (_, key: string, path: string) => `${key}=${resolve(path)}`);

async function typedSecret(io: Io, field: string): Promise<string> {
  if (io.input.isTerminal) io.err(`${field} (it is not shown):`);
  return (await io.input.read()) ?? "";
}
