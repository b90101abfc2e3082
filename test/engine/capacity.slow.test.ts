// R34 on the real engine: how many monitors may be active, whatever wants one more, and what makes room again. Monitors
// that are there keep recording whatever happens.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isRefusal, type Refusal } from "../../src/domain/errors.ts";
import { isActive } from "../../src/domain/monitor/monitor.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import { DAY, HOUR, MINUTE } from "../../src/domain/time.ts";
import type { Ping } from "../../src/engine/api.ts";
import { capacityLeft, createActiveCounts } from "../../src/engine/capacity.ts";
import { NOON, openService, type PingChanges, ping, policyWith, type Service } from "../support/engine.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { granted } from "../support/service.ts";

const HOURLY = "0 * * * *";
const PROD = { id: 1, slug: "prod" };

const allowing = (maxActiveMonitors: number, monitors = {}) => policyWith({ prod: { maxActiveMonitors }, monitors });

const first = (monitorKey: string, changes: PingChanges = {}): Ping =>
  ping({ monitorKey, schedule: HOURLY, ...changes });

const named = (key: string) => ({ application: null, key });

const asked = (key: string) => ({
  ...named(key),
  ...NOTHING_DECLARED,
  schedule: HOURLY,
});

const LIMIT =
  'would be one too many: application "prod" may have 2 active monitors (applications.prod.max_active_monitors); ' +
  "pause or delete another, or raise the setting";

const refusedFor = (key: string): Refusal => ({
  refusal: "PLAN_LIMIT_REACHED",
  message: `monitor "${key}" ${LIMIT}`,
});

/** A service with room for two, and two monitors in it, `a` and `b`. */
async function full(): Promise<Service> {
  const service = openService(allowing(2));
  await service.send(first("a"), first("b"));
  return service;
}

const left = ({ store }: Service, policy = allowing(2)): number =>
  capacityLeft({ policy, active: createActiveCounts(store) }, PROD);

/** Whether a report could make one more monitor now; it is made, if it can. */
async function takesOneMore(service: Service, key: string): Promise<boolean> {
  const [answer] = await service.send(first(key));
  return !isRefusal(answer);
}

describe("R34: a report that would create one more", () => {
  test("is refused, names the setting and its number, and leaves nothing", async () => {
    using service = await full();
    for (const kind of ["heartbeat", "start", "complete", "fail"] as const)
      expect(await service.send(first("c", { kind }))).toEqual([refusedFor("c")]);
    expect([service.count("monitors"), service.count("pings"), service.notified()]).toEqual([2, 2, []]);
  });

  test("without a schedule is about a missing monitor, as ever", async () => {
    using service = await full();
    expect(await service.send(ping({ monitorKey: "c" }))).toMatchObject([{ refusal: "MONITOR_NOT_FOUND" }]);
  });

  test("is not taken for its own repeat later: a refusal is not kept", async () => {
    using service = await full();
    const idempotency = { key: "k", textOf: () => "taken" };
    expect(await service.send(first("c", { idempotency }))).toMatchObject([{ refusal: "PLAN_LIMIT_REACHED" }]);
    granted(service.engine.operate("monitor delete", named("a")));
    expect(await service.send(first("c", { idempotency }))).toEqual([{ text: "taken" }]);
  });

  test("among many in one batch is refused exactly where room ends", async () => {
    using service = openService(allowing(3));
    const keys = Array.from({ length: 12 }, (_, index) => `job-${index}`);
    const answers = await service.send(...keys.flatMap((key) => [first(key), ping({ monitorKey: key })]));
    const taken = answers.filter((answer) => !isRefusal(answer));
    expect([taken.length, service.count("monitors"), left(service, allowing(3))]).toEqual([6, 3, 0]);
  });

  test("is another application's own matter", async () => {
    using service = await full();
    granted(service.engine.operate("app create", { slug: "staging" }));
    const caller = { applicationId: 2, application: "staging", keyId: 2, scope: "all" } as const;
    const answers = await service.send(...["a", "b", "c"].map((key) => first(key, { caller })));
    expect(answers.filter(isRefusal)).toEqual([]);
  });

  test.each([0, undefined])("is taken where the limit is %p", async (most) => {
    using service = openService(most === undefined ? policyWith() : allowing(most));
    await service.send(...Array.from({ length: 50 }, (_, index) => first(`job-${index}`)));
    expect(service.count("monitors")).toBe(50);
    expect(left(service, policyWith())).toBe(Number.POSITIVE_INFINITY);
  });
});

