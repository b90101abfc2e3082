// Finds guards in a command, such as `[ -e FILE ] ||`, `pgrep job && exit 0;` or `if ping -c1 nas; then`. A guard may
// decide that the job does not run. The line then ends with a status that says nothing about the job: a failure, or a
// success although nothing has run.

import {
  baseName,
  type CommandNode,
  commandsUnder,
  isNothing,
  type ShellNode,
  type Statement,
  wordValues,
} from "./script.ts";
import {
  type Behind,
  type Edit,
  editsInWholeCommand,
  type Placed,
  type Reading,
  type StatusFault,
  shownInBackticks,
} from "./status-fault.ts";
import { isAsideNode, isQuestion, isSetup } from "./status-parts.ts";

export type Guard = Readonly<{
  asked: readonly ShellNode[];
  /** The answer to the guard's question after which the job does not run. The line then ends with `status`. */
  answer: "yes" | "no";
  status: 0 | 1;
}>;

/**
 * Returns the fault of a guard, a test before the job such as `[ -e FILE ] ||`; `mend` mends it. A guard has no fault
 * when the job always runs on this machine, because what the guard asks for is installed. It has none either when it
 * only leaves out some days and then ends with 0.
 */
export function guardFault(
  { asked, answer, status }: Guard,
  reading: Reading,
  mend: Pick<StatusFault, "edits" | "behind">,
): readonly StatusFault[] {
  const open = asked.filter((one) => (knownAnswer(one, reading) ?? answer) === answer);
  const first = open.find((one) => !isSetup(one)) ?? open[0];
  if (first === undefined || (status === 0 && isOfCalendar(asked, reading))) return [];
  // No fault is reported for `cd /srv || exit 1`: when `cd` fails, that is a real failure.
  if (status === 1 && isSetup(first)) return [];
  const how = isSetup(first) ? "fails" : `says ${answer}`;
  const told = status === 0 ? "success" : "failure";
  return [
    {
      says: `It ends with ${status} when ${shownInBackticks(first, reading)} ${how}: nothing has run then, and it would be told as a ${told}.`,
      isSkip: true,
      ...mend,
    },
  ];
}

/**
 * Whether the questions of a guard ask for the day or the time, as `[ $(date +%u) = 1 ]` does. Then the answer "no"
 * means the same as a schedule that leaves out these days.
 */
