// How the list is narrowed, grouped and sorted: a plain form, whose fields stand in the address.

import { current, SearchField, ShowButton } from "../parts/find.tsx";
import type { Overview } from "./model.ts";
import { GROUPS, type OverviewQuery, overviewPath, SHOWN, SORTS } from "./query.ts";

const SHOW_WORDS: Readonly<Record<OverviewQuery["show"], string>> = {
  all: "All",
  trouble: "Attention",
  late: "Late",
  waiting: "Waiting",
  well: "Well",
  paused: "Paused",
};

const SORT_WORDS: Readonly<Record<OverviewQuery["sort"], string>> = {
  trouble: "trouble first",
  name: "by name",
  last: "last report first",
  next: "next first",
};

const GROUP_WORDS: Readonly<Record<OverviewQuery["group"], string>> = {
  application: "by application",
  source: "by source",
  environment: "by environment",
  owner: "by owner",
};

export const Filters = ({ query, counts }: Pick<Overview, "query" | "counts">) => (
  <div id="filters" class="filters">
    <nav class="chips" aria-label="Which jobs">
      {SHOWN.filter((show) => counts[show] > 0 || show === query.show).map((show) => (
        <a key={show} class="chip" href={overviewPath({ ...query, show, page: 1 })} {...current(show === query.show)}>
          {SHOW_WORDS[show]} <small>{counts[show]}</small>
        </a>
      ))}
    </nav>
    <form class="find" method="get" action="/">
      {query.show === "all" ? null : <input type="hidden" name="show" value={query.show} />}
      <Choice name="group" label="Group" words={GROUP_WORDS} of={GROUPS} chosen={query.group} />
      <Choice name="sort" label="Sort" words={SORT_WORDS} of={SORTS} chosen={query.sort} />
      <SearchField label="Search by name or key" hint="Search" text={query.find} />
      <ShowButton />
    </form>
  </div>
);

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly words: Readonly<Record<string, string>>;
  readonly of: readonly string[];
  readonly chosen: string;
}

const Choice = ({ name, label, words, of, chosen }: ChoiceProps) => (
  <label>
    <span class="unseen">{label}</span>
    <select name={name}>
      {of.map((word) => (
        <option key={word} value={word} selected={word === chosen}>
          {words[word]}
        </option>
      ))}
    </select>
  </label>
);
