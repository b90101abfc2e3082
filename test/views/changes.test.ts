// What views that show monitors live learn about changes: which monitors, once, and without end when nobody asks.

import { expect, test } from "bun:test";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import { MINUTE } from "../../src/domain/time.ts";
import { CHANGES_KEPT, type ChangeFeed, DELIVERIES } from "../../src/views/changes.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const NAME = { application: "prod", key: "job" };
const HOURLY = { schedule: "0 * * * *" };

function listen(service: Service): { readonly feed: ChangeFeed; readonly wakes: () => number } {
  let woken = 0;
  return { feed: service.engine.changes.subscribe(() => void woken++), wakes: () => woken };
}

test("a monitor is named when it is created, changed and deleted, by a report, an operator, a registry or the clock", async () => {
  using service = openService();
  const { feed } = listen(service);
  const expectChange = (...keys: string[]): void =>
    expect(feed.take()).toEqual(keys.map((key) => service.store.monitors.find(1, key)!));
  expect(feed.take()).toEqual([]);
  await service.send(ping(HOURLY));
  const id = service.store.monitors.find(1, "job")!;
  expectChange("job");
  await service.send(ping(), ping({ kind: "fail" }), ping({ monitorKey: "other", ...HOURLY }));
  expectChange("job", "other");
  granted(service.engine.operate("incident resolve", { id: 1 }));
  expectChange("job");
  service.engine.intake.sync(
    { applicationId: 1, application: "prod", keyId: 1, scope: "sync" },
    {
      source: "cron",
      version: null,
      authoritative: false,
      entries: [{ key: "declared", declared: { ...NOTHING_DECLARED, ...HOURLY }, metadata: null }],
    },
  );
  expectChange("declared");
  service.look(NOON + 70 * MINUTE);
  expect(feed.take()).toContain(id);
  granted(service.engine.operate("monitor delete", NAME));
  expect(feed.take()).toEqual([id]);
  expect(feed.take()).toEqual([]);
});

test("deliveries that have ended are named too, and by no monitor's id", async () => {
  using service = openService();
  const { feed, wakes } = listen(service);
  await service.send(ping(HOURLY));
  service.engine.deliveriesEnded();
  service.endTurns();
  expect([wakes(), feed.take()]).toEqual([1, [service.store.monitors.find(1, "job")!, DELIVERIES]]);
});

test("a refused report changes nothing", async () => {
  using service = openService();
  const { feed, wakes } = listen(service);
  await service.send(ping());
  service.endTurns();
  expect([feed.take(), wakes()]).toEqual([[], 0]);
});

test("who listens is woken once for all that changes until they take it, and after the commit", async () => {
  using service = openService();
  let wakes = 0;
  const feed = service.engine.changes.subscribe(() => void wakes++);
  const answered = service.send(ping(HOURLY));
  expect(wakes).toBe(0);
  await answered;
  await service.send(ping({ monitorKey: "other", ...HOURLY }));
  service.endTurns();
  expect(wakes).toBe(1);
  expect(feed.take()).toHaveLength(2);
  await service.send(ping());
  service.endTurns();
  expect(wakes).toBe(2);
});

test("each who listens has their own, and none any more once they end", async () => {
  using service = openService();
  const [one, other] = [listen(service), listen(service)];
  await service.send(ping(HOURLY));
  expect(one.feed.take()).toHaveLength(1);
  expect(other.feed.take()).toHaveLength(1);
  await service.send(ping());
  other.feed.end();
  service.endTurns();
  expect([one.wakes(), other.wakes()]).toEqual([1, 0]);
  await service.send(ping());
  expect(other.feed.take()).toHaveLength(1);
  expect(other.feed.take()).toEqual([]);
});

test("more changes than are kept are told as too many, and after that they are counted again", async () => {
  const keys = Array.from({ length: CHANGES_KEPT + 1 }, (_, index) => `job-${index}`);
  using service = openService(policyWith({ monitors: Object.fromEntries(keys.map((key) => [key, HOURLY])) }));
  const { feed } = listen(service);
  await service.send(...keys.slice(1).map((monitorKey) => ping({ monitorKey })));
  expect(feed.take()).toHaveLength(CHANGES_KEPT);
  await service.send(...keys.map((monitorKey) => ping({ monitorKey })));
  expect(feed.take()).toBe("too_many");
  await service.send(ping({ monitorKey: "job-0" }));
  expect(feed.take()).toHaveLength(1);
});
