// Reads the push monitors of Uptime Kuma from its database, version 1 or 2.

import { durationText } from "../domain/time.ts";
import { orElse } from "../domain/unless-missing.ts";
import {
  ASKS_NO_SERVER,
  atLeastMinute,
  type ImportedCheck,
  type ImportedDestination,
  type ImportSource,
  importedNote,
  LOST_HISTORY,
  type Lost,
  labelsFrom,
  losses,
  lostGroup,
  lostReminders,
  UNSAID,
} from "./imported-check.ts";
import { destinationsToImport } from "./imported-destinations.ts";
import { everySeconds } from "./schedules.ts";
import { beginningOfExport, readTables, type WantedTable } from "./tables.ts";
import { type Progress, type Row, truthOf, valueNumber, valueText } from "./values.ts";

const KUMA = "Uptime Kuma";

const WANTED: readonly WantedTable[] = [
  { table: "monitor", columns: ["id", "name", "active", "interval", "type"], needed: true },
  { table: "notification", columns: ["id", "name"] },
  { table: "monitor_notification", columns: ["monitor_id", "notification_id"] },
  { table: "tag", columns: ["id", "name"] },
  { table: "monitor_tag", columns: ["monitor_id", "tag_id"] },
  { table: "monitor_maintenance", columns: ["monitor_id"] },
  { table: "status_page", columns: ["title"] },
];

/** Matches the beginning of the backup that Uptime Kuma 1 writes as JSON; version 2 writes none. */
const JSON_BACKUP = /^\s*\{.*"(?:notificationList|monitorList)"/s;

export function readKuma(path: string, progress: Progress): ImportSource {
  if (JSON_BACKUP.test(beginningOfExport(path)))
    throw new Error(`${path}: is Uptime Kuma's backup as JSON; give its database instead, kuma.db`);
  const tables = readTables(path, KUMA, WANTED, progress);
  const rowsOf = (table: string): readonly Row[] => tables.get(table) ?? [];
  const monitors = rowsOf("monitor");
  const byId = new Map(monitors.map((row) => [valueText(row["id"]), row]));
  const notifications = rowsOf("notification");
  const destinations = destinationsToImport(
    notifications.map((row) => ({
      name: valueText(row["name"]),
      kind: channelKind(valueText(row["config"])),
      config: valueText(row["config"]),
      byDefault: truthOf(row["is_default"]),
    })),
    "has no value there",
  );
  const found = new Map(notifications.map((row, place) => [valueText(row["id"]), destinations[place]!]));
  const tags = new Map(rowsOf("tag").map((row) => [valueText(row["id"]), valueText(row["name"])]));
  const linksIn = (table: string): ((row: Row) => readonly Row[]) => {
    const links = Map.groupBy(rowsOf(table), (link) => valueText(link["monitor_id"]));
    return (row) => links.get(valueText(row["id"])) ?? [];
  };
  const [tells, tagged, maintained] = [
    linksIn("monitor_notification"),
    linksIn("monitor_tag"),
    linksIn("monitor_maintenance"),
  ];
  const checks = monitors.filter(isPush).map((row) =>
    kumaCheck(row, {
      group: groupsOf(row, byId),
      destinations: tells(row).flatMap((link) => found.get(valueText(link["notification_id"])) ?? []),
      tags: tagged(row).map((link) =>
        [tags.get(valueText(link["tag_id"])) ?? "", valueText(link["value"])].filter((part) => part !== "").join(":"),
      ),
      hasMaintenance: maintained(row).length > 0,
    }),
  );
  const pages = rowsOf("status_page");
  return {
    service: KUMA,
    checks,
    unwatched: monitors.filter((row) => !isPush(row)).map(unwatched),
    lost: [
      LOST_HISTORY,
      ...pages.map((row) => ({
        what: "status page",
        detail: JSON.stringify(valueText(row["title"])),
        instead: "status pages are set in the configuration",
      })),
    ],
    destinations,
  };
}

const isPush = (row: Row): boolean => valueText(row["type"]) === "push";

interface KumaSurroundings {
  readonly group: readonly Row[];
  readonly destinations: readonly ImportedDestination[];
  readonly tags: readonly string[];
  readonly hasMaintenance: boolean;
}

/** How many groups around a monitor are read at most. In a damaged database they may form a circle. */
const GROUPS_MAX = 20;

function groupsOf(row: Row, byId: ReadonlyMap<string, Row>): readonly Row[] {
  const groups: Row[] = [];
  for (
    let next = byId.get(valueText(row["parent"]));
    next && groups.length < GROUPS_MAX;
    next = byId.get(valueText(next["parent"]))
  )
    groups.push(next);
  return groups;
}

function kumaCheck(row: Row, around: KumaSurroundings): ImportedCheck {
  const name = valueText(row["name"]);
  const interval = valueNumber(row["interval"]) ?? 60;
  const tries = valueNumber(row["maxretries"]) ?? 0;
  const between = valueNumber(row["retry_interval"]) || interval;
  const asleep = around.group.find((group) => !truthOf(group["active"]));
  const isActive = truthOf(row["active"]) && asleep === undefined;
  const token = valueText(row["push_token"]);
  const upsideDown = truthOf(row["upside_down"]);
  return {
    ...UNSAID,
    stem: name || `push-${valueText(row["id"])}`,
    surnames: [valueText(row["id"])],
    name: name || null,
    said: `every ${durationText(interval)}${tries === 0 ? "" : `, ${`${tries} ${tries === 1 ? "retry" : "retries"}`} after ${durationText(between)}`}`,
    timing: upsideDown
      ? { kind: "refused", why: "it is upside down: there a report means that something is wrong" }
      : everySeconds(interval),
    graceSeconds: atLeastMinute(tries * between),
    labels: labelsFrom(around.tags),
    note: importedNote(valueText(row["description"])),
    state: isActive ? "active" : asleep === undefined ? "paused" : "paused group",
    isPaused: !isActive,
    addresses: token === "" ? [] : [`/api/push/${token}`],
    destinations: around.destinations,
    lost: lostOfKuma(row, around, token),
  };
}

function lostOfKuma(row: Row, { group, hasMaintenance }: KumaSurroundings, token: string): readonly Lost[] {
  return losses(
    lostGroup(group.map((one) => JSON.stringify(valueText(one["name"]))).join(" in ")),
    lostReminders((valueNumber(row["resend_interval"]) ?? 0) > 0),
    hasMaintenance && {
      what: "maintenance",
      instead: "plan it here with `rollcall maintenance plan`",
    },
    token === "" && { what: "its address", instead: "it has no push token there" },
  );
}

const unwatched = (row: Row): Lost => ({
  what: `${JSON.stringify(valueText(row["name"]))} (${valueText(row["type"])})`,
  instead:
    valueText(row["type"]) === "group"
      ? "a group has no counterpart; its monitors are looked at each by itself"
      : ASKS_NO_SERVER,
});

/** The kind of a notification, from the JSON of its settings; empty when it cannot be read. */
function channelKind(config: string): string {
  const { type } = orElse(null, () => JSON.parse(config) as { type?: unknown } | null) ?? {};
  return typeof type === "string" ? type : "";
}
