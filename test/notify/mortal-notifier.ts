// A process with a notifier that may die at every place in its work, for tests. Each life has a notifier and timers of
// its own; what was committed is all that is left to the next.

import { SECOND } from "../../src/domain/time.ts";
import type { Claim, ClaimedDelivery, Outbox } from "../../src/engine/api.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import type { Channel } from "../../src/notify/channel.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import type { TestOutbox } from "../support/alerts.ts";
import { manualTime, steadyBy } from "../support/manual-time.ts";

/** Where a process may die, in the order in which a delivery comes by. */
export type Place =
  | "before the claim"
  | "after the claim"
  | "during the send"
  | "before the answer"
  | "after the answer, before the mark"
  | "after the mark";

export interface World {
  readonly box: TestOutbox;
  /** By destination. */
  readonly channels: ReadonlyMap<string, Channel>;
  /** Whether the process dies here; asked at every place it comes by. */
  readonly dies: (place: Place) => boolean;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Runs a process from its start until it dies or everything is delivered; answers whether it died. */
export async function live({ box, channels, dies }: World, startedAt: number): Promise<boolean> {
  const time = manualTime(startedAt);
  const committed = createOutbox(box.database, () => {});
  let dead = false;
  let sending = 0;

  /** Nothing that a dead process still tries has any effect. */
  function comeBy(place: Place): void {
    dead ||= dies(place);
    if (dead) throw new Error("the process is gone");
  }

  const outbox: Outbox = {
    releaseClaims: committed.releaseClaims,
    reconfigured: committed.reconfigured,
    sentOf: committed.sentOf,
    noteTakenBack: committed.noteTakenBack,
    knownDestinations: committed.knownDestinations,
    gather: (claim, now, alone) => {
      comeBy("before the claim");
      const whole = committed.gather(claim, now, alone);
      comeBy("after the claim");
      return whole;
    },
    exchange: (endings, wanted) => {
      comeBy(endings.length > 0 ? "after the answer, before the mark" : "before the claim");
      const claims = committed.exchange(endings, wanted);
      if (endings.length > 0) comeBy("after the mark");
      if (claims.claimed.length > 0) comeBy("after the claim");
      return claims;
    },
  };

  const mortal = (channel: Channel): Channel => ({
    ...channel,
    send: async (delivery, context) => {
      await turn();
      comeBy("during the send");
      sending += 1;
      const verdict = await channel.send(delivery, context).finally(() => {
        sending -= 1;
      });
      await turn();
      comeBy("before the answer");
      return verdict;
    },
  });

  const notifier = createNotifier({
    steadySince: steadyBy(time.clock),
    outbox,
    channels: new Map([...channels].map(([destination, channel]) => [destination, mortal(channel)])),
    clock: time.clock,
    after: time.after,
    random: () => 0.5,
    log: () => {},
  });
  notifier.start();
  while (!dead && unfinished(box) > 0) {
    // Real receivers take their own time, in which none of the test's passes.
    if (underWay(box).length > 0) await turn();
    else await time.advance(5 * SECOND);
  }
  // What the dead one has begun comes to its end, which nobody sees.
  if (dead) for (let count = 0; count < 5 || sending > 0; count++) await turn();
  else await notifier.stop();
  return dead;
}

/** The deliveries that a message stands for: a channel is handed the claim as it is. */
export const membersOf = (delivery: ClaimedDelivery): number[] => (delivery as Claim).members.map(({ id }) => id);

export const unfinished = ({ database }: TestOutbox): number =>
  database.query<{ count: number }, []>("select count(*) as count from deliveries where finished_at is null").get()!
    .count;

/** What a process that died now would leave on its way. */
export const underWay = ({ database }: TestOutbox): number[] =>
  database
    .query<{ id: number }, []>("select id from deliveries where finished_at is null and claimed_at is not null")
    .all()
    .map(({ id }) => id);
