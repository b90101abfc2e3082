// What a digest says (R39): how many jobs and which, and of each what its own message would have told first. What has no
// room here is told by nobody, so every job is named.

import type { AlertData, AlertMessage, Reason } from "./alert.ts";
import { cleanLine, cleanLines } from "./clean-text.ts";
import type { DigestKind, DigestMessage } from "./digest.ts";
import type { Cause } from "./incident.ts";
import { MESSAGE_LENGTH, SCHEDULE_LENGTH } from "./limits.ts";
import { counted, durationInWords, momentInWords } from "./spoken-time.ts";
import { type Instant, SECOND } from "./time.ts";
import type { Fact, Item, Link, Wording } from "./wording.ts";
import { HAPPENED } from "./wording-alert.ts";
import { linksOf, momentOf, signatureOf } from "./wording-details.ts";
import { itemName } from "./wording-items.ts";
import { isOver, sinceInWords, standsAgain } from "./wording-since.ts";
import { shownName, stateOf } from "./wording-subject.ts";

/** The words of a digest; `late`: how late its first alert is, in milliseconds, when it is late. */
export function digestWording({ data }: DigestMessage, late: number | null): Wording {
  const { kind, alerts } = data;
  return {
    subject: `${urgency(data)}${headline(kind, alerts)}: ${namesOf(alerts)}${lateness(late)}${changedSince(kind, alerts)}`,
    story: [`${parts(kind, alerts)}.`],
    quote: null,
    items: alerts.map(itemOf),
    advice: TO_DO[kind],
    commands: kind === "recovered" ? [] : [{ label: "See all that is open", value: "rollcall incident list --open" }],
    facts: factsOf(alerts),
    links: commonLinks(alerts),
    signature: signatureOf(data, "your jobs"),
    tone: kind === "recovered" ? "good" : "bad",
  };
}

/** In a subject; the others stand in the list. */
const NAMED_FIRST = 2;

const TO_DO: Record<DigestKind, readonly string[]> = {
  opened: [
    "So many at once often have one cause. Look first at what these jobs share: a machine, its scheduler, the network, a service they use.",
    "Each of them is an incident of its own. Reminders, new causes and its end are told as usual.",
  ],
  continued: [
    "Each of them is an incident of its own. rollcall incident ack and its number stops the reminders of one.",
  ],
  recovered: [],
};

const urgency = ({ kind, alerts }: DigestMessage["data"]): string =>
  kind !== "recovered" && alerts.some(({ data }) => data.severity === "critical") ? "[critical] " : "";

const lateness = (late: number | null): string => (late === null ? "" : `, sent up to ${durationInWords(late)} late`);

/** One job may have had several incidents meanwhile. */
const jobsOf = (alerts: readonly AlertMessage[]): AlertData[] => [
  ...new Map(alerts.map(({ data }) => [JSON.stringify([data.applicationId, data.monitorKey]), data])).values(),
];

function namesOf(alerts: readonly AlertMessage[]): string {
  const jobs = jobsOf(alerts);
  const first = jobs.slice(0, NAMED_FIRST).map(shownName).join(", ");
  return jobs.length > NAMED_FIRST ? `${first} and ${jobs.length - NAMED_FIRST} more` : first;
}

/** What the jobs of a digest did; in the order in which it is told. */
const OPENED: Record<Cause, string> = {
  missed: "did not report",
  failed: "reported a failure",
  unfinished: "did not finish",
  outcome: "had a wrong result",
};

type Ending = Extract<Reason, "success" | "resolved" | "withdrawn" | "deleted">;

const ENDED: Record<Ending, readonly [one: string, more: string]> = {
  success: ["works again", "work again"],
  resolved: ["was closed by hand", "were closed by hand"],
  withdrawn: ["was withdrawn", "were withdrawn"],
  deleted: ["was deleted", "were deleted"],
};

function headline(kind: DigestKind, alerts: readonly AlertMessage[]): string {
  const jobs = counted(jobsOf(alerts).length, "job");
  if (kind === "continued") return `${jobs} still in trouble`;
  if (kind === "opened") {
    const [{ data }, ...others] = alerts as readonly [AlertMessage, ...AlertMessage[]];
    const alike = others.every((other) => other.data.cause === data.cause);
    return alike ? `${jobs} ${OPENED[data.cause]}` : `Trouble with ${jobs}`;
  }
  return alerts.every(({ data }) => data.reason === "success")
    ? `${jobs} recovered`
    : `${counted(alerts.length, "incident")} ended`;
}

