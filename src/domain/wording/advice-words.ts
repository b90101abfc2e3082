// Puts into words what the reader of an alert should do, and which messages and reports come next. What happened is
// said by alert-words.ts and not repeated here.

import { NAME_LENGTH } from "../limits.ts";
import type { AlertData } from "../message/alert.ts";
import { isPausedThen, isRunning, isStillUnheard, wasReportRefused } from "../message/alert-state.ts";
import type { Instance } from "../message/presentation.ts";
import { isInTroubleAgain, isOverSince } from "../message/since.ts";
import type { PauseKind } from "../monitor/monitor.ts";
import { closingDelay } from "../monitor/window.ts";
import { isPlainMonitorKey } from "../monitor-key.ts";
import { cleanLine } from "../text.ts";
import { CAUSES } from "./causes.ts";
import type { Times } from "./message-times.ts";
import { byPerson, shownPerson } from "./since-words.ts";
import type { Fact, Sending } from "./types.ts";

/** The one sentence that says what to do first. A lock screen shows it below the subject. */
export function toDoOf(data: AlertData): string {
  if (isInTroubleAgain(data)) return `There is new trouble since: look at incident ${data.since!.newest!.incidentId}.`;
  if (data.kind === "Recovered") return toDoAfterTheEnd(data);
  if (isOverSince(data))
    return data.since!.closedBy === "success" ? "It has recovered since." : "Its incident has been closed since.";
  if (wasReportRefused(data)) return "Correct the request that it sends.";
  if (data.zoneHint !== null) return "Check its time zone first.";
  if (isStillUnheard(data)) return "Check that it is installed and enabled.";
  if (isRunning(data)) return "See whether that run ends well.";
  if (data.kind === "Acknowledged")
    return `There is nothing to do while ${shownPerson(data.acknowledgedBy) ?? "somebody"} looks after it.`;
  return CAUSES[data.cause].check(data);
}

function toDoAfterTheEnd(data: AlertData): string {
  const { reason, missedSlots } = data;
  const unheard = data.unheardSlots ?? 0;
  if (reason === "resolved") return "Watch its next report: that shows whether it works.";
  if (reason === "restored") return "Check whether the job works.";
  if (reason === "withdrawn" || reason === "deleted") return "There is nothing to do, if that was meant.";
  if ((missedSlots ?? 0) > 1) return "Check whether the missed runs must be made up.";
  if (unheard === 0) return "There is nothing to do.";
  if (data.everySeconds != null) return "Check whether it ran while rollcall could not hear.";
  return `Check whether the ${unheard === 1 ? "run" : `${unheard} runs`} ran that rollcall could not hear.`;
}

/** Further things to do, and what comes after the message is sent. Each part is one or two sentences. */
export function adviceOf(data: AlertData, sending: Sending): string[] {
  if (data.kind === "Recovered") {
    return [...afterTheEnd(data), ...pauseOf(data, sending.times), ...nextRun(data, sending)];
  }
  if (isOverSince(data)) return zoneToCheck(data);
  return [...zoneToCheck(data), ...whatToCheck(data), ...whatComes(data, sending)];
}

const whatComes = (data: AlertData, sending: Sending): string[] =>
  isPausedThen(data) ? pauseOf(data, sending.times) : [...nextRun(data, sending), ...remindersOf(data, sending)];

/**
 * The hint about the time zone; empty without a hint. It comes before all other advice, because a wrong zone may be the
 * only fault (R13).
 */
const zoneToCheck = ({ zoneHint }: AlertData): string[] => (zoneHint === null ? [] : [zoneHint]);

function whatToCheck(data: AlertData): string[] {
  if (data.kind === "Acknowledged" || isRunning(data)) return [];
  if (wasReportRefused(data)) return [];
  if (isStillUnheard(data)) return ["It must call the address of this monitor with a valid key."];
  return CAUSES[data.cause].checkNext(data);
}

const afterTheEnd = ({ reason }: AlertData): string[] =>
  reason === "deleted"
    ? ["rollcall no longer watches it. A report that carries a schedule, or every, creates it again."]
    : [];

