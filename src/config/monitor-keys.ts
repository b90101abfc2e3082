// The keys of a monitor: the settings of the domain's table as people write them, and the keys about its alerts, which
// applications and the team also have.

import type { TSchema } from "typebox";
import { MAINTENANCE_SECONDS_MIN } from "../domain/limits.ts";
import { OUTCOMES_MAX } from "../domain/monitor/outcomes.ts";
import { SETTINGS, type SettingKey } from "../domain/settings/settings.ts";
import { BOOLEAN, choice, listOf, NUMBER, NUMBER_OR_TRUTH, named, optional, preset, table, whole } from "./kinds.ts";
import {
  DESTINATION_LIST,
  durationFrom,
  LABEL,
  OUTCOME_NAMES,
  SCHEDULE,
  SEVERITY,
  WEB_ADDRESS,
  ZONE,
} from "./vocabulary.ts";

export const LINKS = table(
  { meaning: "Shown in messages, never fetched." },
  {
    runbook: optional(WEB_ADDRESS, "https://wiki.example.org/runbook", "What to do when it fails."),
    logs: optional(WEB_ADDRESS, "https://logs.example.org/search", "Where its logs are."),
    repository: optional(WEB_ADDRESS, "https://git.example.org/jobs", "Where its code is."),
  },
);

/** R38: what the team, an application or a monitor may set for its alerts; the nearest one counts. */
export const PRESENTATION = {
  owner: optional(LABEL, "ops", "Who looks after it; shown in messages."),
  severity: optional(SEVERITY, "error", "info, warning, error or critical; left out everywhere: error."),
  environment: optional(LABEL, "production", "Shown in messages."),
};

export const ROUTING = {
  ...PRESENTATION,
  destinations: optional(DESTINATION_LIST, ["email"], "Where its alerts go instead."),
};

const WINDOW = table(
  {},
  {
    cron: optional(SCHEDULE, "0 4 * * 0", "Needed: when it begins."),
    duration: optional(durationFrom(`${MAINTENANCE_SECONDS_MIN}s`), "2h", "Needed: how long it lasts."),
    timezone: optional(ZONE, "Europe/Berlin", "Left out: the zone of the monitor's schedule."),
  },
);

const EXPECTATION = table(
  {},
  {
    min: optional(NUMBER, 1, "The least it may be."),
    max: optional(NUMBER, 1_000_000, "The most it may be."),
    equals: optional(NUMBER_OR_TRUTH, true, "What it must be, instead of min and max."),
    on_failure: preset(choice("fail", "warn"), "fail", "fail opens an incident, warn only sets the status warning."),
  },
);

const { everySeconds, graceSeconds, maxRuntimeSeconds, alertAfterMisses, alertAfterFailures } = SETTINGS;

export const MONITOR = table({}, {
  schedule: optional(
    SCHEDULE,
    "0 2 * * *",
    "If it is set, the monitor is created at start. Left out: the first report creates it.",
  ),
  every: optional(
    durationFrom(`${everySeconds.least}s`, `${everySeconds.most / 86_400}d`),
    "25h",
    "Instead of a schedule: how often it must report at least. Likewise creates the monitor.",
  ),
  timezone: optional(ZONE, "Europe/Berlin", "The zone in which the schedule is read."),
  name: optional(LABEL, "Nightly backup", "Left out: what the job says, or made from the key."),
  grace: optional(
    durationFrom(`${graceSeconds.least}s`),
    "30m",
    "How late a report may be; left out: what the job says, or 60s.",
  ),
  max_runtime: optional(durationFrom(`${maxRuntimeSeconds.least}s`), "2h", "How long a run may take."),
  alert_after_misses: preset(
    whole(alertAfterMisses.least, alertAfterMisses.most),
    1,
    "The incident opens at the n-th miss in a row.",
  ),
  alert_after_failures: preset(
    whole(alertAfterFailures.least, alertAfterFailures.most),
    1,
    "The incident opens at the n-th failure in a row.",
  ),
  maintenance: listOf(() => WINDOW, "tables")({ meaning: "When it is paused, as if by hand." }),
  drill: optional(
    BOOLEAN,
    true,
    "Whether drills go where its alerts go; sync status then leaves it out. Left out: false.",
  ),
  drill_every: optional(durationFrom("1h"), "30d", "How often; left out: 30d. Needs drill = true."),
  ...ROUTING,
  links: LINKS,
  outcomes: named(
    {
      meaning: `What its completes must report, by name, ${OUTCOMES_MAX} at most. A heartbeat cannot report them.`,
      names: OUTCOME_NAMES,
      inEnvironment: false,
      samples: [
        { name: "rows", only: ["min", "max", "on_failure"] },
        { name: "verified", only: ["equals"] },
      ],
    },
    EXPECTATION,
  ),
} satisfies Readonly<Record<SettingKey, TSchema>> & Readonly<Record<string, TSchema>>);
