// Healthchecks: its checks from its database or a dump of one. What its API tells of them is read in healthchecks-api.ts.

import { durationText } from "../domain/duration.ts";
import { atLeastMinute, type Check, type Destination, type Lost, type Source, type Timing } from "./check.ts";
import { everySeconds, readCron, readOnCalendar, refused, zoneNamed } from "./schedules.ts";
import { readTables, type Wanted } from "./tables.ts";
import { djangoSeconds, type Progress, type Row, type Tables, textOf, truthOf, uuidOf, type Value } from "./values.ts";

const HEALTHCHECKS = "Healthchecks";

const WANTED: readonly Wanted[] = [
  {
    table: "api_check",
    columns: ["id", "name", "code", "timeout", "grace", "kind", "schedule", "tz", "status"],
    needed: true,
  },
  { table: "api_channel", columns: ["id", "kind", "name"] },
  { table: "api_channel_checks", columns: ["channel_id", "check_id"] },
  { table: "accounts_project", columns: ["id", "name"] },
];

/** A check as its database or its API has it. */
export interface HealthcheckFields {
  /** Null: a key that only reads does not tell it. */
  readonly uuid: string | null;
  readonly name: string;
  readonly slug: string;
  readonly tags: string;
  readonly description: string;
  /** `simple`, `cron`, `oncalendar`. */
  readonly kind: string;
  readonly timeoutSeconds: number | null;
  readonly graceSeconds: number | null;
  readonly schedule: string;
  readonly timezone: string;
  readonly status: string;
  readonly resumesByHand: boolean;
  readonly methods: string;
  readonly filtersMail: boolean;
  readonly hasBadge: boolean;
  /** Its project's name; null: not known, or the only one. */
  readonly project: string | null;
  /** By which its slug is an address; null: there is none, or several checks have this slug. */
  readonly pingKey: string | null;
  /** Whether several checks of its project have this slug. */
  readonly sharesSlug: boolean;
  /** What tells it apart where it has no UUID. */
  readonly mark: string;
  /** Names of its integrations. */
  readonly channels: readonly string[];
}

/** `project`: only the checks of this one, by name or UUID; null: all. Throws a sentence for people. */
export function readHealthchecks(path: string, project: string | null, progress: Progress): Source {
  const tables = readTables(path, HEALTHCHECKS, WANTED, progress);
  const projects = tables.get("accounts_project") ?? [];
  const chosen = chosenProjects(projects, project, path);
  const checks = tables.get("api_check")!.filter((row) => chosen === null || chosen.has(idOf(row["project_id"])));
  const slugs = Map.groupBy(checks, (row) => `${idOf(row["project_id"])}/${textOf(row["slug"])}`);
  const channels = tables.get("api_channel") ?? [];
  const names = new Map(channels.map((row) => [idOf(row["id"]), channelName(row)]));
  const linked = Map.groupBy(tables.get("api_channel_checks") ?? [], (row) => idOf(row["check_id"]));
  const fields = checks.map((row): HealthcheckFields => {
    const owner = projects.find(({ id }) => idOf(id) === idOf(row["project_id"]));
    return {
      ...columnsOf(row),
      project: projects.length > 1 && owner !== undefined ? textOf(owner["name"]) : null,
      pingKey: textOf(owner?.["ping_key"]) || null,
      sharesSlug: (slugs.get(`${idOf(row["project_id"])}/${textOf(row["slug"])}`) ?? []).length > 1,
      channels: (linked.get(idOf(row["id"])) ?? []).flatMap((link) => names.get(idOf(link["channel_id"])) ?? []),
    };
  });
  const told = channels.filter((row) => chosen === null || chosen.has(idOf(row["project_id"])));
  return { ...sourceOf(fields), destinations: told.map(destinationOf), lost: lostBeside(projects, tables) };
}

/** A dump writes the same number as a text. */
const idOf = (value: Value | undefined): string => textOf(value);

function chosenProjects(projects: readonly Row[], asked: string | null, path: string): ReadonlySet<string> | null {
  if (asked === null) return null;
  const found = projects.filter((row) => textOf(row["name"]) === asked || uuidOf(row["code"]) === uuidOf(asked));
  const meant = uuidOf(asked) === null ? projects.filter((row) => textOf(row["name"]) === asked) : found;
  if (meant.length > 0) return new Set(meant.map(({ id }) => idOf(id)));
  const known = projects.map((row) => JSON.stringify(textOf(row["name"]))).join(", ") || "none";
  throw new Error(`${path}: has no project ${JSON.stringify(asked)}; there are: ${known}`);
}

const columnsOf = (row: Row): Omit<HealthcheckFields, "project" | "pingKey" | "sharesSlug" | "channels"> => ({
  uuid: uuidOf(row["code"]),
  name: textOf(row["name"]),
  slug: textOf(row["slug"]),
  tags: textOf(row["tags"]),
  description: textOf(row["desc"]),
  kind: textOf(row["kind"]),
  timeoutSeconds: djangoSeconds(row["timeout"]),
  graceSeconds: djangoSeconds(row["grace"]),
  schedule: textOf(row["schedule"]),
  timezone: textOf(row["tz"]),
  status: textOf(row["status"]),
  resumesByHand: truthOf(row["manual_resume"]),
  methods: textOf(row["methods"]),
  filtersMail: ["filter_subject", "filter_body"].some((name) => truthOf(row[name])) || textOf(row["subject"]) !== "",
  hasBadge: uuidOf(row["badge_key"]) !== null,
  mark: textOf(row["id"]),
});

