// The outbox over real tables: who may be attempted when, in which order, and that nothing is lost or looked for at
// length. No sending.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { DAY, HOUR, MINUTE } from "../../src/domain/time.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { prepareClaims } from "../../src/store/claims.ts";
import { prepareDeliveries } from "../../src/store/deliveries.ts";
import { ALERT_AT, byHand, NO_DIGESTS, NOTHING_NEW, openTestOutbox, toHook } from "../support/alerts.ts";
import { CLOCK_NOTICE, unheardOf } from "../support/notices.ts";

test("R36: a claimed delivery carries the alert as it was stored", () => {
  const { hand, enqueue } = openTestOutbox();
  enqueue(1, [{ destination: "email", recipient: "ada@example.org" }]);
  const [claimed] = hand.claim(ALERT_AT);
  expect(claimed).toMatchObject({
    destination: "email",
    recipient: "ada@example.org",
    createdAt: ALERT_AT,
    attempts: 0,
    message: { type: "monitor.initial_failure", at: ALERT_AT, data: { monitorKey: "nightly-backup" } },
  });
});

test("R36: of one incident, destination and recipient the earlier alert is finished before the next is tried", () => {
  const { hand, enqueue } = openTestOutbox();
  enqueue(1, [toHook("hook")]);
  enqueue(1, [toHook("hook")]);
  const first = hand.claim(ALERT_AT)[0]!;
  expect(hand.claim(ALERT_AT)).toEqual([]);

  hand.retry(first.id, ALERT_AT + MINUTE, "HTTP 500");
  expect(hand.claim(ALERT_AT)).toEqual([]);
  expect(hand.nextAttemptAt()).toBe(ALERT_AT + MINUTE);
  expect(hand.claim(ALERT_AT + MINUTE)[0]).toMatchObject({ id: first.id, attempts: 1 });

  hand.sent(first.id, ALERT_AT + MINUTE, "HTTP 204");
  expect(hand.claim(ALERT_AT + MINUTE)[0]).toMatchObject({ id: first.id + 1, attempts: 0 });
});

test("R36: a notice belongs to no incident: it is claimed as it was stored, and each is a thread of its own", () => {
  const { hand, enqueue } = openTestOutbox();
  const message = unheardOf();
  enqueue(null, [toHook("a"), toHook("b")], ALERT_AT, message);
  const [a, b] = hand.claim(ALERT_AT);
  expect(a).toMatchObject({ destination: "a", message: JSON.parse(JSON.stringify(message)) });
  expect(a!.thread).toMatch(/^notice-1-[0-9a-z]+$/);
  expect(b).toMatchObject({ destination: "b", thread: a!.thread });

  hand.sent(a!.id, ALERT_AT, "HTTP 204");
  enqueue(null, [toHook("a")], ALERT_AT, message);
  expect(hand.claim(ALERT_AT)[0]!.thread).toMatch(/^notice-2-/);
});

test("R36: notices to one destination and recipient keep their order, and hold back no incident", () => {
  const { hand, enqueue } = openTestOutbox();
  const [ada, bob] = ["ada@example.org", "bob@example.org"].map((recipient) => ({ destination: "email", recipient }));
  enqueue(null, [ada!], ALERT_AT, unheardOf());
  enqueue(null, [ada!, bob!], ALERT_AT, CLOCK_NOTICE);
  enqueue(1, [ada!]);
  const tried: string[] = [];
  for (let round = 0; round < 3; round++) {
    const claimed = hand.claim(ALERT_AT)[0]!;
    tried.push(`${claimed.id} ${claimed.message.type} ${claimed.recipient}`);
    hand.retry(claimed.id, ALERT_AT + MINUTE, "451 later");
  }
  expect(tried).toEqual([
    "1 service.notice ada@example.org",
    "3 service.notice bob@example.org",
    "4 monitor.initial_failure ada@example.org",
  ]);
  expect(hand.claim(ALERT_AT)).toEqual([]);
  hand.giveUp(1, ALERT_AT, "550 no");
  expect(hand.claim(ALERT_AT)).toMatchObject([{ id: 2, message: { data: { notice: { kind: "clock" } } } }]);
});