/** `7 did not report, 5 reported a failure`. */
function parts(kind: DigestKind, alerts: readonly AlertMessage[]): string {
  const of = (matches: (data: AlertData) => boolean): number => alerts.filter(({ data }) => matches(data)).length;
  if (kind === "continued") return goesOn(alerts);
  const told =
    kind === "opened"
      ? Object.entries(OPENED).map(([cause, words]) => [of((data) => data.cause === cause), words] as const)
      : Object.entries(ENDED).map(([reason, [one, more]]) => {
          const count = of((data) => data.reason === reason);
          return [count, count === 1 ? one : more] as const;
        });
  return told
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count} ${words}`)
    .join(", ");
}

/** `48 are still in trouble, 2 failed in a new way`. */
function goesOn(alerts: readonly AlertMessage[]): string {
  const anew = alerts.filter(({ data }) => data.reason === "new_cause").length;
  const goOn = alerts.length - anew;
  const told = [
    ...(goOn === 0 ? [] : [`${goOn} ${goOn === 1 ? "is" : "are"} still in trouble`]),
    ...(anew === 0 ? [] : [`${anew} failed in a new way`]),
  ];
  return told.join(", ");
}

const itemOf = ({ data, at }: AlertMessage): Item => ({
  name: `${stateOf(data)}: ${itemName(data)}`,
  details: [...toldOf(data, at), ...since(data)],
  quote: cleanLines(data.failureMessage ?? "", MESSAGE_LENGTH) || null,
});

function toldOf(data: AlertData, at: Instant): string[] {
  if (data.kind === "Recovered") return historyOf(data, at);
  if (data.kind === "ContinuedFailure" && data.reason !== "new_cause") return reminderOf(data);
  return [`${happened(data, at)}; incident ${data.incidentId}`];
}

/** What a reminder by itself would tell: for how long, since when, why, and whether another comes. */
function reminderOf({ timezone, openedAt, durationSeconds, causes, reason, incidentId }: AlertData): string[] {
  const lasted = durationInWords((durationSeconds ?? 0) * SECOND);
  return [
    `for ${lasted}, since ${momentOf(openedAt, timezone)}; incident ${incidentId}`,
    `${causes.map((cause) => HAPPENED[cause]).join(", then ")}${reason === "last_reminder" ? "; no further reminder follows" : ""}`,
  ];
}

function happened(data: AlertData, at: Instant): string {
  const { cause, expectedAt, runStartedAt, timezone } = data;
  switch (cause) {
    case "missed":
      return expectedAt === null ? "nothing came" : `expected at ${momentOf(expectedAt, timezone)}, nothing came`;
    case "failed":
      return `reported at ${momentInWords(at, timezone)}`;
    case "unfinished":
      return runStartedAt === null ? "no end came" : `started at ${momentOf(runStartedAt, timezone)}, no end came`;
    case "outcome":
      return `reported its end at ${momentInWords(at, timezone)}`;
    default:
      return cause satisfies never;
  }
}

/** R36: a recovery tells the whole story by itself. */
function historyOf(data: AlertData, at: Instant): string[] {
  const { timezone, durationSeconds, causes, missedSlots } = data;
  const lasted = durationInWords((durationSeconds ?? 0) * SECOND);
  const missed = missedSlots ?? 0;
  return [
    `at ${momentInWords(at, timezone)}, after ${lasted}`,
    `${causes.map((cause) => HAPPENED[cause]).join(", then ")}${missed === 0 ? "" : `; ${counted(missed, "scheduled run")} went unreported`}`,
  ];
}

function since(data: AlertData): string[] {
  const words = sinceInWords(data);
  return words === null ? [] : [`since then ${words}`];
}

/** R36: of how many jobs the headline is not the last word. */
function changedSince(kind: DigestKind, alerts: readonly AlertMessage[]): string {
  const again = alerts.filter(({ data }) => standsAgain(data)).length;
  const over = alerts.filter(({ data }) => isOver(data) && !standsAgain(data)).length;
  const words = [
    ...(over === 0 || kind === "recovered" ? [] : [`${allOr(over, alerts)} over since`]),
    ...(again === 0 ? [] : [`${allOr(again, alerts)} in trouble again since`]),
  ];
  return words.map((each) => `, ${each}`).join("");
}

const allOr = (count: number, alerts: readonly AlertMessage[]): string =>
  count === alerts.length ? "all" : String(count);

function factsOf(alerts: readonly AlertMessage[]): Fact[] {
  const rows: [string, (data: AlertData) => string | null][] = [
    ["Application", ({ applicationId }) => applicationId],
    ["Environment", ({ environment }) => environment],
    ["Owner", ({ owner }) => owner],
  ];
  return rows.flatMap(([label, read]) => {
    const values = new Set(alerts.flatMap(({ data }) => read(data) ?? []));
    const value = cleanLine([...values].join(", "), SCHEDULE_LENGTH);
    return value === "" ? [] : [{ label, value }];
  });
}

/** What stands with every one of them, such as a team's runbook. */
function commonLinks([first, ...others]: DigestMessage["data"]["alerts"]): Link[] {
  const elsewhere = others.map(({ data }) => new Set(linksOf(data).map(({ url }) => url)));
  return linksOf(first.data).filter(({ url }) => elsewhere.every((urls) => urls.has(url)));
}
