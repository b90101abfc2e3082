// `/day`: what was due, what came, and what comes next: a lane a job, all on one axis.

import { Document } from "../document.tsx";
import type { Look } from "../look.ts";
import type { Viewer } from "../viewer.ts";
import { clockWords } from "./clock-words.ts";
import { Controls, Pager } from "./controls.tsx";
import { Axis, Backdrop, Crowd } from "./frame.tsx";
import { LaneRow } from "./lane-row.tsx";
import { DaySprite, Legend } from "./legend.tsx";
import type { DayView } from "./model.ts";
import { Notes } from "./notes.tsx";
import { DAY_PATH, dayPath } from "./query.ts";

interface PageProps {
  readonly view: DayView;
  readonly viewer: Viewer;
  readonly look: Look;
}

export const DayPage = ({ view, viewer, look }: PageProps) => (
  <Document title="Day" tone={view.tone} viewer={viewer} look={look} path={DAY_PATH}>
    <DaySprite />
    <DayBody view={view} />
  </Document>
);

const DayBody = ({ view }: { view: DayView }) => {
  const clock = clockWords(view.timezone, view.now);
  return (
    <>
      <header class="head">
        <h1 class="headline">{view.headline}</h1>
      </header>
      <Controls {...view} />
      {view.lanes.length === 0 ? (
        <Nothing {...view} />
      ) : (
        <>
          <Notes {...view} clock={clock} />
          <Figure view={view} />
          <Pager {...view} />
          <Legend />
        </>
      )}
    </>
  );
};

const Nothing = ({ query, counts }: Pick<DayView, "query" | "counts">) => (
  <p class="nothing">
    {query.find === "" && query.app === "" && counts.all === 0 ? (
      <>
        No job has reported yet. <a href="/">How the first one does</a>
      </>
    ) : (
      <>
        {query.find === "" ? "No job had trouble." : `No job has “${query.find}” in its name or key.`}{" "}
        <a href={dayPath({ ...query, find: "", app: "", show: "all", page: 1 })}>Show all</a>
      </>
    )}
  </p>
);

const Figure = ({ view }: { view: DayView }) => {
  const clock = clockWords(view.timezone, view.now);
  const { from, to } = view.span;
  return (
    <section class="day-scroll" id="day-scroll" tabindex={0} aria-label="The lanes">
      <div class="day-figure" id="day-figure" data-from={String(from)} data-to={String(to)}>
        <Backdrop {...view} />
        <p class="day-zone">{view.timezone}</p>
        <Axis {...view} clock={clock} />
        <p class="day-crowd-words">jobs that start at a time</p>
        <Crowd {...view} />
        <ol id="lanes" class="lanes">
          {view.lanes.map((lane) => (
            <LaneRow key={lane.id} lane={lane} span={view.span} />
          ))}
        </ol>
        <p id="day-tip" class="day-tip" hidden />
      </div>
    </section>
  );
};
