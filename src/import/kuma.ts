// Uptime Kuma: the push monitors of its database, version 1 or 2.

import { durationText } from "../domain/time.ts";
import { orElse } from "../domain/unless-missing.ts";
import { destinationsOf } from "./channels.ts";
import {
  ASKS_NO_SERVER,
  atLeastMinute,
  type ImportedCheck,
  type ImportedDestination,
  type ImportSource,
  LOST_HISTORY,
  type Lost,
  labelsFrom,
  losses,
  lostGroup,
  lostReminders,
  noteFrom,
  UNSAID,
} from "./check.ts";
import { everySeconds } from "./schedules.ts";
import { readTables, type WantedTable } from "./tables.ts";
import { numberOf, type Progress, type Row, textOf, truthOf } from "./values.ts";

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

export function readKuma(path: string, progress: Progress): ImportSource {
  const tables = readTables(path, KUMA, WANTED, progress);
  const rowsOf = (table: string): readonly Row[] => tables.get(table) ?? [];
  const monitors = rowsOf("monitor");
  const byId = new Map(monitors.map((row) => [textOf(row["id"]), row]));
  const notifications = rowsOf("notification");
  const destinations = destinationsOf(
    notifications.map((row) => ({
      ...{ name: textOf(row["name"]), kind: kindOf(textOf(row["config"])), config: textOf(row["config"]) },
      byDefault: truthOf(row["is_default"]),
    })),
    "has no value there",
  );
  const found = new Map(notifications.map((row, place) => [textOf(row["id"]), destinations[place]!]));
  const tags = new Map(rowsOf("tag").map((row) => [textOf(row["id"]), textOf(row["name"])]));
  const linksIn = (table: string): ((row: Row) => readonly Row[]) => {
    const links = Map.groupBy(rowsOf(table), (link) => textOf(link["monitor_id"]));
    return (row) => links.get(textOf(row["id"])) ?? [];
  };
  const [tells, tagged, maintained] = [
    linksIn("monitor_notification"),
    linksIn("monitor_tag"),
    linksIn("monitor_maintenance"),
  ];
  const checks = monitors.filter(isPush).map((row) =>
    checkOf(row, {
      group: groupsOf(row, byId),
      tells: tells(row).flatMap((link) => found.get(textOf(link["notification_id"])) ?? []),
      tags: tagged(row).map((link) =>
        [tags.get(textOf(link["tag_id"])) ?? "", textOf(link["value"])].filter((part) => part !== "").join(":"),
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
        detail: JSON.stringify(textOf(row["title"])),
        instead: "status pages are set in the configuration",
      })),
    ],
    destinations,
  };
}

const isPush = (row: Row): boolean => textOf(row["type"]) === "push";

interface KumaSurroundings {
  readonly group: readonly Row[];
  readonly tells: readonly ImportedDestination[];
  readonly tags: readonly string[];
  readonly hasMaintenance: boolean;
}

/** A damaged database may have a circle. */
const GROUPS_MAX = 20;

function groupsOf(row: Row, byId: ReadonlyMap<string, Row>): readonly Row[] {
  const groups: Row[] = [];
  for (
    let next = byId.get(textOf(row["parent"]));
    next && groups.length < GROUPS_MAX;
    next = byId.get(textOf(next["parent"]))
  )
    groups.push(next);
  return groups;
}

function checkOf(row: Row, around: KumaSurroundings): ImportedCheck {
  const name = textOf(row["name"]);
  const interval = numberOf(row["interval"]) ?? 60;
  const tries = numberOf(row["maxretries"]) ?? 0;
  const between = numberOf(row["retry_interval"]) || interval;
  const asleep = around.group.find((group) => !truthOf(group["active"]));
  const isActive = truthOf(row["active"]) && asleep === undefined;
  const token = textOf(row["push_token"]);
  const upsideDown = truthOf(row["upside_down"]);
  return {
    ...UNSAID,
    stem: name || `push-${textOf(row["id"])}`,
    surnames: [textOf(row["id"])],
    name: name || null,
    said: `every ${durationText(interval)}${tries === 0 ? "" : `, ${`${tries} ${tries === 1 ? "retry" : "retries"}`} after ${durationText(between)}`}`,
    timing: upsideDown
      ? { kind: "refused", why: "it is upside down: there a report means that something is wrong" }
      : everySeconds(interval),
    graceSeconds: atLeastMinute(tries * between),
    labels: labelsFrom(around.tags),
    note: noteFrom(textOf(row["description"])),
    state: isActive ? "active" : asleep === undefined ? "paused" : "paused group",
    isPaused: !isActive,
    addresses: token === "" ? [] : [`/api/push/${token}`],
    tells: around.tells,
    lost: lostOf(row, around, token),
  };
}

function lostOf(row: Row, { group, hasMaintenance }: KumaSurroundings, token: string): readonly Lost[] {
  return losses(
    lostGroup(group.map((one) => JSON.stringify(textOf(one["name"]))).join(" in ")),
    lostReminders((numberOf(row["resend_interval"]) ?? 0) > 0),
    hasMaintenance && {
      what: "maintenance",
      instead: "plan it here with `rollcall maintenance plan`",
    },
    token === "" && { what: "its address", instead: "it has no push token there" },
  );
}

const unwatched = (row: Row): Lost => ({
  what: `${JSON.stringify(textOf(row["name"]))} (${textOf(row["type"])})`,
  instead:
    textOf(row["type"]) === "group"
      ? "a group has no counterpart; its monitors are looked at each by itself"
      : ASKS_NO_SERVER,
});

/** The type is in JSON with the settings. */
function kindOf(config: string): string {
  const { type } = orElse(null, () => JSON.parse(config) as { type?: unknown } | null) ?? {};
  return typeof type === "string" ? type : "";
}
