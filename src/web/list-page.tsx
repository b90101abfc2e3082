// Reads and draws a list in sections, one for each state of its items. The page's address can narrow the list to one
// state, one application or older items. The pages of incidents and of deliveries use it.

import type { Child } from "hono/jsx";
import type { InPieces } from "../domain/in-pieces.ts";
import { pageResponse } from "./document.tsx";
import { applicationsFor, type ListQuery, type NarrowedList, narrowedTo } from "./list-query.ts";
import { Live, livePath, Part, type Shown } from "./live/live-part.tsx";
import { headlineTitle, type Saying } from "./parts/headline.tsx";
import type { Clocked } from "./parts/moment.tsx";
import { Further, Narrow } from "./parts/narrow.tsx";
import type { Asking } from "./signed-in.ts";
import { zoneOf } from "./viewer-zone.ts";

type SectionRead<Row> = Readonly<{
  rows: readonly Row[];
  /** Items with a number below this one are older and not in `rows`; `null` when there are none. */
  older: number | null;
}>;

type StateOf<Part extends string> = Exclude<Part, "all">;

interface ListAsked<Part extends string> {
  readonly state: StateOf<Part>;
  /** The slugs of the applications to read; `null` for all. */
  readonly applications: readonly string[] | null;
  readonly before: number;
  readonly limit: number;
}

export type ReadList<Part extends string, Row> = Clocked & {
  readonly query: ListQuery<Part>;
  readonly sections: readonly (SectionRead<Row> & { readonly state: StateOf<Part> })[];
};

/**
 * Reads one section for each state, or only the section of the state that the address asks for. Each step may throw
 * SQLite's errors.
 */
export function* readList<Part extends string, Row>(
  { engine, viewer, search, request }: Asking,
  list: NarrowedList<Part>,
  limits: { readonly each: number; readonly alone: number },
  read: (asked: ListAsked<Part>) => SectionRead<Row>,
): InPieces<ReadList<Part, Row>> {
  const query = list.read(search);
  const states = list.parts.filter((part) => part !== "all" && (query.show === "all" || query.show === part));
  const asked = {
    applications: narrowedTo(viewer, query.app),
    before: query.before ?? Number.MAX_SAFE_INTEGER,
    limit: states.length === 1 ? limits.alone : limits.each,
  };
  const sections: ReadList<Part, Row>["sections"][number][] = [];
  for (const state of states as StateOf<Part>[]) {
    sections.push({ state, ...read({ state, ...asked }) });
    yield;
  }
  const { now, timezone } = engine.views.viewContext();
  return { query, sections, now, timezone: zoneOf(request, timezone) };
}

/** The id of the section of a state: `incidents-open` in the list at `/incidents`. */
const sectionId = ({ at }: { readonly at: string }, state: string): string => `${at.slice(1)}-${state}`;

/** Draws the page of a list: the headline, then `above`, the links that narrow the list, and its sections. */
export function listPage<Part extends string>(
  asking: Asking,
  list: NarrowedList<Part>,
  query: ListQuery<Part>,
  saying: Saying,
  shown: Shown,
  above: Child = null,
): Response {
  const path = list.path(query);
  return pageResponse(
    asking,
    { title: headlineTitle(saying), tone: saying.tone, path },
    <Live path={livePath(path, shown)}>
      <Part of={shown} id="headline" />
      {above}
      <Narrow list={list} query={query} applications={applicationsFor(asking.engine, asking.viewer)} />
      {[...shown.parts.keys()].map((id) =>
        id.startsWith(sectionId(list, "")) ? <Part key={id} of={shown} id={id} /> : null,
      )}
    </Live>,
  );
}

/**
 * Draws the sections of a list, each under its id. `nothing` has the words for a state without items. `quiet` is a
 * state whose section is hidden while it is empty, unless the address asks for that state.
 */
export const sectionParts = <Part extends string, Row>(
  list: NarrowedList<Part>,
  { query, sections, ...shown }: ReadList<Part, Row>,
  nothing: Readonly<Record<StateOf<Part>, string>>,
  row: (row: Row, shown: Clocked) => Child,
  quiet: StateOf<Part> | null = null,
) =>
  Object.fromEntries(
    sections.map(({ state, rows, older }) => [
      sectionId(list, state),
      <section
        id={sectionId(list, state)}
        class="group"
        aria-label={list.words[state]}
        hidden={state === quiet && rows.length === 0 && query.show === "all"}
      >
        <h2 class="group-head">{list.words[state]}</h2>
        {rows.length === 0 ? (
          <p class="nothing">{older === null ? nothing[state] : "None among those looked at; there are older ones."}</p>
        ) : null}
        <ul class="entries">{rows.map((one) => row(one, shown))}</ul>
        <Further
          newest={query.before === null ? null : list.path({ ...query, before: null })}
          older={older === null ? null : list.path({ ...query, show: state, before: older })}
        />
      </section>,
    ]),
  );
