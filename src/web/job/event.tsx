// One event of a job's story: a run or report, a message, an action or a change of settings.

import { DECLARED_FIELDS, type DeclaredField, settingInWords } from "../../domain/settings/settings.ts";
import { type Instant, SECOND } from "../../domain/time.ts";
import { span } from "../../domain/wording/short-time.ts";
import { byPerson } from "../../domain/wording/since.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { actedIn } from "../../engine/operations/operations.ts";
import type { ReportEntry, SettingsChanged, StoryAction, StoryEntry } from "../../views/job-story.ts";
import { reportInWords } from "../../views/outcomes.ts";
import { bandsOf } from "../day/marks.ts";
import { NotifiedMessage } from "../incidents/story-page.tsx";
import { Clock } from "../parts/moment.tsx";
import { OUTPUT_HEAD, Output } from "../parts/notified-line.tsx";
import { Shape, shapeOfReport } from "../parts/shapes.tsx";
import { incidentPath } from "../paths.ts";
import { shownLine, shownLines } from "../shown.ts";
import { shownAs } from "./facts.tsx";

export const Event = ({ event, timezone }: { event: ShownEvent; timezone: string }) => {
  switch (event.kind) {
    case "report":
      return <Report report={event.report} isNewestOutput={event.isNewestOutput ?? false} timezone={timezone} />;
    case "successes":
      return <Row {...event} timezone={timezone} />;
    case "notified":
      return (
        <NotifiedMessage message={event.message} quote={event.message.quote} timezone={timezone}>
          <a href={incidentPath(event.incidentId)}>incident {event.incidentId}</a>
        </NotifiedMessage>
      );
    case "unknown":
      return (
        <div class="event-what">
          <p class="event-report">
            <Shape health="unknown" />
            <span>
              {event.unknown.slot === null ? "A run" : counted(event.unknown.slots, "slot")} stayed unknown, because
              rollcall could not hear.
            </span>
          </p>
        </div>
      );
    case "acted":
      return (
        <div class="event-what">
          <p>{actionInWords(event.action)}</p>
        </div>
      );
    case "changed":
      return <Changed change={event.change} />;
    default:
      return event satisfies never;
  }
};

const Row = ({ count, since, least, most, timezone }: Successes & { timezone: string }) => (
  <div class="event-what">
    <p class="event-report">
      <Shape health="healthy" />
      <span>
        Succeeded {count} times since <Clock at={since} timezone={timezone} />
        {least === null || most === null
          ? ""
          : `, each after ${span(least)}${least === most ? "" : ` to ${span(most)}`}`}
      </span>
    </p>
  </div>
);

type ReportProps = Readonly<{ report: ReportEntry; isNewestOutput: boolean; timezone: string }>;

const Report = ({ report, isNewestOutput, timezone }: ReportProps) => {
  const { message, output, outcomes, heardAt } = report;
  return (
    <div class="event-what">
      <p class="event-report">
        <Shape health={shapeOfReport(report)} />
        <span>
          {reportInWords(report)}
          {heardAt === null ? null : (
            <>
              , heard at <Clock at={heardAt} timezone={timezone} />
            </>
          )}{" "}
          <small>{evidenceOf(report)}</small>
        </span>
      </p>
      {outcomes === null ? null : (
        <p class="note">
          {Object.entries(outcomes)
            .map(([name, value]) => `${shownLine(name)}: ${value}`)
            .join(", ")}
        </p>
      )}
      {message === null || message === "" ? null : <blockquote class="quote">{shownLines(message)}</blockquote>}
      {isNewestOutput || output === null ? (
        <Output text={output} />
      ) : (
        <details>
          <summary class="unfold">{OUTPUT_HEAD}</summary>
          <Output text={output} />
        </details>
      )}
    </div>
  );
};

function evidenceOf({ runId, runNumber, attempt, isLikely }: ReportEntry): string {
  return [
    runNumber === null ? "" : `run ${runNumber}`,
    runId === null ? "" : `id ${shownLine(runId)}`,
    attempt === null || attempt === 0 ? "" : `attempt ${attempt}`,
    isLikely ? "no id" : "",
  ]
    .filter((text) => text !== "")
    .join(", ");
}

/** `Paused by Ada for 2 h: a new disk.` */
function actionInWords({ action, by, name, details }: StoryAction): string {
  const seconds = details["durationSeconds"];
  const reason = details["reason"];
  const who = by === "person" ? byPerson(name) : " by command";
  const long = typeof seconds === "number" ? ` for ${span(seconds * SECOND)}` : "";
  const why = typeof reason === "string" ? `: ${shownLine(reason)}` : "";
  return `${actedIn(action)?.inStory ?? shownLine(action)}${who}${long}${why}.`;
}

const Changed = ({ change: { by, source, values } }: { change: SettingsChanged }) => (
  <div class="event-what">
    <p>Settings changed{changerOf(by, source)}.</p>
    <ul class="note">
      {values.map(([field, before, since]) => (
        <li key={field}>
          {nameOf(field)}: {shown(field, before)} became {shown(field, since)}
        </li>
      ))}
    </ul>
  </div>
);

function changerOf(by: SettingsChanged["by"], source: string | null): string {
  if (by === "person") return source === null ? " by command" : byPerson(source);
  if (by === "registry") return source === null ? " by its registry" : ` by its registry ${shownLine(source)}`;
  return by === "job" ? " by a report of the job" : " by the configuration";
}

const isField = (name: string): name is DeclaredField => DECLARED_FIELDS.some((field) => field === name);

const shown = (field: string, value: string | number | null): string =>
  isField(field) ? shownAs(field)(value) : String(value);

/** One of a later version stands as it is. */
const nameOf = (field: string): string => (isField(field) ? settingInWords(field) : field);

// Puts successes that follow one another into one event, so that a story shows what was not as always.

/** Of one day, and between two other events. */
interface Successes {
  readonly count: number;
  /** The first of them; `at` is the last. */
  readonly since: Instant;
  /** Milliseconds; null: not known of all. */
  readonly least: number | null;
  readonly most: number | null;
}

export type ToldEntry = StoryEntry & { readonly isNewestOutput?: boolean };

type ShownEvent = ToldEntry | ({ readonly kind: "successes"; readonly at: Instant } & Successes);

/** Fewer stand for themselves. */
const TOGETHER_FROM = 3;

/** `events`: of one day, newest first. */
export const together = (events: readonly ToldEntry[]): ShownEvent[] =>
  bandsOf(events, isPlain).flatMap(({ kind, entries }) =>
    kind && entries.length >= TOGETHER_FROM ? [successesOf(entries)] : [...entries],
  );

/** It says no more than that it went well. */
const isPlain = (event: StoryEntry): boolean =>
  event.kind === "report" &&
  event.report.outcome === "succeeded" &&
  event.report.heardAt === null &&
  (event.report.message ?? "") === "" &&
  event.report.outcomes === null;

const lengthOf = ({ durationSeconds, durationMilliseconds }: ReportEntry): number | null =>
  durationMilliseconds ?? (durationSeconds === null ? null : durationSeconds * SECOND);

function successesOf(row: readonly ToldEntry[]): ShownEvent {
  const lengths = row.flatMap((event) => (event.kind === "report" ? [lengthOf(event.report)] : []));
  const known = lengths.filter((length) => length !== null);
  const isKnown = known.length === row.length;
  return {
    kind: "successes",
    at: row[0]!.at,
    count: row.length,
    since: row.at(-1)!.at,
    least: isKnown ? Math.min(...known) : null,
    most: isKnown ? Math.max(...known) : null,
  };
}
