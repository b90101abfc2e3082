// Reads the secrets of a command from standard input, so that neither the list of processes nor the history of the
// shell shows them.

import { resolve } from "node:path";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { Io } from "../io.ts";

/** A person types this instead of a secret, which is then read from standard input. */
const FROM_INPUT = "-";

/**
 * Returns the value of a field as it is sent, or a refusal when the input is empty. It reads the secret from standard
 * input where `-` was typed instead, or `KEY=-` in a list.
 */
export async function withTyped(io: Io, field: string, given: unknown): Promise<unknown> {
  if (given === FROM_INPUT) return await typedSecret(io, field);
  return Array.isArray(given) ? await typedWords(io, given.map(String)) : given;
}

/** Does that for words `KEY=VALUE`. The inputs of several words `KEY=-` are lines, in the order of the words. */
export async function typedWords(io: Io, given: readonly string[]): Promise<string[] | Refusal> {
  const words: string[] = [];
  for (const word of given) {
    const [, key] = /^([a-z_]+)=-$/.exec(word) ?? [];
    if (key === undefined) {
      words.push(fromHere(word));
      continue;
    }
    const secret = await typedSecret(io, key);
    if (isRefusal(secret)) return secret;
    words.push(`${key}=${secret}`);
  }
  return words;
}

/**
 * Makes the path in `KEY_file=PATH` absolute. It is relative to the directory of this command, and the service may run
 * in another one.
 */
const fromHere = (word: string): string =>
  word.replace(/^([a-z_]+_file)=(.+)$/s, (_, key: string, path: string) => `${key}=${resolve(path)}`);

/** Nothing is no secret, because an empty value would remove the one that is kept. */
async function typedSecret(io: Io, field: string): Promise<string | Refusal> {
  if (io.input.isTerminal) io.err(`${field} (it is not shown):`);
  const secret = await io.input.read();
  return secret ? secret : refuse("INVALID_REQUEST", `${field}: the input has no line for it`);
}
