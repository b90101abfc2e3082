// Turns a job's past into entries with words, shape and details: reports, messages, what people did, what stayed
// unknown, and the steps of `rollcall why`. Pages and terminals only draw them. Pure.

import { MESSAGE_LENGTH } from "../domain/limits.ts";
import { DECLARED_FIELDS, type DeclaredField, SETTINGS } from "../domain/settings/settings.ts";
import { capitalized, cleanLine, cleanLines } from "../domain/text.ts";
import { type Instant, MINUTE, SECOND } from "../domain/time.ts";
import { partWithInstant } from "../domain/wording/now.ts";
import { isSuccessResult, RESULTS, type Result, reportInWords, resultInWords } from "../domain/wording/results.ts";
import { settingInWords, settingValueInWords } from "../domain/wording/setting-words.ts";
import { span, tookInWords } from "../domain/wording/short-time.ts";
import { byPerson, CLOSED } from "../domain/wording/since-words.ts";
import { counted } from "../domain/wording/spoken-time.ts";
import type { ChangedValue, SettingChangeRow } from "../store/monitor-settings.ts";
import { toldParts } from "./rows/delivery-rows.ts";
import type { RowPart } from "./rows/rows.ts";
import type { IncidentStory, IncidentSummary, Notified } from "./schemas/incident-schemas.ts";
import type { ShownMonitor } from "./schemas/shown-monitor-schemas.ts";
import type { Why } from "./schemas/why-schemas.ts";
import type { TimelineEntry } from "./timeline.ts";

type ToldDelivery = Notified["deliveries"][number];

/**
 * A line below an entry. For a message to one address, `state` is that of the delivery, or `untold` when the message
 * was sent to no one. For a line about something else, `state` is `null`.
 */
export type PastNote = Readonly<{ says: readonly RowPart[]; state: ToldDelivery["state"] | "untold" | null }>;

export interface PastEntry {
  readonly at: Instant;
  readonly kind: "slot" | "report" | "notified" | "unknown" | "acted" | "changed" | "step";
  /** What became of the slot or run; `null` when the entry is about none. */
  readonly result: Result | null;
  /** The result whose shape is drawn before the entry; `null` when none is. */
  readonly shape: Result | null;
  /** What happened, in one sentence without a full stop. */
  readonly says: readonly RowPart[];
  /** For a report, what distinguishes it from others, such as `run 12, attempt 2`; empty for other entries. */
  readonly aside: string;
  /** For a message, its incident; `null` for other entries, and in a story that is about a single incident. */
  readonly incidentId: number | null;
  /** For a message, its sentences; empty for other entries. */
  readonly texts: readonly string[];
  /** The message that the job's report brought; `null` when there is none, or another entry shows it. */
  readonly quote: string | null;
  readonly notes: readonly PastNote[];
  /** The last lines that the failing job wrote (R46); `null` when none are kept. */
  readonly output: string | null;
  /** True when `output` is shown only on request. */
  readonly isFolded: boolean;
  /** When the report came, if it was late (R43); otherwise `null`. */
  readonly heardAt: Instant | null;
  /** How long the run took, in milliseconds; `null` when that is not known. */
  readonly took: number | null;
}

const plainEntry = (at: Instant, kind: PastEntry["kind"], ...says: RowPart[]): PastEntry => ({
  at,
  kind,
  says,
  result: null,
  shape: null,
  aside: "",
  incidentId: null,
  texts: [],
  quote: null,
  notes: [],
  output: null,
  isFolded: false,
  heardAt: null,
  took: null,
});

const note = (...says: RowPart[]): PastNote => ({ says, state: null });

type ToldReport = IncidentStory["reports"][number] &
  Partial<Pick<ShownMonitor["pings"][number], "heardAt" | "runId" | "runNumber" | "attempt" | "outcomes">> & {
    /** True when the report was matched to its run without a `run_id`, so that the run is only a guess (R22). */
    readonly isLikely?: boolean;
  };

export function reportEntry(report: ToldReport): PastEntry {
  const { at, kind, outcome: result, message, output, heardAt = null, outcomes = null } = report;
  const { durationSeconds, durationMilliseconds } = report;
  const heard: RowPart[] = heardAt === null ? [] : [", heard at ", { at: heardAt, as: "clock" }];
  const values = Object.entries(outcomes ?? {}).map(([name, value]) => `${cleanLine(name, MESSAGE_LENGTH)}: ${value}`);
  return {
    ...plainEntry(at, "report", reportInWords(report), ...heard),
    result,
    shape: result ?? (kind === "start" ? "running" : "quiet"),
    aside: evidenceOf(report),
    quote: cleanLines(message ?? "", MESSAGE_LENGTH) || null,
    notes: values.length === 0 ? [] : [note(values.join(", "))],
    output,
    heardAt,
    took: durationMilliseconds ?? (durationSeconds === null ? null : durationSeconds * SECOND),
  };
}

