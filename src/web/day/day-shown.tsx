// Makes the day page as parts that are updated separately. The work is done in pieces, because a page has many rows.

import { raw } from "hono/html";
import type { InPieces } from "../../domain/in-pieces.ts";
import { gapLengthInWords } from "../../domain/wording/gap-words.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { Shown } from "../live/live-part.tsx";
import { Headline } from "../parts/headline.tsx";
import { ApplicationChoice, Chips, current, Pager, SearchField, ShowButton } from "../parts/narrow.tsx";
import { Shape } from "../parts/shapes.tsx";
import { jobPath } from "../paths.ts";
import { pageLine } from "../shown.ts";
import { axisClockWords, type ClockChange, type ClockWords, dayAxisPosition, earlierAndLaterQuery } from "./axis.ts";
import { type BusyMinute, NAMES_SHOWN } from "./busy-minutes.ts";
import type { DayRow, DayView } from "./day.ts";
import { Axis, Backdrop, BusyMarks, Legend, Present } from "./frame.tsx";
import { HIGH, WIDE } from "./marks.ts";
import { DAY_PATH, type DayQuery, dayPath, SHOWN, SPANS } from "./query.ts";

/** How many rows are written before other work may go on. */
const AT_ONCE = 5;

export function* dayShown(view: DayView): InPieces<Shown> {
  const { rows, span, busyMinutes, found, pages } = view;
  const clock = axisClockWords(view.timezone, view.now);
  const parts = new Map<string, string>([
    ["headline", String(<Headline saying={view.headline} />)],
    ["day-controls", String(view.isEmpty ? <div id="day-controls" /> : <Controls {...view} />)],
  ]);
  if (rows.length > 0) {
    parts.set("day-notes", String(<Notes {...view} clock={clock} />));
    parts.set("day-backdrop", String(<Backdrop {...view} />));
  }
  for (const [place, row] of rows.entries()) {
    parts.set(`day-row-${row.id}`, String(<Row row={row} span={span} />));
    if (place % AT_ONCE === 0) yield;
  }
  const order = JSON.stringify([span, rows.map(({ id }) => id), found, pages, busyMinutes.starts]);
  const html = () => String(<Body view={view} parts={parts} clock={clock} />);
  return { parts, list: { id: "day-body", rows: "day-row-", order, html } };
}

type BodyProps = Readonly<{ view: DayView; parts: ReadonlyMap<string, string>; clock: ClockWords }>;

const Body = ({ view, parts, clock }: BodyProps) => (
  <div id="day-body">
    {view.rows.length === 0 ? (
      <Nothing {...view} />
    ) : (
      <>
        {raw(parts.get("day-notes")!)}
        <Figure view={view} parts={parts} clock={clock} />
        <Pager
          page={view.query.page}
          pages={view.pages}
          path={(page) => dayPath({ ...view.query, page })}
          words={["Before", "After"]}
        />
        <Legend />
      </>
    )}
  </div>
);

const Nothing = ({ query, isEmpty }: Pick<DayView, "query" | "isEmpty">) => (
  <p class="nothing">
    {isEmpty ? (
      <a href="/">How the first one does</a>
    ) : (
      <>
        {query.find === "" ? "No job of these had trouble." : `No job has “${query.find}” in its name or key.`}{" "}
        <a href={dayPath({ ...query, find: "", app: "", show: "all", page: 1 })}>Show all</a>
      </>
    )}
  </p>
);

const Figure = ({ view, parts, clock }: BodyProps) => {
  const { from, to } = view.span;
  return (
    <section class="day-scroll" id="day-scroll" tabindex={0} aria-label="The jobs">
      <div class="day-figure" id="day-figure" data-span={view.query.span} data-from={String(from)} data-to={String(to)}>
        {raw(parts.get("day-backdrop")!)}
        <Present {...view} />
        <p class="day-zone">{view.timezone}</p>
        <Axis {...view} clock={clock} />
        <p class="day-busy-words">jobs that start at a time</p>
        <BusyMarks {...view} />
        <ol id="day-rows" class="day-rows">
          {view.rows.map(({ id }) => raw(parts.get(`day-row-${id}`)!))}
        </ol>
        <p id="day-tip" class="day-tip" role="status" hidden />
      </div>
    </section>
  );
};

// Tells in words what is drawn across all rows: which minutes are busy, when rollcall could not receive reports, and
// when clocks change.

type NotesProps = Pick<DayView, "busyMinutes" | "gaps" | "changes" | "timezone"> & { readonly clock: ClockWords };

const GAPS_NAMED = 4;

