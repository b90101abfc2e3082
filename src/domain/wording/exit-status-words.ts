// Says in words what an exit status, or the signal that ended a job, usually means, and what to do first.

import type { AlertData } from "../message/alert.ts";

type ExitMeaning = readonly [means: string, toDo: string];

const STATUSES: Readonly<Record<number, ExitMeaning>> = {
  124: ["timeout ended it, because it took too long", "See why it took so long."],
  126: ["its command could not be run: no permission, or no program", "Check that its user may run its command."],
  127: ["its command, or one inside it, was not found", "Check its command and its PATH."],
};

const SIGNALS: Readonly<Record<string, ExitMeaning>> = {
  SIGHUP: ["its terminal or session was closed", "See who started it, and from where."],
  SIGINT: ["it was interrupted, as by Ctrl-C", "See who stopped it."],
  SIGABRT: ["it gave up by itself, at a fault in the program", "Read its log."],
  SIGKILL: ["it was killed, often because memory ran out", "Check whether its machine ran out of memory."],
  SIGSEGV: ["it crashed, by a fault in the program", "Read its log."],
  SIGPIPE: ["what was to read its output had ended", "Check what its output goes to."],
  SIGTERM: ["it was asked to end, as at a shutdown", "See who or what stopped it."],
};

/** The exit statuses by which a shell reports these signals: 128 plus the signal's number. */
const NUMBERS = new Map([1, 2, 6, 9, 11, 13, 15].map((number, place) => [128 + number, Object.keys(SIGNALS)[place]!]));

/**
 * The meaning of the exit status or signal that a failure's message names; `null` when it names none, or one without a
 * common meaning.
 */
export function exitOf({ failureMessage }: Pick<AlertData, "failureMessage">) {
  const [, status, name] = /^(?:exit status (\d{1,3})|ended by (SIG[A-Z]+))\b/.exec(failureMessage ?? "") ?? [];
  const signal = name ?? NUMBERS.get(Number(status));
  const [means, toDo] = (signal === undefined ? STATUSES[Number(status)] : SIGNALS[signal]) ?? [];
  if (means === undefined || toDo === undefined) return null;
  const which = name ?? `Exit status ${status}${signal === undefined ? "" : ` (${signal})`} usually`;
  return { sentence: `${which} means that ${means}.`, toDo };
}
