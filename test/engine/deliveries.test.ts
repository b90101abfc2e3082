// What operators do with deliveries: tests go first and hold up nothing, and what is sent again keeps its place and its
// record (R36, R37).

import { describe, expect, test } from "bun:test";
import { isRefusal, type Refusal } from "../../src/domain/errors.ts";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { byHand } from "../support/alerts.ts";
import { MESSAGES, mailTo, TEAM_MAIL } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";

const ADA = { name: "Ada", email: "ada@example.org", events: [] };
const BOB = { name: "Bob", email: "bob@example.org", events: [] };

const POLICY = policyWith({
  team: { name: "Home", destinations: ["hook"], members: [ADA, BOB] },
  destinations: new Map([
    ["hook", MESSAGES],
    ["email", TEAM_MAIL],
    ["office", mailTo("office@example.org")],
  ]),
});

const granted = <Value>(value: Value | Refusal): Value => {
  if (isRefusal(value)) throw new Error(value.message);
  return value;
};

/** A service whose monitor `job` has just failed, and the outbox of its notifier. */
async function withFailure() {
  const service = openService(POLICY);
  await service.send(ping({ schedule: "0 0 29 2 *" }), ping({ kind: "fail" }));
  return { service, hand: byHand(createOutbox(service.store.database, () => {})), [Symbol.dispose]: close(service) };
}

const close = (service: Service) => () => service[Symbol.dispose]();

const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);

describe("a test", () => {
  test("R37: is written as destination.test, for mail to each recipient whatever they left out", () => {
    using service = openService(POLICY);
    expect(granted(service.engine.operate("notify test", { destination: "hook" }))).toMatchObject({
      deliveries: [
        {
          destination: "hook",
          recipient: null,
          type: "destination.test",
          kind: "test",
          state: "waiting",
          incidentId: null,
        },
      ],
    });
    const recipients = (name: string) =>
      granted(service.engine.operate("notify test", { destination: name })).deliveries.map(
        ({ recipient }) => recipient,
      );
    expect(recipients("email")).toEqual([ADA.email, BOB.email]);
    expect(recipients("office")).toEqual(["office@example.org"]);
    expect(service.nudges).toBe(3);
  });

  test("is claimed before all that waits, and waits for nothing in its lane", async () => {
    using place = await withFailure();
    const { service, hand } = place;
    const busy = new Set<string>();
    const failed = hand.claim(NOON, busy, 1)[0]!;
    hand.retry(failed.id, NOON, "HTTP 503");
    const [tested] = granted(service.engine.operate("notify test", { destination: "hook" })).deliveries;
    const [again] = granted(service.engine.operate("notify test", { destination: "hook" })).deliveries;
    expect(hand.claim(NOON)[0]).toMatchObject({ id: tested!.id, attempts: 0 });
    expect(hand.claim(NOON)[0]).toMatchObject({ id: again!.id });
    hand.giveUp(tested!.id, NOON, "HTTP 503");
    expect(hand.claim(NOON)[0]).toMatchObject({ id: failed.id, attempts: 1 });
  });

  test("of a destination that is not configured, or reaches nobody, is refused", () => {
    using service = openService(policyWith({ destinations: new Map([["mail", mailTo()]]) }));
    expect(service.engine.operate("notify test", { destination: "mial" })).toMatchObject({
      refusal: "NOT_FOUND",
      message:
        'destination: "mial" is not configured; these are: mail (`rollcall reload` reads a changed configuration, and so does a start)',
    });
    expect(service.engine.operate("notify test", { destination: "mail" })).toMatchObject({
      refusal: "INVALID_REQUEST",
    });
    expect(service.count("deliveries")).toBe(0);
  });
});

describe("the list", () => {
  test("has the newest of each state, says of which there are more, and which destinations fail", async () => {
    using place = await withFailure();
    const { service, hand } = place;
    for (let each = 0; each < 4; each++) granted(service.engine.operate("notify test", { destination: "hook" }));
    const [first, second] = [hand.claim(NOON)[0]!, hand.claim(NOON)[0]!];
    hand.sent(first.id, NOON, "HTTP 204");
    hand.giveUp(second.id, NOON, "HTTP 404");
    service.failing.set("hook", "HTTP 404");
    const all = granted(service.engine.operate("notify list", { states: ["waiting", "given_up", "sent"], limit: 20 }));
    expect(idsOf(all.deliveries)).toEqual([5, 4, 3, 2, 1]);
    expect(all.more).toEqual([]);
    expect(all.failing).toEqual([{ destination: "hook", answer: "HTTP 404", since: NOON }]);
    expect(all.deliveries.at(-1)).toMatchObject({ kind: "InitialFailure", application: "prod", monitorKey: "job" });

    const one = (...states: ("waiting" | "given_up" | "sent")[]) =>
      service.engine.operate("notify list", { states, limit: 1 });
    expect(one("waiting")).toMatchObject({ deliveries: [{ id: 5, state: "waiting" }], more: ["waiting"] });
    expect(one("given_up")).toMatchObject({ deliveries: [{ id: second.id, answer: "HTTP 404" }], more: [] });
    expect(one("sent")).toMatchObject({ deliveries: [{ id: first.id, state: "sent", finishedAt: NOON }], more: [] });
  });

  test("goes on behind a number, in each state, of all or of one application's", async () => {
    using service = openService(POLICY);
    const hand = byHand(createOutbox(service.store.database, () => {}));
    for (const monitorKey of ["a", "b", "c", "d"]) {
      await service.send(ping({ monitorKey, kind: "fail", schedule: "0 0 29 2 *" }));
    }
    const ids = idsOf(granted(service.engine.operate("notify list", { limit: 20 })).deliveries);
    const sent = hand.claim(NOON, new Set(), 1)[0]!;
    hand.sent(sent.id, NOON, "HTTP 200");
    for (const application of [null, "prod"]) {
      for (const states of [["waiting"], ["sent"], ["waiting", "sent"]] as const) {
        const list = (before: number) =>
          granted(service.engine.operate("notify list", { states: [...states], application, before, limit: 20 }));
        const all = idsOf(list(ids[0]! + 1).deliveries);
        expect(all.includes(sent.id)).toBe(states.some((state) => state === "sent"));
        for (const before of ids) expect(idsOf(list(before).deliveries)).toEqual(all.filter((id) => id < before));
      }
    }
  });

  test("has what cannot be read as well", async () => {
    using place = await withFailure();
    place.service.store.database.run("update alerts set data = 'x'");
    const { deliveries } = granted(place.service.engine.operate("notify list", { states: ["waiting"], limit: 20 }));
    expect(deliveries).toMatchObject([{ id: 1, type: "monitor.initial_failure", kind: null, monitorKey: null }]);
  });
});

