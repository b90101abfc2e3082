// Runs an operation of the table for a person or program: checks the values it is asked with and the rights of who
// asks, then runs it. Before an operation that acts, the waiting reports are committed; it then runs in its own
// transaction.

import Type, { type TObject, type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import Value from "typebox/value";
import { isRefusal, type Refusal, refuseField } from "../../domain/errors.ts";
import { type Actor, refuseActor } from "../../domain/people/person.ts";
import type { Instant } from "../../domain/time.ts";
import type { About } from "../../views/find-named.ts";
import type { InEngine } from "../../views/schemas/schema-kinds.ts";
import type { Clock } from "../api.ts";
import type { MonitorMemory } from "../clock/monitor-memory.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../engine-context.ts";
import { audit } from "../people/write-audit.ts";
import { annotationsOf, auditedOf, isSecret, ruleOfField } from "./fields.ts";
import type { Acting, AnswerPages, ListPage, Operation, OperationContext } from "./operation.ts";
import { roleFor } from "./operation.ts";
import { type Answer, type Input, OPERATIONS, type OperationName } from "./operations.ts";

interface OperateParts extends Omit<OperationContext, keyof EngineContext> {
  readonly context: EngineContext;
  readonly committer: Committer;
  readonly memory: MonitorMemory;
  readonly clock: Clock;
  readonly flush: () => void;
  /** Wakes the notifier, because a person waits for a message at this destination. */
  readonly nudge: (urgent: string) => void;
  /** Pauses, resumes or deletes monitors with their application, in later turns. */
  readonly follow: () => void;
}

/**
 * All operations, asked for in the name of one person, key or user. A field that is left out has its default; a wrong
 * value is refused.
 */
export interface Operator {
  /**
   * Returns the answer in pieces. The operation begins only when the first piece is asked for. Each piece may throw
   * when storage fails.
   */
  ask<Name extends OperationName>(name: Name, given: Partial<Input<Name>>): AnswerPages<Answer<Name>>;
  /** Returns the whole answer. Throws when storage fails; then nothing has changed. */
  operate<Name extends OperationName>(name: Name, given: Partial<Input<Name>>): Answer<Name> | Refusal;
}

/**
 * Returns the operations, asked for in the name of `by`. `host` is the user that gives commands on rollcall's computer
 * and may do everything.
 */
export type OperatorFor = (by: Actor | "host") => Operator;

export function createOperate(parts: OperateParts): OperatorFor {
  const { committer, memory, clock, flush, nudge, follow } = parts;
  const { keyring, adminKeyring, randomSecret, addresses, backups, plans, ownTroubles } = parts;
  const { reloads, destinations, statusPages, kept, log } = parts;
  const beside = { reloads, destinations, statusPages, kept, log };
  const more = { keyring, adminKeyring, randomSecret, addresses, backups, plans, ownTroubles, ...beside };
  // The engine's context is the prototype, because a copy of it would keep settings that a reload replaces.
  const context: OperationContext = Object.assign(Object.create(parts.context), more);
  const host: Actor = { kind: "system", name: context.user };

  /** Reads the values of a request. Refused when one is wrong, or `by` may not ask for the operation. */
  function admit(by: Actor, operation: Operation, given: object): Admitted | Refusal {
    const input = readInput(operation.input, given);
    if (isRefusal(input)) return input;
    const about = operation.about?.(context, input) ?? null;
    const demand = {
      role: roleFor(operation),
      acts: operation.effect === "acts",
      hostOnly: operation.hostOnly ?? false,
      tellsSecret: operation.effect === "looks" && operation.tellsSecret === true,
      application: about?.application ?? null,
    };
    return refuseActor(by, demand) ?? { input, about };
  }

  function* ask(by: Actor, name: OperationName, given: object): AnswerPages<object> {
    const operation: Operation = OPERATIONS[name];
    const admitted = admit(by, operation, given);
    if (isRefusal(admitted)) return admitted;
    if (operation.effect === "acts") return act(by, name, operation, admitted);
    // The waiting reports are not committed first: they have no receipt yet, so people do not expect to see them.
    const answer = operation.run(context, admitted.input, clock.now()) as object | AnswerPages<object>;
    return hasPages(answer) ? yield* answer : answer;
  }

  function act(by: Actor, name: OperationName, operation: Acting, { input, about }: Admitted): object {
    flush();
    const { answer, afterCommit, urgent, follows, begins } = committer.one((now) => {
      const details = auditedOf(operation.input, input);
      const note = (at: Instant, more: object = {}): void =>
        audit(context, by, { action: name, about, details: { ...details, ...more } }, at);
      const operated = operation.run(context, input, now, by, () => note(clock.now()));
      if (!isRefusal(operated.answer) && operated.notesItself !== true)
        note(now, hasChangedNothing(operated.answer) ? ALREADY_SO : {});
      return operated;
    });
    memory.finish([afterCommit].flat());
    for (const destination of urgent ?? []) nudge(destination);
    if (follows) follow();
    begins?.();
    return answer as object;
  }

  return (asking) => {
    const by = asking === "host" ? host : asking;
    return {
      ask: (name, given) => ask(by, name, given) as AnswerPages<never>,
      operate: (name, given) => wholeAnswer(ask(by, name, given)) as never,
    };
  };
}

/** What the audit adds when an operation changed nothing, because everything was already as it was asked. */
const ALREADY_SO = { alreadySo: true };

const hasChangedNothing = (answer: unknown): boolean =>
  (answer as { readonly changed?: boolean } | null)?.changed === false;

type Admitted = Readonly<{ input: ActingInput; about: About | null }>;

type ActingInput = Parameters<Acting["run"]>[1];

const hasPages = (answer: object | AnswerPages<object>): answer is AnswerPages<object> => Symbol.iterator in answer;

/** Returns the whole answer of an operation that answers in pieces: the lists of all pages are joined. */
function wholeAnswer(answer: AnswerPages<object>): object | Refusal {
  const pages: object[] = [];
  for (let step = answer.next(); ; step = answer.next()) {
    if (step.value !== undefined) pages.push(step.value);
    if (step.done) return pages.length === 1 ? step.value : joined(pages as ListPage[]);
  }
}

const joined = (pages: readonly ListPage[]): ListPage =>
  Object.fromEntries(Object.keys(pages[0]!).map((name) => [name, pages.flatMap((page) => page[name]!)]));

// Below: reads the values that an operation is asked with, and checks them by the schemas of its fields.

/**
 * Reads the values of all fields. A field that is absent or `null` gets its default. A refusal names the field, its
 * fault, and its rule.
 */
function readInput<Input extends TObject>(schema: Input, given: object): InEngine<Input> | Refusal {
  const fields: Readonly<Record<string, TSchema>> = schema.properties;
  const sent = new Map<string, unknown>(Object.entries(given));
  for (const name of sent.keys()) if (!Object.hasOwn(fields, name)) return unknownField(name, Object.keys(fields));
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = readField(name, field, sent.get(name));
    if (isRefusal(value)) return value;
    values[name] = value;
  }
  return values as InEngine<Input>;
}

