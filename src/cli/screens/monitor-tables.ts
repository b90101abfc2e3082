// Makes the tables of `rollcall monitor show`: runs, slots and runs that stayed unknown, reports, and refused reports.

import { RESULTS } from "../../domain/wording/results.ts";
import { span } from "../../domain/wording/short-time.ts";
import { OUTAGES } from "../../domain/wording/unheard.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import { REFUSED_COLUMNS } from "../../views/rows/received-rows.ts";
import type { ShownMonitor } from "../../views/schemas/shown-monitor-schemas.ts";
import type { Screen } from "../asking/ask-service.ts";
import { tableCells } from "./row-lines.ts";
import { printedSeconds, printedShortText, printedTime, unbroken } from "./spoken.ts";
import { formatRows, formatText, printedOutputLines, type TableRow } from "./table.ts";

type ShownPing = ShownMonitor["pings"][number];
type AnsweredHistoryEntry = Answer<"monitor history">["entries"][number];

export const tablesOf = ({ runs, unknowns, pings, lastOutput, refused }: ShownMonitor, screen: Screen): string[] => [
  ...section("Runs", screen, runs, runRow),
  ...(runs.some(({ state }) => state === "incomplete") ? formatText(INCOMPLETE, screen.width) : []),
  ...section("Unknown, because rollcall could not hear", screen, unknowns, unknownRow),
  ...section("Last reports", screen, pings, pingRow),
  ...(lastOutput === null
    ? []
    : [
        "",
        ...formatText(outputTitle(lastOutput, screen), screen.width),
        ...printedOutputLines(lastOutput.text).flatMap((line) => formatText(line, screen.width)),
      ]),
  ...section("Refused reports", screen, refused, (report) => tableCells(REFUSED_COLUMNS, report, screen, false)),
];

/**
 * Returns the title above the job's last output. If a later failure brought no output, the title says so: this output
 * does not explain that failure.
 */
function outputTitle({ at, ofLastFailure }: NonNullable<ShownMonitor["lastOutput"]>, screen: Screen): string {
  const when = printedTime(at, screen);
  return ofLastFailure
    ? `Output of the last failure, ${when}:`
    : `Output of an earlier failure, ${when}; the last failure has none:`;
}

/**
 * Returns a title with a table under it. Columns that are empty in every row are left out, because most jobs report
 * without any details.
 */
const section = <Item>(
  title: string,
  screen: Screen,
  items: readonly Item[],
  rowOf: (item: Item, screen: Screen) => TableRow,
): string[] =>
  items.length === 0
    ? []
    : [
        "",
        `${title}:`,
        ...formatRows(
          items.map((item) => rowOf(item, screen)),
          screen,
          true,
        ),
      ];

const runRow = (run: ShownMonitor["runs"][number], screen: Screen): TableRow => ({
  RUN: String(run.number),
  "RUN ID": run.runId ?? "-",
  ATTEMPT: run.attempt === null ? "-" : String(run.attempt),
  STATE:
    run.endedBy === null
      ? run.state === "open"
        ? "running"
        : run.state
      : [`${run.state} by ${run.endedBy}`, ...verdictIn(run), ...(run.legacy ? ["legacy"] : [])].join(", "),
  STARTED: printedTime(run.startedAt, screen),
  // A run that has ended or was given up has no deadline to wait for.
  DEADLINE: printedTime(run.endedAt === null && run.state !== "incomplete" ? run.deadline : null, screen),
  ENDED: printedTime(run.endedAt, screen),
  DURATION: durationCell(run),
});

const verdictIn = ({ verdict }: ShownMonitor["runs"][number]): string[] =>
  verdict === null ? [] : [RESULTS[verdict].word];

const INCOMPLETE =
  "incomplete: no end was reported, and no alarm raised. A later run succeeded (set maxRuntime to be told of runs that hang), " +
  "another one started under the same run_id, the time for it ended under a pause, or over 100 runs were open.";

const unknownRow = (
  { at, slot, slots, runId, runStartedAt, gap }: ShownMonitor["unknowns"][number],
  screen: Screen,
): TableRow => ({
  WHAT:
    slot === null
      ? `the end of ${runId === null ? "the run" : `run ${runId}`} of ${printedTime(runStartedAt, screen)}`
      : `the report due ${printedTime(slot, screen)}${slots > 1 ? ` and ${slots - 1} after it` : ""}`,
  JUDGED: printedTime(at, screen),
  FROM: printedTime(gap.from, screen),
  TO: printedTime(gap.to, screen),
  BECAUSE: OUTAGES[gap.reason],
});

const MESSAGE_SHOWN = 80;

const pingRow = (ping: ShownPing, screen: Screen): TableRow => ({
  AT: printedTime(ping.at, screen),
  HEARD: ping.heardAt === null ? "-" : printedTime(ping.heardAt, screen),
  REPORT: reportCell(ping),
  ...saidCells(ping),
});

/** Returns the kind of a report, and the result of its run if the kind does not tell it. */
export const reportCell = ({ kind, outcome }: Pick<AnsweredHistoryEntry, "kind" | "outcome">): string =>
  outcome === null || outcome === "succeeded" || outcome === "failed" || outcome === "running"
    ? (kind ?? "-")
    : `${kind}, ${RESULTS[outcome].says}`;

export const saidCells = (
  said: Pick<
    ShownPing,
    "runNumber" | "runId" | "attempt" | "durationSeconds" | "durationMilliseconds" | "message" | "outcomes"
  >,
): TableRow => ({
  RUN: said.runNumber === null ? "-" : String(said.runNumber),
  "RUN ID": said.runId ?? "-",
  ATTEMPT: said.attempt === null ? "-" : String(said.attempt),
  DURATION: durationCell(said),
  MESSAGE: said.message === null ? "-" : printedShortText(said.message, MESSAGE_SHOWN),
  OUTCOMES:
    Object.entries(said.outcomes ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join(" ") || "-",
});

function durationCell({
  durationSeconds,
  durationMilliseconds,
}: Pick<ShownPing, "durationSeconds" | "durationMilliseconds">): string {
  if (durationMilliseconds !== null) return unbroken(span(durationMilliseconds));
  return durationSeconds === null ? "-" : unbroken(printedSeconds(durationSeconds));
}
