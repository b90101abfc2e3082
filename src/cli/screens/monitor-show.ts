// `rollcall monitor show`: everything the running service knows about one monitor, in that monitor's zone.

import { expectedInWords } from "../../domain/monitor/outcomes.ts";
import { slowerInWords } from "../../domain/monitor/run-lengths.ts";
import { COUNT_FIELDS, type DeclaredField, settingInWords } from "../../domain/settings/settings.ts";
import type { Instant } from "../../domain/time.ts";
import { troublesInWords } from "../../domain/wording/causes.ts";
import { askedInWords, MAINTENANCE_TOLD, maintenanceInWords, pauseWord } from "../../domain/wording/paused.ts";
import { inWords } from "../../domain/wording/schedule.ts";
import { span } from "../../domain/wording/short-time.ts";
import { byPerson } from "../../domain/wording/since.ts";
import { intervalInWords } from "../../domain/wording/spoken-time.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import { type ShownSetting, sourceInWords } from "../../views/answers/settings.ts";
import { RUN_LIMITS, type ShownMonitor } from "../../views/answers/shown-monitor.ts";
import { slotInWords } from "../../views/story.ts";
import type { Screen } from "../asking/ask-service.ts";
import { reportCell, saidCells, tablesOf } from "./monitor-tables.ts";
import { olderOnes, type Screens } from "./presenter.ts";
import { headIn, seconds, sentence, shortText, time } from "./spoken.ts";
import { type FactLine, factIf, formatFacts, type TableRow } from "./table.ts";

export const MONITOR_SHOW_SCREENS: Screens = {
  "monitor show": {
    lines: (monitor, serverScreen) => {
      const screen = { ...serverScreen, timezone: monitor.timezone };
      return [...formatFacts(factsOf(monitor, screen), screen), ...tablesOf(monitor, screen)];
    },
  },
  "monitor history": {
    leavesOutEmpty: true,
    items: ({ entries }) => entries,
    none: () => "it has not reported, and nothing was due",
    rows: ({ entries, timezone }, screen) => entries.map((entry) => rowOf(entry, { ...screen, timezone })),
    beside: ({ entries, more, everySeconds }) => [
      ...(everySeconds === null
        ? []
        : [`it must report at least ${intervalInWords(everySeconds)}: what was due is not listed, only what came`]),
      ...olderOnes(entries.length, more),
    ],
  },
};

const TIMES = ["graceSeconds", "maxRuntimeSeconds"] as const satisfies readonly DeclaredField[];

const secondsOrNone = (count: number | null): string => (count === null ? "none" : seconds(count));

function factsOf(monitor: ShownMonitor, screen: Screen): FactLine[] {
  const { settings, routing, incident } = monitor;
  const at = (when: Instant | null, otherwise: string): string => (when === null ? otherwise : time(when, screen));
  return [
    ["application", monitor.application],
    ["key", monitor.key],
    ["name", inForce(settings.name, (name) => name)],
    ["status", monitor.status],
    ["now", `it ${sentence(monitor.now, screen)}`],
    ...pauseFacts(monitor, screen),
    expectedFact(settings),
    ["timezone", `${inForce(settings.timezone, (zone) => zone)}; all times here are in it`],
    ...TIMES.map((field): FactLine => [settingInWords(field), inForce<number | null>(settings[field], secondsOrNone)]),
    ...limitFacts(monitor.runLimit),
    ...factIf("takes", usualInWords(monitor.runLengths)),
    ...COUNT_FIELDS.map((field): FactLine => [settingInWords(field), inForce(settings[field], String)]),
    ...monitor.maintenance
      .slice(0, MAINTENANCE_TOLD)
      .map((window): FactLine => ["maintenance", windowInWords(window, monitor, screen)]),
    ...factIf("maintenance", moreMaintenance(monitor)),
    ...settings.outcomes.map((expectation): FactLine => {
      const otherwise = expectation.onFailure === "warn" ? ", else a warning" : "";
      return ["outcome", `${expectation.name}: ${expectedInWords(expectation)}${otherwise}`];
    }),
    [
      "expected",
      monitor.status === "paused" ? "nothing while it is paused" : at(monitor.lateSince ?? monitor.nextAt, "never"),
    ],
    ...factIf("zone hint", monitor.zoneHint),
    ["last report", at(monitor.lastPingAt, "never")],
    ...senderFacts(monitor, screen),
    ...monitor.oldAddresses.map((address): FactLine => ["old address", address]),
    ["last success", at(monitor.lastSuccessAt, "never")],
    ["incident", incident === null ? "none open" : incidentInWords(incident, screen)],
    ["alerts go to", routing.destinations.join(", ") || "nobody"],
    ...troubleFacts(monitor, screen),
    ...drillFacts(monitor, screen),
    ["severity", inForce(settings.severity, String)],
    ["labels", inForce(settings.labels, (labels) => labels ?? "none")],
    ["note", inForce(settings.note, (note) => note ?? "none")],
    ["mail rule", inForce(settings.mailRule, (rule) => rule ?? "usual")],
    ...factIf("owner", routing.owner),
    ...factIf("environment", routing.environment),
    ...Object.entries(routing.links).map(([name, url]): FactLine => [name, url]),
    ...declarationFacts(monitor, screen),
    ["created", at(monitor.createdAt, "")],
    ["changed", at(monitor.updatedAt, "")],
  ];
}

