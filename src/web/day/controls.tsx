// What part of the time and which jobs the day shows: links and a plain form, all of which stand in the address.

import { ApplicationChoice, current, SearchField, ShowButton } from "../parts/narrow.tsx";
import { neighbours } from "./axis.ts";
import type { DayView } from "./model.ts";
import { DAY_PATH, type DayQuery, dayPath, SHOWN, SPANS } from "./query.ts";

type ControlsProps = Pick<DayView, "query" | "counts" | "applications" | "now">;

const SPAN_WORDS: Readonly<Record<DayQuery["span"], string>> = { day: "Day", week: "Week" };
const SHOW_WORDS: Readonly<Record<DayQuery["show"], string>> = { all: "All", trouble: "Had trouble" };

export const Controls = ({ query, counts, applications, now }: ControlsProps) => {
  const { earlier, later } = neighbours(query, now);
  return (
    <div id="day-controls" class="filters day-controls">
      <nav class="chips" aria-label="How long">
        {SPANS.map((span) => (
          <a key={span} class="chip" href={dayPath({ ...query, span })} {...current(span === query.span)}>
            {SPAN_WORDS[span]}
          </a>
        ))}
      </nav>
      <nav class="chips" aria-label="When">
        <a class="chip" href={dayPath(earlier)} rel="prev">
          Earlier
        </a>
        <a class="chip" href={dayPath({ ...query, until: null })} {...current(query.until === null)}>
          Now
        </a>
        <a class="chip" href={dayPath(later)} rel="next">
          Later
        </a>
      </nav>
      <nav class="chips" aria-label="Which jobs">
        {SHOWN.map((show) => (
          <a key={show} class="chip" href={dayPath({ ...query, show, page: 1 })} {...current(show === query.show)}>
            {SHOW_WORDS[show]} <small>{counts[show]}</small>
          </a>
        ))}
      </nav>
      <form class="find" method="get" action={DAY_PATH}>
        <Kept query={query} />
        <ApplicationChoice applications={applications} chosen={query.app} />
        <SearchField label="Search by name or key" hint="Search" text={query.find} />
        <ShowButton />
      </form>
    </div>
  );
};

/** What a search leaves as it is. */
const Kept = ({ query }: { query: DayQuery }) => {
  const kept = new URL(dayPath({ ...query, find: "", app: "", page: 1 }), "http://localhost").searchParams;
  return (
    <>
      {[...kept].map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </>
  );
};

export const Pager = ({ query, pages }: Pick<DayView, "query" | "pages">) =>
  pages === 1 ? null : (
    <nav class="pager" aria-label="Pages of jobs">
      {query.page === 1 ? <span>Before</span> : <a href={dayPath({ ...query, page: query.page - 1 })}>Before</a>}
      <span>
        page {query.page} of {pages}
      </span>
      {query.page === pages ? <span>After</span> : <a href={dayPath({ ...query, page: query.page + 1 })}>After</a>}
    </nav>
  );
