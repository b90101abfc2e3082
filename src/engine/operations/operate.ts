// How an operation of the table is run: its input is checked and it is run at the present moment; where it acts, after the
// waiting batch and in a transaction. Decides nothing itself.

import Type, { type TObject, type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import Value from "typebox/value";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { wholeOf } from "../../domain/in-pieces.ts";
import { type Actor, refuseActor } from "../../domain/people/person.ts";
import type { Held } from "../../views/answers/schema.ts";
import type { About } from "../../views/find-named.ts";
import type { Clock } from "../api.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import type { MonitorMemory } from "../monitor-memory.ts";
import { auditOperation } from "../people/audit.ts";
import { annotationsOf, isSecret, ruleOf } from "./fields.ts";
import { type Acting, type AnswerPages, type Operation, type OperationContext, roleFor } from "./operation.ts";
import { OPERATIONS, type Operate, type OperateAs, type OperationName, type Operator } from "./operations.ts";

interface OperateParts extends Omit<OperationContext, keyof EngineContext> {
  readonly context: EngineContext;
  readonly committer: Committer;
  readonly memory: MonitorMemory;
  readonly clock: Clock;
  /** Commits the reports that wait. */
  readonly flush: () => void;
  /** Tells the notifier that a person waits for something at this destination. */
  readonly nudge: (urgent: string) => void;
  /** Brings monitors in line with their applications, in later turns. */
  readonly follow: () => void;
}

export interface Operating extends Operator {
  readonly operateAs: OperateAs;
  /** Operations as this one asks for them, who may not do everything. */
  actingAs(by: Actor): Operator;
}

/** All throw what SQLite throws; then nothing was changed. Its own operator is the user of the commands. */
export function createOperate(parts: OperateParts): Operating {
  const { keyring, adminKeyring, randomSecret, dashboard, backups, reloads, ownTroubles } = parts;
  const { committer, memory, clock, flush, nudge, follow } = parts;
  const more = { keyring, adminKeyring, randomSecret, dashboard, backups, reloads, ownTroubles };
  // A copy would keep settings that a reload has replaced.
  const context: OperationContext = Object.assign(Object.create(parts.context), more);
  const system: Actor = { kind: "system", name: context.user };

  /** What is asked, once it was read and is allowed. */
  function admit(by: Actor, operation: Operation, given: object): Admitted | Refusal {
    const input = readInput(operation.input, given);
    if (isRefusal(input)) return input;
    const about = operation.about?.(context, input) ?? null;
    const demand = {
      role: roleFor(operation),
      acts: operation.effect === "acts",
      hostOnly: operation.hostOnly ?? false,
      application: about?.application ?? null,
    };
    return refuseActor(by, demand) ?? { input, about };
  }

  function perform(by: Actor, name: OperationName, given: object): unknown {
    const operation: Operation = OPERATIONS[name];
    const admitted = admit(by, operation, given);
    if (isRefusal(admitted)) return admitted;
    const { input, about } = admitted;
    switch (operation.effect) {
      // Reports that wait have not been answered yet, so no caller can miss them in the answer.
      case "reads":
        return operation.run(context, input, clock.now());
      case "lists":
        return joined(operation.pages(context, input, clock.now()));
      case "searches": {
        const found = operation.search(context, input, clock.now());
        return isRefusal(found) ? found : wholeOf(found);
      }
      case "acts":
        return act(by, name, operation, input, about);
      default:
        return operation satisfies never;
    }
  }

  const actingAs = (by: Actor): Operator => ({
    operate: ((name, given) => perform(by, name, given)) as Operate,
    operateByPages: (name, given) => {
      const operation: Operation = OPERATIONS[name];
      if (operation.effect !== "lists") return null;
      const admitted = admit(by, operation, given);
      if (isRefusal(admitted)) return admitted;
      return operation.pages(context, admitted.input, clock.now()) as AnswerPages<object> | Refusal;
    },
    search: ((name, given) => {
      const operation: Operation = OPERATIONS[name];
      if (operation.effect !== "searches") return null;
      const admitted = admit(by, operation, given);
      return isRefusal(admitted) ? admitted : operation.search(context, admitted.input, clock.now());
    }) as Operator["search"],
  });

  function act(by: Actor, name: OperationName, operation: Acting, input: ActingInput, about: About | null): unknown {
    flush();
    const { answer, afterCommit, urgent, follows } = committer.one((now) => {
      const operated = operation.run(context, input, now, by);
      if (!isRefusal(operated.answer)) auditOperation(context, by, name, operation.input, input, about, now);
      return operated;
    });
    memory.finish([afterCommit].flat());
    if (urgent !== undefined) nudge(urgent);
    if (follows) follow();
    return answer;
  }

  return {
    ...actingAs(system),
    operateAs: ((by, name, given) => perform(by, name, given)) as OperateAs,
    actingAs,
  };
}

interface Admitted {
  readonly input: ActingInput;
  readonly about: About | null;
}

type ActingInput = Parameters<Acting["run"]>[1];

/** For each field everything that stands on the pages. */
function joined(pages: AnswerPages<unknown> | Refusal): unknown {
  if (isRefusal(pages)) return pages;
  const [first, ...others] = [...(pages as AnswerPages<Readonly<Record<string, readonly unknown[]>>>)];
  return Object.fromEntries(
    Object.entries(first!).map(([name, rows]) => [name, [...rows, ...others.flatMap((page) => page[name]!)]]),
  );
}

// Reads what was sent to an operation into values of the right type: checked once, here, by the schema of
// the operation.

/** Absent fields, and those that are null, have their defaults. A refusal names the field, its problem and the rule. */
function readInput<Input extends TObject>(schema: Input, given: object): Held<Input> | Refusal {
  const fields: Readonly<Record<string, TSchema>> = schema.properties;
  const sent = new Map<string, unknown>(Object.entries(given));
  for (const name of sent.keys()) if (!Object.hasOwn(fields, name)) return unknownField(name, Object.keys(fields));
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = readField(name, field, sent.get(name));
    if (isRefusal(value)) return value;
    values[name] = value;
  }
  return values as Held<Input>;
}

function readField(name: string, field: TSchema, sent: unknown): unknown {
  const value = sent ?? annotationsOf(field).default;
  if (value === undefined) return refuse("INVALID_REQUEST", `${name}: it is missing, it must be ${ruleOf(field)}`);
  if (isOf(field, value)) return value;
  const repeated = isSecret(annotationsOf(field)) ? "what was sent" : shown(value);
  return refuse("INVALID_REQUEST", `${name}: ${repeated} is refused, it must be ${ruleOf(field)}`);
}

/** A list of things may be long, and in one turn of the event loop: its check is compiled, once. */
function isOf(field: TSchema, value: unknown): boolean {
  if (!Type.IsArray(field) || !Type.IsObject(field.items)) return Value.Check(field, value);
  const check = compiled.get(field) ?? Compile(field);
  compiled.set(field, check);
  return check.Check(value);
}

const compiled = new WeakMap<TSchema, ReturnType<typeof Compile>>();

function unknownField(name: string, known: readonly string[]): Refusal {
  const fields = known.length === 0 ? "there is none" : `known are ${known.join(", ")}`;
  return refuse("INVALID_REQUEST", `${name}: it is unknown, ${fields}`);
}

const SHOWN_LENGTH = 80;

function shown(value: unknown): string {
  const written = JSON.stringify(value);
  return written.length > SHOWN_LENGTH ? `${written.slice(0, SHOWN_LENGTH)}…` : written;
}
