// Judges whether a command's exit status, which `rollcall run` reports, says how its job ended. If not, it proposes
// another command.

import {
  baseName,
  type Command,
  commandWords,
  isLoop,
  parseScript,
  type Script,
  type ShellNode,
  type Statement,
  startedByProgram,
  type Word,
  wordValues,
} from "./script.ts";
import {
  editsInWholeCommand,
  type MisleadingStatus,
  mendedCommand,
  type Placed,
  type Reading,
  type StatusFault,
  type StatusWorld,
  shownCommand,
  shownInBackticks,
} from "./status-fault.ts";
import { asIf, behindGuard, behindIf, exitGuard, guardFault, isOfCalendar, isRetry } from "./status-guards.ts";
import {
  endsByNotifying,
  handlesFailure,
  isAside,
  isAskingJob,
  isFailing,
  isFeeder,
  isPassingOn,
  isQuestion,
  isSavedStatus,
  isSetup,
  nothingIn,
} from "./status-parts.ts";
import { ofHiddenJob, ofProgram, sshHost } from "./status-programs.ts";

/**
 * Says what is misleading about the exit status of a command. Returns `null` when the status says how the job ended, as
 * far as the command shows.
 */
export function misleadingStatus(command: string, world: StatusWorld): MisleadingStatus | null {
  const script = parseScript(command);
  if (script === null) return null;
  const problems = ofScript(script, { ...world, text: command, offset: 0, isErrexit: false, isPipefail: false });
  return problems.length === 0
    ? null
    : { says: [...new Set(problems.map(({ says }) => says))], mended: mendedCommand(command, problems) };
}

/**
 * Like `misleadingStatus`, for a command that systemd starts without a shell. There `|` and `&` are ordinary words, so
 * a command with them is not judged (`null`).
 */
export function misleadingUnitStatus(command: string, world: StatusWorld): MisleadingStatus | null {
  const script = parseScript(command);
  const [only, ...others] = script?.commands ?? [];
  const isPlain = only?.command.type === "Command" && !only.background && others.length === 0;
  return isPlain ? misleadingStatus(command, world) : null;
}

const ofScript = (script: Script, reading: Reading): readonly StatusFault[] => ofList(script.commands, reading);

/**
 * The faults of a list of commands such as `a; b`. Its exit status is that of its last command, unless `set -e` ends
 * the list earlier.
 */
function ofList(statements: readonly Statement[], given: Reading): readonly StatusFault[] {
  const reading = { ...given, ...shellOptions(statements, given) };
  const last = statements.at(-1);
  if (last === undefined) return [];
  if (last.background) return [inBackground(last, reading)];
  if (statements.length > 1 && isPassingOn(last.command)) return ofList(statements.slice(0, -1), reading);
  const guards = statements.slice(0, -1).flatMap((one, place) => {
    const guard = exitGuard(one);
    const mend = () => behindGuard(statements[0]!, statements[place + 1]!, last, reading);
    return guard === null ? [] : guardFault(guard, reading, mend());
  });
  const before = statements.slice(0, -1).filter((one) => !isAside(one) && exitGuard(one) === null);
  if (reading.isErrexit || before.length === 0) return [...guards, ...ofNode(last.command, reading)];
  if (isSavedStatus(last.command)) return guards;
  const job = statements.at(-2)!;
  if (nothingIn(last.command) || isAlwaysFailing(last.command))
    return [...guards, endedAnyway(statements, reading), ...ofNode(job.command, reading)];
  return [...guards, onlyTheLast(statements, before, reading), ...laterThan(ofNode(last.command, reading))];
}

/** Leaves out faults that say "nothing has run then", which is wrong for a command that runs after another one. */
const laterThan = (faults: readonly StatusFault[]): readonly StatusFault[] => faults.filter(({ isSkip }) => !isSkip);

const isAlwaysFailing = (node: ShellNode): boolean => node.type === "Command" && isFailing(node);

function shellOptions(statements: readonly Statement[], { isErrexit, isPipefail }: Reading) {
  const sets = statements
    .flatMap(({ command }) => (command.type === "Command" ? [wordValues(command)] : []))
    .filter(([first]) => first === "set");
  return {
    isErrexit: isErrexit || sets.some((words) => words.slice(1).some((word) => /^-[a-zA-Z]*e/.test(word))),
    isPipefail: isPipefail || sets.some((words) => words.includes("pipefail")),
  };
}

function inBackground(last: Statement, reading: Reading): StatusFault {
  return {
    says: `It goes to the background (&) and so ends with 0 at once, whatever becomes of ${shownInBackticks(last, reading)}: a failure would be told as a success.`,
    edits: editsInWholeCommand(reading, [
      { at: lastCharacter(last.command.end, last.end, "&", reading), end: last.end, text: "" },
    ]),
  };
}

