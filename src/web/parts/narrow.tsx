// Draws the links and the form that narrow a list to one of its parts, such as the incidents that are open, and to one
// application. It also draws the links to the list's other pages. The address of the page holds every choice.

import { grouped } from "../../domain/wording/spoken-time.ts";
import type { ListQuery, NarrowedList } from "../list-query.ts";
import { Submit } from "./act.tsx";

interface NarrowProps<Part extends string> {
  readonly list: NarrowedList<Part>;
  readonly query: ListQuery<Part>;
  readonly applications: readonly string[];
}

export const Narrow = <Part extends string>({ list, query, applications }: NarrowProps<Part>) => (
  <div class="filters">
    <Chips
      label={list.label}
      of={list.parts}
      words={list.words}
      chosen={query.show}
      path={(show) => list.path({ ...query, show, before: null })}
    />
    {applications.length < 2 ? null : (
      <form class="find" method="get" action={list.at}>
        {query.show === list.parts[0] ? null : <input type="hidden" name="show" value={query.show} />}
        <ApplicationChoice applications={applications} chosen={query.app} />
        <ShowButton />
      </form>
    )}
  </div>
);

interface ChipsProps<Part extends string> {
  readonly label: string;
  readonly of: readonly Part[];
  readonly words: Readonly<Record<Part, string>>;
  readonly chosen: Part;
  readonly path: (part: Part) => string;
  /** How many items each part has; absent when the numbers are not shown. */
  readonly counts?: Readonly<Record<Part, number>>;
}

export const Chips = <Part extends string>({ label, of, words, chosen, path, counts }: ChipsProps<Part>) => (
  <nav class="chips" aria-label={label}>
    {of.map((part) => (
      <a key={part} class="chip" href={path(part)} {...current(part === chosen)}>
        {words[part]}
        {counts === undefined ? null : (
          <>
            {" "}
            <small>{grouped(counts[part])}</small>
          </>
        )}
      </a>
    ))}
  </nav>
);

interface PagerProps {
  readonly page: number;
  readonly pages: number;
  readonly path: (page: number) => string;
  readonly words: readonly [before: string, after: string];
}

export const Pager = ({ page, pages, path, words: [before, after] }: PagerProps) =>
  pages === 1 ? null : (
    <nav class="pager" aria-label="Pages of jobs">
      {page === 1 ? <span>{before}</span> : <a href={path(page - 1)}>{before}</a>}
      <span>
        page {page} of {pages}
      </span>
      {page === pages ? <span>{after}</span> : <a href={path(page + 1)}>{after}</a>}
    </nav>
  );

/**
 * The links to other pages of a list. `newest` is `null` when this page is the newest; `older` is `null` when there are
 * no older items.
 */
export const Further = ({ newest, older }: { newest: string | null; older: string | null }) =>
  newest === null && older === null ? null : (
    <nav class="pager" aria-label="Further back">
      {newest === null ? <span>Newest</span> : <a href={newest}>Newest</a>}
      {older === null ? <span>Older</span> : <a href={older}>Older</a>}
    </nav>
  );

// Draws the fields of a plain form by which a list is searched and narrowed. The address holds what they choose.

interface SelectProps {
  readonly name: string;
  readonly label: string;
  readonly chosen: string;
  readonly of: readonly (readonly [value: string, words: string])[];
  /** The words of the entry that chooses nothing; absent when one of the values is always chosen. */
  readonly none?: string;
}

export const Select = ({ name, label, chosen, of, none }: SelectProps) => (
  <label>
    <span class="unseen">{label}</span>
    <select name={name}>
      {none === undefined ? null : <option value="">{none}</option>}
      {of.map(([value, words]) => (
        <option key={value} value={value} selected={value === chosen}>
          {words}
        </option>
      ))}
    </select>
  </label>
);

/** The field that chooses an application. With a single application it is not drawn, because there is no choice. */
export const ApplicationChoice = ({ applications, chosen }: { applications: readonly string[]; chosen: string }) =>
  applications.length < 2 ? null : (
    <Select
      name="app"
      label="Application"
      chosen={chosen}
      of={applications.map((slug) => [slug, slug])}
      none="all applications"
    />
  );

/**
 * The field for a search. `label` says what is searched. While the field is empty it shows `hint` and then `/`, the key
 * that moves the cursor there.
 */
export const SearchField = ({ label, hint, text }: { label: string; hint: string; text: string }) => (
  <label>
    <span class="unseen">{label}</span>
    <input type="search" name="find" value={text} placeholder={`${hint}  /`} autocomplete="off" />
  </label>
);

export const ShowButton = () => <Submit kind="plain">Show</Submit>;

export const current = (is: boolean) => (is ? { "aria-current": "true" as const } : {});
