// Text that callers chose, as pages show it: in its right direction, without what cannot be seen. Templates escape it.

import { MESSAGE_LENGTH, NAME_LENGTH } from "../domain/limits.ts";
import { cleanLine, cleanLines } from "../domain/text.ts";

/** A job's name; never empty, because it is a link. */
export const shownName = ({ name, key }: { readonly name: string; readonly key: string }): string =>
  cleanLine(name, NAME_LENGTH) || cleanLine(key, NAME_LENGTH) || "(no name)";

interface NamesakeJob {
  readonly name: string;
}

/** Names of these that several of all jobs have: only their keys tell these apart. */
export function namesakesOf(these: readonly NamesakeJob[], all: readonly NamesakeJob[]): ReadonlySet<string> {
  const asked = new Set(these.map(({ name }) => name));
  const seen = new Set<string>();
  const namesakes = new Set<string>();
  for (const { name } of all) if (asked.has(name)) (seen.has(name) ? namesakes : seen).add(name);
  return namesakes;
}

export const shownLine = (text: string): string => cleanLine(text, MESSAGE_LENGTH);

export const shownLines = (text: string): string => cleanLines(text, MESSAGE_LENGTH);