function senderFacts({ sender }: ShownMonitor, screen: Screen): FactLine[] {
  if (sender === null) return [];
  const { address, agent, keyId, oldAddress, since } = sender;
  const by = agent === null ? "" : ` by ${shortText(agent, AGENT_SHOWN)}`;
  const where = oldAddress === null ? `with key ${keyId}` : `at address ${keyId}`;
  return [["reported from", `${address}${by}, ${where}, since ${time(since, screen)}`]];
}

const AGENT_SHOWN = 80;

/** Longer metadata is for programs, which get all of it as JSON. */
const METADATA_SHOWN = 200;

function declarationFacts({ declaration }: ShownMonitor, screen: Screen): FactLine[] {
  if (declaration === null) return [];
  const { source, version, declaredAt, metadata } = declaration;
  return [
    ["source", version === null ? source : `${source}, version ${version}`],
    ["declared", time(declaredAt, screen)],
    ...factIf("metadata", metadata && shortText(JSON.stringify(metadata), METADATA_SHOWN)),
  ];
}

/** `30 min (configuration; declared 1 min)`. */
const inForce = <Value>(setting: ShownSetting<Value>, show: (value: Value) => string): string =>
  `${show(setting.value)} (${sourceInWords(setting, show)})`;

/** One of the two (R44): `schedule  0 2 * * * (declared): at 02:00, every day` or `every  25 h (declared)`. */
function expectedFact({ schedule, everySeconds }: ShownMonitor["settings"]): FactLine {
  if (everySeconds.value !== null)
    return [settingInWords("everySeconds"), `${inForce(everySeconds, secondsOrNone)}: counted from its last end`];
  const words = schedule.value === null ? null : inWords(schedule.value);
  return ["schedule", `${inForce(schedule, (text) => text ?? "none")}${words === null ? "" : `: ${words}`}`];
}

const limitFacts = ({ seconds: limit, from }: ShownMonitor["runLimit"]): FactLine[] =>
  from === "max_runtime" ? [] : [["run deadline", `${seconds(limit)} after its start: ${RUN_LIMITS[from]}`]];

function moreMaintenance({ maintenance }: ShownMonitor): string | null {
  const more = maintenance.length - MAINTENANCE_TOLD;
  return more <= 0 ? null : `and ${more} more: \`rollcall maintenance list\` has them`;
}

function usualInWords({ usual }: ShownMonitor["runLengths"]): string | null {
  if (usual === null) return null;
  return `usually ${span(usual.usualMs)}${usual.slower === null ? "" : `, ${slowerInWords(usual.slower)}`}`;
}

