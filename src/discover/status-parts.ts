// What the parts of a command are for: a question, an answer to a failure, what only prepares.

import {
  baseName,
  type Command,
  type CommandNode,
  commandsOf,
  isAsking,
  isFeeding,
  isNothing,
  isPreparing,
  type ShellNode,
  type Statement,
  valuesOf,
  withoutRedirects,
  wordsOf,
} from "./script.ts";
import type { Reading } from "./status-fault.ts";

/** Whether it only asks something: a test, or what leads to one, such as `date +%u | grep -q 1`. */
export function isQuestion(node: ShellNode): boolean {
  switch (node.type) {
    case "Command":
      return isAsking(valuesOf(node));
    case "TestCommand":
    case "ArithmeticCommand":
      return true;
    case "Redirected":
      return isQuestion(node.command);
    case "Pipeline":
    case "AndOr":
      return node.type === "Pipeline" ? isQuestion(node.commands.at(-1)!) : node.commands.every(isQuestion);
    case "Subshell":
    case "BraceGroup":
      return node.body.commands.every(({ command }) => isQuestion(command));
    default:
      return false;
  }
}

export const isSetup = (node: ShellNode): boolean => node.type === "Command" && isPreparing(valuesOf(node));

/** `[ -x PROGRAM ]` of a package, whose program is here. */
export function isAlwaysTrue(node: ShellNode, { isProgram }: Reading): boolean {
  const words = node.type === "Command" ? valuesOf(node) : [];
  const [, path] = /^(?:\[|test) -x (\/\S+)(?: \])?$/.exec(words.join(" ")) ?? [];
  return path !== undefined && isProgram(path);
}

/** Programs by which people tell of a failure, or clear up after it: they end with 0. */
const ANSWERING =
  /^(?:echo|printf|logger|wall|write|touch|date|rm|curl|wget|sendmail|msmtp|ssmtp|mutt|apprise|true|:)$|mail|notif|alert|slack|telegram/i;

export function isAnswering(node: ShellNode): boolean {
  const last = commandsOf(node).at(-1);
  return last !== undefined && ANSWERING.test(baseName(valuesOf(last)[0] ?? ""));
}

/** It ends with a failure, as `{ …; exit 1; }` does. */
export function isFailing(node: ShellNode): boolean {
  const last = commandsOf(node).at(-1);
  return last !== undefined && /^(?:false|exit (?:[1-9]|\$)|return (?:[1-9]|\$))/.test(valuesOf(last).join(" "));
}

export const nothingIn = (node: ShellNode): boolean => node.type === "Command" && isNothing(valuesOf(node));

/** `exit $status` ends with what was kept of an earlier command. */
export const isSavedStatus = (node: ShellNode): boolean =>
  node.type === "Command" && /^exit ["']?\$/.test(sourceWords(node));
const sourceWords = (command: Command): string =>
  wordsOf(command)
    .map(({ text }) => text)
    .join(" ");

export const isAside = ({ command }: Statement): boolean => {
  const commands = commandsOf(command);
  return commands.every((one) => {
    const words = valuesOf(one);
    if (words.length === 0) return !keepsJob(one);
    return isPreparing(words) || isAsking(words) || isNothing(words) || /^(?:echo|printf|date|wait)$/.test(words[0]!);
  });
};

/** `X=$(job)`: its output is kept, and its status with it only when nothing follows. */
const keepsJob = ({ prefix }: Command): boolean =>
  prefix.some((part) => {
    const text = part.type === "Assignment" ? part.text : "";
    const [, inner] = /\$\(([^()]+)\)|`([^`]+)`/.exec(text) ?? [];
    return inner !== undefined && !isFeeding(inner.trim().split(/\s+/));
  });

export const isFeeder = (node: CommandNode): boolean => {
  const plain = withoutRedirects(node);
  return plain.type === "Command" && (isFeeding(valuesOf(plain)) || isPreparing(valuesOf(plain)));
};
