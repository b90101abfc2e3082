// How a list is narrowed: a part of it by link, an application by a plain form. Both stand in the address.

import type { ListQuery, NarrowedList } from "../list-query.ts";
import { ApplicationChoice, current, ShowButton } from "./find.tsx";

interface NarrowProps<Part extends string> {
  readonly list: NarrowedList<Part>;
  readonly query: ListQuery<Part>;
  readonly applications: readonly string[];
}

export const Narrow = <Part extends string>({ list, query, applications }: NarrowProps<Part>) => (
  <div class="filters">
    <nav class="chips" aria-label={list.label}>
      {list.parts.map((show) => (
        <a key={show} class="chip" href={list.path({ ...query, show, before: null })} {...current(show === query.show)}>
          {list.words[show]}
        </a>
      ))}
    </nav>
    {applications.length < 2 ? null : (
      <form class="find" method="get" action={list.at}>
        {query.show === list.parts[0] ? null : <input type="hidden" name="show" value={query.show} />}
        <ApplicationChoice applications={applications} chosen={query.app} />
        <ShowButton />
      </form>
    )}
  </div>
);

/** `newest` and `older` null: this is the one, or there are none. */
export const Further = ({ newest, older }: { newest: string | null; older: string | null }) =>
  newest === null && older === null ? null : (
    <nav class="pager" aria-label="Further back">
      {newest === null ? <span>Newest</span> : <a href={newest}>Newest</a>}
      {older === null ? <span>Older</span> : <a href={older}>Older</a>}
    </nav>
  );
