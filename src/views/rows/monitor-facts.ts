// All that is known of one monitor, as rows of facts. The page of a job lists `monitorFacts` alone, because its head
// says how the job stands; `monitor show` lists all. Pure.

import { MESSAGE_LENGTH } from "../../domain/limits.ts";
import { expectedInWords } from "../../domain/monitor/reported-outcomes.ts";
import { DECLARED_FIELDS, type DeclaredField } from "../../domain/settings/settings.ts";
import { cleanLine } from "../../domain/text.ts";
import { type Instant, SECOND } from "../../domain/time.ts";
import { troublesInWords } from "../../domain/wording/causes.ts";
import { partWithInstant } from "../../domain/wording/now.ts";
import { askedInWords, MAINTENANCE_TOLD, maintenanceInWords, pauseWord } from "../../domain/wording/paused.ts";
import { slowerInWords } from "../../domain/wording/run-length-words.ts";
import { scheduleInWords } from "../../domain/wording/schedule-words.ts";
import { settingInWords, settingValueInWords } from "../../domain/wording/setting-words.ts";
import { span } from "../../domain/wording/short-time.ts";
import { byPerson } from "../../domain/wording/since-words.ts";
import type { ShownSetting, ValueSource } from "../schemas/setting-schemas.ts";
import { RUN_LIMITS, type ShownMonitor } from "../schemas/shown-monitor-schemas.ts";
import { toldParts } from "./delivery-rows.ts";
import { failureParts } from "./destination-rows.ts";
import { incidentStanding } from "./incident-rows.ts";
import { type FactRow, fact, factUnlessNull, type RowPart } from "./rows.ts";

const exact = (at: Instant): RowPart => ({ at, as: "exact" });

const exactOr = (at: Instant | null, otherwise: string): RowPart => (at === null ? otherwise : exact(at));

export const standingFacts = (monitor: ShownMonitor): FactRow[] => [
  fact("application", monitor.application),
  fact("key", { wrote: monitor.key }),
  fact("status", monitor.status),
  fact("now", "it ", ...monitor.now.map(partWithInstant)),
  ...pauseFacts(monitor),
  fact(
    "expected",
    monitor.status === "paused" ? "nothing while it is paused" : exactOr(monitor.lateSince ?? monitor.nextAt, "never"),
  ),
  fact("incident", ...(monitor.incident === null ? ["none open"] : incidentParts(monitor.incident))),
];

function pauseFacts({ pauses }: ShownMonitor): FactRow[] {
  const reasons: RowPart[][] = [];
  const { manual } = pauses;
  if (manual !== null) {
    const word = pauseWord(manual) === "paused" ? "until " : "for maintenance until ";
    reasons.push([word, exactOr(manual.until, "it is resumed"), { wrote: askedInWords(manual) }]);
  }
  if (pauses.discovery) reasons.push(["until its source declares it again"]);
  if (pauses.suspension) reasons.push(["until its application is resumed"]);
  if (pauses.plan) reasons.push(["until its source declares it while its application has room"]);
  return reasons.map((says) => fact("paused", ...says));
}

function incidentParts(incident: NonNullable<ShownMonitor["incident"]>): RowPart[] {
  const { id, openedAt, message } = incident;
  return [
    { to: { incident: id }, text: String(id) },
    ", opened ",
    exact(openedAt),
    `: ${troublesInWords(incident)}`,
    ...(message === null ? [] : [": ", { wrote: message }]),
    "; ",
    ...incidentStanding(incident),
  ];
}

/**
 * All facts except how the monitor stands: the settings in force and where each comes from, the last reports, and where
 * alerts go.
 */
export const monitorFacts = (monitor: ShownMonitor, now: Instant): FactRow[] => [
  ...DECLARED_FIELDS.filter((field) => field !== notInForce(monitor)).map((field) => settingFact(monitor, field)),
  ...limitFacts(monitor),
  ...usualFacts(monitor),
  ...monitor.settings.outcomes.map((expectation): FactRow => {
    const otherwise = expectation.onFailure === "warn" ? ", else a warning" : "";
    const says = `${expectation.name}: ${expectedInWords(expectation)}${otherwise}`;
    return { ...fact("outcome", { wrote: says }), from: [SOURCES.configuration] };
  }),
  ...maintenanceFacts(monitor),
  ...factUnlessNull("zone hint", monitor.zoneHint),
  fact("last report", exactOr(monitor.lastPingAt, "never")),
  fact("last success", exactOr(monitor.lastSuccessAt, "never")),
  ...senderFacts(monitor),
  ...monitor.oldAddresses.map(
    (address): FactRow => ({
      ...fact("old address", { wrote: address }),
      from: monitor.sender?.oldAddress === address ? ["last reported there"] : [],
    }),
  ),
  ...routingFacts(monitor),
  ...drillFacts(monitor, now),
  ...declarationFacts(monitor),
  fact("created", exact(monitor.createdAt)),
  fact("changed", exact(monitor.updatedAt)),
];

/**
 * The one of the settings schedule and interval that is not shown, because a monitor has at most one of them (R44). For
 * a monitor with neither, `schedule` is shown.
 */
const notInForce = ({ settings }: ShownMonitor): DeclaredField =>
  settings.everySeconds.value === null ? "everySeconds" : "schedule";

function settingFact({ settings }: ShownMonitor, field: DeclaredField): FactRow {
  const setting: ShownSetting<string | number | null> = settings[field];
  const says = valueParts(field, setting.value);
  const from = sourceInWords(setting, (value) => settingValueInWords(field, value));
  return { name: settingInWords(field), says, from: [from] };
}

