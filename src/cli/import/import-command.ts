// `rollcall import`: shows what will become of the checks of another service, asks the person, and lets the running
// service import them.

import { Argument, type Command } from "commander";
import { errorMessage } from "../../domain/errors.ts";
import { IMPORTED_MAX } from "../../domain/limits.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { Input } from "../../engine/operations/operations.ts";
import { type ImportPlan, planImport } from "../../import/import-plan.ts";
import type { ImportSource } from "../../import/imported-check.ts";
import { importedZone } from "../../import/schedules.ts";
import { askService, type SocketCaller } from "../asking/ask-service.ts";
import { asksService, callerOf } from "../asking/remote-options.ts";
import { agrees, examples, type Shell } from "../command-shell.ts";
import { DONE, type Io, MISUSED, REFUSED } from "../io.ts";
import { say, sayRefused } from "../screens/table.ts";
import { asJson, importDoneInWords, newOf, showPlan } from "./import-screens.ts";
import { type ImportedService, type ImportOptions, readSource, SERVICES } from "./reading.ts";

export function addImport(program: Command, shell: Shell): void {
  const command = program
    .command("import")
    .addArgument(new Argument("<service>", "where the checks are by now").choices(SERVICES))
    .argument("<from>", "its database, a dump or export of it, or its address, to ask its API")
    .description("take over the checks of another service, with the addresses at which their jobs report")
    .option("--app <slug>", "the application that gets them (default: the only one)")
    .option("--project <name>", "Healthchecks: only the checks of this project")
    .option("--prefix <text>", "what keys begin with (default: nothing)")
    .option("--timezone <zone>", "the zone of schedules whose service tells none (default: the application's)")
    .option("--only <pattern...>", "only those with this key; * stands for any letters")
    .option("--skip <pattern...>", "all but these")
    .option("--paused", "have all begin with a pause by hand, until `rollcall monitor resume`")
    .option("--from-key-file <file>", "the key of the other service's API (default: $ROLLCALL_FROM_KEY)")
    .option("--from-authority-file <file>", "certificates, as PEM, that the other service's is proved by")
    .option("--dry-run", "show what would be done, and do nothing")
    .option("--yes", "do not ask at the terminal")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `\n${NOTES}\n${examples(
        "rollcall import healthchecks hc.sqlite --dry-run",
        "rollcall import healthchecks https://hc.example.org --from-key-file hc.key",
        "rollcall import healthchecks hc.sqlite --paused",
        "rollcall import kuma /app/data/kuma.db --prefix kuma-",
        "rollcall import cronitor monitors.yaml --app prod --yes",
      )}`,
    )
    .action(async (service: ImportedService, from: string, options: ImportOptions) =>
      shell.finish(await runImport(service, from, options, callerOf(command, shell))),
    );
  asksService(command);
}

const NOTES = `Files: a SQLite database, a dump (pg_dump, mysqldump, sqlite3 .dump, Django's
dumpdata), an answer of the API as JSON, an export of Cronitor as JSON or YAML.
None is ever written to. Give the command again, and only what differs is
changed. docs/import.md says what becomes of what, and what has no counterpart.`;

async function runImport(
  service: ImportedService,
  from: string,
  options: ImportOptions,
  caller: SocketCaller,
): Promise<number> {
  const { io } = caller;
  let source: ImportSource;
  let plan: ImportPlan;
  try {
    const timezone = options.timezone === undefined ? null : importedZone(options.timezone);
    if (options.timezone !== undefined && timezone === null)
      throw new Error(`--timezone: ${JSON.stringify(options.timezone)} is no time zone, such as Europe/Berlin`);
    source = await readSource(service, from, options, caller);
    const { prefix = "", paused: isPaused = false, only = null, skip = [] } = options;
    plan = planImport(source, { prefix, timezone, isPaused, only, skip });
    if (plan.monitors.length > IMPORTED_MAX)
      throw new Error(
        `${plan.monitors.length.toLocaleString("en")} monitors, at most ${IMPORTED_MAX.toLocaleString("en")}: choose with --only or --skip`,
      );
  } catch (error) {
    return sayRefused(io, errorMessage(error), MISUSED);
  }
  if (plan.monitors.length > 0) return await carryOut(source, plan, options, caller);
  if (options.json) io.out(JSON.stringify(asJson(source, plan, null), null, 2));
  else showPlan(source, plan, null, io);
  const isSkipped = source.checks.some(({ timing }) => timing.kind !== "refused");
  say(io, isSkipped ? "--skip leaves nothing to import" : `${source.service} has no check that can be imported`);
  return DONE;
}

async function carryOut(
  source: ImportSource,
  plan: ImportPlan,
  options: ImportOptions,
  caller: SocketCaller,
): Promise<number> {
  const { io } = caller;
  const asked = askedOf(source, plan, options);
  const judged = await askService(caller, "import preview", asked);
  if ("exitCode" in judged) return judged.exitCode;
  const quiet: Io = options.json ? { ...io, out: () => {} } : io;
  showPlan(source, plan, judged.answer, quiet);
  const open = judged.answer.monitors.filter(({ done }) => done !== "unchanged").length;
  const isDone = options.dryRun === true || open + newOf(judged.answer) === 0;
  if (!isDone && options.yes !== true && !(await agrees(io, questionOf(plan, open, judged.answer.application))))
    return REFUSED;
  const done = isDone ? judged : await askService(caller, "import", asked);
  if ("exitCode" in done) return done.exitCode;
  if (options.json) io.out(JSON.stringify(asJson(source, plan, done.answer), null, 2));
  else say(io, options.dryRun ? "nothing was changed (--dry-run)" : importDoneInWords(done.answer));
  const news = done.answer.destinations.flatMap((one) => (one.done === "created" ? one.name : []));
  if (!isDone && news.length > 0)
    say(io, `nothing was sent to ${news.join(", ")} yet: \`rollcall notify test ${news[0]}\` sends a test`);
  return DONE;
}

const questionOf = ({ monitors }: ImportPlan, open: number, application: string): string =>
  `Import ${open === monitors.length ? counted(open, "monitor") : `${open} of ${counted(monitors.length, "monitor")}`} ` +
  `into application "${application}"?`;

const askedOf = (source: ImportSource, plan: ImportPlan, { app }: ImportOptions): Partial<Input<"import">> => ({
  service: source.service,
  ...(app === undefined ? {} : { application: app }),
  monitors: plan.monitors.map(({ check: _check, ...monitor }) => monitor),
  destinations: plan.destinations.map(({ name, settings, byDefault }) => ({ name, settings, byDefault })),
  tells: plan.tells,
});