function evidenceOf({ runId = null, runNumber = null, attempt = null, isLikely = false }: ToldReport): string {
  return [
    runNumber === null ? "" : `run ${runNumber}`,
    runId === null ? "" : `id ${cleanLine(runId, MESSAGE_LENGTH)}`,
    attempt === null || attempt === 0 ? "" : `attempt ${attempt}`,
    isLikely ? "no id" : "",
  ]
    .filter((text) => text !== "")
    .join(", ");
}

export const notifiedEntry = (message: Notified, incidentId: number | null, now: Instant): PastEntry => ({
  ...plainEntry(message.at, "notified", message.state),
  incidentId,
  texts: message.story,
  quote: message.quote,
  notes:
    message.deliveries.length === 0
      ? [{ says: [NOT_NOTIFIED], state: "untold" }]
      : message.deliveries.map((delivery) => ({ says: toldParts(delivery, now, "clock"), state: delivery.state })),
});

export const unknownEntry = ({ at, slot, slots }: ShownMonitor["unknowns"][number]): PastEntry => ({
  ...plainEntry(
    at,
    "unknown",
    `${slot === null ? "A run" : counted(slots, "slot")} stayed unknown, because rollcall could not hear`,
  ),
  result: "unknown",
  shape: "unknown",
});

/** The entry for a slot that no report filled in time. */
export const missedEntry = ({ at, slot }: Pick<TimelineEntry, "at" | "slot">): PastEntry => ({
  ...plainEntry(at, "slot", ...storyEntryInWords({ at, result: "missed", slot, run: null }).map(capitalizedPart)),
  result: "missed",
  shape: "missed",
});

export const capitalizedPart = <Part extends RowPart>(part: Part, place: number): Part | string =>
  place === 0 && typeof part === "string" ? capitalized(part) : part;

type ClockPart = string | Readonly<{ at: Instant; as: "clock" }>;

/**
 * What became of a slot, or of a run without one, in words after its time: `succeeded after 40 s, 5 s early`, or
 * `missed: nothing came in time; it came at 10:12, 1 h 12 min late`.
 */
export function storyEntryInWords({ at, result, slot, run }: TimelineEntry): ClockPart[] {
  const { reportAt = null, heardAt = null } = slot ?? {};
  const heard: ClockPart[] = heardAt === null ? [] : [", heard at ", { at: heardAt, as: "clock" }];
  if (result === "missed" && reportAt !== null) {
    const came = `${RESULTS.missed.says} in time; it ${heardAt === null ? "came" : "ran"} at `;
    return [came, { at: reportAt, as: "clock" }, `, ${span(reportAt - at)} late`, ...heard];
  }
  const says = resultInWords(result, run === null || run.from === null ? null : run.to - run.from);
  return [isSuccessResult(result) && reportAt !== null ? `${says}, ${sinceDue(reportAt - at)}` : says, ...heard];
}

/**
 * How long before or after its slot a report came, in words. Up to a minute after the slot is `in time`, because cron
 * starts a job some seconds after its minute.
 */
function sinceDue(after: number): string {
  if (after < 0) return `${span(-after)} early`;
  return after < MINUTE ? "in time" : `${span(after)} after it was due`;
}

