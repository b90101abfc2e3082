// A service of a test that delivers: the real notifier over the service's database, with channels of the test's own.
// Its time is the service's; what real receivers take goes by in real turns of the event loop.

import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import type { Channel } from "../../src/notify/channel.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import type { Service } from "../support/engine.ts";
import { manualTime, steadyBy } from "../support/manual-time.ts";

/** Hands everything that waits to these channels, until nothing is due any more. Each call is a process of its own. */
export async function deliver(service: Service, channels: Readonly<Record<string, Channel>>): Promise<void> {
  const time = manualTime(service.now);
  const notifier = createNotifier({
    steadySince: steadyBy(time.clock),
    outbox: createOutbox(service.store.database, () => {}),
    channels: new Map(Object.entries(channels)),
    clock: time.clock,
    random: () => 0.5,
    log: () => {},
    after: time.after,
  });
  const due = service.store.database.prepare<{ count: number }, [number]>(
    "select count(*) as count from deliveries where finished_at is null and next_attempt_at <= ?",
  );
  notifier.start();
  while (due.get(service.now)!.count > 0) {
    await time.advance(0);
  }
  await notifier.stop();
}