/** Says until when the monitor is paused, and that no report is expected before. Empty when it was not paused. */
function pauseOf(data: AlertData, times: Times): string[] {
  const { pausedBy, kind } = data;
  if (!isPausedThen(data)) return [];
  const until = `It is paused until ${pausedBy.map((pause) => pauseEndInWords(pause, data, times)).join(" and ")}`;
  return kind === "Recovered"
    ? [`${until}; before that no report is expected.`]
    : [`${until}; before that no report is expected and no reminder comes. A success closes the incident.`];
}

const pauseEndInWords = (pause: PauseKind, { pausedUntil, timezone }: AlertData, times: Times): string =>
  pause === "manual" && pausedUntil !== null ? times.say(pausedUntil, timezone) : PAUSE_ENDS[pause];

const PAUSE_ENDS: Record<PauseKind, string> = {
  manual: "somebody resumes it",
  discovery: "its source lists it again",
  plan: "max_active_monitors leaves room for it",
  suspension: "its application is resumed",
};

function nextRun(data: AlertData, { sentAt, times }: Sending): string[] {
  if (data.nextExpectedAt === null) return [];
  const expectedAt = Date.parse(data.nextExpectedAt);
  const moment = times.say(data.nextExpectedAt, data.timezone);
  if (expectedAt + closingDelay(data) <= sentAt) return [];
  const next =
    expectedAt <= sentAt ? `The report due at ${moment} is awaited now` : `The next report is expected at ${moment}`;
  return [data.kind === "Recovered" ? `${next}.` : `${next}; a success closes the incident.`];
}

/** Whether and when a reminder follows (R23). One that is already due is not announced, because it follows at once. */
function remindersOf(data: AlertData, { sentAt, times }: Sending): string[] {
  const { nextReminderAt } = data;
  const isPast = nextReminderAt !== null && Date.parse(nextReminderAt) <= sentAt;
  return isPast && acknowledgedAtOf(data) === null ? [] : [comingReminder(data, times)];
}

const acknowledgedByOf = ({ acknowledgedBy, since }: AlertData): string | null =>
  acknowledgedBy ?? since?.acknowledgedBy ?? null;

/** When the incident was acknowledged. That may have been after this alert was made; then only `since` has the time. */
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

/** A command to type, and where: on rollcall's computer, as the service's user. Only that user and root may use it. */
export const commandTo = (
  purpose: string,
  command: string,
  { commandUser, commandLine }: Pick<Instance, "commandUser" | "commandLine">,
): Fact => ({
  label: `${purpose}, on rollcall's computer${(commandUser ?? null) === null ? "" : ` as user ${commandUser}`}`,
  value: typedThere(command, { commandLine }),
});

/**
 * Returns the command as people must type it. It begins with `rollcall`, which is replaced by the path or call that
 * works where the service was started.
 */
const typedThere = (command: string, { commandLine }: Pick<Instance, "commandLine">): string =>
  (commandLine ?? null) === null ? command : command.replace(/^rollcall(?= )/, () => commandLine!);

/** The command that shows the log of a systemd service; left out when the service's name would need quoting. */
function logOf({ runsOn }: AlertData): Fact[] {
  const { host, unit } = runsOn ?? { host: null, unit: null };
  if (host === null || unit === null || !/^[A-Za-z\d][\w@.:-]*\.service$/.test(unit)) return [];
  return [{ label: `See its log, on ${cleanLine(host, NAME_LENGTH)}`, value: `journalctl -n 50 -u ${unit}` }];
}

export function alertCommands(data: AlertData): Fact[] {
  const { kind, incidentId, monitorKey, applicationId, onlyApplication, nextReminderAt } = data;
  if (kind === "Recovered" || isOverSince(data)) return [];
  const acknowledge = commandTo("Stop the reminders", `rollcall incident ack ${incidentId}`, data);
  const application = onlyApplication ? "" : ` --app ${applicationId}`;
  const pause = commandTo(
    "Silence it for two hours",
    `rollcall monitor pause ${monitorKey}${application} --for 2h`,
    data,
  );
  const isQuiet = nextReminderAt === null || acknowledgedAtOf(data) !== null;
  return [
    ...logOf(data),
    ...(isQuiet ? [] : [acknowledge]),
    ...(!isPausedThen(data) && isPlainMonitorKey(monitorKey) ? [pause] : []),
  ];
}
