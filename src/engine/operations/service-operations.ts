// The operations on the service itself: what needs attention, the configuration, reloads and backups. Bulk syncs (R29)
// and refused reports (R33) are listed here too.

import { isRefusal, refuseField } from "../../domain/errors.ts";
import { MAIL_SERVER, serverSectionName } from "../../domain/settings/kept.ts";
import { SECOND } from "../../domain/time.ts";
import { adviseOn } from "../../views/advice.ts";
import { statusOfAll } from "../../views/attention.ts";
import { listRefused, listSyncs } from "../../views/received.ts";
import { REFUSED_REPORTS, SYNCS } from "../../views/schemas/received-schemas.ts";
import {
  ADDRESSES,
  ADVICE,
  BACKUP,
  BACKUPS,
  KEPT_SERVER,
  RELOAD,
  STATUS_SUMMARY,
} from "../../views/schemas/status-schemas.ts";
import { readGivenSettings } from "../settings/given-settings.ts";
import { aboutApplication } from "./about.ts";
import {
  limitField,
  listedApplication,
  monitorField,
  optionalPath,
  optionalText,
  rowNumber,
  secretWords,
  sinceField,
} from "./fields.ts";
import { acts, looks, withoutAfterCommit } from "./operation.ts";

/**
 * The refusal when a request from a page or another computer names a file. Only who has an account on rollcall's own
 * computer may name its files.
 */
const NOT_FROM_AFAR = refuseField("file", "only the command on rollcall's own host may name one", "ACCESS_DENIED");

const NEWEST = {
  application: listedApplication(),
  monitor: monitorField(),
  sinceSeconds: sinceField(),
  limit: limitField(20),
};

const EXAMPLES = ["", "--app prod --limit 100", "--monitor nightly-backup --json"];