const lastCharacter = (from: number, to: number, sought: string, { text }: Reading): number => {
  const at = text.slice(from, to).lastIndexOf(sought);
  return at < 0 ? to : from + at;
};

/** The fault of `job; exit 0`, which always ends with success, and of `job; exit 1`, which always ends with failure. */
function endedAnyway(statements: readonly Statement[], reading: Reading): StatusFault {
  const [job, last] = [statements.at(-2)!, statements.at(-1)!];
  const [status, what, told] = nothingIn(last.command)
    ? ["0", "failure", "success"]
    : ["a failure", "success", "failure"];
  return {
    says: `\`${shownCommand(last, reading)}\` makes it end with ${status} whatever becomes of ${shownInBackticks(job, reading)}: a ${what} would be told as a ${told}.`,
    edits: statements.length > 2 ? null : editsInWholeCommand(reading, [{ at: job.end, end: last.end, text: "" }]),
  };
}

function onlyTheLast(statements: readonly Statement[], before: readonly Statement[], reading: Reading): StatusFault {
  const last = statements.at(-1)!;
  // Whether a later command reads `$?`. Such a command must also run after a failure, so it must not be joined by `&&`.
  const readsStatus = /\$\?/.test(reading.text.slice(before[0]!.end, last.end));
  const joins = before.flatMap((one) => {
    const next = statements[statements.indexOf(one) + 1]!;
    const isPlain = next.command.type !== "AndOr" || !next.command.operators.includes("||");
    // No `&&` is put behind a command that asks a question, because its answer would then decide about all commands
    // that follow.
    const asks = one.command.type === "AndOr" && one.command.commands.some(isQuestion);
    return isPlain && !asks && !one.background ? [{ at: one.end, end: next.pos, text: " && " }] : [];
  });
  return {
    says: `Its status is that of ${shownInBackticks(last, reading)} alone: a failure of ${shownInBackticks(before[0]!, reading)} before it would be told as a success.`,
    edits: joins.length === before.length && !readsStatus ? editsInWholeCommand(reading, joins) : null,
  };
}

function ofNode(node: ShellNode, reading: Reading): readonly StatusFault[] {
  switch (node.type) {
    case "AndOr":
      return ofAndOr(node.commands, node.operators, reading);
    case "Pipeline":
      return ofPipeline(node, reading);
    case "Command":
      return ofCommand(node, reading);
    case "Redirected":
      return ofNode(node.command, reading);
    case "Subshell":
    case "BraceGroup":
      return ofList(node.body.commands, reading);
    case "If":
      return ofIf(node, reading);
    case "Case":
      return node.items.flatMap(({ body }) => ofList(body.commands, reading));
    default:
      return isLoop(node) && !reading.isErrexit ? [ofLoop(node)] : [];
  }
}

const ofLoop = (node: ShellNode): StatusFault => ({
  says: `Its status is that of the last round of its ${node.type === "While" ? "loop" : "for"} alone: a failure in an earlier one would be told as a success. A script with set -e tells it.`,
  edits: null,
});

type If = Extract<ShellNode, { type: "If" }>;

function ofIf(node: If, reading: Reading): readonly StatusFault[] {
  const clauses = [node.clause, ...node.elif.map(({ clause }) => clause)];
  const job = clauses.find(({ commands }) => !commands.every(({ command }) => isQuestion(command) || isSetup(command)));
  const inner = [node.then, ...node.elif.map(({ then }) => then), ...(node.else === undefined ? [] : [node.else])];
  const asked: readonly StatusFault[] =
    job === undefined
      ? []
      : [
          {
            says: `\`if\` uses up the status of ${shownInBackticks(job, reading)}: what stands behind it decides, and a failure may be told as a success.`,
            edits: null,
          },
        ];
  return [...asked, ...ifGuard(node, job, reading), ...inner.flatMap(({ commands }) => ofList(commands, reading))];
}

/**
 * The fault of an `if` around the job: without `else`, or with an `else` that only prints, the line ends with 0 when
 * the job did not run.
 */
function ifGuard(node: If, job: Placed | undefined, reading: Reading): readonly StatusFault[] {
  if (job !== undefined || node.else?.commands.every(isAside) === false) return [];
  const clauses = [node.clause, ...node.elif.map(({ clause }) => clause)].flatMap(({ commands }) => commands);
  const [clause] = clauses;
  const isShort =
    clauses.length === 1 &&
    node.else === undefined &&
    !node.then.commands.some(({ command }) => endsByNotifying(command));
  const mend = isShort ? behindIf(node, clause!, node.then, reading) : { edits: null };
  const asked = clauses.map(({ command }) => command).filter(isQuestion);
  return guardFault({ asked, answer: "no", status: 0 }, reading, mend);
}

