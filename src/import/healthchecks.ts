// Reads the checks of Healthchecks from its database or a dump of it. healthchecks-api.ts reads them from its API.

import { NOTE_LENGTH } from "../domain/limits.ts";
import { cleanLine } from "../domain/text.ts";
import { durationText } from "../domain/time.ts";
import type { ImportedCheck, ImportedDestination, ImportSource, Lost } from "./imported-check.ts";
import { atLeastMinute, importedNote, LOST_HISTORY, labelsFrom, losses, UNSAID } from "./imported-check.ts";
import { destinationsToImport } from "./imported-destinations.ts";
import { everySeconds, inZone, readCron, readOnCalendar, untranslatedTiming } from "./schedules.ts";
import { readTables, type WantedTable } from "./tables.ts";
import { djangoSeconds, type Progress, type Row, truthOf, uuidOf, valueText } from "./values.ts";

const HEALTHCHECKS = "Healthchecks";

const WANTED: readonly WantedTable[] = [
  {
    table: "api_check",
    columns: ["id", "name", "code", "timeout", "grace", "kind", "schedule", "tz", "status"],
    needed: true,
  },
  { table: "api_channel", columns: ["id", "kind", "name"] },
  { table: "api_channel_checks", columns: ["channel_id", "check_id"] },
  { table: "accounts_project", columns: ["id", "name"] },
];

export interface HealthcheckFields extends ReturnType<typeof columnsOf> {
  /** The name of the check's project; `null` when it is not known or there is only one project. */
  readonly project: string | null;
  /**
   * The ping key of the check's project, with which the check can be reported at `/ping/PING-KEY/SLUG`. `null` when the
   * project has none, or the API does not tell it.
   */
  readonly pingKey: string | null;
  readonly sharesSlug: boolean;
  readonly destinations: readonly ImportedDestination[];
}

/**
 * Reads the checks from the file at `path`. `project` is the name or UUID of the only project whose checks are read;
 * `null` means all. Throws a sentence for people.
 */
export function readHealthchecks(path: string, project: string | null, progress: Progress): ImportSource {
  const tables = readTables(path, HEALTHCHECKS, WANTED, progress);
  const all = tables.get("accounts_project") ?? [];
  const projects = project === null ? all : chosenProjects(all, project, path);
  const byId = new Map(projects.map((row) => [valueText(row["id"]), row]));
  const isChosen = (row: Row): boolean => project === null || byId.has(valueText(row["project_id"]));
  const checks = tables.get("api_check")!.filter(isChosen);
  const slugs = Map.groupBy(checks, slugOf);
  const channels = (tables.get("api_channel") ?? []).filter(isChosen);
  const destinations = destinationsToImport(channels.map(channelIn), "stands in the settings of Healthchecks alone");
  const found = new Map(channels.map((row, place) => [valueText(row["id"]), destinations[place]!]));
  const linked = Map.groupBy(tables.get("api_channel_checks") ?? [], (row) => valueText(row["check_id"]));
  const fields = checks.map((row): HealthcheckFields => {
    const owner = byId.get(valueText(row["project_id"]));
    return {
      ...columnsOf(row),
      project: projects.length > 1 && owner !== undefined ? valueText(owner["name"]) : null,
      pingKey: valueText(owner?.["ping_key"]) || null,
      sharesSlug: slugs.get(slugOf(row))!.length > 1,
      destinations: (linked.get(valueText(row["id"])) ?? []).flatMap(
        (link) => found.get(valueText(link["channel_id"])) ?? [],
      ),
    };
  });
  return {
    ...healthchecksSource(fields),
    destinations,
    lost: lostBeside(projects, checks),
  };
}

function chosenProjects(projects: readonly Row[], asked: string, path: string): readonly Row[] {
  const uuid = uuidOf(asked);
  const meant = projects.filter(
    (row) => valueText(row["name"]) === asked || (uuid !== null && uuidOf(row["code"]) === uuid),
  );
  if (meant.length > 0) return meant;
  const known = projects.map((row) => JSON.stringify(valueText(row["name"]))).join(", ") || "none";
  throw new Error(`${path}: has no project ${JSON.stringify(asked)}; there are: ${known}`);
}

/** The check's project and slug, which several checks may share. */
const slugOf = (row: Row): string => `${valueText(row["project_id"])}/${valueText(row["slug"])}`;

function columnsOf(row: Row) {
  const text = (column: string): string => valueText(row[column]);
  const truth = (column: string): boolean => truthOf(row[column]);
  return {
    /** The check's UUID; `null` when the API leaves it out, as it does for a key that may only read. */
    uuid: uuidOf(row["code"]),
    name: text("name"),
    slug: text("slug"),
    tags: text("tags"),
    description: text("desc"),
    kind: text("kind"),
    timeoutSeconds: djangoSeconds(row["timeout"]),
    graceSeconds: djangoSeconds(row["grace"]),
    schedule: text("schedule"),
    timezone: text("tz"),
    status: text("status"),
    resumesByHand: truth("manual_resume"),
    methods: text("methods"),
    mailRule: mailRuleFromKeywords(text, truth),
    /** Whether keywords in the body of a report decide what it means. */
    filtersPosts: truth("filter_http_body"),
    hasBadge: uuidOf(row["badge_key"]) !== null,
    /** A text that tells a check without UUID from others. */
    mark: text("id"),
  };
}

/**
 * The rule for mails to this check, in rollcall's form (R47). Without keywords each mail is a success. With keywords, a
 * mail that has none of them is ignored, or is a failure where the check says so (`filter_default_fail`).
 */
