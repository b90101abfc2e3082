// Reads and writes the addresses of lists: which part of the list, which application, and below which number of an item
// the list begins. Any other parameter of an address is ignored.

import { isRefusal } from "../domain/errors.ts";
import type { Engine } from "../engine/engine.ts";
import { type Viewer, viewerMaySee } from "./viewer.ts";

export interface ListQuery<Part extends string> {
  readonly show: Part;
  /** The slug of an application; empty for all. */
  readonly app: string;
  /** Only items with a lower number are listed; `null` to begin with the newest. */
  readonly before: number | null;
}

export type NarrowedList<Part extends string> = ReturnType<typeof narrowedList<Part>>;

const TEXT_LENGTH = 200;

/**
 * The value of a parameter; empty when the parameter is absent. It is cut at 200 characters: no person would write
 * more.
 */
export const textParameter = (search: URLSearchParams, name: string): string =>
  (search.get(name) ?? "").trim().slice(0, TEXT_LENGTH);

/** The value of a parameter as a whole number above 0; `null` when it is absent or anything else. */
export function numberParameter(search: URLSearchParams, name: string): number | null {
  const number = Number(search.get(name));
  return Number.isSafeInteger(number) && number > 0 ? number : null;
}

/** The value of a parameter if it is one of `words`, otherwise the first of them. */
export const wordParameter = <Word extends string>(
  words: readonly Word[],
  search: URLSearchParams,
  name: string,
): Word => words.find((one) => one === search.get(name)) ?? words[0]!;

/**
 * Writes an address: the path `at`, with the fields as parameters. A field is left out when it is empty or `null`. A
 * `word` is also left out when it is the first of its `words`, because `wordParameter` returns the first word when the
 * parameter is absent.
 */
export function pathWithQuery(
  at: string,
  fields: Readonly<Record<string, string | number | null | readonly [word: string, words: readonly string[]]>>,
): string {
  const search = new URLSearchParams();
  for (const [name, field] of Object.entries(fields)) {
    const value = Array.isArray(field) ? (field[0] === field[1][0] ? "" : field[0]) : field;
    if (value !== null && value !== "") search.set(name, String(value));
  }
  return search.size === 0 ? at : `${at}?${search}`;
}

/**
 * Describes a list with parts, such as open and past incidents. `at` is the path of the list, and `label` says what the
 * parts are. `words` has a name for each part. The parameter `show` of an address chooses the part; without it the
 * first part of `words` is shown.
 */
export function narrowedList<Part extends string>(at: string, label: string, words: Readonly<Record<Part, string>>) {
  const parts = Object.keys(words) as Part[];
  return {
    at,
    label,
    parts,
    words,
    read: (search: URLSearchParams): ListQuery<Part> => ({
      show: wordParameter(parts, search, "show"),
      app: textParameter(search, "app"),
      before: numberParameter(search, "before"),
    }),
    path: ({ show, app, before }: ListQuery<Part>): string => pathWithQuery(at, { show: [show, parts], app, before }),
  };
}

/** Returns the slugs of the applications that the viewer may see, sorted. */
export function applicationsFor(engine: Engine, viewer: Viewer): string[] {
  const listed = engine.as("host").operate("app list", {});
  return isRefusal(listed)
    ? []
    : listed.applications.map(({ slug }) => slug).filter((slug) => viewerMaySee(viewer, slug));
}

/**
 * The applications whose items a list shows; `null` for all applications. An empty `app` means each application that
 * the viewer may see.
 */
export function narrowedTo(viewer: Viewer, app: string): readonly string[] | null {
  if (app === "") return viewer.applications;
  return viewerMaySee(viewer, app) ? [app] : [];
}