type AndOrParts = Extract<ShellNode, { type: "AndOr" }>;

function ofAndOr(
  commands: AndOrParts["commands"],
  operators: AndOrParts["operators"],
  reading: Reading,
  isHandled = false,
): readonly StatusFault[] {
  const handler = commands.at(-1)!;
  const left = commands.slice(0, -1);
  if (left.length === 0) return ofNode(handler, reading);
  const isChecked = operators.at(-1) === "||" && endsByNotifying(handler) && left.some(isQuestion);
  const hasJob = isChecked || !left.every((one) => isQuestion(one) || isSetup(one));
  if (operators.at(-1) === "||") {
    if (!hasJob) return [...ofQuestionOrJob(left, handler, reading), ...ofNode(handler, reading)];
    const own = handledBy(left, handler, reading);
    const isEnd = nothingIn(handler) || isFailing(handler);
    const inner = ofAndOr(left, operators.slice(0, -1), reading, !isEnd);
    return own === null && !isFailing(handler)
      ? [...inner, ...laterThan(ofNode(handler, reading))]
      : [...(own === null ? [] : [own]), ...inner];
  }
  const questions = commands.findIndex((one) => !isQuestion(one) && !isSetup(one));
  const asks = questions > 0 && commands.slice(0, questions).some(isQuestion);
  const guard = asks && !isHandled ? ofQuestionAndJob(commands, operators, questions, reading) : [];
  // True when the last command only tells of the job's success, as in `job && echo done`. The status of that last
  // command is then not judged.
  const isSaid = hasJob && questions < left.length && handlesFailure(handler);
  const inner = commands.filter((one) => (one === handler ? !isSaid : !isQuestion(one)));
  return [
    ...guard,
    ...inner.flatMap((one, place) => (place > 0 ? laterThan(ofNode(one, reading)) : ofNode(one, reading))),
  ];
}

/** The fault of `[ … ] || job`, which ends with 0 when the answer is yes, though nothing has run. */
function ofQuestionOrJob(left: readonly ShellNode[], job: ShellNode, reading: Reading): readonly StatusFault[] {
  if (!left.some(isQuestion) || isFailing(job)) return [];
  return guardFault({ asked: left, answer: "yes", status: 0 }, reading, behindGuard(left[0]!, job, job, reading));
}

/** The fault of `[ … ] && job`, which ends with 1 when the answer is no, though the job was not meant to run. */
function ofQuestionAndJob(
  commands: AndOrParts["commands"],
  operators: AndOrParts["operators"],
  questions: number,
  reading: Reading,
): readonly StatusFault[] {
  if (operators[questions - 1] === "||") return [];
  const asked = commands.slice(0, questions).filter(isQuestion);
  const [first, before, job, last] = [commands[0]!, commands[questions - 1]!, commands[questions]!, commands.at(-1)!];
  // A line that ends by notifying people may mean "if the disk is full, send a mail". When the answer is yes, such a
  // line must end with a failure.
  const end = endsByNotifying(last) ? "; exit 1" : "";
  const isPlain = !operators.includes("||") && !(end !== "" && asked.some(isAskingJob));
  const mend =
    end !== "" || isOfCalendar(asked, reading)
      ? { edits: isPlain ? asIf([first, before, job, last], end, reading) : null }
      : behindGuard(first, job, last, reading);
  return guardFault({ asked, answer: "no", status: 1 }, reading, mend);
}

function handledBy(left: readonly ShellNode[], handler: ShellNode, reading: Reading): StatusFault | null {
  const jobs = left.filter((one) => !isQuestion(one) && !isSetup(one));
  const real = jobs.filter((one) => !handlesFailure(one));
  const job = real[0] ?? jobs[0] ?? left.findLast(isQuestion) ?? left[0]!;
  if (nothingIn(handler))
    return {
      says: `\`|| ${shownCommand(handler, reading)}\` makes it end with 0 whatever becomes of ${shownInBackticks(job, reading)}: a failure would be told as a success.`,
      edits: editsInWholeCommand(reading, [{ at: left.at(-1)!.end, end: handler.end, text: "" }]),
    };
  if (isFailing(handler) || isQuestion(handler) || isRetry(real, handler)) return null;
  return {
    says: `When ${shownInBackticks(job, reading)} fails, ${shownInBackticks(handler, reading)} runs, and its status is told: the failure would be told as a success.`,
    edits: handlesFailure(handler)
      ? editsInWholeCommand(reading, [
          { at: handler.pos, end: handler.pos, text: "{ " },
          { at: handler.end, end: handler.end, text: "; exit 1; }" },
        ])
      : null,
  };
}

