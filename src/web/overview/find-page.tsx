// Serves `/find`, which finds jobs, incidents, keys, people and pages by a typed text, and offers an action on the
// first job. `/find` is a full page; the palette, a box on every page, shows its results.

import { isRefusal } from "../../domain/errors.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import { pageResponse } from "../document.tsx";
import { textParameter } from "../list-query.ts";
import { Act, Submit } from "../parts/act.tsx";
import { placesFor } from "../parts/bar.tsx";
import { Shape } from "../parts/shapes.tsx";
import { incidentPath, jobPath, keyPath, personPath } from "../paths.ts";
import { nameOnPage } from "../shown.ts";
import type { Asking } from "../signed-in.ts";
import { viewerMayAs, viewerMaySee } from "../viewer.ts";
import { findsJob, healthOf } from "./model.ts";

export const FIND_PATH = "/find";

const JOBS_FOUND = 12;
const OTHERS_FOUND = 6;

type FoundPlace = Readonly<{ kind: string; to: string; name: string }>;

/**
 * Makes the page `/find` for the text in its address. Before the call, the caller must have awaited `catchUp`
 * (`PagesParts`), which brings the board up to date. Each step may throw SQLite's errors.
 */
export function* findPage(asking: Asking): InPieces<Response> {
  const { engine, viewer, search } = asking;
  const { now } = engine.views.viewContext();
  const text = textParameter(search, "q");
  const finds = findsJob(text, now);
  const jobs = yield* engine.views.board.monitors(
    now,
    (job) => text !== "" && viewerMaySee(viewer, job.application) && finds(job),
  );
  const shown = jobs.slice(0, JOBS_FOUND);
  const [first] = shown;
  return pageResponse(
    asking,
    { title: "Find", path: FIND_PATH },
    <section class="plain">
      <h1 class="headline">Find</h1>
      <form class="acts" method="get" action={FIND_PATH}>
        <input type="search" name="q" value={text} aria-label="What to find" />
        <Submit kind="plain">Find</Submit>
      </form>
      <ul id="found" class="found">
        {shown.map((job) => (
          <li key={job.id}>
            <a href={jobPath(job)}>
              <Shape health={healthOf(job, now)} /> {nameOnPage(job)} <span class="where">{job.application}</span>
            </a>
          </li>
        ))}
        {othersOf(asking, text.toLowerCase()).map(({ kind, to, name }) => (
          <li key={to}>
            <a href={to}>
              {name} <span class="where">{kind}</span>
            </a>
          </li>
        ))}
        {first === undefined || !viewerMayAs(viewer, "operator") ? null : (
          <li>
            <Act to={`${jobPath(first)}/pause`} back={jobPath(first)} fields={{ durationSeconds: "1h" }}>
              Pause {nameOnPage(first)} for 1 hour
            </Act>
          </li>
        )}
      </ul>
    </section>,
  );
}

function othersOf({ operate, viewer }: Asking, wanted: string): FoundPlace[] {
  const has = (name: string): boolean => wanted !== "" && name.toLowerCase().includes(wanted);
  const pages = placesFor(viewer).filter(({ name }) => wanted === "" || has(name));
  const id = Number(/^#?(\d{1,15})$/.exec(wanted)?.[1] ?? Number.NaN);
  const incident = Number.isNaN(id) ? null : operate("incident show", { id });
  const keys = viewerMayAs(viewer, "admin") && wanted !== "" ? operate("key list", {}) : null;
  const people = viewerMayAs(viewer, "admin") && viewer.applications === null ? operate("user list", {}) : null;
  return [
    ...(incident === null || isRefusal(incident)
      ? []
      : [{ kind: `incident ${id}`, to: incidentPath(id), name: nameOnPage(incident.incident) }]),
    ...pages.map(({ path, name }) => ({ kind: "page", to: path, name })),
    ...(keys === null || isRefusal(keys)
      ? []
      : keys.keys
          .filter(({ label, id: number }) => has(label ?? "") || wanted === `key ${number}`)
          .slice(0, OTHERS_FOUND)
          .map(({ id: number, label }) => ({
            kind: `key ${number}`,
            to: keyPath(number),
            name: label ?? "without a name",
          }))),
    ...(people === null || isRefusal(people)
      ? []
      : people.people
          .filter(({ name }) => has(name))
          .slice(0, OTHERS_FOUND)
          .map(({ id: number, name }) => ({ kind: "person", to: personPath(number), name }))),
  ];
}