export function mailRuleFromKeywords(text: (column: string) => string, truth: (column: string) => boolean): string {
  const [bySubject, byBody] = [truth("filter_subject") || text("subject") !== "", truth("filter_body")];
  if (!bySubject && !byBody) return "healthchecks";
  const words = (meaning: string, said: string): string =>
    /[^\s,;]/.test(said) ? `${meaning}: ${cleanLine(said.replaceAll(";", ","), NOTE_LENGTH)}; ` : "";
  const failure = words("failure", text("failure_kw") || text("subject_fail"));
  const success = words("success", text("success_kw") || text("subject"));
  const place = bySubject ? (byBody ? "both" : "subject") : "body";
  return `${failure}${words("start", text("start_kw"))}${success}in: ${place}; else: ${truth("filter_default_fail") ? "failure" : "ignore"}`;
}

export const healthchecksSource = (checks: readonly HealthcheckFields[]): ImportSource => ({
  service: HEALTHCHECKS,
  checks: checks.map(healthchecksCheck),
  unwatched: [],
  lost: [],
  destinations: [],
});

function healthchecksCheck(fields: HealthcheckFields): ImportedCheck {
  const { name, slug, uuid, project, mark } = fields;
  const { timing, timezone } = healthchecksTiming(fields);
  const grace = atLeastMinute(fields.graceSeconds ?? SECONDS_OF_GRACE);
  return {
    ...UNSAID,
    stem: slug || name || (uuid === null ? "check" : `check-${uuid.slice(0, 8)}`),
    surnames: [...(project === null ? [] : [project]), uuid?.slice(0, 8) ?? mark],
    name: name || null,
    said: saidOf(fields),
    timing,
    timezone,
    graceSeconds: grace,
    // Healthchecks calls a run late when its end has not come within the grace after its start.
    maxRuntimeSeconds: grace,
    labels: labelsFrom(fields.tags.trim().split(/\s+/)),
    note: importedNote(fields.description),
    mailRule: fields.mailRule,
    state: fields.status,
    isPaused: fields.status === "paused",
    addresses: pingAddresses(fields),
    destinations: fields.destinations,
    lost: lostOfHealthchecks(fields),
  };
}

const SECONDS_OF_GRACE = 3_600;

function healthchecksTiming(fields: HealthcheckFields): Pick<ImportedCheck, "timing" | "timezone"> {
  const { kind, timeoutSeconds, schedule } = fields;
  switch (kind) {
    case "cron":
      return inZone(readCron(schedule), fields.timezone);
    case "oncalendar": {
      const { timing, timezone } = readOnCalendar(schedule);
      return timezone === null ? inZone(timing, fields.timezone) : { timing, timezone };
    }
    case "simple":
      return {
        timing:
          timeoutSeconds === null ? untranslatedTiming("its period cannot be read") : everySeconds(timeoutSeconds),
        timezone: null,
      };
    default:
      return { timing: untranslatedTiming(`its kind ${JSON.stringify(kind)} is not known`), timezone: null };
  }
}

const saidOf = ({ kind, timeoutSeconds, schedule }: HealthcheckFields): string =>
  kind === "simple"
    ? `period ${durationText(Math.round(timeoutSeconds ?? 0))}`
    : schedule.replaceAll(/\s*\n\s*/g, "; ");

function pingAddresses({ uuid, pingKey, slug, sharesSlug }: HealthcheckFields): readonly string[] {
  const own = uuid === null ? [] : [`/ping/${uuid}`];
  return pingKey === null || slug === "" || sharesSlug ? own : [...own, `/ping/${pingKey}/${slug}`];
}

function lostOfHealthchecks(fields: HealthcheckFields): readonly Lost[] {
  const { pingKey, sharesSlug, slug } = fields;
  return losses(
    fields.methods !== "" && {
      what: "only POST is accepted",
      instead: "every report may come by GET, HEAD, POST or PUT",
    },
    fields.mailRule !== "healthchecks" && {
      what: "reports by mail",
      instead: "they count once [mail_in] names a domain, by the same UUIDs, and by keywords that begin a word",
    },
    fields.filtersPosts && {
      what: "keywords in what a report posts",
      instead: "nothing posted decides here: have the job report /fail or its exit status, or no failure is seen",
    },
    fields.hasBadge && { what: "a badge", instead: "a status page of the configuration has badges" },
    fields.status === "paused" &&
      !fields.resumesByHand && { what: "a report ends the pause", instead: "`rollcall monitor resume` ends it" },
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
  );
}

/**
 * Reads a channel, a destination of Healthchecks. `byDefault` is true, because Healthchecks sends the alerts of a new
 * check to all channels of its project.
 */
function channelIn(row: Row) {
  const [name, kind, config] = [valueText(row["name"]), valueText(row["kind"]), valueText(row["value"])];
  const isUnproved = kind === "email" && "email_verified" in row && !truthOf(row["email_verified"]);
  const off = truthOf(row["disabled"]) ? "it is disabled there" : isUnproved ? "its address was never confirmed" : null;
  return { name, kind, config, byDefault: true, off };
}

const lostBeside = (projects: readonly Row[], checks: readonly Row[]): readonly Lost[] =>
  losses(
    projects.length > 1 && {
      what: "several projects",
      instead: "all go to one application; --project chooses one, and --app says to which application it goes",
    },
    projects.some((row) => valueText(row["ping_key"]) !== "") && {
      what: "checks that a report makes (?create=1)",
      instead: "`rollcall address add` of the ping key lets it make monitors",
    },
    checks.length > 0 && LOST_HISTORY,
  );
