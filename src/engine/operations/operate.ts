// An operator's word: after the reports that wait, at once, and in a transaction of its own.

import type { Committer } from "../committer.ts";
import type { MonitorMemory } from "../monitor-memory.ts";
import type { Operate } from "./operators.ts";

interface OperateParts {
  readonly committer: Committer;
  readonly memory: MonitorMemory;
  /** Commits the reports that wait. */
  readonly flush: () => void;
  /** Tells the notifier that a person waits for something at this destination. */
  readonly nudge: (urgent: string) => void;
}

export function createOperate({ committer, memory, flush, nudge }: OperateParts): Operate {
  return (run) => {
    flush();
    const { answer, afterCommit, urgent } = committer.one(run);
    memory.finish([afterCommit]);
    if (urgent !== undefined) nudge(urgent);
    return answer;
  };
}
