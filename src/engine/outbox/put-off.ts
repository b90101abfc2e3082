// Puts off waiting messages when the system's clock makes a step forward, because they would else be sent too early by
// the length of the step.

import type { InPieces } from "../../domain/in-pieces.ts";
import { LINK_SPAN } from "../../domain/people/sign-in.ts";
import { planAllAgain } from "./plan-again.ts";
import type { NoticeTools } from "./review.ts";

/**
 * Called when the clock made a step by `movedMs`. After a step forward, messages that wait some time (`after = "20m"`)
 * are put off by as much, so that they wait their whole time. The link for the first person lasts longer by as much.
 * After a step back, only sign-in links are shortened here; `set-back.ts` does everything else.
 */
export function* putOffWaitingMessages(
  parts: Pick<NoticeTools, "context" | "committer" | "announcer" | "log">,
  movedMs: number,
): InPieces<void> {
  const { store, deliveries } = parts.context;
  const changed = parts.committer.one((now) => {
    if (movedMs < 0) {
      store.people.boundLinks(now + LINK_SPAN);
      return 0;
    }
    const before = now - movedMs;
    if (store.people.count() === 0) store.people.putOffFirstLink({ before, movedMs });
    return deliveries.putOff.run({ before, movedMs }).changes;
  });
  if (changed > 0) yield* planAllAgain(parts);
}