/** What every Healthchecks has beside its checks, whoever told of them. */
export const sourceOf = (checks: readonly HealthcheckFields[]): Source => ({
  service: HEALTHCHECKS,
  checks: checks.map(checkOf),
  unwatched: [],
  lost: [],
  destinations: [],
});

function checkOf(fields: HealthcheckFields): Check {
  const { name, slug, uuid, project, mark } = fields;
  const { timing, timezone } = timingOf(fields);
  const grace = atLeastMinute(fields.graceSeconds ?? SECONDS_OF_GRACE);
  return {
    stem: slug || name || (uuid === null ? "check" : `check-${uuid.slice(0, 8)}`),
    surnames: [...(project === null ? [] : [project]), uuid?.slice(0, 8) ?? mark],
    name: name || null,
    said: saidOf(fields),
    timing,
    timezone,
    graceSeconds: grace,
    // There a run that said it began is late once the grace has passed.
    maxRuntimeSeconds: grace,
    state: fields.status,
    isPaused: fields.status === "paused",
    addresses: addressesOf(fields),
    lost: lostOf(fields),
    configuration: [],
  };
}

/** What Healthchecks takes when nothing is said. */
const SECONDS_OF_GRACE = 3_600;

function timingOf(fields: HealthcheckFields): Pick<Check, "timing" | "timezone"> {
  const { kind, timeoutSeconds, schedule } = fields;
  const named = fields.timezone === "" ? null : zoneNamed(fields.timezone);
  const unknown: Timing | null =
    fields.timezone !== "" && named === null ? refused(`no zone ${JSON.stringify(fields.timezone)} is known`) : null;
  switch (kind) {
    case "cron":
      return { timing: unknown ?? readCron(schedule), timezone: named };
    case "oncalendar": {
      const { timing, timezone } = readOnCalendar(schedule);
      return { timing: timezone === null ? (unknown ?? timing) : timing, timezone: timezone ?? named };
    }
    case "simple":
      return {
        timing: timeoutSeconds === null ? refused("its period cannot be read") : everySeconds(timeoutSeconds),
        timezone: null,
      };
    default:
      return { timing: refused(`its kind ${JSON.stringify(kind)} is not known`), timezone: null };
  }
}

const saidOf = ({ kind, timeoutSeconds, schedule }: HealthcheckFields): string =>
  kind === "simple"
    ? `period ${durationText(Math.round(timeoutSeconds ?? 0))}`
    : schedule.replaceAll(/\s*\n\s*/g, "; ");

function addressesOf({ uuid, pingKey, slug, sharesSlug }: HealthcheckFields): readonly string[] {
  const own = uuid === null ? [] : [`/ping/${uuid}`];
  return pingKey === null || slug === "" || sharesSlug ? own : [...own, `/ping/${pingKey}/${slug}`];
}

function lostOf(fields: HealthcheckFields): readonly Lost[] {
  const { tags, description, channels, pingKey, sharesSlug, slug } = fields;
  const lost: (Lost | false)[] = [
    tags.trim() !== "" && {
      what: "tags",
      detail: tags.trim(),
      instead: "a monitor has no tags: patterns of keys choose several",
    },
    description.trim() !== "" && { what: "a description", instead: "links of the configuration can lead to a runbook" },
    fields.methods !== "" && {
      what: "only POST is accepted",
      instead: "every report may come by GET, HEAD, POST or PUT",
    },
    fields.filtersMail && { what: "reports by mail, with filters", instead: "reports come over HTTP alone" },
    fields.hasBadge && { what: "a badge", instead: "a status page of the configuration has badges" },
    fields.status === "paused" &&
      !fields.resumesByHand && {
        what: "a report ends the pause",
        instead: "`rollcall monitor resume` ends it",
      },
    channels.length > 0 && {
      what: "tells",
      detail: channels.join(", "),
      instead: "destinations are set in the configuration, for all monitors or for one",
    },
    sharesSlug &&
      slug !== "" &&
      pingKey !== null && {
        what: "an address with its slug",
        instead: "several checks there have this slug, so it reports none of them",
      },
    fields.uuid === null && {
      what: "its address",
      instead: "a key that only reads does not tell it; give one that writes, or the database",
    },
  ];
  return lost.filter((one): one is Lost => one !== false);
}

const channelName = (row: Row): string => textOf(row["name"]) || textOf(row["kind"]);

const destinationOf = (row: Row): Destination => ({ name: channelName(row), kind: textOf(row["kind"]) });

function lostBeside(projects: readonly Row[], tables: Tables): readonly Lost[] {
  const lost: Lost[] = [];
  if (projects.length > 1)
    lost.push({
      what: "several projects",
      instead: "all go to one application; --project chooses one, and --app says to which application it goes",
    });
  if (projects.some((row) => textOf(row["ping_key"]) !== ""))
    lost.push({
      what: "checks that a report makes (?create=1)",
      instead: "`rollcall address add` of the ping key lets it make monitors",
    });
  if (tables.get("api_check")!.length > 0)
    lost.push({ what: "the history of reports", instead: "it begins anew with the next report" });
  return lost;
}