test("R36: what is given up makes way for the next", () => {
  const { hand, enqueue, database } = openTestOutbox();
  enqueue(1, [toHook("hook")]);
  enqueue(1, [toHook("hook")]);
  hand.giveUp(hand.claim(ALERT_AT)[0]!.id, ALERT_AT + 7, "HTTP 400");
  expect(hand.claim(ALERT_AT + 7)).toHaveLength(1);
  expect(database.query("select outcome, answer, finished_at from deliveries where id = 1").get()).toEqual({
    outcome: "given_up",
    answer: "HTTP 400",
    finished_at: ALERT_AT + 7,
  });
});

test("R36: other incidents and other recipients do not wait for one that is put off", () => {
  const { hand, enqueue } = openTestOutbox();
  const [ada, bob] = ["ada@example.org", "bob@example.org"].map((recipient) => ({ destination: "email", recipient }));
  enqueue(1, [ada!, bob!]);
  enqueue(2, [ada!]);
  const tried: string[] = [];
  for (let round = 0; round < 3; round++) {
    const claimed = hand.claim(ALERT_AT)[0]!;
    tried.push(`${claimed.thread.split("-")[1]} ${claimed.recipient}`);
    hand.retry(claimed.id, ALERT_AT + MINUTE, "451 later");
  }
  expect(tried).toEqual(["1 ada@example.org", "1 bob@example.org", "2 ada@example.org"]);
  expect(hand.claim(ALERT_AT)).toEqual([]);
});

test("R36: a claim takes one delivery per destination that is not busy, those that wait longest first", () => {
  const { hand, enqueue } = openTestOutbox();
  enqueue(1, [toHook("c")], ALERT_AT);
  enqueue(2, [toHook("a"), toHook("b"), toHook("c")], ALERT_AT + 1);
  enqueue(3, [toHook("a")], ALERT_AT + 2);
  const destinations = (busy: ReadonlySet<string>, limit: number) =>
    hand.claim(ALERT_AT + 5, busy, limit).map((delivery) => delivery.destination);
  expect(destinations(new Set(["a"]), 1)).toEqual(["c"]);
  expect(destinations(new Set(["c"]), 16)).toEqual(["a", "b"]);
});

test("the next attempt can be asked for without the destinations that are busy", () => {
  const { hand, enqueue } = openTestOutbox();
  expect(hand.nextAttemptAt()).toBeNull();
  enqueue(1, [toHook("a")], ALERT_AT);
  enqueue(2, [toHook("b")], ALERT_AT + 5);
  expect(hand.nextAttemptAt()).toBe(ALERT_AT);
  expect(hand.nextAttemptAt(new Set(["a"]))).toBe(ALERT_AT + 5);
  expect(hand.nextAttemptAt(new Set(["a", "b"]))).toBeNull();
});

test("R36: a claim that no process holds any more is attempted again under the same reference", () => {
  const { hand, enqueue, database } = openTestOutbox();
  enqueue(1, [toHook("a"), toHook("b")]);
  const before = hand.claim(ALERT_AT);

  const restarted = createOutbox(database, () => {});
  expect(byHand(restarted).claim(ALERT_AT)).toEqual([]);
  restarted.releaseClaims();
  const after = byHand(restarted).claim(ALERT_AT);
  expect(after.map((delivery) => delivery.reference)).toEqual(before.map((delivery) => delivery.reference));
  expect(after.map((delivery) => delivery.attempts)).toEqual([1, 1]);
});

