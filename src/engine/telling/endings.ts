// Stores how attempts ended, and releases what waited for them in their lanes. Runs inside the caller's transaction.

import type { Instant } from "../../domain/time.ts";
import type { ClaimStatements } from "../../store/claims.ts";
import type { Ending } from "../api.ts";

export function storeEnding(statements: ClaimStatements, ending: Ending): void {
  const { id } = ending;
  switch (ending.ending) {
    case "sent":
    case "given_up":
      return finish(statements, id, ending.at, ending.ending, ending.answer);
    case "retry":
      return void statements.postpone.run({ id, at: ending.nextAttemptAt, answer: ending.answer });
    case "joined":
      return void statements.claim.run({ id, at: ending.at, digestId: ending.digestId });
    case "untried":
      return void statements.unclaim.run({ id });
    default:
      return ending satisfies never;
  }
}

export function finish(
  statements: ClaimStatements,
  id: number,
  at: Instant,
  outcome: "sent" | "given_up",
  answer: string,
): void {
  const lane = statements.finish.get({ id, at, outcome, answer });
  if (lane !== null) statements.promote.run({ ...lane, at });
}
