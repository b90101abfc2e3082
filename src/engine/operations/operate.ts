// How an operation of the table is run: its input is checked and it is run at the present moment; where it acts, after the
// waiting batch and in a transaction. Decides nothing itself.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import type { Clock } from "../api.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import type { MonitorMemory } from "../monitor-memory.ts";
import { wholeOf } from "../reads/in-stretches.ts";
import { readInput } from "./input.ts";
import type { Acting, Operation, OperationContext, Pages } from "./operation.ts";
import { OPERATIONS, type Operate, type OperateByPages, type Search } from "./operations.ts";

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

/** All throw what SQLite throws; then nothing was changed. */
export function createOperate(parts: OperateParts): {
  readonly operate: Operate;
  readonly operateByPages: OperateByPages;
  readonly search: Search;
} {
  const { keyring, randomSecret, committer, memory, clock, flush, nudge } = parts;
  const context: OperationContext = { ...parts.context, keyring, randomSecret };

  function operate(name: keyof typeof OPERATIONS, given: object): unknown {
    const operation: Operation = OPERATIONS[name];
    const input = readInput(operation.input, given);
    if (isRefusal(input)) return input;
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
        return act(operation, input);
      default:
        return operation satisfies never;
    }
  }

  function operateByPages(name: keyof typeof OPERATIONS, given: object): Pages<object> | Refusal | null {
    const operation: Operation = OPERATIONS[name];
    if (operation.effect !== "lists") return null;
    const input = readInput(operation.input, given);
    return isRefusal(input) ? input : (operation.pages(context, input, clock.now()) as Pages<object> | Refusal);
  }

  const search: Search = (name, given) => {
    const operation: Operation = OPERATIONS[name];
    if (operation.effect !== "searches") return null;
    const input = readInput(operation.input, given);
    return isRefusal(input) ? input : (operation.search(context, input, clock.now()) as ReturnType<typeof search>);
  };

  function act(operation: Acting, input: Parameters<Acting["run"]>[1]): unknown {
    flush();
    const { answer, afterCommit, urgent } = committer.one((now) => operation.run(context, input, now));
    memory.finish([afterCommit]);
    if (urgent !== undefined) nudge(urgent);
    return answer;
  }

  return { operate: operate as Operate, operateByPages, search };
}

/** For each field everything that stands on the pages. */
function joined(pages: Pages<unknown> | Refusal): unknown {
  if (isRefusal(pages)) return pages;
  const [first, ...others] = [...(pages as Pages<Readonly<Record<string, readonly unknown[]>>>)];
  return Object.fromEntries(
    Object.entries(first!).map(([name, rows]) => [name, [...rows, ...others.flatMap((page) => page[name]!)]]),
  );
}
