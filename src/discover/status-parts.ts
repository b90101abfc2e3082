// Says what a part of a command is for: it asks a question, handles a failure, or prepares something.

import {
  baseName,
  type Command,
  type CommandNode,
  commandsUnder,
  commandWords,
  isAsking,
  isFeeding,
  isNothing,
  isPreparing,
  parseScript,
  type ShellNode,
  type Statement,
  shellCommandOnlyLooks,
  startedByProgram,
  withoutRedirects,
  wordValues,
} from "./script.ts";
import { sshHost } from "./status-programs.ts";

/** Whether the node only asks something: a test, or a pipe that ends in one, such as `date +%u | grep -q 1`. */
export function isQuestion(node: ShellNode): boolean {
  switch (node.type) {
    case "Command":
      return asks(wordValues(node));
    case "TestCommand":
    case "ArithmeticCommand":
      return true;
    case "Redirected":
      return isQuestion(node.command);
    case "Pipeline":
      return isQuestion(node.commands.at(-1)!) && (isQuiet(node.commands.at(-1)!) || looksOnly(node.commands));
    case "AndOr":
      return node.commands.every((one) => isQuestion(one) || isSetup(one)) && node.commands.some(isQuestion);
    case "Subshell":
    case "BraceGroup":
      return node.body.commands.every(({ command }) => isQuestion(command));
    default:
      return false;
  }
}

/** Whether the words ask something, also if `timeout`, `sudo` or `ssh` comes before the question. */
function asks(words: readonly string[]): boolean {
  if (isAsking(words)) return true;
  const isSsh = baseName(words[0] ?? "") === "ssh";
  const started = isSsh ? null : startedByProgram(words);
  if (started?.is === "command") return asks(words.slice(started.at));
  const inner = isSsh ? words.slice(sshHost(words) + 1).join(" ") : started?.is === "script" ? words[started.at]! : "";
  const script = inner === "" ? null : parseScript(inner);
  return script !== null && script.commands.length > 0 && script.commands.every(({ command }) => isQuestion(command));
}

const isQuiet = (node: CommandNode): boolean => {
  const plain = withoutRedirects(node);
  return (
    plain.type !== "Command" ||
    !/grep$/.test(baseName(wordValues(plain)[0] ?? "")) ||
    / -\w*q/.test(wordValues(plain).join(" "))
  );
};

/** Whether the node searches in the output of a program that may be the job, as `check-disk | grep -q full` does. */
export const isAskingJob = (node: ShellNode): boolean => node.type === "Pipeline" && !looksOnly(node.commands);

const looksOnly = (nodes: readonly CommandNode[]): boolean =>
  nodes.slice(0, -1).every((node) => {
    const plain = withoutRedirects(node);
    return plain.type === "Command" && shellCommandOnlyLooks(wordValues(plain));
  });

export const isSetup = (node: ShellNode): boolean => node.type === "Command" && isPreparing(wordValues(node));

/**
 * Matches programs by which people send or print a message. These programs end with 0, so a line that ends with one of
 * them seems to have succeeded.
 */
const NOTIFYING =
  /^(?:echo|printf|logger|wall|write|curl|wget|sendmail|msmtp|ssmtp|mutt|apprise)$|mail|notif|alert|slack|telegram/i;
/** Matches programs that people use to clean up after a failure. These programs, too, count as handling the failure. */
const CLEARING = /^(?:touch|date|rm|true|:)$/;

const lastProgram = (node: ShellNode): string => {
  const last = commandsUnder(node).at(-1);
  return last === undefined ? "" : baseName(wordValues(last)[0] ?? "");
};
export const endsByNotifying = (node: ShellNode): boolean => NOTIFYING.test(lastProgram(node));
export const handlesFailure = (node: ShellNode): boolean => endsByNotifying(node) || CLEARING.test(lastProgram(node));

/**
 * Whether the node ends with a failing status when it runs after a command that has failed. Examples are
 * `{ …; exit 1; }`, and a mere `exit`, which passes the failure on.
 */
export function isFailing(node: ShellNode): boolean {
  const last = commandsUnder(node).at(-1);
  return (
    last !== undefined && /^(?:false|exit$|exit (?:[1-9]|\$)|return (?:[1-9]|\$))/.test(wordValues(last).join(" "))
  );
}

export const nothingIn = (node: ShellNode): boolean => node.type === "Command" && isNothing(wordValues(node));

/** Whether the node is an `exit $status`: the line ends with the status of an earlier command, kept in a variable. */
export const isSavedStatus = (node: ShellNode): boolean => {
  if (node.type === "Subshell" && node.body.commands.length === 1) return isSavedStatus(node.body.commands[0]!.command);
  return node.type === "Command" && /^exit ["']?\$/.test(sourceWords(node));
};
/** Whether the node is an `exit` that passes on the status of the command before it. */
export const isPassingOn = (node: ShellNode): boolean =>
  node.type === "Command" && /^exit(?: ["']?\$\?["']?)?$/.test(sourceWords(node));
const sourceWords = (command: Command): string =>
  commandWords(command)
    .map(({ text }) => text)
    .join(" ");

export const isAsideNode = (node: ShellNode): boolean => {
  const commands = commandsUnder(node);
  return commands.every((one) => {
    const words = wordValues(one);
    if (words.length === 0) return !keepsJob(one);
    return (
      isPreparing(words) ||
      isAsking(words) ||
      isNothing(words) ||
      /^(?:echo|printf|date|wait|logger)$/.test(baseName(words[0]!))
    );
  });
};

export const isAside = ({ command }: Statement): boolean => isAsideNode(command);

/**
 * Whether the command keeps a job's output in a variable, as `X=$(job)` does, and so ends with the job's status if
 * nothing follows.
 */
const keepsJob = ({ prefix }: Command): boolean =>
  prefix.some((part) => {
    const text = part.type === "Assignment" ? part.text : "";
    const [, inner] = /\$\(([^()]+)\)|`([^`]+)`/.exec(text) ?? [];
    return inner !== undefined && !isFeeding(inner.trim().split(/\s+/));
  });

export const isFeeder = (node: CommandNode): boolean => {
  const plain = withoutRedirects(node);
  return plain.type === "Command" && (isFeeding(wordValues(plain)) || isPreparing(wordValues(plain)));
};
