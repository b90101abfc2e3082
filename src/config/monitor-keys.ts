// The keys of a monitor: its settings from the domain's table, and the keys for its alerts, which the team,
// applications and labels have too.

import type { TSchema } from "typebox";
import { isRefusal } from "../domain/errors.ts";
import { LABEL_LENGTH, LABELS_LENGTH, MAINTENANCE_SECONDS_MIN, NOTE_LENGTH } from "../domain/limits.ts";
import { isMailRule, MAIL_RULE_FORM } from "../domain/mail/mail-rule.ts";
import { type Expectation, OUTCOMES_MAX } from "../domain/monitor/reported-outcomes.ts";
import { type MaintenanceWindow, pausesForEver } from "../domain/schedule/maintenance.ts";
import { readLabels } from "../domain/settings/declaration.ts";
import type { MonitorRules } from "../domain/settings/policy.ts";
import { SETTINGS, type SettingKey } from "../domain/settings/settings.ts";
import { isLongerThan } from "../domain/text.ts";
import { DESTINATION_LIST } from "./destination-keys.ts";
import {
  BOOLEAN,
  choice,
  decodedKind,
  inherited,
  into,
  listKind,
  NUMBER,
  NUMBER_OR_BOOLEAN,
  namedTables,
  optional,
  preset,
  table,
  textKind,
  textThat,
  type ValueRule,
  whole,
} from "./kinds.ts";
import type { ConfigPlace } from "./place.ts";
import {
  isConfiguredText,
  LABEL,
  OUTCOME_NAMES,
  SCHEDULE,
  SEVERITY,
  secondsFrom,
  WEB_ADDRESS,
  ZONE,
} from "./vocabulary.ts";

export const LINKS = table(
  { meaning: "Shown in messages, never fetched." },
  {
    runbook: inherited(WEB_ADDRESS, "https://wiki.example.org/runbook", "What to do when it fails."),
    logs: inherited(WEB_ADDRESS, "https://logs.example.org/search", "Where its logs are."),
    repository: inherited(WEB_ADDRESS, "https://git.example.org/jobs", "Where its code is."),
  },
);

const NOTE = textThat((text) => isConfiguredText(text) && !isLongerThan(text, NOTE_LENGTH), {
  rule: `must be a text of 1 to ${NOTE_LENGTH} characters on one line`,
  problem: "is empty, too long or not one line",
});

const MAIL_RULE = textThat(
  (text) => isConfiguredText(text) && !isLongerThan(text, SETTINGS.mailRule.longest) && isMailRule(text),
  {
    rule: `must be ${MAIL_RULE_FORM}`,
    problem: "is no rule for mails",
  },
);

const WORD: ValueRule = {
  rule: `must be a word of 1 to ${LABEL_LENGTH} small letters, digits and ._:/@+-`,
  problem: "is not a label",
  judge: (text) => (readLabels(text, "label") === text && !text.includes(" ") ? null : { what: "is not a label" }),
};

/** The rule for the names of the tables in [labels] (R38). */
export const LABEL_NAMES = WORD;

/** The labels of a monitor, decoded to the form in which they are stored: one text, with spaces between them. */
const LABELS = decodedKind(listKind(textKind(WORD), "labels"), (labels, at) => {
  const kept = readLabels(labels.join(" "), "labels");
  if (isRefusal(kept)) at.complain([], "is too long", `must have at most ${LABELS_LENGTH} characters in all`);
  return isRefusal(kept) || kept === null ? "" : kept;
});
/** How alerts are presented. The team, an application, a label or a monitor may say it; the nearest counts (R38). */
export const PRESENTATION = {
  owner: inherited(LABEL, "ops", "Who looks after it; shown in messages."),
  severity: inherited(SEVERITY, "error", "info, warning, error or critical; left out everywhere: error."),
  environment: inherited(LABEL, "production", "Shown in messages."),
  unusual: inherited(
    choice("tell", "leave"),
    "tell",
    "Whether runs of unusual length are told; left out: they are not.",
  ),
};

export const ROUTING = {
  ...PRESENTATION,
  destinations: inherited(DESTINATION_LIST, ["email"], "Where its alerts go instead."),
};

const WINDOW = into(
  table(
    {},
    {
      cron: optional(SCHEDULE, "0 4 * * 0", "Needed: when it begins."),
      duration: optional(secondsFrom(`${MAINTENANCE_SECONDS_MIN}s`), "2h", "Needed: how long it lasts."),
      timezone: optional(ZONE, "Europe/Berlin", "Left out: the zone of the monitor's schedule."),
    },
  ),
  ({ cron, duration, timezone }, at): readonly MaintenanceWindow[] => {
    if (cron === null) at.miss(["cron"], "must be given for every window");
    if (duration === null) at.miss(["duration"], "must be given for every window");
    if (cron === null || duration === null) return [];
    const window = { schedule: cron, timezone, durationSeconds: duration };
    if (!pausesForEver([window])) return [window];
    at.complain(
      ["duration"],
      `"${at.text(["duration"])}" lasts until the next window begins`,
      "must be shorter than the time between two, or the pause would never end",
    );
    return [];
  },
);

