// A list that its address narrows: which part of it, of which application, and from where on. Everything in an address
// that is not understood is left out.

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

/** A list as its address and its head have it. */
export interface NarrowedList<Part extends string> {
  /** Its address without a search. */
  readonly at: string;
  /** What its parts are. */
  readonly label: string;
  /** Its first part is the one without a word in the address. */
  readonly parts: readonly Part[];
  readonly words: Readonly<Record<Part, string>>;
  read(search: URLSearchParams): ListQuery<Part>;
  /** The address without what is as usual. */
  path(query: ListQuery<Part>): string;
}

const SLUG_LENGTH = 100;

export function narrowedList<Part extends string>(
  at: string,
  label: string,
  words: Readonly<Record<Part, string>>,
): NarrowedList<Part> {
  const parts = Object.keys(words) as Part[];
  const usual = parts[0]!;
  return {
    at,
    label,
    parts,
    words,
    read: (search) => {
      const before = Number(search.get("before"));
      return {
        show: parts.find((part) => part === search.get("show")) ?? usual,
        app: (search.get("app") ?? "").slice(0, SLUG_LENGTH),
        before: Number.isSafeInteger(before) && before > 0 ? before : null,
      };
    },
    path: ({ show, app, before }) => {
      const search = new URLSearchParams({
        ...(show === usual ? {} : { show }),
        ...(app === "" ? {} : { app }),
        ...(before === null ? {} : { before: String(before) }),
      }).toString();
      return search === "" ? at : `${at}?${search}`;
    },
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
