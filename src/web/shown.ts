// Cleans text that callers chose, such as names of jobs, before a page shows it: invisible characters and those that
// reverse the direction of text are removed. Templates escape the text.

import { MESSAGE_LENGTH, NAME_LENGTH } from "../domain/limits.ts";
import { cleanLine, cleanLines } from "../domain/text.ts";

/** A job's name as a page shows it. It is never empty, because a link without words could not be clicked. */
export const nameOnPage = ({ name, key }: { readonly name: string; readonly key: string }): string =>
  cleanLine(name, NAME_LENGTH) || cleanLine(key, NAME_LENGTH) || "(no name)";

type NamesakeJob = Readonly<{ name: string; application: string; key: string }>;

/**
 * The property that distinguishes a job from others of the same name: its application if that is enough, otherwise its
 * key. `null` when no other job has its name.
 */
export type ToldApart = "application" | "key" | null;

/** Returns a function that says what distinguishes each of `these` from its namesakes among `all`. */
export function tellingNamesakesApart(these: readonly Pick<NamesakeJob, "name">[], all: readonly NamesakeJob[]) {
  const names = new Map(these.map(({ name }) => [name, [] as string[]]));
  for (const { name, application } of all) names.get(name)?.push(application);
  return ({ name, application }: Omit<NamesakeJob, "key">): ToldApart => {
    const applications = names.get(name) ?? [];
    if (applications.length < 2) return null;
    return applications.filter((one) => one === application).length > 1 ? "key" : "application";
  };
}

export const pageLine = (text: string): string => cleanLine(text, MESSAGE_LENGTH);

export const pageLines = (text: string): string => cleanLines(text, MESSAGE_LENGTH);
