// How a list is narrowed: a part of it by link, an application by a plain form. Both stand in the address.

import type { ListQuery, NarrowedList } from "../list-query.ts";

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

// The fields of a plain form by which a list is searched and narrowed. What they choose stands in the address.

/** `null` where there is one application alone: choosing it says nothing. */
export const ApplicationChoice = ({
  applications,
  chosen,
}: {
  applications: readonly string[];
  chosen: string | null;
}) =>
  applications.length < 2 ? null : (
    <label>
      <span class="unseen">Application</span>
      <select name="app">
        <option value="">all applications</option>
        {applications.map((slug) => (
          <option key={slug} value={slug} selected={slug === chosen}>
            {slug}
          </option>
        ))}
      </select>
    </label>
  );

/** `label`: what is searched. `hint`: the words in the empty field; `/` is its key. */
export const SearchField = ({ label, hint, text }: { label: string; hint: string; text: string }) => (
  <label>
    <span class="unseen">{label}</span>
    <input type="search" name="find" value={text} placeholder={`${hint}  /`} autocomplete="off" />
  </label>
);

export const ShowButton = () => (
  <button type="submit" class="button is-plain">
    Show
  </button>
);

/** For the link of what is shown now. */
export const current = (is: boolean) => (is ? { "aria-current": "true" as const } : {});
