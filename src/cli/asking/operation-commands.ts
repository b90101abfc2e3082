// Makes the commands that ask the service, one for each operation. Arguments, options and help follow from the table of
// operations.

import { resolve } from "node:path";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import Type, { type TSchema } from "typebox";
import Value from "typebox/value";
import { csvOf } from "../../domain/csv.ts";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { checkPassword, PASSWORD_MIN } from "../../domain/people/sign-in.ts";
import {
  annotationsOf,
  isSecret,
  readFieldSeconds,
  ruleOfField,
  secondsRule,
  wordsOf,
} from "../../engine/operations/fields.ts";
import type { Operation } from "../../engine/operations/operation.ts";
import type { Input, OperationName } from "../../engine/operations/operations.ts";
import { GROUPS, isOperationName, OPERATIONS } from "../../engine/operations/operations.ts";
import { hashPassword } from "../../web/account/passwords.ts";
import { after } from "../clock.ts";
import { examples, type Shell } from "../command-shell.ts";
import { DONE, type Io, REFUSED } from "../io.ts";
import type { Presenter } from "../screens/presenter.ts";
import { PRESENTERS } from "../screens/presenters.ts";
import { formatRows, say } from "../screens/table.ts";
import { type Ask, askService, type SocketCaller } from "./ask-service.ts";
import { chooseMonitors, unconfirmed } from "./confirming.ts";
import { asksService, callerOf } from "./remote-options.ts";
import { withTyped } from "./typed-secrets.ts";

export function addOperations(program: Command, shell: Shell): void {
  const names = Object.keys(OPERATIONS).filter(isOperationName);
  for (const [group, description] of Object.entries(GROUPS)) {
    if (isOperationName(group)) {
      addOperation(program, group, shell);
      continue;
    }
    const parent = program.command(group).description(description).helpCommand(false);
    for (const name of names) if (name.startsWith(`${group} `)) addOperation(parent, name, shell);
  }
}

function addOperation(parent: Command, name: OperationName, shell: Shell): void {
  const operation: Operation = OPERATIONS[name];
  if (operation.noCommand !== undefined) return;
  const fields = Object.entries(operation.input.properties);
  const command = parent.command(name.slice(name.indexOf(" ") + 1)).description(operation.summary);
  asksService(command);
  for (const [, field] of fields) addField(command, field, operation.several !== undefined);
  command.option("--json", "print JSON");
  if ("items" in (PRESENTERS[name] ?? {}))
    command.addOption(new Option("--csv", "print CSV").conflicts(["json", "watch"]));
  if (operation.watch) command.option("--watch", "show it again every 2 seconds");
  if (operation.several !== undefined) command.option("--all", "all monitors, or all of --app");
  if (operation.confirm || operation.several) command.option("--yes", "do not ask at the terminal");
  const notes = operation.notes === undefined ? "" : `\n${operation.notes}\n`;
  command
    .addHelpText("after", notes + examples(...operation.examples.map((words) => `rollcall ${name} ${words}`.trimEnd())))
    .action(async () => {
      const asked = Object.fromEntries(fields.map(([field, schema]) => [field, givenTo(command, field, schema)]));
      for (const [field, schema] of fields) {
        const { [field]: word } = asked;
        const value = asksFor(command, schema)
          ? await askPasswordHash(shell.io)
          : isSecret(annotationsOf(schema))
            ? await withTyped(shell.io, field, word)
            : word;
        if (isRefusal(value)) {
          say(shell.io, value.message);
          return shell.finish(REFUSED);
        }
        asked[field] = value;
      }
      const { json, csv, yes, all, watch } = command.opts<Partial<Record<Flag, true>>>();
      const caller = callerOf(command, shell);
      if (operation.confirm && yes !== true) {
        const exitCode = await unconfirmed(caller, name, asked);
        if (exitCode !== null) return shell.finish(exitCode);
      }
      if (operation.several !== undefined) {
        const chosen = await chooseMonitors(caller, operation.several, asked, all === true, yes === true);
        if (chosen !== null)
          return shell.finish(
            "exitCode" in chosen ? chosen.exitCode : await runForEach(caller, name, asked, chosen, json === true),
          );
      }
      if (watch === true) return shell.finish(await runAgain(caller, name, asked));
      const take = csv === true ? printCsv(caller) : json === true ? printJson(caller) : null;
      shell.finish(await runOperation(caller, name, asked, take));
    });
}