export const SERVICE_OPERATIONS = {
  status: looks({
    summary: "say what needs attention: open incidents, destinations that take nothing; and what may soon: warnings",
    notes: `Exit code 1 says that something needs attention: an open incident that is not
acknowledged (of a job that is not paused), a destination that takes nothing,
alerts that have no destination, a monitor that cannot be read, or rollcall
itself, such as a full disk. So it is never 0 while /readyz answers 503.
Warnings alone leave it at 0.`,
    examples: ["", "--app prod", "--json > /dev/null || echo trouble"],
    input: { application: listedApplication() },
    answer: STATUS_SUMMARY,
    about: (context, { application }) => aboutApplication(context, application),
    run: statusOfAll,
  }),
  advise: looks({
    summary: "say what could be set better, each with the command that mends it",
    notes: `It looks at the last 30 days: jobs that are late again and again, alerts that
reach no one or are answered by no one, schedules that hardly ever come true,
small limits, many jobs in one minute, unused keys, untested destinations.`,
    examples: ["", "--app prod", "--json"],
    input: { application: listedApplication() },
    answer: ADVICE,
    role: "admin",
    about: (context, { application }) => aboutApplication(context, application),
    run: adviseOn,
  }),
  "config set": acts({
    summary: "keep the zone of schedules, rollcall's address and the mail server, beneath the configuration",
    notes: `These are server.timezone, server.public_url and [smtp]. What the configuration
says wins. They are in force at once; an empty text takes one back.

The mail server has host, from, and where needed port, security (tls, starttls
or none), username and password. password=- reads it from the input, and
password_file=PATH names a file that holds it. It is kept in the database.`,
    examples: [
      "--timezone Europe/Berlin --url https://cron.example.org",
      "--mail host=mail.example.org from=cron@example.org",
      "--url ''",
    ],
    input: {
      timezone: optionalText({
        description: "the zone of schedules for which nothing else names one",
        option: "timezone",
        value: "zone",
      }),
      url: optionalText({ description: "where jobs and people reach it", option: "url", value: "address" }),
      mail: secretWords({
        description: "the server that takes our mail, as KEY=VALUE",
        option: "mail",
        value: "k=v...",
      }),
    },
    answer: KEPT_SERVER,
    role: "admin",
    inAudit: "set what the server keeps",
    run: ({ kept }, { timezone, url, mail }, _now, by) => {
      const given = [
        { name: serverSectionName("timezone"), key: "timezone", text: timezone },
        { name: serverSectionName("url"), key: "public_url", text: url },
      ];
      const takenBack = mail.length === 1 && mail[0] === "";
      const server = takenBack ? {} : readGivenSettings(mail, by, "mail");
      if (isRefusal(server)) return withoutAfterCommit(server);
      const keeps = Object.keys(server).length > 0;
      const save = [
        ...given.flatMap(({ name, key, text }) => (text ? [{ name, settings: { [key]: text } }] : [])),
        ...(keeps ? [{ name: MAIL_SERVER, settings: server }] : []),
      ];
      const remove = given.flatMap(({ name, text }) => (text === "" ? [name] : []));
      if (takenBack) remove.push(MAIL_SERVER);
      if (save.length + remove.length === 0)
        return withoutAfterCommit(
          refuseField("timezone", "none of it, url and mail is given, so nothing would change"),
        );
      const host = keeps ? (server["host"] ?? null) : takenBack ? "" : null;
      return withoutAfterCommit(kept.change({ save, remove }) ?? { timezone, url, mailServer: host });
    },
  }),
  "config addresses": looks({
    summary: "say where jobs report, and where the dashboard is",
    noCommand: "`setup` asks it",
    examples: [],
    input: {},
    answer: ADDRESSES,
    role: "admin",
    run: ({ addresses }) => addresses(),
  }),
  /** Begins a reload and answers at once. `reload show` says how far it is. */
  reload: acts({
    summary: "read the configuration again while the service runs",
    notes: `Says what has changed, and what needs a restart. Nobody waits for it: reports
are taken meanwhile. A faulty configuration changes nothing: every fault is
listed, and the exit code is 2.

Files of secrets and --env-file are read again too. Variables and credentials
that systemd hands over come with a restart.`,
    examples: ["", "--json"],
    input: {},
    answer: RELOAD,
    role: "admin",
    inAudit: "read the configuration again",
    run: ({ reloads }) => withoutAfterCommit(reloads.begin()),
  }),
  "reload show": looks({
    summary: "show how far a reload is",
    noCommand: "`reload` asks it until the reload has ended",
    examples: [],
    input: { id: rowNumber({ description: "the reload's number, as `reload` answers it" }) },
    answer: RELOAD,
    role: "admin",
    run: ({ reloads }, { id }) =>
      reloads.find(id) ?? refuseField("id", `there is no reload ${id}, or it was long ago`, "NOT_FOUND"),
  }),
  /** Begins a backup and answers at once. `backup show` says how far it is. */
  backup: acts({
    summary: "copy the database while the service runs, and prove the copy",
    notes: `The copy is checked row by row and on disk before it bears its name, and the
exit code is 0 only then. It holds everything that was answered before it
began. Nobody waits for it: reports are taken meanwhile. \`rollcall restore\`
puts it back.

Without a file it goes to backups/ in the data directory, beside those that
are made by themselves (storage.backup_every), and storage.backup_command runs.`,
    examples: ["", "/mnt/nas/rollcall.db"],
    input: { file: optionalPath({ description: "where to; a file that exists is never replaced", argument: "file" }) },
    answer: BACKUP,
    role: "admin",
    inAudit: "began a backup",
    run: ({ backups }, { file }, _now, by) =>
      withoutAfterCommit(file !== null && by.kind !== "system" ? NOT_FROM_AFAR : backups.begin(file)),
  }),
  "backup show": looks({
    summary: "show how far a backup is",
    noCommand: "`backup` asks it until the backup has ended",
    examples: [],
    input: { id: rowNumber({ description: "the backup's number, as `backup` answers it" }) },
    answer: BACKUP,
    role: "admin",
    run: ({ backups }, { id }) =>
      backups.find(id) ?? refuseField("id", `there is no backup ${id}, or it was made long ago`, "NOT_FOUND"),
  }),
  backups: looks({
    summary: "list the backups in the data directory, when the next is due and whether one failed",
    examples: ["", "--json"],
    input: {},
    answer: BACKUPS,
    role: "admin",
    run: ({ backups }, _input, now) => {
      const { every, kept, ...health } = backups.health();
      return { at: now, ...health, everySeconds: every / SECOND, backups: kept };
    },
  }),
  "app syncs": looks({
    summary: "list bulk syncs: who sent them, what each changed, and what it withheld and why; the newest first",
    notes: `With --monitor those that made, changed, withdrew or withheld this one, or had
an error in it.

Syncs of a source that repeat the one before and change nothing stand in one
line. The newest 500 of an application are kept, for 90 days.`,
    examples: EXAMPLES,
    input: NEWEST,
    answer: SYNCS,
    about: (context, { application }) => aboutApplication(context, application),
    run: listSyncs,
  }),
  "monitor refused": looks({
    summary: "list reports with a valid key that were refused, by monitor and reason; the newest first",
    notes: `What a report is refused for: an invalid schedule or parameter, a monitor that
does not exist and no schedule to make it, a body that is too large, no room in
the plan, a key of another scope, a path that does not exist; or a rate limit.
They are kept for 90 days, of an application the newest 500 that no rate limit
refused. What was refused for its plain HTTP since the start is counted by
network: its key was not looked at.`,
    examples: ["", "--monitor nightly-backup --since 7d", "--json"],
    input: NEWEST,
    answer: REFUSED_REPORTS,
    about: (context, { application }) => aboutApplication(context, application),
    run: listRefused,
  }),
};