describe("sent again", () => {
  test("R36: what was given up goes out as a copy behind what its lane holds, and stays on record", async () => {
    using place = await withFailure();
    const { service, hand } = place;
    await service.send(ping());
    hand.giveUp(hand.claim(NOON)[0]!.id, NOON, "HTTP 404");
    service.at(NOON + HOUR);
    const resent = granted(service.engine.operate("notify resend", { id: 1 }));
    expect(resent).toMatchObject({ done: "again", delivery: { id: 3, createdAt: NOON + HOUR, attempts: 0 } });
    const recovery = hand.claim(NOON + HOUR)[0]!;
    expect(recovery).toMatchObject({ id: 2, message: { data: { kind: "Recovered" } } });
    expect(hand.claim(NOON + HOUR)).toEqual([]);
    hand.sent(2, NOON + HOUR, "HTTP 204");
    const copy = hand.claim(NOON + HOUR)[0]!;
    expect(copy).toMatchObject({ id: 3, thread: recovery.thread, message: { data: { kind: "InitialFailure" } } });
    expect(copy.reference).not.toBe(recovery.reference);
    expect(service.engine.operate("notify show", { id: 1 })).toMatchObject({ state: "given_up", answer: "HTTP 404" });
  });

  test("what still waits is tried at once, or what it waits for", async () => {
    using place = await withFailure();
    const { service, hand } = place;
    await service.send(ping());
    hand.retry(hand.claim(NOON)[0]!.id, NOON + HOUR, "HTTP 503");
    expect(hand.claim(NOON)).toEqual([]);
    const nudges = service.nudges;
    expect(granted(service.engine.operate("notify resend", { id: 2 }))).toMatchObject({
      done: "behind",
      delivery: { id: 1 },
    });
    expect(service.nudges).toBe(nudges + 1);
    expect(hand.claim(NOON)).toMatchObject([{ id: 1, attempts: 1 }]);
    expect(granted(service.engine.operate("notify resend", { id: 1 }))).toMatchObject({
      done: "under_way",
      delivery: { id: 1 },
    });
    hand.retry(1, NOON + HOUR, "HTTP 503");
    expect(granted(service.engine.operate("notify resend", { id: 1 }))).toMatchObject({
      done: "forward",
      delivery: { id: 1 },
    });
    expect(hand.claim(NOON)).toMatchObject([{ id: 1, attempts: 2 }]);
    expect(service.count("deliveries")).toBe(2);
  });

  test("a test goes first again", async () => {
    using place = await withFailure();
    const { service, hand } = place;
    const [tested] = granted(service.engine.operate("notify test", { destination: "hook" })).deliveries;
    hand.sent(hand.claim(NOON)[0]!.id, NOON, "HTTP 204");
    const { delivery } = granted(service.engine.operate("notify resend", { id: tested!.id }));
    expect(hand.claim(NOON + MINUTE)[0]).toMatchObject({ id: delivery.id });
  });

  test("R40: only what is configured still is sent to", () => {
    using service = openService(POLICY);
    granted(service.engine.operate("notify test", { destination: "office" }));
    const { hand } = { hand: byHand(createOutbox(service.store.database, () => {})) };
    hand.sent(hand.claim(NOON)[0]!.id, NOON, "250 ok");
    service.restart(policyWith({ destinations: new Map([["office", mailTo("new@example.org")]]) }));
    expect(service.engine.operate("notify resend", { id: 1 })).toMatchObject({
      refusal: "INVALID_REQUEST",
      message: 'id: "office" does not go to office@example.org any more; only what is configured is sent to',
    });
    service.restart(policyWith());
    expect(service.engine.operate("notify resend", { id: 1 })).toMatchObject({ refusal: "NOT_FOUND" });
    expect(service.engine.operate("notify resend", { id: 7 })).toMatchObject({ refusal: "NOT_FOUND" });
    expect(service.engine.operate("notify show", { id: 7 })).toMatchObject({ refusal: "NOT_FOUND" });
    expect(service.count("deliveries")).toBe(1);
  });
});

test("what belongs to no incident is kept a year, with its deliveries", () => {
  using service = openService(POLICY);
  granted(service.engine.operate("notify test", { destination: "hook" }));
  const { alerts, database } = service.store;
  database.transaction(() => alerts.prune(NOON, 0, 500)).immediate();
  expect([service.count("alerts"), service.count("deliveries")]).toEqual([1, 1]);
  database.transaction(() => alerts.prune(NOON + 1, 0, 500)).immediate();
  expect([service.count("alerts"), service.count("deliveries")]).toEqual([0, 0]);
});
