// Reads the checks of Healthchecks from its API, versions 1 to 3, or from a saved response of that API.

import { askJson, type RemoteApi } from "./ask.ts";
import { type HealthcheckFields, healthchecksSource, mailRuleFromKeywords } from "./healthchecks.ts";
import { type ImportedDestination, type ImportSource, LOST_HISTORY } from "./imported-check.ts";
import { destinationsToImport } from "./imported-destinations.ts";
import { isTrueIn, type JsonFields, numberIn, recordsIn, textField, uuidOf } from "./values.ts";

/** The paths of the API, the newest version first. An older server does not know the newer ones. */
const VERSIONS = ["/api/v3", "/api/v2", "/api/v1"];

/**
 * Reads the checks from a server's API. `api.url` is the server's address, or that of one version of the API. Throws a
 * sentence for people.
 */
export async function askHealthchecks(api: RemoteApi): Promise<ImportSource> {
  const named = /\/api\/v[123]$/.test(api.url);
  for (const version of named ? [""] : VERSIONS) {
    const response = await askJson(api, `${version}/checks/`, { "x-api-key": api.key });
    if (response === null) continue;
    const channels = await channelsOf(api, version);
    return healthchecksIn(response, channels, api.url);
  }
  throw new Error(`${api.url} has no API of Healthchecks: ${named ? "" : `${VERSIONS.join(", ")} `}is not there`);
}

/** The channels of the project, to which alerts go; empty when the key may only read checks. */
async function channelsOf(api: RemoteApi, version: string): Promise<readonly JsonFields[]> {
  const response = await askJson(api, `${version}/channels/`, { "x-api-key": api.key }).catch(() => null);
  return (response && recordsIn(response, "channels")) ?? [];
}

export function healthchecksIn(response: JsonFields, channels: readonly JsonFields[], from: string): ImportSource {
  const checks = recordsIn(response, "checks");
  if (checks === null) throw new Error(`${from}: has no list "checks", as the API of Healthchecks answers`);
  const told = channels.map((one) => ({ name: textField(one, "name"), kind: textField(one, "kind"), config: "" }));
  const destinations = destinationsToImport(
    told.map((one) => ({ ...one, byDefault: true })),
    "the API does not tell it; the database may",
  );
  const found = new Map(channels.map((one, place) => [textField(one, "id"), destinations[place]!]));
  return {
    ...healthchecksSource(checks.map((check) => apiFields(check, found))),
    destinations,
    lost: [
      {
        what: "addresses with a ping key and a slug",
        instead: "the API does not tell the ping key; the database does",
      },
      LOST_HISTORY,
    ],
  };
}

function apiFields(check: JsonFields, found: ReadonlyMap<string, ImportedDestination>): HealthcheckFields {
  const schedule = textField(check, "schedule");
  return {
    uuid: uuidOf(textField(check, "uuid")) ?? uuidOf(lastSegment(textField(check, "ping_url"))),
    name: textField(check, "name"),
    slug: textField(check, "slug"),
    tags: textField(check, "tags"),
    description: textField(check, "desc"),
    kind: schedule === "" ? "simple" : isCalendar(schedule) ? "oncalendar" : "cron",
    timeoutSeconds: numberIn(check, "timeout"),
    graceSeconds: numberIn(check, "grace"),
    schedule,
    timezone: textField(check, "tz"),
    status: textField(check, "status"),
    resumesByHand: isTrueIn(check, "manual_resume"),
    methods: textField(check, "methods"),
    mailRule: mailRuleFromKeywords(
      (name) => textField(check, name),
      (name) => isTrueIn(check, name),
    ),
    filtersPosts: isTrueIn(check, "filter_http_body"),
    hasBadge: false,
    project: null,
    pingKey: null,
    sharesSlug: false,
    mark: textField(check, "unique_key").slice(0, 8),
    destinations: textField(check, "channels")
      .split(",")
      .flatMap((id) => found.get(id) ?? []),
  };
}

const lastSegment = (url: string): string => url.slice(url.lastIndexOf("/") + 1);

/**
 * Whether a schedule is calendar events of systemd, which the API does not say. A cron expression is one line of five
 * words; a calendar event has four at most.
 */
const isCalendar = (schedule: string): boolean =>
  schedule.trim().includes("\n") || schedule.trim().split(/\s+/).length !== 5;