type Flag = "json" | "csv" | "yes" | "all" | "watch";

const WATCH_EVERY = 2_000;

/**
 * Runs the operation and prints its answer every two seconds, until the operation fails or the person stops it. On a
 * terminal each answer replaces the one before.
 */
async function runAgain(caller: SocketCaller, name: OperationName, asked: object): Promise<number> {
  for (;;) {
    if (caller.io.width !== null) caller.io.out(FROM_THE_TOP);
    const exitCode = await runOperation(caller, name, asked, null);
    if (exitCode !== DONE) return exitCode;
    await new Promise<void>((resolve) => after(WATCH_EVERY, resolve));
  }
}

const FROM_THE_TOP = "\u001b[2J\u001b[H";

/**
 * Runs the operation for each monitor, and returns the worst exit code. With `--json`, it prints all answers as one
 * list.
 */
async function runForEach(
  caller: SocketCaller,
  name: OperationName,
  asked: object,
  monitors: readonly object[],
  asJson: boolean,
): Promise<number> {
  let worst = DONE;
  const answers: unknown[] = [];
  const take = asJson ? (answer: unknown) => void answers.push(answer) : null;
  for (const monitor of monitors)
    worst = Math.max(worst, await runOperation(caller, name, { ...asked, ...monitor }, take));
  if (asJson) printJson(caller)(answers);
  return worst;
}

/** Adds an argument or option for a field. When `several` is true, a monitor's key may be left out or be a pattern. */
function addField(command: Command, field: TSchema, several: boolean): void {
  const { argument, option, value, options = {}, description = "", default: standard } = annotationsOf(field);
  const read = optionReader(field);
  if (argument !== undefined) {
    const isNeeded = standard === undefined && !several;
    const places = Type.IsArray(field) ? `${argument}...` : argument;
    const made = new Argument(
      isNeeded ? `<${places}>` : `[${places}]`,
      `${description}${several ? "; * stands for any letters" : ""}${isSecret(annotationsOf(field)) ? "; - reads it from the input" : ""}`,
    );
    command.addArgument(read === null ? made : made.argParser(read));
  }
  if (option !== undefined) {
    const flags = value === undefined ? `--${option}` : `--${option} <${value}>`;
    const made = new Option(flags, argument === undefined ? description : "the same");
    if (read !== null) made.argParser(read);
    if (Type.IsEnum(field)) made.default(standard);
    const words = wordsOf(field);
    if (words.length > 0) made.choices(words);
    command.addOption(made.makeOptionMandatory(standard === undefined));
  }
  for (const [word, meaning] of Object.entries(options)) command.option(flagOf(word), meaning);
}

const asksFor = (command: Command, field: TSchema): boolean => {
  const { asked, option } = annotationsOf(field);
  return asked !== undefined && command.getOptionValue(attributeOf(`--${option}`)) !== true;
};

const flagOf = (word: string): string => `--${word.replaceAll("_", "-")}`;

/** Returns what was typed for the field; `undefined` when nothing was. */
function givenTo(command: Command, name: string, field: TSchema): unknown {
  const { argument, option, options, asked } = annotationsOf(field);
  if (asked !== undefined) return undefined;
  if (options !== undefined) return wordsGiven(command, Object.keys(options));
  const place = command.registeredArguments.findIndex((each) => each.name() === argument);
  const placed: unknown = command.processedArgs[place];
  const chosen: unknown = option === undefined ? undefined : command.getOptionValue(attributeOf(`--${option}`));
  if (placed !== undefined && chosen !== undefined && placed !== chosen)
    return command.error(`error: two ${name}s are named: ${placed} and, with --${option}, ${chosen}`);
  return placed ?? chosen;
}

function wordsGiven(command: Command, words: readonly string[]): readonly string[] | undefined {
  const given = words.filter((word) => command.getOptionValue(attributeOf(flagOf(word))) === true);
  return given.length === 0 ? undefined : given;
}

