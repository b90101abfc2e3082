// Reads monitors through the contract's sync status, which another rollcall has, like any service that keeps the
// contract.

import { asBasic, askJson, type RemoteApi } from "./ask.ts";
import {
  atLeastMinute,
  type ImportedCheck,
  type ImportSource,
  LOST_HISTORY,
  type Timing,
  UNSAID,
} from "./imported-check.ts";
import { inZone, readCron, readSpokenInterval } from "./schedules.ts";
import { type JsonFields, numberIn, recordsIn, textField } from "./values.ts";

const PATH = "/api/v1/sync/status";

/**
 * Reads all monitors of the other service. `api.url` is its address, or that of version 1 of its API. Throws a sentence
 * for people.
 */
export async function askSyncStatus(api: RemoteApi): Promise<ImportSource> {
  const url = api.url.replace(/\/api(?:\/v1)?(?:\/sync\/status)?$/, "");
  const response = await askJson({ ...api, url }, PATH, asBasic(api.key));
  if (response === null) throw new Error(`${url} has no ${PATH}, so it is no service of this contract`);
  return syncStatusIn(response, url);
}

export function syncStatusIn(response: JsonFields, from: string): ImportSource {
  const monitors = recordsIn(response, "monitors");
  if (monitors === null) throw new Error(`${from}: has no list "monitors", as sync status answers`);
  return {
    service: "the other service",
    checks: monitors.map(syncedCheck),
    unwatched: [],
    lost: [
      {
        what: "time zones",
        instead:
          "sync status tells none: schedules are read in the zone of the application here, or in that of --timezone",
      },
      {
        what: "longest runs",
        instead: "sync status tells none: `rollcall monitor set --max-runtime`, or the job with its next report",
      },
      {
        what: "labels, notes, outcomes, alerts, owners and links",
        instead: "sync status tells none of them; the configuration sets them",
      },
      LOST_HISTORY,
    ],
    destinations: [],
  };
}

function syncedCheck(monitor: JsonFields): ImportedCheck {
  const key = textField(monitor, "monitorKey") || textField(monitor, "key");
  const schedule = textField(monitor, "schedule");
  const every = textField(monitor, "every");
  const grace = atLeastMinute(numberIn(monitor, "gracePeriod") ?? 0);
  return {
    ...UNSAID,
    key: key || null,
    stem: "",
    surnames: ["2"],
    name: textField(monitor, "name") || null,
    said: schedule || (every === "" ? "no schedule" : `every ${every}`),
    ...inZone(syncedTiming(schedule, every), textField(monitor, "timezone")),
    graceSeconds: grace,
    state: textField(monitor, "status"),
    isPaused: textField(monitor, "status") === "paused",
  };
}

function syncedTiming(schedule: string, every: string): Timing {
  if (schedule !== "") return readCron(schedule);
  return every === "" ? { kind: "none" } : readSpokenInterval(every);
}
