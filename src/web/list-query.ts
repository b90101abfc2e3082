// A list that its address narrows: which part, of which application, from where on. The rest is left out.

import { isRefusal } from "../domain/errors.ts";
import type { Engine } from "../engine/engine.ts";
import { maySee, type Viewer } from "./viewer.ts";

export interface ListQuery<Part extends string> {
  readonly show: Part;
  /** A slug; empty: all. */
  readonly app: string;
  /** Only what is older than this number; null: from the newest. */
  readonly before: number | null;
}

export type NarrowedList<Part extends string> = ReturnType<typeof narrowedList<Part>>;

const TEXT_LENGTH = 200;

/** What an address says under this name, cut where no one writes so much; empty: nothing. */
export const textIn = (search: URLSearchParams, name: string): string =>
  (search.get(name) ?? "").trim().slice(0, TEXT_LENGTH);

/** A number from 1 on; null: it says none. */
export function numberIn(search: URLSearchParams, name: string): number | null {
  const number = Number(search.get(name));
  return Number.isSafeInteger(number) && number > 0 ? number : null;
}

/** The word, or the first of all when it is none of them. */
export const oneOf = <Word extends string>(words: readonly Word[], search: URLSearchParams, name: string): Word =>
  words.find((one) => one === search.get(name)) ?? words[0]!;

/** The address without what is as usual: empty, null, or the first of its words. */
export function addressOf(
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

/** A list as its address and its head have it. `label`: what its parts are; the first has no word in the address. */
export function narrowedList<Part extends string>(at: string, label: string, words: Readonly<Record<Part, string>>) {
  const parts = Object.keys(words) as Part[];
  return {
    at,
    label,
    parts,
    words,
    read: (search: URLSearchParams): ListQuery<Part> => ({
      show: oneOf(parts, search, "show"),
      app: textIn(search, "app"),
      before: numberIn(search, "before"),
    }),
    path: ({ show, app, before }: ListQuery<Part>): string => addressOf(at, { show: [show, parts], app, before }),
  };
}

// Which applications a viewer may see, for lists that can be narrowed to one.

/** By slug. */
export function applicationsFor(engine: Engine, viewer: Viewer): string[] {
  const listed = engine.as("host").operate("app list", {});
  return isRefusal(listed) ? [] : listed.applications.map(({ slug }) => slug).filter((slug) => maySee(viewer, slug));
}

/** What a list is narrowed to; null: nothing keeps anything from this viewer. `app` empty: all that they may see. */
export function narrowedTo(viewer: Viewer, app: string): readonly string[] | null {
  if (app === "") return viewer.applications;
  return maySee(viewer, app) ? [app] : [];
}