export interface PastAct {
  readonly at: Instant;
  /** The name of an operation, such as `monitor pause`. */
  readonly action: string;
  /** What the operation does, in the past tense; `null` when this release has no such operation. */
  readonly inStory: string | null;
  readonly isByPerson: boolean;
  /** Who acted; `null` when that is not known. */
  readonly name: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What was done, such as `Paused by Ada for 2 h: a new disk`. */
export function storyActedInWords({ action, inStory, isByPerson, name, details }: PastAct): string {
  const who = isByPerson ? byPerson(name) : " by command";
  return storyActInWords(inStory ?? cleanLine(action, MESSAGE_LENGTH), who, details);
}

export const actedEntry = (act: PastAct): PastEntry => plainEntry(act.at, "acted", storyActedInWords(act));

/** The words of an action, such as `Paused by Ada for 2 h`, where `did` is `Paused` and `who` is ` by Ada` or empty. */
export function storyActInWords(did: string, who: string, { durationSeconds, reason }: PastAct["details"]): string {
  const long = typeof durationSeconds === "number" ? ` for ${span(durationSeconds * SECOND)}` : "";
  const why = typeof reason === "string" ? `: ${cleanLine(reason, MESSAGE_LENGTH)}` : "";
  return `${did}${who}${long}${why}`;
}

/** The entry for changed settings. `source` is the registry's or the person's name. */
export const changedEntry = (
  at: Instant,
  { by, source }: Pick<SettingChangeRow, "by" | "source">,
  values: readonly ChangedValue[],
): PastEntry => ({
  ...plainEntry(at, "changed", `Settings changed${changerOf(by, source)}`),
  notes: values.map(([field, before, since]) => note(storyChangeInWords(field, before, since))),
});

/** A changed value in words, such as `grace: 5 min became 10 min`, or `grace: the default became 10 min`. */
export const storyChangeInWords = (...[field, before, since]: ChangedValue): string =>
  `${isField(field) ? settingInWords(field) : field}: ${shownValue(field, before)} became ${shownValue(field, since)}`;

function changerOf(by: SettingChangeRow["by"], source: string | null): string {
  if (by === "person") return source === null ? " by command" : byPerson(source);
  if (by === "registry") return ` by its registry${source === null ? "" : ` ${cleanLine(source, MESSAGE_LENGTH)}`}`;
  return by === "job" ? " by a report of the job" : " by the configuration";
}

const isField = (name: string): name is DeclaredField => DECLARED_FIELDS.some((field) => field === name);

/** A value in words. A setting that only a later version knows is shown as it is. */
function shownValue(field: string, value: string | number | null): string {
  if (!isField(field)) return String(value);
  return value === null && hasDefault(field) ? "the default" : settingValueInWords(field, value);
}

/** Whether the setting has a value although no one has set it. */
function hasDefault(field: DeclaredField): boolean {
  const { otherwise } = SETTINGS[field];
  return otherwise.from !== "default" || otherwise.value !== null;
}

/** Removes the quote from each message whose quote is shown in the entry of a report too. */
export function withoutRepeatedQuotes(entries: readonly PastEntry[]): PastEntry[] {
  const said = new Set(entries.map(({ kind, quote }) => (kind === "report" ? quote : null)));
  return entries.map((entry) =>
    entry.kind === "notified" && entry.quote !== null && said.has(cleanLines(entry.quote, MESSAGE_LENGTH))
      ? { ...entry, quote: null }
      : entry,
  );
}

// The entries of an incident's story, the oldest first. Of one instant, reports come before messages and messages
// before what people did, so that a cause precedes what followed.

export function incidentEntries({ incident, notified, acts, reports }: IncidentStory, now: Instant): PastEntry[] {
  const { acknowledgedAt, acknowledgedBy, closedAt } = incident;
  /**
   * The entry for an acknowledgement or an end at `at`. Empty when `at` is `null`, or when a message or a stored action
   * already tells it.
   */
  const acted = (at: Instant | null, notifiedAs: Notified["kind"], words: string): PastEntry[] =>
    at === null || notified.some(({ kind }) => kind === notifiedAs) || acts.some((act) => act.at === at)
      ? []
      : [plainEntry(at, "acted", words)];
  return withoutRepeatedQuotes([
    ...reports.map((report) => reportEntry(report)),
    ...notified.map((message) => notifiedEntry(message, null, now)),
    ...acts.map(({ at, says }) => plainEntry(at, "acted", says)),
    ...acted(acknowledgedAt, "Acknowledged", `Acknowledged${byPerson(acknowledgedBy)}`),
    ...acted(closedAt, "Recovered", `The incident ended: ${storyEndInWords(incident)}`),
  ]).sort((a, b) => a.at - b.at);
}

/** How an incident ended, for example `recovered after 3 h 2 min`. */
export const storyEndInWords = ({
  openedAt,
  closedAt,
  closedBy,
}: Pick<IncidentSummary, "openedAt" | "closedAt" | "closedBy">): string =>
  `${CLOSED[closedBy ?? "success"].state} after ${tookInWords((closedAt ?? openedAt) - openedAt)}`;

export const NOT_NOTIFIED = "Nobody was told: no destination is configured to hear of it.";

export const STORY_SHORTENED = "Some of its reports are left out here: they are too many, too long ago, or not kept.";

export const whyStoryEntries = ({ steps }: Pick<Why, "steps">): PastEntry[] =>
  steps.map(({ at, says: [first = [], ...others] }) => ({
    ...plainEntry(at, "step", ...first.map(partWithInstant)),
    notes: others.map((line) => note(...line.map(partWithInstant))),
  }));
