// Prints the answers to most commands of `rollcall monitor …`: lists monitors, and says what a command changed and
// what is in force now.

import { REPORTED_FIELDS, settingOption } from "../../domain/settings/settings.ts";
import { visibleText } from "../../domain/text.ts";
import { durationText, type Instant, SECOND } from "../../domain/time.ts";
import { askedInWords, pauseWord } from "../../domain/wording/paused.ts";
import { span } from "../../domain/wording/short-time.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import type { Screen } from "../asking/ask-service.ts";
import { olderOnes, type Screens } from "./presenter.ts";
import {
  headIn,
  printedMinute,
  printedMoment,
  printedMonitorLabel,
  printedZone,
  unbroken,
  withPlainSpaces,
} from "./spoken.ts";
import { ownerCell, say, type TableRow } from "./table.ts";

type MonitorLine = Answer<"monitor list">["monitors"][number];

const IN_SECONDS = new Set(["grace", "max-runtime", "every"]);

/** Returns text such as `grace 30 min → 10 min`. */
function declaredChangeInWords({ setting, from, to }: Answer<"monitor set">["changes"][number]): string {
  const spoken = (value: string | null): string =>
    value === null ? "unset" : IN_SECONDS.has(setting) ? span(Number(value) * SECOND) : value;
  return `${setting} ${spoken(from)} → ${spoken(to)}`;
}

export const MONITOR_SCREENS: Screens = {
  /** A schedule without a zone beside it is in the zone that the head of the table names. */
  "monitor list": {
    items: ({ monitors }) => monitors,
    none: ({ status = null, pattern = null }, screen) => nothingListed(status, pattern, screen),
    rows: ({ monitors }, screen) => monitors.map((monitor) => monitorRow(monitor, screen)),
    beside: ({ unreadable }) =>
      unreadable.map(
        ({ application, key }) =>
          `monitor ${key} of application ${application} cannot be read: the log says why, and it can be deleted`,
      ),
  },
  "monitor create": ({ answer: monitor, screen, io }) => {
    io.out(`created monitor ${printedMonitorLabel(monitor, screen)}`);
    for (const line of whatNext(monitor, screen)) say(io, line);
  },
  "monitor pause": ({ answer: { changed, monitor }, screen, io }) => {
    const pause = monitor.pauses.manual ?? { until: null, asked: null };
    const end = `${pauseEnd(pause.until, screenOf(monitor, screen))}${askedInWords(pause)}`;
    const name = printedMonitorLabel(monitor, screen);
    io.out(withPlainSpaces(changed ? `paused ${name} ${end}` : `${name} is paused already, ${end}`));
  },
  "monitor resume": ({ answer: { changed, monitor }, screen, io }) => {
    const name = printedMonitorLabel(monitor, screen);
    const done = monitor.status === "paused" ? `lifted the pause by hand of ${name}` : `resumed ${name}`;
    io.out(changed ? done : `${name} is not paused`);
    for (const line of whatNext(monitor, screen)) say(io, line);
  },
  "monitor delete": ({ answer, screen, io }) => {
    const { incidentId, recoveryTold, historyUntil, returnsAtStart } = answer;
    io.out(`deleted monitor ${printedMonitorLabel(answer, screen)}`);
    if (incidentId !== null)
      say(
        io,
        recoveryTold
          ? `incident ${incidentId} was closed by it, and the recovery is told`
          : `incident ${incidentId} was closed by it; it could not be read, so no recovery is told: close it where it was told`,
      );
    say(
      io,
      `its history goes after 7 days, at ${printedMoment(historyUntil, screen)}; until then \`monitor undelete\` brings it back`,
    );
    say(
      io,
      returnsAtStart
        ? "the configuration names it with a schedule: the next start creates it again, unless it is taken out there"
        : "a report that carries a schedule, or every, creates it again, without that history",
    );
  },
  "monitor set": ({ answer: { changed, changes, monitor, overridden, source }, asked, screen, io }) => {
    const name = printedMonitorLabel(monitor, screen);
    const isUndo = asked.undo === true;
    const back = isUndo ? ` back: ${changes.map(declaredChangeInWords).join(", ")}` : "";
    io.out(changed ? withPlainSpaces(`changed ${name}${back}`) : `${name} was so already`);
    if (isUndo) say(io, "the same again brings back what this took back");
    if (overridden.length > 0)
      say(io, `the configuration sets ${overridden.join(" and ")}, and that wins: what you set is kept beneath it`);
    // Whether a setting was changed that jobs and registries declare too. Their next report or sync then replaces the
    // change.
    const isReported = REPORTED_FIELDS.some((field) => changes.some(({ setting }) => setting === settingOption(field)));
    if (isReported && source !== null)
      say(io, `its source ${visibleText(source)} declares it: what its next sync says of these settings replaces them`);
    else if (isReported) say(io, "what a later report of the job says of these settings replaces them");
    for (const line of whatNext(monitor, screen)) say(io, line);
  },
  "monitor rename": ({ answer: { was, monitor, source, returnsAtStart }, screen, io }) => {
    const old = visibleText(was);
    io.out(`renamed ${old} to ${printedMonitorLabel(monitor, screen)}, with its history`);
    say(
      io,
      `its job must report as ${visibleText(monitor.key)} now: a report as ${old} with a schedule creates another monitor`,
    );
    if (source !== null)
      say(
        io,
        `its source ${visibleText(source)} must declare it so too, else its next sync pauses it and creates ${old} again`,
      );
    if (returnsAtStart) say(io, `the configuration names ${old} with a schedule: the next start creates it again`);
  },
  "monitor deleted": {
    items: ({ deleted }) => deleted,
    none: () => "no monitor was deleted in the last 7 days",
    rows: ({ deleted }, screen) =>
      deleted.map(({ application, key, deletedAt, historyUntil, keyIsTaken }) => ({
        ...ownerCell(screen, application),
        MONITOR: key,
        [headIn(screen, "DELETED")]: printedMinute(deletedAt, screen),
        "HISTORY GOES": printedMinute(historyUntil, screen),
        KEY: keyIsTaken ? "has another monitor" : "free",
      })),
    beside: ({ deleted, more }) => olderOnes(deleted.length, more),
  },
  "monitor undelete": ({ answer: { monitor }, screen, io }) => {
    io.out(`brought monitor ${printedMonitorLabel(monitor, screen)} back`);
    for (const line of whatNext(monitor, screen)) say(io, line);
  },
};

