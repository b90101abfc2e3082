// Connects the parts of `rollcall run`. The job comes first, and is run even when a part of ours fails. Nothing of the
// service is loaded.

import { join } from "node:path";
import { clientMomentAt, type Moment } from "../../client/client-moment.ts";
import { isReportableMonitor, nameOfReport, type ReportServer } from "../../client/client-report.ts";
import { type ClientSettings, readClientSettings } from "../../client/client-settings.ts";
import { type Flushing, sendWaitingReports } from "../../client/flush.ts";
import type { RunOptions } from "../../client/options.ts";
import { createReporter } from "../../client/reporter.ts";
import { type RunParts, runOnce } from "../../client/run-with-retries.ts";
import { createReportSender } from "../../client/send.ts";
import { openSpool } from "../../client/spool.ts";
import { lockFor } from "../../client/spool-files.ts";
import { fileLimitUnder, ignoredSignals, inheritedFiles } from "../../client/surroundings.ts";
import { startJob } from "../../client/wrapped-job.ts";
import { keyWithoutSecret } from "../../domain/api-key.ts";
import { errorMessage } from "../../domain/errors.ts";
import { visibleText } from "../../domain/text.ts";
import { SECOND } from "../../domain/time.ts";
import { counted, durationInWords } from "../../domain/wording/spoken-time.ts";
import { after, randomId, systemClock } from "../clock.ts";
import type { Shell } from "../command-shell.ts";
import { VERSION } from "../executable.ts";
import { DONE, type Io, MISUSED, REFUSED } from "../io.ts";
import { homeFolder, runningUser } from "../own-user.ts";
import { endAs, hearOfChildren, isTerminal, limitFiles, lockFile } from "./c-calls.ts";

type JobEnvironment = Shell["environment"];
type Say = RunParts["say"];
export type RunIo = Pick<Io, "out" | "err">;

/**
 * The exit code when `--lock` finds that the run before still goes on: 75 (EX_TEMPFAIL), which scripts take for a
 * failure that passes by itself.
 */
const STILL_RUNNING = 75;
const FLUSH_MAX = 10 * 60 * SECOND;
/**
 * How many milliseconds `--flush` waits at most when the server asks for a pause. If the server asks for more,
 * `--flush` ends.
 */
const PAUSE_MAX = 60 * SECOND;

/**
 * Runs the job, then ends this process with the job's exit code or signal. It returns only with `--lock`, when the run
 * before still goes on.
 */
export async function runJob(options: RunOptions, environment: JobEnvironment, io: RunIo): Promise<number> {
  // Prints a sentence. A key or a path in it may contain control characters, which must not reach the terminal.
  const say: Say = (sentence) => io.err(visibleText(`rollcall run: ${sentence}`));
  // These handlers keep an uncaught error from ending this process before the job ends.
  for (const event of ["uncaughtException", "unhandledRejection"] as const)
    process.on(event, (error: unknown) => say(`something failed beside the job: ${errorMessage(error)}`));
  const parts = prepared(options, environment, say, await stderrWords(options));
  if (parts === STILL_RUNNING) {
    say(`${options.monitor} was not started: the run before it, or what it left running, still goes on`);
    return STILL_RUNNING;
  }
  endAs(await (parts === null ? startJob({ ...PLAIN, command: options.command }).ended : runOnce(options, parts)));
}

const NO_SUCH_NAME = "no monitor can have this name";

const PLAIN = { ignored: [], files: [], held: null, onError: null, after } as const;

/**
 * Loads the code that keeps the last lines of stderr and hides secrets in them. It is loaded only if an option asks for
 * it, because the job waits.
 */
async function stderrWords(options: RunOptions): Promise<RunParts["newWords"]> {
  if (!options.messageFromStderr && !options.outputFromStderr) return null;
  const { createLastWords, stderrWriter } = await import("../../client/stderr.ts");
  const write = stderrWriter(after);
  return () => createLastWords(options, write);
}

/** Prepares a run. Returns `null` when that failed, after it printed the reason. */
function prepared(
  options: RunOptions,
  environment: JobEnvironment,
  say: Say,
  newWords: RunParts["newWords"],
): RunParts | typeof STILL_RUNNING | null {
  try {
    // These must come first: which signals are ignored changes as soon as something here listens to signals, and files
    // that something here opens are not for the job.
    const ignored = ignoredSignals(process.ppid);
    const files = inheritedFiles();
    // The kernel tells a process that ignores SIGCHLD of no child's end, and this one would wait for ever.
    if (ignored.includes("SIGCHLD")) hearOfChildren();
    const settings = clientSettings(environment);
    const { server } = settings;
    for (const path of settings.passedOver) say(`${path} cannot be read by this user, and was passed over`);
    const limit = fileLimitUnder(process.ppid);
    if (limit !== null) limitFiles(limit);
    const held = options.lock ? lockOf(options.monitor, settings, say) : null;
    if (held === STILL_RUNNING) return STILL_RUNNING;
    const unheard = typeof server === "string" ? server : isReportableMonitor(options.monitor) ? null : NO_SUCH_NAME;
    if (unheard !== null) say(`nobody hears of ${options.monitor}: ${unheard}`);
    const post = typeof server === "string" || unheard !== null ? null : postOf(server, settings, say);
    const reporter = post && createReporter(post.send, post.spool, after, say);
    const { monotonic } = systemClock;
    const own = { newId: randomId, say, userName: runningUser, isTerminal, newWords };
    return { reporter, ignored, files, held: held?.file ?? null, now, monotonic, after, ...own };
  } catch (error) {
    say(`nobody hears of ${options.monitor}: ${errorMessage(error)}`);
    return null;
  }
}

