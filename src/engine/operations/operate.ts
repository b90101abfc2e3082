// How an operation of the table is run: its input is checked and it is run at the present moment; where it acts, after the
// waiting batch and in a transaction. Decides nothing itself.

import { isRefusal } from "../../domain/errors.ts";
import type { Clock } from "../api.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import type { MonitorMemory } from "../monitor-memory.ts";
import { readInput } from "./input.ts";
import type { Operation, OperationContext } from "./operation.ts";
import { OPERATIONS, type Operate } from "./operations.ts";

interface OperateParts extends Pick<OperationContext, "keyring" | "randomSecret"> {
  readonly context: EngineContext;
  readonly committer: Committer;
  readonly memory: MonitorMemory;
  readonly clock: Clock;
  /** Commits the reports that wait. */
  readonly flush: () => void;
  /** Tells the notifier that a person waits for something at this destination. */
  readonly nudge: (urgent: string) => void;
}

/** Throws what SQLite throws; then nothing was changed. */
export function createOperate(parts: OperateParts): Operate {
  const { keyring, randomSecret, committer, memory, clock, flush, nudge } = parts;
  const context: OperationContext = { ...parts.context, keyring, randomSecret };

  function operate(name: keyof typeof OPERATIONS, given: object): unknown {
    const operation: Operation = OPERATIONS[name];
    const input = readInput(operation.input, given);
    if (isRefusal(input)) return input;
    // What waits has not been answered yet, so that nobody can miss it in what is read.
    if (operation.effect === "reads") return operation.run(context, input, clock.now());
    flush();
    const { answer, afterCommit, urgent } = committer.one((now) => operation.run(context, input, now));
    memory.finish([afterCommit]);
    if (urgent !== undefined) nudge(urgent);
    return answer;
  }
  return operate as Operate;
}