function ofPipeline(node: Extract<ShellNode, { type: "Pipeline" }>, reading: Reading): readonly StatusFault[] {
  const negated = node.prefixes.filter(({ type }) => type === "Negation").length % 2 === 1;
  const problems: StatusFault[] = [];
  if (negated)
    problems.push({
      says: `\`!\` turns its status round: a failure of ${shownInBackticks(node.commands[0]!, reading)} would be told as a success, and a success as a failure.`,
      edits: null,
    });
  const last = node.commands.at(-1)!;
  const job = node.commands.slice(0, -1).find((one) => !isFeeder(one));
  if (job === undefined || reading.isPipefail) return [...problems, ...ofNode(last, reading)];
  const words = last.type === "Command" ? wordValues(last) : [];
  const isFilter = /^(?:[ef]|z)?grep$/.test(baseName(words[0] ?? ""));
  // Whether the last program of the pipe may close it before the job has written everything, which would end the job.
  const isEarly = /^(?:head|grep .*-\w*[qm]|sed .*q|less|more)\b/.test(
    [baseName(words[0] ?? ""), ...words.slice(1)].join(" "),
  );
  const filter = isFilter
    ? [
        { at: last.pos, end: last.pos, text: "{ " },
        { at: last.end, end: last.end, text: "; [ $? -le 1 ]; }" },
      ]
    : [];
  problems.push({
    says: `Its status is that of ${shownInBackticks(last, reading)} alone, the last of its pipe: a failure of ${shownInBackticks(job, reading)} would be told as a success.`,
    edits: isEarly ? null : editsInWholeCommand(reading, [{ at: 0, end: 0, text: "set -o pipefail; " }, ...filter]),
    needsBash: true,
  });
  return isFilter ? problems : [...problems, ...ofNode(last, reading)];
}

/**
 * Finds why the exit status of a simple command does not say how its job ended: because of the program's own exit
 * status, or because of the command that the program starts.
 */
function ofCommand(command: Command, reading: Reading): readonly StatusFault[] {
  const words = commandWords(command);
  const values = wordValues(command);
  const program = baseName(values[0] ?? "");
  const own = ofProgram(program, values, command, reading);
  const hidden = ofHiddenJob(program, words);
  const problems = [...own, ...hidden, ...(program === "ssh" ? ofRemoteCommand(words, values, reading) : [])];
  const started = startedByProgram(values);
  if (started === null || started.is === "code" || started.is === "module") return problems;
  if (started.is === "script") return [...problems, ...ofInnerScript(values, words[started.at]!, reading)];
  const inner = words.slice(started.at);
  const rest = { ...command, name: inner[0], suffix: inner.slice(1), args: inner.slice(1), prefix: [] } as Command;
  return [...problems, ...ofCommand(rest, reading)];
}

/**
 * The faults of a command that ssh runs on another host. There a shell reads the command, and ssh ends with the
 * command's status.
 */
function ofRemoteCommand(words: readonly Word[], values: readonly string[], reading: Reading): readonly StatusFault[] {
  const remote = words.slice(sshHost(values) + 1);
  if (remote.length === 1) return ofInnerScript(["sh"], remote[0]!, reading);
  const text = remote.map(({ value }) => value).join(" ");
  const script = parseScript(text);
  const there = { ...reading, text, offset: null, isErrexit: false, isPipefail: false };
  return script === null ? [] : ofScript(script, there);
}

function ofInnerScript(values: readonly string[], word: Word, reading: Reading): readonly StatusFault[] {
  const script = parseScript(word.value);
  if (script === null) return [];
  const quotes = /^(['"])(.*)\1$/s.exec(word.text);
  const isVerbatim = (quotes?.[2] ?? word.text) === word.value;
  const start = word.pos + (quotes === null ? 0 : 1);
  const shell = baseName(values[0]!);
  const isShell = /^(?:bash|zsh|ksh)$/.test(shell);
  const problems = ofScript(script, {
    ...reading,
    text: word.value,
    offset: isVerbatim && quotes !== null && reading.offset !== null ? reading.offset + start : null,
    isErrexit: isShell && values.some((value) => /^-[a-zA-Z]*e/.test(value)),
    isPipefail: isShell && values.includes("pipefail"),
  });
  // The shell that the command names reads this script. So an edit that needs bash is possible only if that shell is
  // bash or a similar one.
  return problems.map((problem) =>
    problem.needsBash ? { ...problem, needsBash: false, edits: isShell ? problem.edits : null } : problem,
  );
}