const clientSettings = (environment: JobEnvironment): ClientSettings =>
  readClientSettings({ environment, home: homeFolder(), uid: process.getuid?.() ?? null });

const now = (): Moment => clientMomentAt(systemClock.now());

const postOf = (server: ReportServer, { spool }: ClientSettings, say: Say) => ({
  send: createReportSender(server, now, `rollcall/${VERSION}`, process.env),
  spool: openSpool(spool, server, {
    onDamaged: (path) => say(`a report that waited was damaged on disk and is lost: ${path}`),
    onDropped: (report) => say(`${nameOfReport(report)}, which waited, is lost: a failure needed its room on disk`),
  }),
});

/**
 * Takes the lock that lets only one run of this job go on at a time. The lock belongs to the job's key, together with
 * the address of the server and its application, if a server is configured. Returns `null` when no lock can be made,
 * after it printed why.
 */
function lockOf(
  monitor: string,
  { server, spool }: ClientSettings,
  say: Say,
): { file: number } | typeof STILL_RUNNING | null {
  const whose = typeof server === "string" ? [] : [server.url, keyWithoutSecret(server.key)];
  try {
    const file = lockFor([...whose, monitor], join(spool, "locks"), lockFile);
    return file === null ? STILL_RUNNING : { file };
  } catch (error) {
    say(`${monitor} runs without a lock, because none can be made: ${errorMessage(error)}`);
    return null;
  }
}

/** Prints why reports were refused, once for each monitor and reason. */
function sayEachRefusalOnce(say: Say): Flushing["onRefused"] {
  const said = new Set<string>();
  return ({ report }, why) => {
    const reason = `${report.monitor}\n${why}`;
    if (!said.has(reason)) say(`${nameOfReport(report)} is lost: the server refused it: ${why}`);
    said.add(reason);
  };
}

function pauser(ending: AbortSignal, say: Say): (milliseconds: number) => Promise<boolean> {
  let hasSaid = false;
  return async (milliseconds) => {
    if (milliseconds > PAUSE_MAX || ending.aborted) return false;
    if (!hasSaid)
      say(
        `the server takes no more for now; going on in ${durationInWords(milliseconds)}, and then slowly, to leave room for jobs that report now`,
      );
    hasSaid = true;
    await new Promise<void>((resolve) => {
      const cancel = after(milliseconds, resolve);
      const end = (): void => {
        cancel();
        resolve();
      };
      ending.addEventListener("abort", end, { once: true });
    });
    return !ending.aborted;
  };
}

/**
 * Sends the reports that wait on disk; with `movedFrom` also the reports for that former address of the service.
 * Returns the exit code.
 */
export async function flushAll(environment: JobEnvironment, io: RunIo, movedFrom: string | null): Promise<number> {
  const settings = clientSettings(environment);
  const { server } = settings;
  if (typeof server === "string") {
    io.err(`error: ${server}`);
    return MISUSED;
  }
  const say: Say = (sentence) => io.err(visibleText(sentence));
  const { spool, send } = postOf(server, settings, say);
  const former = movedFrom === null ? null : postOf({ ...server, url: movedFrom }, settings, say).spool;
  const ending = new AbortController();
  after(FLUSH_MAX, () => ending.abort());
  const flushing: Flushing = {
    within: ending.signal,
    onRefused: sayEachRefusalOnce(say),
    pause: pauser(ending.signal, say),
    after,
  };
  let [sent, refused, left] = [0, 0, 0];
  for (const each of former === null ? [spool] : [former, spool]) {
    try {
      const done = await sendWaitingReports(each, send, flushing);
      [sent, refused, left] = [sent + done.sent, refused + done.refused, left + done.left];
      if (done.why !== null) say(`the rest waits: ${done.why}`);
    } catch (error) {
      io.err(visibleText(`error: what waits cannot be read: ${errorMessage(error)}`));
      return REFUSED;
    }
  }
  const { elsewhere, unreadable } = spool.others();
  io.out(`${counted(sent, "report")} sent${refused === 0 ? "" : `, ${refused} refused`}, ${left} left`);
  const wait = (count: number): string => `${counted(count, "report")} ${count === 1 ? "waits" : "wait"}, too`;
  if (elsewhere > 0)
    say(
      `${wait(elsewhere)}, for another application or address; if this is the service that had it: rollcall run --flush --moved-from ADDRESS`,
    );
  if (unreadable > 0) say(`${wait(unreadable)}, in ${settings.spool}: of another user, or unreadable`);
  return left + refused + elsewhere + unreadable === 0 ? DONE : REFUSED;
}