test("references are distinct per delivery, shared per incident, and not those of another database", () => {
  const references = (at: number) => {
    const { hand, enqueue } = openTestOutbox();
    enqueue(1, [toHook("a"), toHook("b")], at);
    return hand.claim(at);
  };
  const [a, b] = references(ALERT_AT);
  expect(a!.reference).toMatch(/^delivery-1-[0-9a-z]+$/);
  expect(b!.reference).not.toBe(a!.reference);
  expect(b!.thread).toBe(a!.thread);
  expect(references(ALERT_AT + 1)[0]!.reference).not.toBe(a!.reference);
});

test("deliveries are written with the transaction that stores the alert, or not at all", () => {
  const { hand, enqueue, database } = openTestOutbox();
  const failing = database.transaction(() => {
    enqueue(1, [toHook("a")]);
    throw new Error("the ping could not be stored");
  });
  expect(failing).toThrow("the ping could not be stored");
  expect(hand.claim(ALERT_AT)).toEqual([]);
});

test("what a wrong clock put off for years is attempted when the clock is right again", () => {
  const { hand, enqueue } = openTestOutbox();
  enqueue(1, [toHook("a")]);
  enqueue(2, [toHook("a")]);
  const years = ALERT_AT + 1_000 * DAY;
  hand.retry(hand.claim(years)[0]!.id, years + HOUR, "HTTP 500");
  expect(hand.claim(ALERT_AT)).toMatchObject([{ id: 1 }]);
  hand.retry(1, ALERT_AT + HOUR, "HTTP 500");
  expect(hand.claim(ALERT_AT + MINUTE)).toMatchObject([{ id: 2 }]);
  expect(hand.claim(ALERT_AT + MINUTE)).toEqual([]);
});

test("R36: a delivery that cannot be read is given up with an error in the log, and keeps nothing else back", () => {
  const damages = [
    "update alerts set data = '{' where id = 1",
    "update alerts set data = 'null' where id = 1",
    "pragma foreign_keys = 0; delete from alerts where id = 1",
  ];
  for (const damage of damages) {
    const { enqueue, database } = openTestOutbox();
    const lines: unknown[] = [];
    const hand = byHand(createOutbox(database, (...line) => lines.push(line)));
    enqueue(1, [toHook("a")]);
    enqueue(1, [toHook("a")]);
    enqueue(2, [toHook("b")]);
    database.exec(damage);
    expect(hand.claim(ALERT_AT)).toMatchObject([{ id: 3, destination: "b" }]);
    expect(database.query("select outcome, answer, finished_at from deliveries where id = 1").get()).toEqual({
      outcome: "given_up",
      answer: "unreadable",
      finished_at: ALERT_AT,
    });
    expect(lines).toEqual([["error", "delivery_given_up", { delivery: 1, destination: "a", answer: "unreadable" }]]);
    expect(hand.claim(ALERT_AT)).toMatchObject([{ id: 2, destination: "a" }]);
  }
});

test("R36: how an attempt ended and what it makes way for are one exchange", () => {
  const { outbox, enqueue } = openTestOutbox();
  for (const incident of [1, 1, 2]) enqueue(incident, [toHook("hook")]);
  enqueue(3, [toHook("other")]);
  const wanted = { now: ALERT_AT, busy: new Set<string>(), limit: 16, each: 1, digests: NO_DIGESTS, ...NOTHING_NEW };
  const first = outbox.exchange([], wanted);
  expect(first.claimed).toMatchObject([{ id: 1 }, { id: 4 }]);
  const sent = { id: 1, ending: "sent", at: ALERT_AT, answer: "HTTP 204" } as const;
  const late = { id: 4, ending: "retry", nextAttemptAt: ALERT_AT + MINUTE, answer: "HTTP 500" } as const;
  const second = outbox.exchange([sent, late], wanted);
  expect(second.claimed).toMatchObject([{ id: 2, destination: "hook", attempts: 0 }]);
  expect(second.nextAttemptAt).toBe(ALERT_AT + MINUTE);
});

