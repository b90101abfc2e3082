// Prints what `rollcall import` does: what becomes of each check, what is not imported, and what has no counterpart
// here.

import { durationText } from "../../domain/time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import type { ImportPlan, Planned } from "../../import/import-plan.ts";
import type { ImportSource } from "../../import/imported-check.ts";
import type { Io } from "../io.ts";
import { printedZone, unbroken } from "../screens/spoken.ts";
import { formatRows, formatText } from "../screens/table.ts";

type AnsweredImport = Answer<"import">;
type ImportedLine = AnsweredImport["monitors"][number];

/**
 * Prints the plan of the import. `answer` is what the service says of it; `null` when there is no check to import, so
 * that it was not asked.
 */
export function showPlan(source: ImportSource, plan: ImportPlan, answer: AnsweredImport | null, io: Io): void {
  const sections = [
    plan.monitors.length === 0 || answer === null
      ? []
      : [...monitorTable(plan, answer, io), ...rules(source, plan, answer, io)],
    leftTable(plan, io),
    ...(answer === null ? [] : [destinationTable(plan, answer, io), byHand(plan, answer, io)]),
    missedTable(plan, io),
  ].filter((lines) => lines.length > 0);
  for (const [place, lines] of sections.entries())
    for (const line of place === 0 ? lines : ["", ...lines]) io.out(line);
}

function monitorTable({ monitors }: ImportPlan, answer: AnsweredImport, io: Io): string[] {
  const rows = monitors.map((planned, place) => {
    const imported = answer.monitors[place]!;
    return {
      KEY: imported.key,
      EXPECTED: expectedInWords(planned),
      GRACE: durationText(planned.graceSeconds),
      ZONE: planned.timezone === null ? "-" : printedZone(planned.timezone),
      THERE: planned.check.state || "-",
      "OLD ADDRESSES": addressesInWords(imported),
      HERE: hereInWords(imported),
    };
  });
  return formatRows(rows, io, true);
}

/**
 * Writes what the other service expected and what is expected here, such as `period 1d → at least every 1d`. If both
 * are the same, it writes that once.
 */
function expectedInWords({ schedule, everySeconds, check }: Planned): string {
  if (schedule === null && everySeconds === null) return `${check.said} → at no time`;
  const here = everySeconds === null ? unbroken(schedule!) : unbroken(`at least every ${durationText(everySeconds)}`);
  return check.said === schedule ? here : `${check.said} → ${here}`;
}

function addressesInWords({ addresses: { added, there, revoked } }: ImportedLine): string {
  const parts = [
    added > 0 ? `${added} kept` : "",
    there > 0 ? `${there} there already` : "",
    revoked > 0 ? `${revoked} revoked here` : "",
  ].filter((part) => part !== "");
  return parts.join(", ") || "-";
}

function hereInWords({ done, found, changes, pause, askedAs }: ImportedLine): string {
  if (done === "created")
    return [found === "deleted" ? "was deleted: new again" : "new", ...(pause === null ? [] : ["paused"])].join(", ");
  const told = [
    ...(askedAs === null ? [] : [`known by its address, not as ${askedAs}`]),
    ...(found === "own" ? ["exists here, not imported"] : []),
  ];
  const known = told.length === 0 ? "" : `${told.join(", ")}: `;
  if (done === "unchanged") return `${known}unchanged`;
  const changed = changes.map(importedChangeInWords);
  const does = [...changed, ...(pause === null ? [] : [pause === "paused" ? "pauses" : "resumes"])];
  return known + (does.length === 0 ? "adds its addresses" : does.join("; "));
}

function importedChangeInWords({ setting, from, to, overridden }: ImportedLine["changes"][number]): string {
  const spoken = (text: string): string =>
    ["grace", "max-runtime", "every"].includes(setting) ? durationText(Number(text)) : text;
  const wins = overridden ? " (the configuration wins)" : "";
  if (to === null) return `drops ${setting} ${spoken(from ?? "")}${wins}`;
  return `${from === null ? `sets ${setting}` : `changes ${setting} ${spoken(from)} to`} ${spoken(to)}${wins}`;
}

/** Returns sentences about how checks are translated, as far as they matter for these checks. */
function rules({ service }: ImportSource, { monitors }: ImportPlan, answer: AnsweredImport, io: Io): string[] {
  const said: (string | false)[] = [
    monitors.some(({ everySeconds }) => everySeconds !== null) &&
      "at least every: a report is expected so long after the last one, at first so long after the import.",
    monitors.some(({ schedule }) => schedule !== null) && "A schedule counts from its first time after the import on.",
    monitors.some(({ schedule, everySeconds }) => schedule === null && everySeconds === null) &&
      "at no time: nothing is ever missed there; only what a job reports alarms.",
    monitors.some(({ maxRuntimeSeconds }) => maxRuntimeSeconds !== null) &&
      (service === "Healthchecks"
        ? "A run that reports its start must end within the grace, as at Healthchecks (max-runtime)."
        : "A run that reports its start must end as soon as the service's assertion says (max-runtime)."),
    monitors.some(({ pausedBecause }) => pausedBecause !== null) &&
      "A new one that is paused begins with a pause by hand; `rollcall monitor resume` ends it.",
    answer.monitors.some(({ done, found }) => done === "changed" || found === "deleted") &&
      "What stands there wins over what was changed here since; --skip leaves a monitor as it is here.",
  ];
  return ["", ...said.filter((one) => one !== false).flatMap((one) => formatText(one, io.width))];
}