function readField(name: string, field: TSchema, sent: unknown): unknown {
  const value = sent ?? annotationsOf(field).default;
  if (value === undefined) return refuseField(name, `it is missing, it must be ${ruleOfField(field)}`);
  if (isOf(field, value)) return value;
  const repeated = isSecret(annotationsOf(field)) ? "what was sent" : shownValue(value);
  return refuseField(name, `${repeated} is refused, it must be ${ruleOfField(field)}`);
}

/**
 * Whether the value fits the field. The check of a list of objects is compiled once, because such a list may be long
 * and is checked in one turn.
 */
function isOf(field: TSchema, value: unknown): boolean {
  if (!Type.IsArray(field) || !Type.IsObject(field.items)) return Value.Check(field, value);
  const check = compiled.get(field) ?? Compile(field);
  compiled.set(field, check);
  return check.Check(value);
}

const compiled = new WeakMap<TSchema, ReturnType<typeof Compile>>();

function unknownField(name: string, known: readonly string[]): Refusal {
  const fields = known.length === 0 ? "there is none" : `known are ${known.join(", ")}`;
  return refuseField(name, `it is unknown, ${fields}`);
}

const SHOWN_LENGTH = 80;

function shownValue(value: unknown): string {
  const written = JSON.stringify(value);
  return written.length > SHOWN_LENGTH ? `${written.slice(0, SHOWN_LENGTH)}…` : written;
}
