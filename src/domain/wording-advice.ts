// What to do about an alert and what comes next. Must not retell what happened; that is wording-alert.ts.

import type { AlertData } from "./alert.ts";
import { isPlainKey } from "./monitor-key.ts";
import type { CheckedOutcome } from "./outcomes.ts";
import { momentInWords } from "./spoken-time.ts";
import type { Instant } from "./time.ts";
import type { Fact } from "./wording.ts";
import { isPausedThen, pauseOf } from "./wording-pause.ts";
import { isOver } from "./wording-since.ts";

/** What to do and what comes next after `sentAt`, one sentence or two each. */
export function adviceOf(data: AlertData, sentAt: Instant): string[] {
  if (data.kind === "Recovered") return [...afterTheEnd(data), ...pauseOf(data), ...nextRun(data, sentAt)];
  if (isOver(data)) return [...zoneToCheck(data), whatToCheck(data)];
  return [...zoneToCheck(data), whatToCheck(data), ...whatComes(data, sentAt)];
}

const whatComes = (data: AlertData, sentAt: Instant): string[] =>
  isPausedThen(data) ? pauseOf(data) : [...nextRun(data, sentAt), ...remindersOf(data, sentAt)];

/** R13: before all else, since it may be all that is wrong. */
const zoneToCheck = ({ zoneHint }: AlertData): string[] => (zoneHint === null ? [] : [zoneHint]);

function whatToCheck(data: AlertData): string {
  if (data.kind === "NeverExecuted") {
    return "Check that the job is installed and enabled, and that it calls the address of this monitor with a valid key.";
  }
  switch (data.cause) {
    case "missed":
      return "Check that the machine and its scheduler are up, that the job was started, and that it can reach this server.";
    case "failed":
      return "Read the job's own log of that time.";
    case "unfinished":
      return `Check whether the job hangs or was killed. If it may take this long, ${data.maxRuntimeSeconds === null ? "set a max_runtime for it" : "set a larger max_runtime"}.`;
    case "outcome":
      return `Check what the job produced before anything relies on it.${howToReport(data.outcomes)}`;
  }
}

/** R27: what is missing is more often a report of the wrong kind than a job that knows no number. */
const howToReport = (outcomes: readonly CheckedOutcome[] | null): string =>
  outcomes?.some(({ observed }) => observed === null)
    ? " What is missing was not sent: only a POST to complete with a JSON body carries outcomes, a heartbeat has none."
    : "";

function afterTheEnd({ reason }: AlertData): string[] {
  if (reason === "resolved") return ["Whether the job works shows with its next report."];
  if (reason === "deleted") return ["Nobody watches it now. A report that carries a schedule creates it again."];
  return [];
}

function nextRun(data: AlertData, sentAt: Instant): string[] {
  if (data.nextExpectedAt === null || Date.parse(data.nextExpectedAt) <= sentAt) return [];
  const next = `The next report is expected at ${momentInWords(Date.parse(data.nextExpectedAt), data.timezone)}`;
  return [data.kind === "Recovered" ? `${next}.` : `${next}; a success closes the incident.`];
}

/** R23: whether anybody will be told again, and when; nothing of a reminder whose time has come, for it follows. */
function remindersOf(data: AlertData, sentAt: Instant): string[] {
  const { nextReminderAt } = data;
  const isPast = nextReminderAt !== null && Date.parse(nextReminderAt) <= sentAt;
  return isPast && acknowledgedAtOf(data) === null ? [] : [comingReminder(data)];
}

/** It may have been acknowledged since. */
const acknowledgedAtOf = ({ acknowledgedAt, since }: AlertData): string | null =>
  acknowledgedAt ?? since?.acknowledgedAt ?? null;

function comingReminder(data: AlertData): string {
  const { reason, remindersSent, remindersMax, nextReminderAt, timezone } = data;
  const acknowledgedAt = acknowledgedAtOf(data);
  const moment = (iso: string): string => momentInWords(Date.parse(iso), timezone);
  const heard = "You will hear when it recovers, or when it fails in a new way.";
  if (acknowledgedAt !== null)
    return `It was acknowledged at ${moment(acknowledgedAt)}, so no reminders come. ${heard}`;
  if (reason === "last_reminder") return `This is reminder ${remindersSent}, the last of this incident. ${heard}`;
  if (nextReminderAt === null) return `No reminders follow. ${heard}`;
  return reason === "reminder"
    ? `This is reminder ${remindersSent} of ${remindersMax} at most; the next comes at ${moment(nextReminderAt)}.`
    : `If it goes on, a reminder comes at ${moment(nextReminderAt)}.`;
}

/** What can be typed on rollcall's computer to have quiet; empty when it is over. */
export function commandsOf(data: AlertData): Fact[] {
  const { kind, incidentId, monitorKey, applicationId, nextReminderAt } = data;
  if (kind === "Recovered" || isOver(data)) return [];
  const acknowledge = { label: "Stop the reminders", value: `rollcall incident ack ${incidentId}` };
  const pause = {
    label: "Silence it for two hours",
    value: `rollcall monitor pause ${monitorKey} --app ${applicationId} --for 2h`,
  };
  const isQuiet = nextReminderAt === null || acknowledgedAtOf(data) !== null;
  return [...(isQuiet ? [] : [acknowledge]), ...(!isPausedThen(data) && isPlainKey(monitorKey) ? [pause] : [])];
}