/** `at 04:00, only on Sunday, for 2 h (0 4 * * 0); next 2026-03-08 04:00:00 (in 5 d)`. */
function windowInWords(window: ShownMonitor["maintenance"][number], { status }: ShownMonitor, screen: Screen): string {
  const { id, schedule, next, plannedBy, reason } = window;
  const written = schedule === null || inWords(schedule) === null ? "" : ` (${schedule})`;
  const what = `${maintenanceInWords(window, screen.timezone)}${written}`;
  const why = id === null ? "" : `; maintenance ${id}${askedInWords({ asked: { by: plannedBy, reason } })}`;
  if (next === null) return `${what}; never again${why}`;
  const isNow = next.from <= screen.now;
  const resumed = status === "paused" ? "" : ", resumed in it";
  return `${what}; ${isNow ? `now, until ${time(next.until, screen)}${resumed}` : `next ${time(next.from, screen)}`}${why}`;
}

function pauseFacts({ pauses }: ShownMonitor, screen: Screen): FactLine[] {
  const reasons: string[] = [];
  const { manual } = pauses;
  if (manual !== null) {
    const until = manual.until === null ? "it is resumed" : time(manual.until, screen);
    reasons.push(`${pauseWord(manual) === "paused" ? "" : "for maintenance "}until ${until}${askedInWords(manual)}`);
  }
  if (pauses.discovery) reasons.push("until its source declares it again");
  if (pauses.suspension) reasons.push("until its application is resumed");
  if (pauses.plan) reasons.push("until its source declares it while its application has room");
  return reasons.map((reason) => ["paused", reason]);
}

function incidentInWords(incident: NonNullable<ShownMonitor["incident"]>, screen: Screen): string {
  const { id, openedAt, message, acknowledgedAt, acknowledgedBy, remindAt } = incident;
  const said = message === null ? "" : `: ${message}`;
  const next =
    acknowledgedAt !== null
      ? `acknowledged${byPerson(acknowledgedBy)} at ${time(acknowledgedAt, screen)}`
      : remindAt === null
        ? "no reminder follows"
        : `next reminder at ${time(remindAt, screen)}`;
  return `${id}, open since ${time(openedAt, screen)}, ${troublesInWords(incident)}${said}; ${next}`;
}

function troubleFacts({ routing }: ShownMonitor, screen: Screen): FactLine[] {
  const { destinations, unreachable, failing } = routing;
  if (destinations.length === 0) return unreachable === null ? [] : [["", `they cannot be delivered: ${unreachable}`]];
  const each = failing.map(({ destination, answer, since }): FactLine => {
    return ["", `${destination} has taken no messages since ${time(since, screen)}: ${answer}`];
  });
  return unreachable === null ? each : [["", "they cannot be delivered now:"], ...each];
}

function drillFacts({ drill }: ShownMonitor, screen: Screen): FactLine[] {
  if (drill === null) return [];
  const { everySeconds, dueAt, last } = drill;
  const next: FactLine = ["drill", `every ${seconds(everySeconds)}, the next at ${time(dueAt, screen)}`];
  if (last === null) return [next];
  const addresses = last.deliveries.map(({ destination, recipient, state, answer }) => {
    const address = recipient === null ? destination : `${destination} (${recipient})`;
    return `${address}: ${state === "sent" ? "delivered" : state === "given_up" ? "given up" : "on its way"}${
      answer === null ? "" : `, ${answer}`
    }`;
  });
  return [
    next,
    ["last drill", `${time(last.at, screen)}, ${last.outcome ?? "on its way"}`],
    ...addresses.map((text): FactLine => ["", text]),
  ];
}

type HistoryEntry = Answer<"monitor history">["entries"][number];

const rowOf = (entry: HistoryEntry, screen: Screen): TableRow => ({
  [headIn(screen, "AT")]: time(entry.at, screen),
  HEARD: entry.heardAt === null ? "-" : time(entry.heardAt, screen),
  WHAT: whatIn(entry, screen),
  ...saidCells(entry),
});

function whatIn({ kind, outcome, reportAt }: HistoryEntry, screen: Screen): string {
  if (kind !== null || outcome === null) return reportCell({ kind, outcome });
  const parts = slotInWords(outcome, reportAt);
  return parts.map((part) => (typeof part === "string" ? part : time(reportAt, screen))).join("");
}