/** Refuses maintenance windows that leave no time between them: the monitor would be silent for ever (R24). */
function allWindows(each: readonly (readonly MaintenanceWindow[])[], at: ConfigPlace): MaintenanceWindow[] {
  const windows = each.flat();
  if (pausesForEver(windows))
    at.complain([], "has windows that take over from each other", "must leave time in which it is watched");
  return windows;
}

export const maintenanceWindows = (meaning: string) => into(listKind(() => WINDOW, "tables")({ meaning }), allWindows);

const EXPECTATION = into(
  table(
    {},
    {
      min: optional(NUMBER, 1, "The least it may be."),
      max: optional(NUMBER, 1_000_000, "The most it may be."),
      equals: optional(NUMBER_OR_BOOLEAN, true, "What it must be, instead of min and max."),
      on_failure: preset(choice("fail", "warn"), "fail", "fail opens an incident, warn only sets the status warning."),
    },
  ),
  checkExpectation,
);

/** Reports a fault if an expectation expects nothing, or if no report can meet it (R27). */
function checkExpectation(expectation: Expectation, at: ConfigPlace): Expectation {
  const { equals, min, max } = expectation;
  // `names` has every key that is written, also one with a wrong name or a faulty value. Such a key has its own fault
  // already. So beside it no second fault says that nothing is expected.
  if (at.names([])?.every((name) => name === "on_failure"))
    at.complain([], "expects nothing", "must have min, max or equals");
  if (equals !== null && (min !== null || max !== null))
    at.complain(["equals"], "stands beside min or max", "must stand alone");
  if (min !== null && max !== null && min > max)
    at.complain(["min"], `${min} is more than max`, `must be at most ${max}`);
  return expectation;
}

const { everySeconds, graceSeconds, maxRuntimeSeconds, alertAfterMisses, alertAfterFailures } = SETTINGS;

export const MONITOR = into(
  table({}, {
    schedule: inherited(
      SCHEDULE,
      "0 2 * * *",
      "If it is set, the monitor is created at start. Left out: the first report creates it.",
    ),
    every: inherited(
      secondsFrom(`${everySeconds.least}s`, `${everySeconds.most / 86_400}d`),
      "25h",
      "Instead of a schedule: how often it must report at least. Likewise creates the monitor.",
    ),
    timezone: inherited(ZONE, "Europe/Berlin", "The zone in which the schedule is read."),
    name: inherited(LABEL, "Nightly backup", "Left out: what the job says, or made from the key."),
    grace: inherited(
      secondsFrom(`${graceSeconds.least}s`),
      "30m",
      "How late a report may be; left out: what the job says, or 60s.",
    ),
    max_runtime: inherited(secondsFrom(`${maxRuntimeSeconds.least}s`), "2h", "How long a run may take."),
    alert_after_misses: inherited(
      whole(alertAfterMisses.least, alertAfterMisses.most),
      2,
      "The incident opens at the n-th miss in a row; left out: what is declared, or 1.",
    ),
    alert_after_failures: inherited(
      whole(alertAfterFailures.least, alertAfterFailures.most),
      2,
      "The incident opens at the n-th failure in a row; left out: what is declared, or 1.",
    ),
    maintenance: maintenanceWindows("When it is paused, as if by hand."),
    drill: inherited(
      BOOLEAN,
      true,
      "Whether drills go where its alerts go; sync status then leaves it out. Left out: false.",
    ),
    drill_every: inherited(secondsFrom("1h"), "30d", "How often; left out: 30d. Needs drill = true."),
    ...ROUTING,
    links: LINKS,
    labels: inherited(
      LABELS,
      ["db", "nightly"],
      "To find it by, and for what [labels] says. Left out: what it declares.",
    ),
    mail_rule: inherited(MAIL_RULE, "proxmox", "What a mail means: a preset, or words. Left out: the usual words."),
    note: inherited(NOTE, "Restart the array first.", "What to do when it fails; alerts show it."),
    outcomes: into(
      namedTables(
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
      (expectations, at) => {
        const { size } = expectations;
        if (size > OUTCOMES_MAX)
          at.complain([], `names ${size}`, `must name at most ${OUTCOMES_MAX}, a report carries no more`);
        return expectations;
      },
    ),
  } satisfies Readonly<Record<SettingKey, TSchema>> & Readonly<Record<string, TSchema>>),
  ({ every, grace, maxRuntime, drill = false, drillEvery, ...others }, at): MonitorRules => {
    if (others.schedule !== undefined && every !== undefined)
      at.complain(["every"], "is given beside a schedule", "must be left out, or the schedule");
    if (!drill && drillEvery !== undefined)
      at.complain(["drill_every"], "is given without a drill", "must be left out unless the monitor has drill = true");
    return {
      ...others,
      ...(every === undefined ? {} : { everySeconds: every }),
      ...(grace === undefined ? {} : { graceSeconds: grace }),
      ...(maxRuntime === undefined ? {} : { maxRuntimeSeconds: maxRuntime }),
      ...(drill ? { drillEverySeconds: drillEvery ?? DRILL_EVERY_SECONDS } : {}),
    };
  },
);

const DRILL_EVERY_SECONDS = 30 * 86_400;