test("R36: a destination is handed several at once, those that wait longest first, and of one lane only the oldest", () => {
  const { outbox, enqueue } = openTestOutbox();
  for (const incident of [1, 1, 2, 3, 4]) enqueue(incident, [toHook("a")]);
  enqueue(5, [toHook("b")], ALERT_AT - 1);
  enqueue(6, [toHook("b")], ALERT_AT + 1);
  const wanted = { now: ALERT_AT, busy: new Set<string>(), limit: 16, each: 3, digests: NO_DIGESTS, ...NOTHING_NEW };
  const { claimed, nextAttemptAt } = outbox.exchange([], wanted);
  expect(claimed.map(({ id }) => id)).toEqual([6, 1, 3, 4]);
  expect(nextAttemptAt).toBeNull();
  expect(outbox.exchange([], { ...wanted, busy: new Set(["a"]) })).toEqual({
    claimed: [],
    nextAttemptAt: ALERT_AT + 1,
    unforwarded: [],
  });
});

test("R36: a claim that came to no attempt is handed back as it was, unless it has ended since", () => {
  const { outbox, enqueue, database } = openTestOutbox();
  for (const incident of [1, 2]) enqueue(incident, [toHook("a")]);
  const wanted = { now: ALERT_AT, busy: new Set<string>(), limit: 16, each: 16, digests: NO_DIGESTS, ...NOTHING_NEW };
  const rows = () => database.query("select * from deliveries").all();
  const before = rows();
  const untried = outbox.exchange([], wanted).claimed.map(({ id }) => ({ id, ending: "untried" }) as const);
  const none = { ...wanted, limit: 0 };
  expect(outbox.exchange([...untried, ...untried], none)).toMatchObject({ claimed: [], nextAttemptAt: ALERT_AT });
  expect(rows()).toEqual(before);

  outbox.exchange([], wanted);
  outbox.exchange([{ id: 1, ending: "sent", at: ALERT_AT, answer: "" }, ...untried], none);
  expect(database.query("select id, attempts from deliveries").all()).toEqual([
    { id: 1, attempts: 1 },
    { id: 2, attempts: 0 },
  ]);
});

test("the next attempt is one that was not claimed, at once where the limit left it waiting", () => {
  const { outbox, enqueue } = openTestOutbox();
  enqueue(1, [toHook("a"), toHook("b")]);
  const wanted = { now: ALERT_AT, busy: new Set<string>(), limit: 1, each: 1, digests: NO_DIGESTS, ...NOTHING_NEW };
  expect(outbox.exchange([], wanted)).toMatchObject({ claimed: [{ destination: "a" }], nextAttemptAt: ALERT_AT });
  const busy = new Set(["a"]);
  expect(outbox.exchange([], { ...wanted, busy })).toMatchObject({
    claimed: [{ destination: "b" }],
    nextAttemptAt: null,
  });
});

/** From here on this is refused, as a damaged page would. */
const REFUSE_FINISH = (id: number): string =>
  `create trigger spoiled before update of finished_at on deliveries when new.id = ${id} begin select raise(abort, 'spoiled'); end`;

test("R36: an ending that cannot be stored keeps no other from being stored, and is repeated at the next start", () => {
  const { enqueue, database } = openTestOutbox();
  const lines: unknown[] = [];
  const outbox = createOutbox(database, (...line) => lines.push(line));
  for (const incident of [1, 1, 2]) enqueue(incident, [toHook("a")]);
  enqueue(3, [toHook("b")]);
  const wanted = { now: ALERT_AT, busy: new Set<string>(), limit: 16, each: 1, digests: NO_DIGESTS, ...NOTHING_NEW };
  const ended = outbox
    .exchange([], wanted)
    .claimed.map(({ id }) => ({ id, ending: "sent", at: ALERT_AT, answer: "" }) as const);
  database.run(REFUSE_FINISH(1));
  expect(outbox.exchange(ended, wanted).claimed).toMatchObject([{ id: 3 }]);
  expect(lines).toMatchObject([["error", "ending_not_stored", { delivery: 1, ending: "sent" }]]);
  expect(database.query("select id from deliveries where finished_at is not null").all()).toEqual([{ id: 4 }]);

  database.run("drop trigger spoiled");
  outbox.releaseClaims();
  expect(outbox.exchange([], wanted).claimed).toMatchObject([{ id: 1, attempts: 1 }]);
});