test("monitors that are there keep recording, also with another schedule", async () => {
  using service = await full();
  const answers = await service.send(ping({ monitorKey: "a", kind: "fail" }), first("b", { schedule: "5 * * * *" }));
  expect(answers.filter(isRefusal)).toEqual([]);
  expect(service.alarms()).toHaveLength(1);
});

describe("R34: room is made", () => {
  test("by deleting", async () => {
    using service = await full();
    granted(service.engine.operate("monitor delete", named("a")));
    expect([await takesOneMore(service, "c"), await takesOneMore(service, "a")]).toEqual([true, false]);
  });

  test("by a pause without an end, of any kind", async () => {
    using service = openService(allowing(3));
    await service.send(first("a"), first("b"), first("c"));
    service.apply("a", { kind: "pause", pause: "manual", until: null });
    service.apply("b", { kind: "withdraw" });
    service.apply("c", { kind: "pause", pause: "plan" });
    expect(left(service, allowing(3))).toBe(3);
  });

  test("not by a pause that ends by itself, before or after it has", async () => {
    using service = await full();
    granted(service.engine.operate("monitor pause", { ...named("a"), durationSeconds: HOUR / 1000 }));
    expect(await takesOneMore(service, "c")).toBe(false);
    service.at(NOON + 2 * HOUR);
    expect(await takesOneMore(service, "c")).toBe(false);
  });

  test("not by a pause that ends, where another without an end stands beside it", async () => {
    using service = await full();
    service.apply("a", { kind: "withdraw" });
    granted(service.engine.operate("monitor pause", { ...named("a"), durationSeconds: HOUR / 1000 }));
    expect(left(service)).toBe(1);
  });

  test("by a higher limit after a restart, and a lower one closes nothing", async () => {
    using service = await full();
    service.restart(allowing(1));
    expect([left(service, allowing(1)), await takesOneMore(service, "c"), service.count("monitors")]).toEqual([
      -1,
      false,
      2,
    ]);
    service.restart(allowing(3));
    expect(await takesOneMore(service, "c")).toBe(true);
  });
});

describe("R34: an operator", () => {
  test("cannot create one more", async () => {
    using service = await full();
    expect(service.engine.operate("monitor create", asked("c"))).toEqual(refusedFor("c"));
    expect(service.count("monitors")).toBe(2);
    expect(service.engine.operate("monitor create", asked("a"))).toMatchObject({ refusal: "INVALID_REQUEST" });
  });

  /** `a` is paused without an end, and `c` has taken its place. */
  async function replaced(): Promise<Service> {
    const service = await full();
    granted(service.engine.operate("monitor pause", named("a")));
    expect(await takesOneMore(service, "c")).toBe(true);
    return service;
  }

  test("cannot resume one more, and it stays paused", async () => {
    using service = await replaced();
    expect(service.engine.operate("monitor resume", named("a"))).toEqual(refusedFor("a"));
    expect(service.monitor("a").pauses.manual).toEqual({ until: null });
    granted(service.engine.operate("monitor pause", named("c")));
    expect(service.engine.operate("monitor resume", named("a"))).toMatchObject({
      changed: true,
      monitor: { status: "healthy" },
    });
  });

  test("cannot put that off either: a pause with an end in place of one without", async () => {
    using service = await replaced();
    expect(service.engine.operate("monitor pause", { ...named("a"), durationSeconds: DAY / 1000 })).toEqual(
      refusedFor("a"),
    );
    expect(service.monitor("a").pauses.manual).toEqual({ until: null });
  });

  test("may resume what is active already, and lengthen or shorten its pause", async () => {
    using service = await full();
    granted(service.engine.operate("monitor pause", { ...named("a"), durationSeconds: HOUR / 1000 }));
    granted(service.engine.operate("monitor pause", { ...named("a"), durationSeconds: MINUTE / 1000 }));
    expect(service.engine.operate("monitor resume", named("a"))).toMatchObject({ changed: true });
    expect(service.engine.operate("monitor resume", named("a"))).toMatchObject({ changed: false });
  });

  test("may lift what a person did where another pause goes on: that takes no room", async () => {
    using service = await full();
    service.apply("a", { kind: "withdraw" });
    service.restart();
    granted(service.engine.operate("monitor pause", named("a")));
    expect(await takesOneMore(service, "c")).toBe(true);
    expect(service.engine.operate("monitor resume", named("a"))).toMatchObject({
      changed: true,
      monitor: { status: "paused" },
    });
  });
});