const Notes = ({ busyMinutes, gaps, changes, timezone, clock }: NotesProps) => (
  <ul id="day-notes" class="day-notes note">
    {busyMinutes.minutes.map((busyMinute) => (
      <li key={busyMinute.at}>
        <strong>{counted(busyMinute.jobs, "job")}</strong> start at {clock.moment(busyMinute.at)}: {namesOf(busyMinute)}
      </li>
    ))}
    {gaps.slice(-GAPS_NAMED).map((gap) => (
      <li key={gap.from}>
        <span class="day-key is-gap" aria-hidden="true" /> rollcall could not hear {clock.between(gap)} (
        {gapLengthInWords(gap.reason, gap.silentMs)})
      </li>
    ))}
    {gaps.length <= GAPS_NAMED ? null : (
      <li>
        and {gaps.length - GAPS_NAMED} times before, see <a href="/own-health">Health</a>
      </li>
    )}
    {changes.map((change) => (
      <li key={`${change.at} ${change.zones[0]}`}>
        <span class="day-key is-change" aria-hidden="true" /> {changeInWords(change, timezone, clock)}
      </li>
    ))}
    <li class="day-notes-zone">times are in {timezone}</li>
  </ul>
);

function namesOf({ names, jobs }: BusyMinute): string {
  const shown = names.join(", ");
  return jobs > NAMES_SHOWN ? `${shown} and ${jobs - NAMES_SHOWN} more` : shown;
}

const ZONES_NAMED = 2;

/** Tells a clock change: `clocks go from 02:00 to 03:00 in Europe/Berlin, Sun 03:00`. */
function changeInWords({ at, before, after, zones }: ClockChange, timezone: string, clock: ClockWords): string {
  const wall = (offset: number): string => new Date(at + offset).toISOString().slice(11, 16);
  const more = zones.length > ZONES_NAMED ? ` and ${counted(zones.length - ZONES_NAMED, "more zone")}` : "";
  const where = `${zones.slice(0, ZONES_NAMED).join(", ")}${more}`;
  const when = zones.includes(timezone) ? clock.day(at) : clock.moment(at);
  return `clocks go from ${wall(before)} to ${wall(after)} in ${where} (${when})`;
}

// Draws one row: the job's name, a summary of what happened, the drawing, and a line of words for each slot.

const Row = ({ row, span }: { row: DayRow; span: DayView["span"] }) => (
  <li id={`day-row-${row.id}`} class="day-row">
    <span class="day-row-name">
      <Shape health={row.health} />
      <a href={jobPath(row)} dir="auto" data-row title={`${row.name} (${row.application})`}>
        {row.name}
        {row.apart === null ? null : <small> {pageLine(row[row.apart])}</small>}
      </a>
    </span>
    <Plot row={row} />
    <details class="day-row-words">
      <summary class={row.summary.isTrouble ? "is-trouble" : ""}>
        {row.summary.text}
        <span class="unseen"> of {row.name}: the story</span>
      </summary>
      <ol>
        {row.lines.map(({ from, to, result, text }) => (
          <li key={from} class={`said-${result}`} data-x={`${placeOf(from, span)} ${placeOf(to, span)}`}>
            {text}
          </li>
        ))}
      </ol>
      {row.remarks.map((remark) => (
        <p key={remark} class="note">
          {remark}
        </p>
      ))}
    </details>
  </li>
);

/**
 * A position in thousandths of the row's width. The browser uses it to find the line of words for the point under the
 * pointer.
 */
const placeOf = (at: number, span: DayView["span"]): number => Math.round(dayAxisPosition(at, span) * 1_000);

const Plot = ({ row: { name, drawing, summary } }: { row: DayRow }) => (
  <svg class="day-row-plot" role="img" height={HIGH}>
    <title>{`${name}: ${summary.text}`}</title>
    <svg viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" width="100%" height={HIGH} aria-hidden="true">
      {drawing.paths.map(([kind, path]) => (
        <path key={kind} class={`day-${kind}`} d={path} />
      ))}
    </svg>
    {drawing.marks.map(({ kind, percent }) => (
      <use key={`${kind}${percent}`} href={`#day-${kind}`} x={`${percent}%`} />
    ))}
  </svg>
);

// Draws the links and the plain form by which a person chooses the span and the jobs of the day page. The address holds
// every choice.

const SPAN_WORDS: Readonly<Record<DayQuery["span"], string>> = { day: "Day", week: "Week", hour: "Hour" };
const SHOW_WORDS: Readonly<Record<DayQuery["show"], string>> = { all: "All", trouble: "Had trouble" };

const Controls = ({ query, counts, applications, now }: Pick<DayView, "query" | "counts" | "applications" | "now">) => {
  const { earlier, later } = earlierAndLaterQuery(query, now);
  return (
    <div id="day-controls" class="filters day-controls">
      <Chips
        label="How long"
        of={SPANS}
        words={SPAN_WORDS}
        chosen={query.span}
        path={(span) => dayPath({ ...query, span, from: null })}
      />
      <nav class="chips" aria-label="When">
        <a class="chip" href={dayPath(earlier)} rel="prev">
          Earlier
        </a>
        <a class="chip" href={dayPath({ ...query, from: null, until: null })} {...current(query.until === null)}>
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

/** Hidden fields for the present choices, which a search must not lose. */
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
