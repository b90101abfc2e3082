// `rollcall discover`: finds the scheduled jobs of this machine and shows them.

import type { Command } from "commander";
import { isWatchable, type Job } from "../discover/discover.ts";
import { messageOf } from "../domain/message-of.ts";
import { matcherOf } from "../domain/pattern.ts";
import { examples, type Shell } from "./command-shell.ts";
import { type DiscoverOptions, lookAt } from "./discover-machine.ts";
import { jobAsJson, showJobs } from "./discover-screens.ts";
import { DONE, type Io, MISUSED, say } from "./io.ts";

interface Options extends DiscoverOptions {
  readonly json?: boolean;
}

export function addDiscover(program: Command, { io, finish }: Shell): void {
  program
    .command("discover")
    .argument("[file...]", "also read these: compose files or .ini of Ofelia, CronJobs of Kubernetes in YAML")
    .description("find the jobs of cron and the timers of systemd on this machine, and say which can be watched")
    .option("--only <pattern...>", "only jobs with this key or place; * stands for any letters")
    .option("--skip <pattern...>", "all jobs but these")
    .option("--prefix <text>", "what new keys begin with (default: this machine's name and a dash)")
    .option("--timezone <zone>", "the zone of this machine, where it does not say it")
    .option("--root <directory>", "look at the system below this directory")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      examples(
        "sudo rollcall discover",
        "rollcall discover --json",
        "rollcall discover cronjobs.yaml docker-compose.yml",
      ),
    )
    .action((files: string[], options: Options) => finish(runDiscover(files, options, io)));
}

function runDiscover(files: readonly string[], options: Options, io: Io): number {
  try {
    const machine = lookAt(options, files);
    const jobs = chosen(machine.jobs, options);
    if (options.json === true) io.out(JSON.stringify(jobs.map(jobAsJson), null, 2));
    else showJobs(machine, jobs, io);
    return DONE;
  } catch (error) {
    say(io, messageOf(error));
    return MISUSED;
  }
}

/** Throws where a pattern means no job: it is most likely mistyped. */
function chosen(jobs: readonly Job[], { only, skip }: DiscoverOptions): readonly Job[] {
  const meant = (patterns: readonly string[]): ReadonlySet<Job> =>
    new Set(
      patterns.flatMap((pattern) => {
        const matches = matcherOf(pattern);
        const found = jobs.filter(
          (job) =>
            (isWatchable(job) && matches(job.key)) || matches(job.where) || matches(job.where.replace(/:\d+$/, "")),
        );
        if (found.length === 0) throw new Error(`no job has the key or place ${JSON.stringify(pattern)}`);
        return found;
      }),
    );
  const kept = only === undefined ? new Set(jobs) : meant(only);
  const left = skip === undefined ? new Set<Job>() : meant(skip);
  return jobs.filter((job) => kept.has(job) && !left.has(job));
}