test("what the configuration names is created all the same, and then there is no room for others", async () => {
  using service = openService(allowing(1, { a: { schedule: HOURLY }, b: { schedule: HOURLY }, c: {} }));
  expect([service.count("monitors"), left(service, allowing(1))]).toEqual([2, -1]);
  expect(await service.send(first("c"))).toMatchObject([{ refusal: "PLAN_LIMIT_REACHED" }]);
});

test("R34: the count of the store is what the domain calls active, for every set of pauses", async () => {
  using service = openService(allowing(100));
  const truths = [true, false];
  const pauses = [null, { until: null }, { until: NOON + HOUR }].flatMap((manual) =>
    truths.flatMap((discovery) => truths.map((plan) => ({ manual, discovery, plan, suspension: false }))),
  );
  await service.send(...pauses.map((_, index) => first(`job-${index}`)));
  for (const [index, { manual, discovery, plan }] of pauses.entries()) {
    if (discovery) service.apply(`job-${index}`, { kind: "withdraw" });
    if (plan) service.apply(`job-${index}`, { kind: "pause", pause: "plan" });
    if (manual !== null) service.apply(`job-${index}`, { kind: "pause", pause: "manual", until: manual.until });
    expect(service.monitor(`job-${index}`).pauses).toEqual({ manual, discovery, plan, suspension: false });
  }
  const active = pauses.filter(isActive).length;
  expect([active, service.store.monitors.countActive(1)]).toEqual([2, 2]);
});

test("R34: whatever changes what is active, and whatever of it is undone, one more is taken exactly while there is room", async () => {
  const LIMIT_OF_MANY = 6;
  const key = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
  const step = fc.oneof(
    fc.record({
      what: fc.constantFrom("ping", "undone", "pause", "until", "resume", "delete"),
      keys: fc.tuple(key, key),
    }),
    fc.record({ what: fc.constant("sync"), keys: fc.uniqueArray(key, { maxLength: 8 }) }),
  );
  const caller = { applicationId: 1, application: "prod", keyId: 1, scope: "all" } as const;
  const seen = { taken: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      using service = openService(allowing(LIMIT_OF_MANY));
      // A report with this message is an error, so the batch is undone and repeated without it.
      service.store.database.run(
        `create trigger broken before insert on pings when new.message = 'broken' begin select raise(abort, 'broken'); end`,
      );
      for (const [place, { what, keys }] of steps.entries()) {
        const name = named(keys[0] ?? "a");
        const batch = keys.map((each) => first(each));
        if (what === "ping") await service.send(...batch);
        if (what === "undone") await service.send(...batch, first(`broken-${place}`, { message: "broken" }), ...batch);
        if (what === "pause") service.engine.operate("monitor pause", name);
        if (what === "until") service.engine.operate("monitor pause", { ...name, durationSeconds: 60 });
        if (what === "resume") service.engine.operate("monitor resume", name);
        if (what === "delete") service.engine.operate("monitor delete", name);
        const entries = keys.map((each) => ({
          key: each,
          declared: { ...NOTHING_DECLARED, schedule: HOURLY },
          metadata: null,
        }));
        if (what === "sync")
          service.engine.intake.sync(caller, { source: "cron", version: null, authoritative: true, entries });
        const hasRoom = service.store.monitors.countActive(1) < LIMIT_OF_MANY;
        expect(await takesOneMore(service, `new-${place}`)).toBe(hasRoom);
        seen[hasRoom ? "taken" : "refused"]++;
      }
    }),
    propertyRuns(8),
  );
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(0);
});