function valueParts(field: DeclaredField, value: string | number | null): RowPart[] {
  const text = settingValueInWords(field, value);
  if (value === null) return [text];
  switch (field) {
    case "labels":
      return text
        .split(" ")
        .flatMap((label, place): RowPart[] => [place === 0 ? "" : " ", { to: { label }, text: label }]);
    case "note":
      return linkedAddresses(text);
    case "schedule": {
      const words = scheduleInWords(text);
      return [{ wrote: text }, ...(words === null ? [] : [`: ${words}`])];
    }
    case "everySeconds":
      return [`${text}, counted from its last end`];
    default:
      return typeof value === "string" ? [{ wrote: text }] : [text];
  }
}

/** Turns each web address in the text into a link. */
export const linkedAddresses = (text: string): RowPart[] =>
  text
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((part, place): RowPart => (place % 2 === 0 ? { wrote: part } : { to: { url: part }, text: part }));

const limitFacts = ({ runLimit: { seconds, from } }: ShownMonitor): FactRow[] =>
  from === "max_runtime"
    ? []
    : [{ ...fact("run deadline", `${span(seconds * SECOND)} after its start`), from: [RUN_LIMITS[from]] }];

function usualFacts({ runLengths: { usual } }: ShownMonitor): FactRow[] {
  if (usual === null) return [];
  const slower = usual.slower === null ? "" : `, ${slowerInWords(usual.slower)}`;
  return [fact("takes", `usually ${span(usual.usualMs)}${slower}`)];
}

function maintenanceFacts({ maintenance, status, timezone }: ShownMonitor): FactRow[] {
  const told = maintenance.slice(0, MAINTENANCE_TOLD).map((window): FactRow => {
    const { id, schedule, next, state, plannedBy, reason } = window;
    const written = schedule === null || scheduleInWords(schedule) === null ? "" : ` (${schedule})`;
    const why = id === null ? SOURCES.configuration : `planned${byPerson(plannedBy)} as ${id}: ${reason}`;
    const when: RowPart[] =
      next === null
        ? ["; never again"]
        : state === "now"
          ? ["; now, until ", exact(next.until), status === "paused" ? "" : ", resumed in it"]
          : ["; next ", exact(next.from)];
    return {
      name: "maintenance",
      says: [`${maintenanceInWords(window, timezone)}${written}`, ...when],
      from: [{ wrote: why }],
    };
  });
  const more = maintenance.length - told.length;
  return more <= 0 ? told : [...told, fact("maintenance", { to: "maintenance", text: `and ${more} more` })];
}

function senderFacts({ sender }: ShownMonitor): FactRow[] {
  if (sender === null) return [];
  const { address, agent, keyId, oldAddress, since } = sender;
  const where = `${address}, ${oldAddress === null ? "with key" : "at address"} ${keyId}, since `;
  return [{ ...fact("reported from", where, exact(since)), from: agent === null ? [] : [{ wrote: short(agent, 80) }] }];
}

function routingFacts({ routing }: ShownMonitor): FactRow[] {
  const { destinations, unreachable, failing, owner, environment, links } = routing;
  const isNowhere = destinations.length === 0;
  return [
    fact("alerts go to", destinations.join(", ") || "nobody"),
    ...(unreachable === null
      ? []
      : isNowhere
        ? [fact("", `they cannot be delivered: ${unreachable}`)]
        : [fact("", "they cannot be delivered now:")]),
    ...(isNowhere ? [] : failing).map(({ destination, answer, since }) =>
      fact("", `${destination} `, ...failureParts({ since, answer }, "exact")),
    ),
    ...factUnlessNull("owner", owner),
    ...factUnlessNull("environment", environment),
    ...Object.entries(links).map(([name, url]) => fact(name, { to: { url }, text: url })),
  ];
}

function drillFacts({ drill }: ShownMonitor, now: Instant): FactRow[] {
  if (drill === null) return [];
  const { everySeconds, dueAt, last } = drill;
  const next = fact("drill", `every ${span(everySeconds * SECOND)}, the next at `, exact(dueAt));
  if (last === null) return [next];
  return [
    next,
    fact("last drill", exact(last.at), `, ${last.outcome ?? "on its way"}`),
    ...last.deliveries.map((delivery) => fact("", ...toldParts(delivery, now, "exact"))),
  ];
}

/** How many characters of metadata are shown. Programs get all of it as JSON. */
const METADATA_SHOWN = 200;

function declarationFacts({ declaration }: ShownMonitor): FactRow[] {
  if (declaration === null) return [];
  const { source, version, declaredAt, metadata } = declaration;
  return [
    fact("source", { wrote: version === null ? source : `${source}, version ${version}` }),
    fact("declared", exact(declaredAt)),
    ...factUnlessNull("metadata", metadata === null ? null : short(JSON.stringify(metadata), METADATA_SHOWN)),
  ];
}

const short = (text: string, characters: number): string => cleanLine(text, Math.min(characters, MESSAGE_LENGTH));

/** The words of every screen for where a value comes from. */
const SOURCES: Readonly<Record<ValueSource, string>> = {
  configuration: "configuration",
  declared: "declared",
  label: "its label's",
  application: "the application's",
  team: "the team's",
  server: "the server's",
  key: "from its key",
  default: "default",
};

/** The source of a value, and what was declared without effect (R31): `configuration; declared 1 min`. */
export function sourceInWords<Value>(
  { value, from, declared }: ShownSetting<Value>,
  show: (value: Value) => string,
): string {
  const hides = from === "configuration" && declared !== null && declared !== value;
  return hides ? `${SOURCES[from]}; declared ${show(declared)}` : SOURCES[from];
}