function leftTable({ left }: ImportPlan, io: Io): string[] {
  if (left.length === 0) return [];
  const rows = left.map(({ what, said, why }) => ({
    "NOT IMPORTED": what,
    THERE: said === "" ? "-" : unbroken(said),
    WHY: why,
  }));
  return formatRows(rows, io, true);
}

/** How many keys or details are printed by name; further ones are only counted. */
const NAMED = 3;

const firstFew = (words: readonly string[]): string =>
  words.length <= NAMED ? words.join("; ") : `${words.slice(0, NAMED).join("; ")} and ${words.length - NAMED} more`;

function missedTable({ missed }: ImportPlan, io: Io): string[] {
  if (missed.length === 0) return [];
  const rows = missed.map(({ what, details, instead, keys }) => ({
    "NO COUNTERPART": details.length === 0 ? what : `${what} ${firstFew(details)}`,
    OF: keys.length === 0 ? "-" : keys.length <= NAMED ? keys.join(", ") : counted(keys.length, "monitor"),
    INSTEAD: instead,
  }));
  return formatRows(rows, io, true);
}

function destinationTable({ destinations }: ImportPlan, { destinations: judged, routes }: AnsweredImport, io: Io) {
  if (destinations.length === 0) return [];
  const isUsable = (place: number): boolean => !["missing", "refused"].includes(judged[place]!.done);
  const knowsDefault = destinations.some(({ byDefault }, place) => byDefault && isUsable(place));
  const rows = destinations.map(({ name, said, why, byDefault }, place) => {
    const { done, why: refused } = judged[place]!;
    const [own, others] = [true, false].map((has) =>
      routes.flatMap(({ key, destinations: told }) => (told.includes(name) === has ? key : [])),
    ) as [string[], string[]];
    const all = others.length === 0 ? "all" : `all but ${firstFew(others)}`;
    const told = byDefault || !knowsDefault ? all : own.length === 0 ? "none" : firstFew(own);
    const words = {
      created: "new",
      unchanged: "is here already",
      other: "one of this name is here, and stays",
      missing: `not taken: ${why}`,
      refused: `not taken: ${refused}`,
    };
    return { DESTINATION: name, THERE: said, HERE: words[done], FOR: isUsable(place) ? told : "-" };
  });
  const overruled = routes.flatMap(({ key, done }) => (done === "overruled" ? key : []));
  const wins = `The configuration says where alerts of ${firstFew(overruled)} go.`;
  return [...formatRows(rows, io, true), ...(overruled.length === 0 ? [] : ["", ...formatText(wins, io.width)])];
}

/**
 * Returns commands by which a person adds the destinations that cannot be imported. A secret in them is written as `-`.
 */
function byHand({ destinations }: ImportPlan, { destinations: judged }: AnsweredImport, io: Io): string[] {
  const lines = destinations.flatMap(({ line }, place) => (judged[place]!.done === "missing" && line ? line : []));
  if (lines.length === 0) return [];
  const words = "These add what is not taken, and ask for what stands as -. Then import again, and they are told too:";
  return [...formatText(words, io.width), "", ...lines.map((line) => `  ${line}`)];
}

/** Returns how many destinations and routes (which say where a monitor's alerts go) the import adds or changes. */
export const newOf = ({ destinations, routes }: AnsweredImport): number =>
  [...destinations, ...routes].filter(({ done }) => done === "created" || done === "changed").length;

export function importDoneInWords(answer: AnsweredImport): string {
  const { monitors, application } = answer;
  const count = (done: ImportedLine["done"]): number => monitors.filter((one) => one.done === done).length;
  const [created, changed, unchanged] = [count("created"), count("changed"), count("unchanged")];
  const news = newOf(answer);
  const routing = news === 0 ? "" : `; ${counted(news, "change")} of where alerts go`;
  if (created + changed + news === 0) return `nothing to do: ${counted(unchanged, "monitor")} unchanged`;
  const added = monitors.reduce((sum, { addresses }) => sum + addresses.added, 0);
  const told = [`${created} created`, `${changed} changed`, `${unchanged} unchanged`].filter(
    (text) => !text.startsWith("0 "),
  );
  const addresses = added === 1 ? "1 old address works" : `${added} old addresses work`;
  return `application "${application}": ${told.join(", ")}${added === 0 ? "" : `; ${addresses} from now on`}${routing}`;
}

/** Returns the result as JSON. The addresses of jobs are left out, because whoever knows one can report. */
export const asJson = (
  source: ImportSource,
  { monitors, destinations, left, missed }: ImportPlan,
  answer: AnsweredImport | null,
) => ({
  service: source.service,
  application: answer?.application ?? null,
  monitors: monitors.map(({ check, addresses: _addresses, ...planned }, place) => ({
    ...planned,
    said: check.said,
    state: check.state,
    ...(answer?.monitors[place] ?? {}),
  })),
  notImported: left,
  withoutCounterpart: missed,
  destinations: destinations.map(({ settings: _settings, ...one }, place) => ({
    ...one,
    ...(answer?.destinations[place] ?? {}),
    why: one.why ?? answer?.destinations[place]?.why ?? null,
  })),
  routes: answer?.routes ?? [],
});
