// The day in the parts that change on their own. Made in stretches, because a page of lanes is long.

import { raw } from "hono/html";
import type { InStretches } from "../../engine/reads/in-stretches.ts";
import type { Shown } from "../live/shown.ts";
import { Headline } from "../parts/headline.tsx";
import { type ClockWords, clockWords } from "./clock-words.ts";
import { Controls, Pager } from "./controls.tsx";
import { Axis, Backdrop, Crowd, Present } from "./frame.tsx";
import { LaneRow } from "./lane-row.tsx";
import { Legend } from "./legend.tsx";
import type { DayView } from "./model.ts";
import { Notes } from "./notes.tsx";
import { dayPath } from "./query.ts";

/** Lanes that are written in one stretch. */
const AT_ONCE = 5;

export function* dayShown(view: DayView): InStretches<Shown> {
  const { lanes, span, crowds, found, pages } = view;
  const clock = clockWords(view.timezone, view.now);
  const parts = new Map<string, string>([
    ["headline", String(<Headline saying={view.headline} />)],
    ["day-controls", String(view.isEmpty ? <div id="day-controls" /> : <Controls {...view} />)],
  ]);
  if (lanes.length > 0) {
    parts.set("day-notes", String(<Notes {...view} clock={clock} />));
    parts.set("day-backdrop", String(<Backdrop {...view} />));
  }
  for (const [place, lane] of lanes.entries()) {
    parts.set(`lane-${lane.id}`, String(<LaneRow lane={lane} span={span} />));
    if (place % AT_ONCE === 0) yield;
  }
  const order = JSON.stringify([span, lanes.map(({ id }) => id), found, pages, crowds.starts]);
  const html = () => String(<Body view={view} parts={parts} clock={clock} />);
  return { parts, list: { id: "day-body", rows: "lane-", order, html } };
}

interface BodyProps {
  readonly view: DayView;
  readonly parts: ReadonlyMap<string, string>;
  readonly clock: ClockWords;
}

const Body = ({ view, parts, clock }: BodyProps) => (
  <div id="day-body">
    {view.lanes.length === 0 ? (
      <Nothing {...view} />
    ) : (
      <>
        {raw(parts.get("day-notes")!)}
        <Figure view={view} parts={parts} clock={clock} />
        <Pager {...view} />
        <Legend />
      </>
    )}
  </div>
);

/** Why there is no lane. */
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
    <section class="day-scroll" id="day-scroll" tabindex={0} aria-label="The lanes">
      <div class="day-figure" id="day-figure" data-from={String(from)} data-to={String(to)}>
        {raw(parts.get("day-backdrop")!)}
        <Present {...view} />
        <p class="day-zone">{view.timezone}</p>
        <Axis {...view} clock={clock} />
        <p class="day-crowd-words">jobs that start at a time</p>
        <Crowd {...view} />
        <ol id="lanes" class="lanes">
          {view.lanes.map(({ id }) => raw(parts.get(`lane-${id}`)!))}
        </ol>
        <p id="day-tip" class="day-tip" hidden />
      </div>
    </section>
  );
};
