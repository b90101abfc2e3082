// Signals that come to us and are meant for the job.

/** What a job may be told by a signal, and we can hear. */
export const HEARD = [
  "SIGHUP",
  "SIGINT",
  "SIGQUIT",
  "SIGTERM",
  "SIGUSR1",
  "SIGUSR2",
  "SIGALRM",
  "SIGCONT",
  "SIGWINCH",
] as const satisfies readonly NodeJS.Signals[];

/** They ask a program to end. */
const ENDING: ReadonlySet<NodeJS.Signals> = new Set(["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"]);
/** What a terminal sends to all that run in it: the job has heard it as we have, and once is enough. */
const BY_TERMINAL: ReadonlySet<NodeJS.Signals> = new Set(["SIGINT", "SIGQUIT", "SIGWINCH"]);

/** From now on each signal goes to `onward` and ends nothing here; `onEnd` is told of those that ask for an end. */
export function hearSignals(
  ignored: readonly NodeJS.Signals[],
  onward: (signal: NodeJS.Signals) => void,
  onEnd: () => void,
) {
  const isTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  for (const signal of HEARD) {
    if (ignored.includes(signal)) continue;
    process.on(signal, () => {
      if (!(isTerminal && BY_TERMINAL.has(signal))) onward(signal);
      if (ENDING.has(signal)) onEnd();
    });
  }
}