const monitorRow = (monitor: MonitorLine, screen: Screen): TableRow => ({
  ...ownerCell(screen, monitor.application),
  MONITOR: monitor.key,
  STATUS: monitor.status,
  SCHEDULE: scheduleCell(monitor, screen),
  [headIn(screen, "EXPECTED")]: printedMinute(monitor.lateSince ?? monitor.nextAt, screen),
  "LAST REPORT": monitor.lastPingAt === null ? "never" : printedMinute(monitor.lastPingAt, screen),
});

function scheduleCell({ schedule, everySeconds, timezone }: MonitorLine, screen: Screen): string {
  if (everySeconds !== null) return unbroken(`every ${durationText(everySeconds)}`);
  if (schedule === null) return "-";
  return timezone === screen.timezone ? unbroken(schedule) : `${unbroken(schedule)} ${printedZone(timezone)}`;
}

function nothingListed(status: string | null, pattern: string | null, { typed }: Screen): string {
  const which = pattern === null ? "no monitor" : `no monitor with the key ${visibleText(pattern)}`;
  if (status !== null) return `${which} is ${status}`;
  if (pattern !== null) return `there is ${which}`;
  const create = unbroken(typed("monitor create KEY --schedule '0 2 * * *'"));
  return `there are no monitors yet: a report that carries a schedule, or every, creates one, and so does ${create}`;
}

const screenOf = (monitor: MonitorLine, screen: Screen): Screen => ({ ...screen, timezone: monitor.timezone });

function whatNext(monitor: MonitorLine, serverScreen: Screen): string[] {
  const { schedule, everySeconds, pauses, incidentId } = monitor;
  const expectedAt = monitor.lateSince ?? monitor.nextAt;
  const screen = screenOf(monitor, serverScreen);
  const lines: string[] = [];
  if (pauses.manual !== null)
    lines.push(
      `it is ${pauseWord(pauses.manual)} ${pauseEnd(pauses.manual.until, screen)}${askedInWords(pauses.manual)}`,
    );
  if (pauses.discovery) lines.push("it stays paused until its source declares it again");
  if (pauses.suspension) lines.push("its application is suspended, so nothing of it is expected");
  if (pauses.plan) lines.push("it stays paused until its source declares it while its application has room");
  if (expectedAt !== null) lines.push(`its next report is expected at ${printedMoment(expectedAt, screen)}`);
  if (schedule === null && everySeconds === null) lines.push("it has no schedule, so no report is ever missed");
  if (incidentId !== null) lines.push(`incident ${incidentId} is open`);
  return lines;
}

const pauseEnd = (until: Instant | null, screen: Screen): string =>
  until === null ? "until it is resumed" : `until ${printedMoment(until, screen)}`;