const attributeOf = (flag: string): string => new Option(flag).attributeName();

/** Returns a function that makes the field's value of the typed text; `null` when the text itself is the value. */
function optionReader(field: TSchema): ((typed: string) => number | string) | null {
  if (annotationsOf(field).path) return (typed) => resolve(typed);
  if (annotationsOf(field).seconds) return (typed) => secondsIn(field, typed);
  const isWhole = Type.IsInteger(Type.IsUnion(field) ? field.anyOf[0]! : field);
  return isWhole ? (typed) => readWhole(field, typed) : null;
}

function readWhole(field: TSchema, typed: string): number {
  const value = /^[0-9]{1,9}$/.test(typed) ? Number(typed) : Number.NaN;
  if (Value.Check(field, value)) return value as number;
  throw new InvalidArgumentError(`It must be ${ruleOfField(field)}.`);
}

function secondsIn(field: TSchema, typed: string): number {
  const seconds = readFieldSeconds(field, typed);
  if (seconds !== null) return seconds;
  throw new InvalidArgumentError(`It must be ${secondsRule(field)}.`);
}

// Asks for a new password and hashes it in this process. So the service never sees the password, and need not spend
// time on the hash.

async function askPasswordHash(io: Io): Promise<string | Refusal> {
  const given = io.input.isTerminal ? await askTwice(io) : ((await io.input.read()) ?? NONE);
  if (isRefusal(given)) return given;
  return checkPassword(given) ?? (await hashPassword(given));
}

const NONE = refuse("INVALID_REQUEST", "password: none was given; give it on stdin, or --link for a one-time link");

async function askTwice(io: Io): Promise<string | Refusal> {
  io.err(`new password, at least ${PASSWORD_MIN} characters (it is not shown):`);
  const first = await io.input.read();
  if (first === null) return NONE;
  const wrong = checkPassword(first);
  if (wrong !== null) return wrong;
  io.err("the same again:");
  const second = await io.input.read();
  return second === first ? first : refuse("INVALID_REQUEST", "password: the two are not the same");
}

/**
 * Runs the operation and returns the exit code. `take` gets the answer as JSON; without it (`null`) the answer is
 * printed for a person.
 */
export async function runOperation<Name extends OperationName>(
  caller: SocketCaller,
  name: Name,
  asked: Partial<Input<Name>>,
  take: ((answer: unknown) => void) | null,
): Promise<number> {
  const result = await askService(caller, name, asked);
  if ("exitCode" in result) return result.exitCode;
  const { answer, written, screen } = result;
  const io = { ...caller.io, typed: screen.typed };
  const presenter: Presenter<Name> | undefined = PRESENTERS[name];
  if (presenter === undefined) {
    (take ?? printJson(caller))(written);
    return DONE;
  }
  const ask: Ask = (other, given) => askService(caller, other, given);
  const presented = { answer, asked, screen, io, ask, asJson: take !== null };
  if (typeof presenter === "function") {
    if (take === null) presenter(presented);
    else take(written);
    return DONE;
  }
  if ("hold" in presenter) {
    const quiet = take === null ? presented : { ...presented, io: { ...io, out: () => {} } };
    const { exitCode, ended } = await presenter.hold(quiet);
    take?.(ended);
    return exitCode;
  }
  if ("lines" in presenter) {
    if (take !== null) take(written);
    else for (const line of presenter.lines(answer, screen)) io.out(line);
    return presenter.exitCode?.(answer) ?? DONE;
  }
  if (take !== null) take(presenter.items(written));
  else if (presenter.items(answer).length === 0) say(io, presenter.none(asked, screen));
  else for (const line of formatRows(presenter.rows(answer, screen), screen, presenter.leavesOutEmpty)) io.out(line);
  for (const text of presenter.beside?.(answer, screen) ?? []) say(io, text);
  return DONE;
}

const printJson =
  ({ io }: SocketCaller) =>
  (answer: unknown): void =>
    io.out(JSON.stringify(answer, null, 2));

const printCsv =
  ({ io }: SocketCaller) =>
  (items: unknown): void => {
    for (const line of csvOf(items as readonly object[])
      .split("\r\n")
      .slice(0, -1))
      io.out(line);
  };
