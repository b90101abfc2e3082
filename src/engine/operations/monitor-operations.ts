// The operations on monitors: list, show, create, change, rename, pause, resume, delete and bring back.

import type { TSchema } from "typebox";
import { MAIL_PRESETS } from "../../domain/mail/mail-rule.ts";
import { SEVERITIES } from "../../domain/message/presentation.ts";
import { STATUSES } from "../../domain/monitor/monitor.ts";
import { DECLARED_SETTINGS, type DeclaredField, settingOption } from "../../domain/settings/settings.ts";
import { DAY, durationText, MINUTE, SECOND } from "../../domain/time.ts";
import { monitorHistory } from "../../views/monitor-history.ts";
import { listDeleted, pagesOfMonitors } from "../../views/monitor-summaries.ts";
import {
  CHANGED_MONITOR,
  DELETED_MONITOR,
  DELETED_MONITORS,
  MONITOR,
  MONITORS,
  RENAMED_MONITOR,
  SET_MONITOR,
} from "../../views/schemas/monitor-schemas.ts";
import { HISTORY, SHOWN_MONITOR } from "../../views/schemas/shown-monitor-schemas.ts";
import { showMonitor } from "../../views/shown-monitor.ts";
import { aboutApplication, aboutMonitor, aboutOwner } from "./about.ts";
import { aboutDeletedMonitor, renameMonitor, setMonitor, undeleteMonitor } from "./change-monitor.ts";
import { deleteMonitor } from "./delete-monitor.ts";
import {
  flag,
  type InForm,
  limitField,
  listedApplication,
  type Notes,
  ONE_MONITOR,
  optionalChoice,
  optionalCount,
  optionalSeconds,
  optionalText,
  sinceField,
  text,
} from "./fields.ts";
import { createMonitor, pauseMonitor, resumeMonitor } from "./operate-monitors.ts";
import { acts, looks } from "./operation.ts";

/** The longest grace and the longest run that may be set, in seconds. */
const LONGEST = (3_650 * DAY) / SECOND;
const { everySeconds, graceSeconds, maxRuntimeSeconds, alertAfterMisses, alertAfterFailures } = DECLARED_SETTINGS;

const setting = (field: DeclaredField, value: string, description: string, form: InForm): Notes => ({
  description,
  option: settingOption(field),
  value,
  form,
});

const NAME: InForm = { label: "Name", help: "What people read.", more: true };

const ZONE: InForm = { label: "Time zone", help: "Whose clocks the schedule means.", as: "zone", more: true };

/** The fields for the settings by which a job is judged. `monitor create`, `monitor set` and `replay` have them. */
export const JUDGED = {
  schedule: optionalText(
    setting("schedule", "cron", "five fields, as in crontab", {
      label: "When",
      help: "Five fields, as in crontab: 0 2 * * * is every day at 02:00.",
    }),
  ),
  everySeconds: optionalSeconds(
    everySeconds.least,
    everySeconds.most,
    setting("everySeconds", "duration", "instead of a schedule: how often it must report at least, 10s to 366d", {
      label: "Or at least every",
      help: "Instead of times: how often it must report, such as 5m.",
      more: true,
    }),
  ),
  timezone: optionalText(
    setting("timezone", "zone", "the zone in which the schedule is read (default: the application's)", ZONE),
  ),
  graceSeconds: optionalSeconds(
    graceSeconds.least,
    LONGEST,
    setting("graceSeconds", "duration", "how late a report may be, at least 1m (default: 1m)", {
      label: "How late",
      help: "How late a report may be, such as 90s, 15m or 2h.",
      sample: "1m",
    }),
  ),
  maxRuntimeSeconds: optionalSeconds(
    maxRuntimeSeconds.least,
    LONGEST,
    setting("maxRuntimeSeconds", "duration", "how long a run may take, at least 1m", {
      label: "How long",
      help: "How long a run may take, such as 15m or 2h.",
    }),
  ),
  alertAfterMisses: optionalCount(
    alertAfterMisses,
    setting("alertAfterMisses", "count", "alert at the n-th miss in a row (default: 1)", {
      label: "Alert at which miss in a row",
      help: null,
      more: true,
      sample: "1, the first",
    }),
  ),
  alertAfterFailures: optionalCount(
    alertAfterFailures,
    setting("alertAfterFailures", "count", "alert at the n-th failure in a row (default: 1)", {
      label: "Alert at which failure in a row",
      help: null,
      more: true,
      sample: "1, the first",
    }),
  ),
};

