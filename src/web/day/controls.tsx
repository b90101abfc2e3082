// What part of the time and which jobs the day shows: links and a plain form, all of which stand in the address.

import { ApplicationChoice, Chips, current, SearchField, ShowButton } from "../parts/narrow.tsx";
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
      <Chips
        label="How long"
        of={SPANS}
        words={SPAN_WORDS}
        chosen={query.span}
        path={(span) => dayPath({ ...query, span })}
      />
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
      <Chips
        label="Which jobs"
        of={SHOWN}
        words={SHOW_WORDS}
        chosen={query.show}
        path={(show) => dayPath({ ...query, show, page: 1 })}
        counts={counts}
      />
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
