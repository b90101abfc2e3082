// Reads the jobs and heartbeats of Cronitor, from its API or from its export as JSON or YAML.

import { asBasic, askJson, type RemoteApi } from "./ask.ts";
import {
  ASKS_NO_SERVER,
  atLeastMinute,
  type ImportedCheck,
  type ImportSource,
  importedNote,
  LOST_HISTORY,
  type Lost,
  labelsFrom,
  losses,
  lostGroup,
  lostReminders,
  type Timing,
  UNSAID,
} from "./imported-check.ts";
import { inZone, readCron, readSpokenInterval, spokenIntervalSeconds, untranslatedTiming } from "./schedules.ts";
import { isJsonFields, isTrueIn, type JsonFields, numberIn, recordsIn, textField, textsIn } from "./values.ts";

const CRONITOR = "Cronitor";

/** The most pages that are read, because a faulty service could return monitors for every page that we ask for. */
const PAGES_MAX = 1_000;

/**
 * Reads all monitors from Cronitor's API. `api.url` is Cronitor's address, or that of its API. Throws a sentence for
 * people.
 */
export async function askCronitor(api: RemoteApi): Promise<ImportSource> {
  const url = api.url.replace(/\/api(?:\/monitors)?$/, "");
  const monitors: JsonFields[] = [];
  for (let page = 1; page <= PAGES_MAX; page++) {
    const response = await askJson({ ...api, url }, `/api/monitors?page=${page}`, asBasic(api.key));
    const found = response === null ? null : recordsIn(response, "monitors");
    // A service may answer 404 to a page behind the last one.
    if (found === null && page > 1) break;
    if (found === null) throw new Error(`${url} has no /api/monitors, as Cronitor does`);
    monitors.push(...found);
    api.progress(`read ${monitors.length} monitors`);
    const total = numberIn(response!, "total_monitor_count");
    if (found.length === 0 || (total !== null && monitors.length >= total)) break;
  }
  return cronitorSource(monitors);
}

/** The groups in an export as YAML, and the type of the monitors in each group. */
const KINDS = [
  ["jobs", "job"],
  ["heartbeats", "heartbeat"],
  ["events", "heartbeat"],
  ["checks", "check"],
  ["sites", "site"],
] as const;

/**
 * Reads a saved response of the API, a list of monitors, or the groups of an export as YAML. `from` is the file's name,
 * for error messages.
 */
export function cronitorIn(read: unknown, from: string): ImportSource {
  if (Array.isArray(read)) return cronitorSource(read.filter(isJsonFields));
  const list = isJsonFields(read) ? recordsIn(read, "monitors") : null;
  if (list !== null) return cronitorSource(list);
  const grouped = isJsonFields(read) ? KINDS.filter(([group]) => isJsonFields(read[group])) : [];
  if (grouped.length === 0)
    throw new Error(`${from}: has neither a list "monitors" nor jobs or heartbeats, as an export of Cronitor does`);
  return cronitorSource(
    grouped.flatMap(([group, type]) =>
      Object.entries((read as JsonFields)[group] as JsonFields).map(([key, fields]) => ({
        type,
        ...(isJsonFields(fields) ? fields : {}),
        key,
      })),
    ),
  );
}

function cronitorSource(monitors: readonly JsonFields[]): ImportSource {
  const isWatched = (one: JsonFields): boolean => ["job", "heartbeat", "event"].includes(textField(one, "type"));
  return {
    service: CRONITOR,
    checks: monitors.filter(isWatched).map(cronitorCheck),
    unwatched: monitors
      .filter((one) => !isWatched(one))
      .map((one) => ({
        what: `${JSON.stringify(textField(one, "name") || textField(one, "key"))} (${textField(one, "type") || "no type"})`,
        instead: ASKS_NO_SERVER,
      })),
    lost: [
      {
        what: "addresses at cronitor.link",
        instead: "they hold the key of the whole account and are not answered here: give each job its new address",
      },
      LOST_HISTORY,
    ],
    destinations: [],
  };
}

function notified(monitor: JsonFields): readonly string[] {
  const { notify } = monitor;
  return isJsonFields(notify) ? textsIn(notify, "alerts") : textsIn(monitor, "notify");
}

