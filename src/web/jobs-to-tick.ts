// Lists the jobs that a form offers with a box to tick. First come ticked jobs that the form would otherwise not show,
// then at most 40 jobs that the search finds.

import type { InPieces } from "../domain/in-pieces.ts";
import { filledLines } from "../domain/text.ts";
import { textParameter } from "./list-query.ts";
import { findsJob } from "./overview/model.ts";
import { ALL_OF, FIND_JOBS, type JobsOffered } from "./parts/field.tsx";
import { nameOnPage, tellingNamesakesApart } from "./shown.ts";
import type { Asking } from "./signed-in.ts";

const OFFERED_MOST = 40;

/**
 * The keys of the ticked jobs and the typed patterns; `null` when the form means all jobs. `sent` holds the form's
 * values.
 */
export const jobsChosen = (sent: readonly string[]): string[] | null =>
  sent.includes(ALL_OF) ? null : sent.flatMap(filledLines);

/**
 * Lists the jobs of an application for a form in which the jobs `chosen` are ticked. `typed` has the form's fields,
 * among them the search. The viewer must be allowed to see the application. Before the call, the caller must have
 * awaited `catchUp` (`PagesParts`), which brings the board up to date. Each step may throw SQLite's errors.
 */
export function* jobsToTick(
  { engine }: Asking,
  application: string,
  chosen: readonly string[],
  typed: URLSearchParams,
): InPieces<JobsOffered> {
  const { now } = engine.views.viewContext();
  const all = yield* engine.views.board.monitors(now, (job) => job.application === application);
  const find = textParameter(typed, FIND_JOBS);
  const finds = findsJob(find, now);
  const found = all.filter(finds);
  const first = new Set(found.slice(0, OFFERED_MOST));
  const offered = [...all.filter((job) => chosen.includes(job.key) && !first.has(job)), ...first];
  const apart = tellingNamesakesApart(offered, all);
  const keys = new Set(all.map(({ key }) => key));
  return {
    find,
    jobs: offered.map((job) => [job.key, apart(job) === null ? nameOnPage(job) : `${nameOnPage(job)} (${job.key})`]),
    more: found.length - first.size,
    isAnyFound: found.length > 0 || find === "",
    others: chosen.filter((one) => !keys.has(one)),
  };
}
