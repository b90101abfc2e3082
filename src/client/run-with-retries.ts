// Does what `rollcall run` does: runs a job from its start to its end, with retries, and reports that. The job comes
// first: whatever the server does, the job starts at once, with the same surroundings as without us, and we end as it
// does.

import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { errorMessage } from "../domain/errors.ts";
import { SECOND } from "../domain/time.ts";
import { unlessMissing } from "../domain/unless-missing.ts";
import type { After, Moment } from "./client-moment.ts";
import type { Report } from "./client-report.ts";
import { type RunOptions, readOutcomeOptions } from "./options.ts";
import type { Reporter } from "./reporter.ts";
import type { LastWords } from "./stderr.ts";
import { hearSignals, type IsTerminal } from "./surroundings.ts";
import { type JobEnding, type RunningJob, startJob } from "./wrapped-job.ts";

export interface RunParts {
  readonly reporter: Reporter | null;
  readonly ignored: readonly NodeJS.Signals[];
  readonly files: readonly number[];
  readonly held: number | null;
  readonly now: () => Moment;
  /** The time in milliseconds of a clock that is never set back. */
  readonly monotonic: () => number;
  readonly after: After;
  readonly newId: () => string;
  readonly say: (sentence: string) => void;
  readonly userName: () => string;
  readonly isTerminal: IsTerminal;
  /** Makes a buffer for the last lines that one attempt writes to stderr; `null` when no lines are wanted. */
  readonly newWords: (() => LastWords) | null;
}

const STDERR = 2;
/** How many milliseconds we may still report after the job has ended. */
const REPORTING_MAX = 5 * SECOND;

export async function runOnce(options: RunOptions, parts: RunParts): Promise<JobEnding> {
  const { reporter, newId, now, monotonic } = parts;
  // systemd's INVOCATION_ID is no id of a run: all that one session or one worker starts has the same one.
  const runId = newId();
  const begunAt = monotonic();
  const report = (said: ReturnType<typeof endReport>): Report => ({
    ...said,
    monitor: options.monitor,
    parameters: { run_id: runId, ...said.parameters },
    idempotencyKey: newId(),
    happened: now(),
  });
  reporter?.begin(report({ kind: "start", parameters: options.declared, outcomes: null, output: null }));
  const run = await tried(options, parts);
  if (run.ending.by === "fault") parts.say(run.ending.why);
  try {
    const waits = await reporter?.finish(report(endReport(options, run, monotonic() - begunAt, parts)), REPORTING_MAX);
    // Only on a terminal does a person read this sentence.
    if (waits && parts.isTerminal(STDERR))
      parts.say(
        `what became of ${options.monitor} waits here for the next run, because it could not be sent: ${waits}`,
      );
  } catch (error) {
    parts.say(`the end of ${options.monitor} was not told: ${errorMessage(error)}`);
  }
  return run.ending;
}

/** Where the job ran, which the alert shows. Servers of earlier versions ignore it. */
const whereItRan = ({ userName }: RunParts) => ({ host: hostname(), user: userName() });

/** Makes the report of the run's end. `length` is how many milliseconds the run took. */
function endReport(
  options: RunOptions,
  { ending, tries, wasStopped, words }: Awaited<ReturnType<typeof tried>>,
  length: number,
  parts: RunParts,
): Omit<Report, "monitor" | "idempotencyKey" | "happened"> {
  const took = { duration: (length / SECOND).toFixed(3), attempt: `${tries - 1}` };
  if (isSuccess(ending, options))
    return { kind: "complete", parameters: took, outcomes: outcomesOf(options, parts.say), output: null };
  const message = [wasStopped ? "stopped at its longest runtime" : null, endingInWords(ending), words?.line() ?? null]
    .filter((part) => part !== null)
    .join(": ");
  return {
    kind: "fail",
    parameters: { ...took, message, ...whereItRan(parts) },
    outcomes: null,
    output: words?.output() ?? null,
  };
}

/**
 * Runs the job until it succeeds or has used its retries. `wasStopped` is true when we ended it at its longest runtime.
 * `words` has the last attempt's stderr; `null` when that is not wanted.
 */
async function tried(options: RunOptions, parts: RunParts) {
  let job: RunningJob | null = null;
  let isOver = false;
  let wasStopped = false;
  let wake = (): void => {};
  const end = (): void => {
    isOver = true;
    wake();
  };
  hearSignals(parts.ignored, parts.isTerminal, (signal) => job?.signal(signal), end);
  const cancelStop = stopLater(options, parts, () => {
    wasStopped = true;
    end();
    return job;
  });
  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const cancel = parts.after(milliseconds, resolve);
      wake = () => {
        cancel();
        resolve();
      };
    });
  for (let tries = 1; ; tries++) {
    const words = parts.newWords?.() ?? null;
    job = startJob({
      command: options.command,
      ignored: parts.ignored,
      files: parts.files,
      held: parts.held,
      after: parts.after,
      onError: words === null ? null : words.passOn,
    });
    const ending = await job.ended;
    job = null;
    const succeeded = isSuccess(ending, options);
    const mayHelp = !succeeded && ending.by !== "fault" && tries <= options.retries;
    if (mayHelp && !isOver) await pause(options.backoff * 2 ** (tries - 1));
    else isOver = true;
    if (isOver) {
      cancelStop();
      return { ending, tries, wasStopped: wasStopped && !succeeded, words };
    }
  }
}

const isSuccess = (ending: JobEnding, { successCodes }: RunOptions): boolean =>
  ending.by === "exit" && (ending.code === 0 || successCodes.has(ending.code));

/**
 * Unless `killAfter` is `null`: at the longest runtime, asks the job and all that it has started to end, and kills what
 * still runs `killAfter` later. The caller must call the returned function when the job has ended; then nothing is
 * killed any more.
 */
function stopLater(
  { maxRuntime, killAfter }: RunOptions,
  { after }: RunParts,
  stopped: () => RunningJob | null,
): () => void {
  if (maxRuntime === null || killAfter === null) return () => {};
  let cancel = after(maxRuntime, () => {
    const job = stopped();
    job?.stop("SIGTERM");
    cancel = after(killAfter, () => job?.stop("SIGKILL"));
  });
  return () => cancel();
}

function endingInWords(ending: JobEnding): string {
  switch (ending.by) {
    case "exit":
      return `exit status ${ending.code}`;
    case "signal":
      return typeof ending.signal === "number" ? `ended by signal ${ending.signal}` : `ended by ${ending.signal}`;
    case "fault":
      return `exit status ${ending.code}: ${ending.why}`;
    default:
      return ending satisfies never;
  }
}

/** The outcomes from the options and from the file that the job has written; `null` when there are none. */
function outcomesOf({ outcomes, outcomesFile }: RunOptions, say: RunParts["say"]): Report["outcomes"] {
  const written = outcomesFile === null ? {} : writtenOutcomes(outcomesFile, say);
  const all = { ...outcomes, ...written };
  return Object.keys(all).length === 0 ? null : all;
}

function writtenOutcomes(path: string, say: RunParts["say"]): Readonly<Record<string, number | boolean>> {
  try {
    const text = unlessMissing(() => readFileSync(path, "utf8"));
    if (text === null) say(`the job has written no outcomes: there is no file ${path}`);
    const { outcomes, faults } = readOutcomeOptions(text ?? "");
    for (const line of faults)
      say(
        `${path}: ${JSON.stringify(line.slice(0, 80))} is no outcome; write name=value, the value a number, true or false`,
      );
    return outcomes;
  } catch (error) {
    say(`the outcomes of the job cannot be read: ${errorMessage(error)}`);
    return {};
  }
}