test("R36: when nothing can be claimed nothing is stored either, and the same endings may be handed in again", () => {
  const { outbox, hand, enqueue, database } = openTestOutbox();
  enqueue(1, [toHook("a")]);
  enqueue(1, [toHook("a")]);
  const ended = hand.claim(ALERT_AT).map(({ id }) => ({ id, ending: "sent", at: ALERT_AT, answer: "" }) as const);
  const wanted = { now: ALERT_AT, busy: new Set<string>(), limit: 16, each: 1, digests: NO_DIGESTS, ...NOTHING_NEW };
  database.run(
    "create trigger spoiled before update of claimed_at on deliveries when new.claimed_at is not null begin select raise(abort, 'spoiled'); end",
  );
  expect(() => outbox.exchange(ended, wanted)).toThrow("spoiled");
  expect(database.query("select id from deliveries where finished_at is not null").all()).toEqual([]);
  database.run("drop trigger spoiled");
  expect(outbox.exchange(ended, wanted).claimed).toMatchObject([{ id: 2 }]);
});

test("R36: what waits at a destination whose configuration changed is brought forward at the start, and nothing else", () => {
  const { outbox, hand, enqueue } = openTestOutbox();
  const start = (a: string, b: string) =>
    outbox.reconfigured(
      new Map([
        ["a", a],
        ["b", b],
      ]),
      ALERT_AT + MINUTE,
      () => true,
    );
  expect(start("1", "1")).toEqual([]);
  enqueue(1, [toHook("a"), toHook("b")]);
  for (const { id } of hand.claim(ALERT_AT)) hand.retry(id, ALERT_AT + HOUR, "535 wrong password");
  expect(start("1", "1")).toEqual([]);
  expect(hand.claim(ALERT_AT + MINUTE)).toEqual([]);
  expect(start("2", "1")).toEqual(["a"]);
  expect(hand.claim(ALERT_AT + MINUTE)).toMatchObject([{ destination: "a", attempts: 1 }]);
});

test("every look for a delivery is a step in an index, however many wait", () => {
  const { database } = openTestOutbox();
  const { digestible, ...others } = { ...prepareDeliveries(database), ...prepareClaims(database) };
  const ofDigests = Object.entries(digestible).flatMap(([kind, { since, later }]) => [
    [`${kind} since`, since] as const,
    [`${kind} later`, later] as const,
  ]);
  const plans = [...Object.entries(others), ...ofDigests].map(([name, statement]) => {
    const plan = database.query<{ detail: string }, []>(`explain query plan ${statement.toString()}`).all();
    const steps = plan.map((row) => row.detail).filter((detail) => !/^SCALAR SUBQUERY|^SCAN CONSTANT ROW/.test(detail));
    return [name, steps.join("; ")];
  });
  expect(Object.fromEntries(plans)).toMatchObject({
    destinationAfter: "SEARCH deliveries USING INDEX deliveries_waiting (destination>?)",
    firstWaiting: "SEARCH deliveries USING INDEX deliveries_waiting (destination=? AND next_attempt_at>?)",
    due: "SEARCH deliveries USING INDEX deliveries_waiting (destination=? AND next_attempt_at>? AND next_attempt_at<?)",
    firstOfLane: expect.stringMatching(/INDEX deliveries_lanes \(monitor_id=\? AND destination=\? AND recipient=\?\)/),
    lanes: expect.stringMatching(/INDEX deliveries_lanes \(monitor_id=\?\)/),
    promote: expect.stringMatching(/INDEX deliveries_lanes \(monitor_id=\? AND destination=\? AND recipient=\?\)/),
    // At the start and after the clock made a step, and only over what waits.
    putOff: "SCAN deliveries USING INDEX deliveries_lanes",
    releaseClaims: "SCAN deliveries USING INDEX deliveries_lanes",
    forwardPutOff: expect.stringMatching(/SCAN deliveries USING (COVERING )?INDEX deliveries_waiting/),
  });
  // The lanes of one monitor are few.
  const sorted = ["lanes", "notices"];
  for (const [name, plan] of plans) {
    if (!["releaseClaims", "forwardPutOff", "putOff"].includes(name!))
      expect(`${name}: ${plan}`).not.toMatch(/SCAN deliveries/);
    if (!sorted.includes(name!)) expect(`${name}: ${plan}`).not.toMatch(/TEMP B-TREE/);
  }
});

