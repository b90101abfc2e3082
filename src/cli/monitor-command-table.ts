// The part of the command table about monitors and incidents: arguments, options, help.

import { type Command, Option } from "commander";
import type { Status } from "../domain/monitor/monitor.ts";
import { callerOf, durationWithin, examples, limitOption, listedApp, readId, type Shell } from "./command-shell.ts";
import { runIncidentAcknowledge, runIncidentList, runIncidentResolve } from "./incident-commands.ts";
import {
  type Named,
  runMonitorCreate,
  runMonitorDelete,
  runMonitorList,
  runMonitorPause,
  runMonitorResume,
} from "./monitor-commands.ts";
import { runMonitorShow } from "./monitor-show.ts";

const STATUSES: readonly Status[] = ["pending", "healthy", "warning", "critical", "paused"];

interface Options {
  readonly app?: string;
  readonly json?: true;
}

const named = (key: string, { app }: Options): Named => ({ key, application: app ?? null });

/** A command about one monitor: its key, and its application unless only one has such a monitor. */
const aboutOne = (group: Command, name: string): Command =>
  group
    .command(name)
    .argument("<key>", "the monitor's key, as reports name it")
    .option("--app <slug>", "its application (default: the only one that has such a monitor)");

export function addMonitors(program: Command, shell: Shell): void {
  const monitor = program
    .command("monitor")
    .description("look at monitors; create, pause, resume and delete them")
    .helpCommand(false);
  addLooking(monitor, shell);
  addCreating(monitor, shell);
  aboutOne(monitor, "pause")
    .description("pause a monitor: reports are recorded, nothing is missed and no failure is told")
    .option("--for <duration>", "resume by itself after so long, 1m to 365d", durationWithin("1m", "365d"))
    .addHelpText(
      "after",
      examples("rollcall monitor pause nightly-backup --for 2h", "rollcall monitor pause nightly-backup --app prod"),
    )
    .action(async (key: string, options: Options & { for?: number }, command: Command) =>
      shell.finish(await runMonitorPause(callerOf(command, shell), named(key, options), options.for ?? null)),
    );
  aboutOne(monitor, "resume")
    .description("end a pause by hand; the next scheduled time counts again")
    .addHelpText("after", examples("rollcall monitor resume nightly-backup"))
    .action(async (key: string, options: Options, command: Command) =>
      shell.finish(await runMonitorResume(callerOf(command, shell), named(key, options))),
    );
  aboutOne(monitor, "delete")
    .description("delete a monitor at once, and its history after 7 days")
    .addHelpText(
      "after",
      `
An open incident is closed, and the recovery told. A report that carries a
schedule creates the monitor again; so does the next start, when the
configuration names it with a schedule.
${examples("rollcall monitor delete nightly-backup")}`,
    )
    .action(async (key: string, options: Options, command: Command) =>
      shell.finish(await runMonitorDelete(callerOf(command, shell), named(key, options))),
    );
}

function addLooking(monitor: Command, shell: Shell): void {
  monitor
    .command("list")
    .description("list monitors with their status, schedule and last report")
    .addOption(listedApp())
    .addOption(new Option("--status <status>", "only those of this status").choices(STATUSES))
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      examples("rollcall monitor list", "rollcall monitor list --status critical", "rollcall monitor list --json"),
    )
    .action(async ({ app, status, json }: Options & { status?: string }, command: Command) => {
      const filter = { application: app ?? null, status: status ?? null };
      shell.finish(await runMonitorList(callerOf(command, shell), filter, json === true));
    });
  aboutOne(monitor, "show")
    .description("show all that is known of a monitor: values and where they come from, runs, the last 20 reports")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      examples("rollcall monitor show nightly-backup", "rollcall monitor show nightly-backup --app prod --json"),
    )
    .action(async (key: string, options: Options, command: Command) =>
      shell.finish(await runMonitorShow(callerOf(command, shell), named(key, options), options.json === true)),
    );
}

interface CreateOptions extends Options {
  readonly schedule: string;
  readonly name?: string;
  readonly timezone?: string;
  readonly grace?: number;
  readonly maxRuntime?: number;
}

function addCreating(monitor: Command, shell: Shell): void {
  const duration = durationWithin("1m", "3650d");
  monitor
    .command("create")
    .argument("<key>", "the monitor's key, as reports will name it")
    .option("--app <slug>", "its application (default: the only one)")
    .description("create a monitor before its first report; a report that carries a schedule does so too")
    .requiredOption("--schedule <cron>", "five fields, as in crontab")
    .option("--name <name>", "what people read (default: made from the key)")
    .option("--timezone <zone>", "the zone in which the schedule is read (default: the application's)")
    .option("--grace <duration>", "how late a report may be, at least 1m (default: 1m)", duration)
    .option("--max-runtime <duration>", "how long a run may take, at least 1m", duration)
    .addHelpText(
      "after",
      examples(
        "rollcall monitor create nightly-backup --schedule '0 2 * * *'",
        "rollcall monitor create nightly-backup --schedule '0 2 * * *' --app prod \\\n" +
          "      --timezone Europe/Berlin --grace 30m --max-runtime 2h",
      ),
    )
    .action(async (key: string, options: CreateOptions, command: Command) => {
      const { schedule, name = null, timezone = null, grace = null, maxRuntime = null } = options;
      const values = { schedule, name, timezone, graceSeconds: grace, maxRuntimeSeconds: maxRuntime };
      shell.finish(await runMonitorCreate(callerOf(command, shell), named(key, options), values));
    });
}

export function addIncidents(program: Command, shell: Shell): void {
  const incident = program
    .command("incident")
    .description("list incidents, acknowledge and close them")
    .helpCommand(false);
  incident
    .command("list")
    .description("list incidents, the newest first")
    .option("--open", "only those that are open")
    .addOption(listedApp())
    .addOption(limitOption("", 500))
    .option("--json", "print JSON")
    .addHelpText("after", examples("rollcall incident list --open", "rollcall incident list --app prod --json"))
    .action(async ({ app, open, limit, json }: Options & { open?: true; limit?: number }, command: Command) => {
      const filter = { application: app ?? null, openOnly: open === true, limit: limit ?? null };
      shell.finish(await runIncidentList(callerOf(command, shell), filter, json === true));
    });
  incident
    .command("ack")
    .argument("<id>", "the incident's number, as `incident list` shows it", readId)
    .description("acknowledge an incident: its reminders stop, new causes and the recovery are still told")
    .addHelpText("after", examples("rollcall incident ack 12"))
    .action(async (id: number, _options, command: Command) =>
      shell.finish(await runIncidentAcknowledge(callerOf(command, shell), id)),
    );
  incident
    .command("resolve")
    .argument("<id>", "the incident's number, as `incident list` shows it", readId)
    .description("close an incident by hand; the recovery is told")
    .addHelpText("after", examples("rollcall incident resolve 12"))
    .action(async (id: number, _options, command: Command) =>
      shell.finish(await runIncidentResolve(callerOf(command, shell), id)),
    );
}
