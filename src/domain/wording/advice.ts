// What to do about an alert and what comes next. alert.ts says what happened; do not repeat it here.

import type { AlertData } from "../message/alert.ts";
import type { Instance } from "../message/instance.ts";
import { isOver } from "../message/since.ts";
import type { CheckedOutcome } from "../monitor/outcomes.ts";
import { closingDelay } from "../monitor/window.ts";
import { isPlainKey } from "../settings/monitor-key.ts";
import { isRunning, isStillUnheard } from "./history.ts";
import type { Times } from "./message-times.ts";
import { isPausedThen, pauseOf } from "./pause.ts";
import { byPerson } from "./since.ts";
import { isRefusal } from "./to-do.ts";
import type { Fact, Sending } from "./types.ts";

/** What else to do, and what comes next after `sentAt`; one or two sentences each. */
export function adviceOf(data: AlertData, sending: Sending): string[] {
  if (data.kind === "Recovered") {
    return [...afterTheEnd(data), ...pauseOf(data, sending.times), ...nextRun(data, sending)];
  }
  if (isOver(data)) return zoneToCheck(data);
  return [...zoneToCheck(data), ...whatToCheck(data), ...whatComes(data, sending)];
}

const whatComes = (data: AlertData, sending: Sending): string[] =>
  isPausedThen(data) ? pauseOf(data, sending.times) : [...nextRun(data, sending), ...remindersOf(data, sending)];

/** R13: comes first, since the zone may be the only fault. */
const zoneToCheck = ({ zoneHint }: AlertData): string[] => (zoneHint === null ? [] : [zoneHint]);

/** What is left to check after the first advice (`toDoOf`). */
function whatToCheck(data: AlertData): string[] {
  if (data.kind === "Acknowledged" || isRunning(data)) return [];
  if (isRefusal(data)) return [];
  if (isStillUnheard(data)) return ["It must call the address of this monitor with a valid key."];
  switch (data.cause) {
    case "missed":
      return [
        data.zoneHint === null
          ? "If they are, check that the job was started and that it can reach rollcall."
          : "If that is right, check that its machine and its scheduler are up, that the job was started and that it can reach rollcall.",
      ];
    case "failed":
      return [];
    case "unfinished":
      return [
        `If it may take this long, ${data.maxRuntimeSeconds === null ? "set a max_runtime for it" : "set a larger max_runtime"}.`,
      ];
    case "outcome":
      return howToReport(data.outcomes);
  }
}

/** R27: a missing outcome more often means a report of the wrong kind than a job without a number. */
const howToReport = (outcomes: readonly CheckedOutcome[] | null): string[] =>
  outcomes?.some(({ observed }) => observed === null)
    ? ["What is missing was not sent: only a POST to complete with a JSON body carries outcomes, a heartbeat has none."]
    : [];

const afterTheEnd = ({ reason }: AlertData): string[] =>
  reason === "deleted"
    ? ["rollcall no longer watches it. A report that carries a schedule, or every, creates it again."]
    : [];

function nextRun(data: AlertData, { sentAt, times }: Sending): string[] {
  if (data.nextExpectedAt === null) return [];
  const expectedAt = Date.parse(data.nextExpectedAt);
  const moment = times.say(data.nextExpectedAt, data.timezone);
  if (expectedAt + closingDelay(data) <= sentAt) return [];
  const next =
    expectedAt <= sentAt ? `The report due at ${moment} is awaited now` : `The next report is expected at ${moment}`;
  return [data.kind === "Recovered" ? `${next}.` : `${next}; a success closes the incident.`];
}

/** R23: whether and when another message comes; leaves out a reminder already due, because it follows at once. */
function remindersOf(data: AlertData, { sentAt, times }: Sending): string[] {
  const { nextReminderAt } = data;
  const isPast = nextReminderAt !== null && Date.parse(nextReminderAt) <= sentAt;
  return isPast && acknowledgedAtOf(data) === null ? [] : [comingReminder(data, times)];
}

const acknowledgedByOf = ({ acknowledgedBy, since }: AlertData): string | null =>
  acknowledgedBy ?? since?.acknowledgedBy ?? null;

/** Someone may have acknowledged it since. */
const acknowledgedAtOf = ({ acknowledgedAt, since }: AlertData): string | null =>
  acknowledgedAt ?? since?.acknowledgedAt ?? null;

function comingReminder(data: AlertData, times: Times): string {
  const { reason, remindersSent, remindersMax, nextReminderAt, timezone } = data;
  const acknowledgedAt = acknowledgedAtOf(data);
  const heard = "You will hear when it recovers, or when it fails in a new way.";
  if (acknowledgedAt !== null)
    return `It was acknowledged${byPerson(acknowledgedByOf(data))} at ${times.say(acknowledgedAt, timezone)}, so no reminders come. ${heard}`;
  if (reason === "last_reminder") return `This is reminder ${remindersSent}, the last of this incident. ${heard}`;
  if (nextReminderAt === null) return `No reminders follow. ${heard}`;
  const next = times.sayMinute(nextReminderAt, timezone);
  return reason === "reminder"
    ? `This is reminder ${remindersSent} of at most ${remindersMax}; the next comes at ${next}.`
    : `If it goes on, a reminder comes at ${next}.`;
}

/** A command, with where it works: the service accepts commands only from its own user or root. */
export const commandTo = (purpose: string, command: string, { commandUser }: Pick<Instance, "commandUser">): Fact => ({
  label: `${purpose}, on rollcall's computer${(commandUser ?? null) === null ? "" : ` as user ${commandUser}`}`,
  value: command,
});

export function commandsOf(data: AlertData): Fact[] {
  const { kind, incidentId, monitorKey, applicationId, onlyApplication, nextReminderAt } = data;
  if (kind === "Recovered" || isOver(data)) return [];
  const acknowledge = commandTo("Stop the reminders", `rollcall incident ack ${incidentId}`, data);
  const application = onlyApplication ? "" : ` --app ${applicationId}`;
  const pause = commandTo(
    "Silence it for two hours",
    `rollcall monitor pause ${monitorKey}${application} --for 2h`,
    data,
  );
  const isQuiet = nextReminderAt === null || acknowledgedAtOf(data) !== null;
  return [...(isQuiet ? [] : [acknowledge]), ...(!isPausedThen(data) && isPlainKey(monitorKey) ? [pause] : [])];
}