function cronitorCheck(monitor: JsonFields): ImportedCheck {
  const key = textField(monitor, "key") || textField(monitor, "code");
  const schedules = schedulesOf(monitor);
  const grace = atLeastMinute(numberIn(monitor, "grace_seconds") ?? 0);
  const isPaused = isTrueIn(monitor, "paused") || isTrueIn(monitor, "disabled");
  const passing = isTrueIn(monitor, "passing") ? "passing" : "";
  const state = isPaused ? "paused" : monitor["passing"] === false ? "failing" : passing;
  return {
    ...UNSAID,
    stem: key || textField(monitor, "name"),
    surnames: ["2"],
    name: textField(monitor, "name") || null,
    said: schedules.join("; ") || "no schedule",
    ...inZone(cronitorTiming(schedules), textField(monitor, "timezone")),
    graceSeconds: grace,
    maxRuntimeSeconds: longestRun(textsIn(monitor, "assertions")),
    labels: labelsFrom(textsIn(monitor, "tags")),
    note: importedNote(textField(monitor, "note")),
    state,
    isPaused,
    addresses: [],
    lost: lostOfCronitor(monitor),
    alertAfterMisses: toldAt(monitor, "schedule_tolerance"),
    alertAfterFailures: toldAt(monitor, "failure_tolerance"),
  };
}

function schedulesOf(monitor: JsonFields): readonly string[] {
  const several = textsIn(monitor, "schedules");
  return (several.length > 0 ? several : textsIn(monitor, "schedule")).map((text) => text.trim()).filter(Boolean);
}

function cronitorTiming(schedules: readonly string[]): Timing {
  const [schedule, ...more] = schedules;
  if (schedule === undefined) return { kind: "none" };
  if (more.length > 0) return untranslatedTiming(`it has ${schedules.length} schedules, and a monitor has one`);
  const interval = /^every (.+)$/i.exec(schedule)?.[1];
  return interval === undefined ? (atTime(schedule) ?? readCron(schedule)) : readSpokenInterval(interval);
}

/** Reads a time such as `at 02:30`, which means every day; `null` when the text is not of this form. */
function atTime(text: string): Timing | null {
  const [, hour, minute] = /^(?:at |daily at )?([01]?\d|2[0-3]):([0-5]\d)$/i.exec(text) ?? [];
  return hour === undefined ? null : { kind: "schedule", schedule: `${Number(minute)} ${Number(hour)} * * *` };
}

const LONGEST = /^metric\.duration\s*<=?\s*(.+)$/i;
const secondsIn = (assertion: string): number | null =>
  spokenIntervalSeconds(LONGEST.exec(assertion.trim())?.[1] ?? "");

/**
 * How many seconds a run may take, by assertions such as `metric.duration < 15 min`; `null` without such an assertion.
 */
function longestRun(assertions: readonly string[]): number | null {
  const limits = assertions.flatMap((text) => secondsIn(text) ?? []);
  return limits.length === 0 ? null : atLeastMinute(Math.min(...limits));
}

function lostOfCronitor(monitor: JsonFields): readonly Lost[] {
  const others = textsIn(monitor, "assertions").filter((text) => secondsIn(text) === null);
  const told = notified(monitor);
  return losses(
    lostGroup(textField(monitor, "group")),
    lostReminders(textField(monitor, "realert_interval") !== ""),
    told.length > 0 && {
      what: "tells",
      detail: told.join(", "),
      instead: "`rollcall destination route` says where alerts go",
    },
    others.length > 0 && {
      what: "assertions",
      detail: others.join(", "),
      instead: "outcomes of the configuration check numbers that a job reports",
    },
  );
}

/**
 * How many troubles in a row there must be for rollcall to alert: one more than the number that Cronitor tolerates by
 * the setting `field`, such as 3 for 2. `null` when Cronitor tolerates none.
 */
function toldAt(monitor: JsonFields, field: string): number | null {
  const tolerated = numberIn(monitor, field) ?? 0;
  return tolerated > 0 ? tolerated + 1 : null;
}