export const isOfCalendar = (asked: readonly Placed[], { text }: Reading): boolean =>
  asked.some(({ pos, end }) => /(?:^|[\s;|&(`/])date\b|%\([^)]*\)T|EPOCHSECONDS/.test(text.slice(pos, end)));

/**
 * Puts `rollcall run` behind a guard, such as `[ -e FILE ] &&`. If the guard stops the job, nothing is reported, and
 * the job may be late.
 */
export function behindGuard(
  first: Placed,
  job: Placed,
  last: Placed,
  reading: Reading,
): Pick<StatusFault, "edits" | "behind"> {
  const { text } = reading;
  return isWhole(first, last, reading)
    ? { edits: [], behind: { before: text.slice(0, job.pos), from: job.pos, to: text.length } }
    : { edits: null };
}

/** Turns an `if` into a guard with `rollcall run` behind it: `QUESTION && rollcall run …`. */
export function behindIf(
  node: Placed,
  clause: Statement,
  then: Placed,
  reading: Reading,
): Pick<StatusFault, "edits" | "behind"> {
  if (!isWhole(node, node, reading) || clause.background) return { edits: null };
  const before = `${reading.text.slice(clause.command.pos, clause.command.end).trim()} && `;
  const behind: Behind = { before, from: then.pos, to: reading.text.slice(0, then.end).replace(/[\s;]+$/, "").length };
  return { edits: [], behind };
}

const isWhole = (first: Placed, last: Placed, { text, offset }: Reading): boolean =>
  offset === 0 && text.slice(0, first.pos).trim() === "" && last.end >= text.trimEnd().length;

/** Makes the edits that turn the command into `if QUESTION; then JOB; fi`. */
export const asIf = (
  [first, question, job, last]: readonly [Placed, Placed, Placed, Placed],
  end: string,
  reading: Reading,
): readonly Edit[] | null =>
  editsInWholeCommand(reading, [
    { at: first.pos, end: first.pos, text: "if " },
    { at: question.end, end: job.pos, text: "; then " },
    { at: last.end, end: last.end, text: `${end}; fi` },
  ]);

/**
 * Reads a guard, such as `[ … ] || exit 0`, `pgrep job && exit 1` or `if …; then exit; fi`. Returns `null` for any
 * other statement.
 */
export function exitGuard({ command }: Statement): Guard | null {
  if (command.type === "If") {
    const asked = command.clause.commands.map((one) => one.command);
    const ends = exitIn(command.then.commands);
    const isPlain = command.else === undefined && command.elif.length === 0;
    return isPlain && ends !== null && asked.every(isQuestion)
      ? { asked, answer: "yes", status: ends.status ?? 0 }
      : null;
  }
  if (command.type !== "AndOr") return null;
  const handler = command.commands.at(-1)!;
  const ends = exitIn([{ command: handler }]);
  const asked = command.commands.slice(0, -1);
  if (ends === null || !asked.every((one) => isQuestion(one) || isSetup(one))) return null;
  const isYes = command.operators.at(-1) === "&&";
  return { asked, answer: isYes ? "yes" : "no", status: ends.status ?? (isYes ? 0 : 1) };
}

type ExitFound = Readonly<{ status: 0 | 1 | null }>;

/**
 * Finds an `exit` at the end of these statements, also in braces; only commands that prepare or print may stand before
 * it. `status` is `null` for an `exit` without a number, which passes on the status of the command before.
 */
function exitIn(statements: readonly Pick<Statement, "command">[]): ExitFound | null {
  const last = statements.at(-1)?.command;
  if (last === undefined || !statements.slice(0, -1).every(({ command }) => isAsideNode(command))) return null;
  if (last.type === "BraceGroup") return exitIn(last.body.commands);
  const found = last.type === "Command" ? /^exit(?: (\d+))?$/.exec(wordValues(last).join(" ")) : null;
  if (found === null) return null;
  const [, number] = found;
  return { status: number === undefined ? null : Number(number) === 0 ? 0 : 1 };
}

/** The directories in which programs are looked for, as `command -v` does. */
const PLACES = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
/** Matches directories in which files stay for a long time, unlike /run, /tmp or /var. */
const LASTING = /^\/(?:usr|lib|lib64|bin|sbin|etc|opt)\/|^\/run\/systemd\/system\/?$/;

/** How this machine answers a test for a file or a program; `null` when more than what is installed decides that. */
function knownAnswer(node: ShellNode, reading: Reading): "yes" | "no" | null {
  const plain: ShellNode | CommandNode = node.type === "Redirected" ? node.command : node;
  const words = plain.type === "Command" ? wordValues(plain) : [];
  const [program = "", ...rest] = words;
  const [, name] = /^(?:command -v|which|type|hash) ([\w.+-]+)$/.exec([baseName(program), ...rest].join(" ")) ?? [];
  if (name !== undefined) return PLACES.some((place) => reading.isProgram(`${place}/${name}`)) ? "yes" : "no";
  if (program !== "[" && program !== "test") return null;
  const parts = rest
    .filter((word) => word !== "]")
    .join(" ")
    .split(" -a ");
  const answers = parts.map((part) => answerToTest(part, reading));
  return answers.includes("no") ? "no" : answers.includes(null) ? null : "yes";
}

function answerToTest(test: string, { isProgram, isThere }: Reading): "yes" | "no" | null {
  const [, not, kind, path = ""] = /^(! )?-([defrsx]) (\/\S+)$/.exec(test) ?? [];
  if (kind === undefined || !LASTING.test(path)) return null;
  return (kind === "x" ? isProgram(path) : isThere(path)) === (not === undefined) ? "yes" : "no";
}

/** Whether the command behind `||` starts the same program again: `backup || (sleep 60; backup)` is a second try. */
export function isRetry(jobs: readonly ShellNode[], handler: ShellNode): boolean {
  const programs = (node: ShellNode) => commandsUnder(node).map((one) => wordValues(one)[0]);
  const before = new Set(jobs.flatMap(programs));
  return commandsUnder(handler).some(
    (one) => !isNothing(wordValues(one)) && before.has(wordValues(one)[0]) && !isSetup(one),
  );
}