const DECLARED = {
  ...JUDGED,
  name: optionalText(setting("name", "name", "what people read (default: made from the key)", NAME)),
  severity: optionalChoice(
    SEVERITIES,
    setting("severity", "severity", "how bad it is when it fails (default: its label's, application's or team's)", {
      label: "Severity",
      help: "How bad it is when it fails.",
      more: true,
      none: "by default",
    }),
  ),
  labels: optionalText(
    setting("labels", "words", "all its labels between commas, such as db,nightly; +db adds one, -db removes it", {
      label: "Labels",
      help: "With commas between them, such as db, nightly; +db adds one, -db removes it.",
      more: true,
    }),
  ),
  note: optionalText(
    setting("note", "text", "what to do when it fails; alerts show it, an address becomes a link", {
      label: "Note",
      help: "What to do when it fails. Alerts show it, and an address becomes a link.",
    }),
  ),
  mailRule: optionalText(
    setting("mailRule", "rule", `what a mail means: ${MAIL_PRESETS.join(", ")}, or words as in docs/clients.md`, {
      label: "What its mail means",
      help: `${MAIL_PRESETS.join(", ")}, or words as in docs/clients.md.`,
      more: true,
    }),
  ),
} satisfies Readonly<Record<DeclaredField, TSchema>>;

/** The shortest and the longest pause with an end, in seconds. */
const PAUSE_MIN = MINUTE / SECOND;
const PAUSE_MAX = (365 * DAY) / SECOND;

