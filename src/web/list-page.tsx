// A page with a list that its address narrows: a section for each state of what is listed, page by page.

import type { Child, PropsWithChildren } from "hono/jsx";
import { pageAnswer } from "./document.tsx";
import { applicationsFor, type ListQuery, type NarrowedList } from "./list-query.ts";
import { Live, livePath, Part, type Shown } from "./live/live-part.tsx";
import { type Saying, titleOf } from "./parts/headline.tsx";
import { Further, Narrow } from "./parts/narrow.tsx";
import type { Asking } from "./signed-in.ts";

export interface ShownSection<State extends string, Row> {
  readonly state: State;
  readonly rows: readonly Row[];
  /** Where older ones begin; null: there are none. */
  readonly older: number | null;
}

/** What its section of a state is called among the parts of the page. */
export const sectionId = ({ at }: { readonly at: string }, state: string): string => `${at.slice(1)}-${state}`;

/** `above`: what stands between the headline and the list. */
export function listPage<Part extends string>(
  asking: Asking,
  list: NarrowedList<Part>,
  query: ListQuery<Part>,
  saying: Saying,
  shown: Shown,
  above: Child = null,
): Response {
  const path = list.path(query);
  return pageAnswer(
    asking,
    { title: titleOf(saying), tone: saying.tone, path },
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

interface SectionProps<Part extends string> {
  readonly list: NarrowedList<Part>;
  readonly query: ListQuery<Part>;
  readonly section: ShownSection<string, unknown>;
  /** What the address says for this section alone. */
  readonly show: Part;
  readonly head: string;
  readonly nothing: string;
  readonly hidden?: boolean;
}

export const ListSection = <Part extends string>({
  list,
  query,
  section: { state, rows, older },
  show,
  head,
  nothing,
  hidden = false,
  children,
}: PropsWithChildren<SectionProps<Part>>) => (
  <section id={sectionId(list, state)} class="group" aria-label={head} hidden={hidden}>
    <h2 class="group-head">{head}</h2>
    {rows.length === 0 ? (
      <p class="nothing">{older === null ? nothing : "None among those looked at; there are older ones."}</p>
    ) : null}
    <ul class="entries">{children}</ul>
    <Further
      newest={query.before === null ? null : list.path({ ...query, before: null })}
      older={older === null ? null : list.path({ ...query, show, before: older })}
    />
  </section>
);