type Step =
  | {
      readonly step: "enqueue";
      readonly incident: number | null;
      readonly destination: string;
      readonly recipient: string | null;
    }
  | { readonly step: "claim"; readonly limit: number }
  | { readonly step: "end"; readonly which: number; readonly how: "sent" | "retry" | "giveUp" }
  | { readonly step: "wait" }
  | { readonly step: "restart" };

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    step: fc.constant("enqueue" as const),
    incident: fc.constantFrom(null, 1, 2, 3),
    destination: fc.constantFrom("a", "b"),
    recipient: fc.constantFrom(null, "ada@example.org", "bob@example.org"),
  }),
  fc.record({ step: fc.constant("claim" as const), limit: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    step: fc.constant("end" as const),
    which: fc.nat(9),
    how: fc.constantFrom("sent" as const, "retry" as const, "giveUp" as const),
  }),
  fc.record({ step: fc.constant("wait" as const) }),
  fc.record({ step: fc.constant("restart" as const) }),
);

test("R36: through failures and restarts, lanes keep their order and everything is finished once", () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 60 }), (timeline) => {
      const { outbox, hand, enqueue, database } = openTestOutbox();
      const lanes = new Map<string, number[]>();
      const laneOf = new Map<number, string>();
      const underWay = new Map<string, number>();
      let now = ALERT_AT;
      let enqueued = 0;

      const claim = (limit: number) => {
        const claimed = hand.claim(now, new Set(underWay.keys()), limit);
        expect(claimed.length).toBeLessThanOrEqual(limit);
        for (const { id, destination } of claimed) {
          expect(underWay.has(destination)).toBe(false);
          expect(lanes.get(laneOf.get(id)!)![0]).toBe(id);
          underWay.set(destination, id);
        }
      };
      const end = (destination: string, how: "sent" | "retry" | "giveUp") => {
        const id = underWay.get(destination)!;
        underWay.delete(destination);
        hand[how](id, how === "retry" ? now + MINUTE : now, "answer");
        if (how !== "retry") lanes.get(laneOf.get(id)!)!.shift();
      };

      for (const step of timeline) {
        if (step.step === "enqueue") {
          const { incident, destination, recipient } = step;
          enqueue(incident, [{ destination, recipient }], now);
          enqueued++;
          const lane = JSON.stringify([incident, destination, recipient]);
          lanes.set(lane, [...(lanes.get(lane) ?? []), enqueued]);
          laneOf.set(enqueued, lane);
        } else if (step.step === "claim") claim(step.limit);
        else if (step.step === "wait") now += MINUTE;
        else if (step.step === "restart") {
          underWay.clear();
          outbox.releaseClaims();
        } else if (underWay.size > 0) end([...underWay.keys()][step.which % underWay.size]!, step.how);
      }

      while (true) {
        for (const destination of underWay.keys()) end(destination, "sent");
        now = Math.max(now, hand.nextAttemptAt() ?? now);
        claim(16);
        if (underWay.size === 0) break;
      }
      const finished = database.query<{ count: number }, []>(
        "select count(*) as count from deliveries where finished_at is not null",
      );
      expect(finished.get()!.count).toBe(enqueued);
    }),
  );
});