export const MONITOR_OPERATIONS = {
  "monitor list": looks({
    summary: "list monitors with their status, schedule and last report",
    examples: ["", "--status critical --watch", "'backup-*' --json", "label:db"],
    input: {
      pattern: optionalText({
        description: "only the monitor of this key, those of a pattern (* stands for any letters), or label:db",
        argument: "key",
      }),
      application: listedApplication(),
      status: optionalChoice(STATUSES, { description: "only those of this status", option: "status", value: "status" }),
    },
    answer: MONITORS,
    watch: true,
    about: (context, { application }) => aboutApplication(context, application),
    run: pagesOfMonitors,
  }),
  "monitor show": looks({
    summary: "show all that is known of a monitor: values and where they come from, runs, the last 20 reports",
    examples: ["nightly-backup", "nightly-backup --app prod --json"],
    input: ONE_MONITOR,
    answer: SHOWN_MONITOR,
    about: aboutMonitor,
    run: showMonitor,
  }),
  "monitor history": looks({
    summary: "list a monitor's reports, and among them the times that none filled; the newest first",
    notes: "silent: nothing came, and it counted as no miss, because misses are tolerated.",
    examples: ["nightly-backup", "nightly-backup --since 7d --limit 200 --json"],
    input: {
      ...ONE_MONITOR,
      sinceSeconds: sinceField(),
      limit: limitField(50),
    },
    answer: HISTORY,
    about: aboutMonitor,
    run: monitorHistory,
  }),
  /**
   * Creates a monitor. Refused when the monitor exists, a setting is wrong, neither a schedule nor an interval is
   * given, or the application's paid plan has no room (R34).
   */
  "monitor create": acts({
    summary: "create a monitor before its first report, with --schedule or --every; a report with either does so too",
    examples: [
      "nightly-backup --schedule '0 2 * * *'",
      "queue-worker --every 5m",
      "nightly-backup --schedule '0 2 * * *' --app prod \\\n      --timezone Europe/Berlin --grace 30m --max-runtime 2h",
    ],
    input: {
      key: text({
        description: "the monitor's key, as reports will name it",
        argument: "key",
        form: { label: "Key", help: "What its reports name: /api/v1/ping/KEY" },
      }),
      application: optionalText({
        description: "its application (default: the only one)",
        option: "app",
        value: "slug",
        form: { label: "Application", help: null },
      }),
      ...DECLARED,
    },
    answer: MONITOR,
    role: "admin",
    about: (context, { application, key }) => {
      const owner = aboutOwner(context, application);
      return owner === null ? null : { ...owner, monitorKey: key };
    },
    inAudit: "created a job",
    inStory: "Created",
    run: createMonitor,
  }),
  "monitor set": acts({
    summary: "change the settings of a monitor: when it is due, what is tolerated, its name, labels and note",
    notes: `It keeps its history. Scheduled times that the old and the new schedule share
stay expected. A person declares as a job does: a job or a registry that
declares another value later replaces this one, and the configuration wins
over both. \`--undo\` once more brings back what it took back.`,
    examples: ["nightly-backup --schedule '30 3 * * *' --grace 30m", "nightly-backup --unset max-runtime,name"],
    input: {
      ...ONE_MONITOR,
      ...DECLARED,
      name: optionalText(setting("name", "name", "what people read", NAME)),
      timezone: optionalText(setting("timezone", "zone", "the zone in which the schedule is read", ZONE)),
      unset: optionalText({
        description: "settings that go back to their defaults, with commas between",
        option: "unset",
        value: "options",
      }),
      undo: flag({ description: "take back what a person changed last, within 10 minutes", option: "undo" }),
    },
    answer: SET_MONITOR,
    about: aboutMonitor,
    inAudit: "changed settings of a job",
    inStory: "Settings changed",
    run: setMonitor,
  }),
  "monitor rename": acts({
    summary: "give a monitor another key; its history goes with it",
    notes: `The job must report under the new key from then on: a report under the old one
with a schedule creates another monitor. What people read is its name:
\`monitor set KEY --name\`.`,
    examples: ["backup nightly-backup"],
    input: {
      ...ONE_MONITOR,
      newKey: text({
        description: "its key from now on",
        argument: "new-key",
        form: { label: "New key", help: null },
      }),
    },
    answer: RENAMED_MONITOR,
    role: "admin",
    about: aboutMonitor,
    inAudit: "gave a job another key",
    inStory: "Given another key",
    run: renameMonitor,
  }),
  "monitor pause": acts({
    summary: "pause a monitor: reports are recorded, nothing is missed and no failure is told",
    notes: `\`maintenance plan\` plans it ahead, and for monitors that come later.`,
    examples: ["nightly-backup --for 2h", "'backup-*' --for 2h --reason 'a new disk'", "--all --app prod --yes"],
    input: {
      ...ONE_MONITOR,
      durationSeconds: optionalSeconds(PAUSE_MIN, PAUSE_MAX, {
        description: `resume by itself after so long, ${durationText(PAUSE_MIN)} to ${durationText(PAUSE_MAX)}`,
        option: "for",
        value: "duration",
      }),
      reason: optionalText({ description: "why, for those who look", option: "reason", value: "text" }),
    },
    answer: CHANGED_MONITOR,
    several: "pause",
    about: aboutMonitor,
    inAudit: "paused a job",
    inStory: "Paused",
    run: pauseMonitor,
  }),
  "monitor resume": acts({
    summary: "end a pause by hand; the next scheduled time counts again",
    examples: ["nightly-backup", "'backup-*'", "--all --app prod --yes"],
    input: ONE_MONITOR,
    answer: CHANGED_MONITOR,
    several: "resume",
    about: aboutMonitor,
    inAudit: "resumed a job",
    inStory: "Resumed",
    run: resumeMonitor,
  }),
  "monitor delete": acts({
    summary: "delete a monitor at once, and its history after 7 days",
    notes: `An open incident is closed, and the recovery told. A report that carries a
schedule creates the monitor again; so does the next start, when the
configuration names it with a schedule.`,
    examples: ["nightly-backup"],
    input: ONE_MONITOR,
    answer: DELETED_MONITOR,
    role: "admin",
    confirm: true,
    about: aboutMonitor,
    inAudit: "deleted a job",
    inStory: "Deleted",
    run: deleteMonitor,
  }),
  "monitor deleted": looks({
    summary: "list the monitors that `monitor undelete` can bring back; the last deleted first",
    notes: "They stay for 7 days, unless their application was deleted too.",
    examples: ["", "--app prod --json"],
    input: { application: listedApplication(), limit: limitField(100) },
    answer: DELETED_MONITORS,
    about: (context, { application }) => aboutApplication(context, application),
    run: listDeleted,
  }),
  "monitor undelete": acts({
    summary: "bring a deleted monitor back, with its history, within 7 days",
    notes: `It expects its next scheduled report; nothing was missed meanwhile. An incident
that its deletion closed stays closed. \`monitor deleted\` lists such monitors.`,
    examples: ["nightly-backup"],
    input: ONE_MONITOR,
    answer: CHANGED_MONITOR,
    role: "admin",
    about: aboutDeletedMonitor,
    inAudit: "brought a deleted job back",
    inStory: "Brought back",
    run: undeleteMonitor,
  }),
};
