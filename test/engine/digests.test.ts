// Digests over real tables (R39): which deliveries are claimed as one message, which never are, and that each of them
// keeps its lane, its mark and its ending. No sending.

import { expect, test } from "bun:test";
import { MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import type { Claim, Ending } from "../../src/engine/api.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { ALERT_AT, alertOf, NOTHING_NEW, openTestOutbox, type TestOutbox, toHook } from "../support/alerts.ts";
import { CLOCK_NOTICE } from "../support/notices.ts";

const ADA = { destination: "email", recipient: "ada@example.org" };
const BOB = { destination: "email", recipient: "bob@example.org" };
const CHAT = toHook("chat");
const DIGESTS = new Map([
  ["chat", 20],
  ["email", 200],
]);

/** What is claimed at `now`, after these endings. */
function exchange(
  { outbox }: Pick<TestOutbox, "outbox">,
  endings: readonly Ending[] = [],
  now = ALERT_AT + MINUTE,
  digests: ReadonlyMap<string, number> = DIGESTS,
): readonly Claim[] {
  return outbox.exchange(endings, { now, busy: new Set(), limit: 16, each: 16, digests, ...NOTHING_NEW }).claimed;
}

const idsOf = ({ members }: Claim): number[] => members.map(({ id }) => id);

const upTo = (count: number, from = 1): number[] => Array.from({ length: count }, (_, index) => from + index);

const opening = (incident: number) =>
  alertOf(
    { monitorKey: `job-${incident}`, name: `Job ${incident}`, incidentId: String(incident) },
    ALERT_AT + incident,
  );

const recovery = (incident: number) =>
  alertOf({ monitorKey: `job-${incident}`, kind: "Recovered", reason: "success" }, ALERT_AT + incident);

/** An outbox in which this many incidents have opened, one in each millisecond. */
function storm(count: number, routes = [CHAT]): TestOutbox {
  const box = openTestOutbox();
  for (const incident of upTo(count)) box.enqueue(incident, routes, ALERT_AT + incident, opening(incident));
  return box;
}

const marks = ({ database }: TestOutbox) =>
  database
    .query<{ digestId: number | null }, []>("select digest_id as digestId from deliveries order by id")
    .all()
    .map(({ digestId }) => digestId);

test("R39: more than ten openings at one destination are claimed as one message, and each row is marked with it", () => {
  const box = storm(12);
  const claimed = exchange(box);
  expect(claimed).toMatchObject([
    { id: 1, destination: "chat", message: { type: "monitor.digest", at: ALERT_AT + 1 } },
  ]);
  expect(idsOf(claimed[0]!)).toEqual(upTo(12));
  const { message } = claimed[0]!;
  if (message.type !== "monitor.digest") throw new Error("no digest");
  expect(message.data.kind).toBe("opened");
  expect(message.data.alerts.map(({ data }) => data.monitorKey)).toEqual(upTo(12).map((each) => `job-${each}`));
  expect(marks(box)).toEqual(upTo(12).map(() => 1));
  expect(exchange(box)).toEqual([]);
});

test("R39: ten go by themselves, one after another, so that the next look may find more", () => {
  const box = storm(10);
  expect(exchange(box).map(idsOf)).toEqual([[1]]);
  expect(marks(box)).toEqual(upTo(10).map(() => null));
  box.enqueue(11, [CHAT], ALERT_AT, opening(11));
  box.enqueue(12, [CHAT], ALERT_AT, opening(12));
  const sent = { id: 1, ending: "sent", at: ALERT_AT, answer: "" } as const;
  expect(exchange(box, [sent]).map(idsOf)).toEqual([[11, 12, ...upTo(9, 2)]]);
});

test("R39: where no digests are taken each goes by itself, several handed at once", () => {
  const box = storm(12);
  expect(exchange(box, [], ALERT_AT + MINUTE, new Map()).map(idsOf)).toEqual(upTo(12).map((id) => [id]));
});

test("R39: a digest holds no more than its destination tells in one; the next one holds the rest", () => {
  const box = storm(33);
  expect(exchange(box).map(idsOf)).toEqual([upTo(20)]);
  expect(exchange(box).map(idsOf)).toEqual([upTo(13, 21)]);
});

test("R39: recipients do not share a digest, nor do openings and recoveries", () => {
  const box = storm(11, [ADA, BOB]);
  const [first] = exchange(box);
  expect([first!.recipient, idsOf(first!)]).toEqual([ADA.recipient, upTo(11).map((each) => 2 * each - 1)]);
  const [second] = exchange(box);
  expect([second!.recipient, idsOf(second!)]).toEqual([BOB.recipient, upTo(11).map((each) => 2 * each)]);

  const mixed = openTestOutbox();
  for (const incident of upTo(11)) mixed.enqueue(incident, [CHAT], ALERT_AT, opening(incident));
  for (const incident of upTo(11, 12)) mixed.enqueue(incident, [CHAT], ALERT_AT, recovery(incident));
  expect(exchange(mixed).map(idsOf)).toEqual([upTo(11)]);
  const [recovered] = exchange(mixed);
  expect([recovered!.message.type, idsOf(recovered!)]).toEqual(["monitor.digest", upTo(11, 12)]);
});

const reminder = (incident: number, reason: "reminder" | "new_cause" = "reminder") =>
  alertOf({ monitorKey: `job-${incident}`, kind: "ContinuedFailure", reason, durationSeconds: 3_600 });

test("R39: more than ten reminders, causes that are new to an incident among them, are claimed as one message", () => {
  const box = openTestOutbox();
  for (const incident of upTo(12))
    box.enqueue(incident, [CHAT], ALERT_AT, reminder(incident, incident === 7 ? "new_cause" : "reminder"));
  box.enqueue(13, [CHAT], ALERT_AT, opening(13));
  const [digest, ...others] = exchange(box);
  expect([idsOf(digest!), digest!.message, others]).toMatchObject([upTo(12), { data: { kind: "continued" } }, []]);
  expect(marks(box)).toEqual([...upTo(12).map(() => 1), null]);
});

test("R39: what was refused in a digest goes by itself, and takes no other out of one", () => {
  const box = storm(30);
  const alone = new Set(upTo(12));
  const wanted = { now: ALERT_AT + MINUTE, busy: new Set<string>(), limit: 1, each: 16, digests: DIGESTS };
  const claim = () => box.outbox.exchange([], { ...wanted, ...NOTHING_NEW, alone }).claimed.map(idsOf);
  for (const id of upTo(12)) expect(claim()).toEqual([[id]]);
  expect(claim()).toEqual([upTo(18, 13)]);
});

test("R39: first failures and jobs that never ran share a digest; acknowledgements and notices never do", () => {
  const box = openTestOutbox();
  for (const incident of upTo(12)) {
    const kind = incident % 2 === 0 ? "InitialFailure" : "NeverExecuted";
    box.enqueue(incident, [CHAT], ALERT_AT, alertOf({ kind }));
  }
  expect(exchange(box).map(idsOf)).toEqual([upTo(12)]);

  const others = openTestOutbox();
  for (const incident of upTo(12)) {
    others.enqueue(incident + 12, [CHAT], ALERT_AT, alertOf({ kind: "Acknowledged", reason: "acknowledged" }));
  }
  for (const _ of upTo(12)) others.enqueue(null, [CHAT], ALERT_AT, CLOCK_NOTICE);
  // The notices are one lane.
  for (const _ of upTo(13)) expect(exchange(others)[0]!.members).toHaveLength(1);
  expect(exchange(others)).toEqual([]);
});

test("R36, R39: behind an opening in a digest its recovery waits, until the digest is through", () => {
  const box = storm(11);
  for (const incident of upTo(11)) box.enqueue(incident, [CHAT], ALERT_AT, recovery(incident));
  const [digest] = exchange(box);
  const retry = (at: number): Ending[] =>
    idsOf(digest!).map((id) => ({ id, ending: "retry", nextAttemptAt: at, answer: "HTTP 500" }));
  const later = ALERT_AT + 2 * MINUTE;
  expect(exchange(box, retry(later))).toEqual([]);

  const [again] = exchange(box, [], later);
  expect(again).toMatchObject({ id: 1, reference: digest!.reference, attempts: 1 });
  const sent = idsOf(again!).map((id) => ({ id, ending: "sent", at: later, answer: "ok" }) as const);
  const [recovered] = exchange(box, sent, later);
  expect(idsOf(recovered!)).toEqual(upTo(11, 12));
  expect(box.database.query("select count(*) as sent from deliveries where outcome = 'sent'").get()).toEqual({
    sent: 11,
  });
});

test("R39: the same set bears the same name however often it is tried, another set another, and a single none of them", () => {
  const box = storm(11);
  const untried = ({ members }: Claim): Ending[] => members.map(({ id }) => ({ id, ending: "untried" }));
  const [digest] = exchange(box);
  const [again] = exchange(box, untried(digest!));
  expect([again!.reference, again!.thread]).toEqual([digest!.reference, digest!.thread]);
  expect(digest!.reference).toMatch(/^digest-[0-9a-f]{32}$/);
  expect(digest!.thread).not.toBe(digest!.reference);

  box.enqueue(12, [CHAT], ALERT_AT + 12, opening(12));
  const [more] = exchange(box, untried(again!));
  expect(idsOf(more!)).toEqual(upTo(12));
  expect(more!.reference).not.toBe(digest!.reference);
  const [single] = exchange(box, untried(more!), ALERT_AT + MINUTE, new Map());
  expect(single!.reference).toMatch(/^delivery-1-/);
});

test("R39: what was claimed and not tried stands as before, and what then goes by itself is marked with no digest", () => {
  const box = storm(11);
  const rows = () => box.database.query("select * from deliveries order by id").all();
  const before = rows();
  const [digest] = exchange(box);
  box.outbox.exchange(
    idsOf(digest!).map((id) => ({ id, ending: "untried" })),
    { now: ALERT_AT, busy: new Set(), limit: 0, each: 1, digests: DIGESTS, ...NOTHING_NEW },
  );
  expect(rows()).toEqual(before);

  exchange(box);
  box.outbox.releaseClaims();
  expect(marks(box)).toEqual(upTo(11).map(() => 1));
  expect(exchange(box, [], ALERT_AT + MINUTE, new Map()).map(idsOf)).toHaveLength(11);
  expect(marks(box)).toEqual(upTo(11).map(() => null));
});

test("R39: only what is due goes into a digest: nothing is held back and nothing is tried before its time", () => {
  const box = storm(14);
  for (const id of [3, 4])
    box.database.run("update deliveries set next_attempt_at = ? where id = ?", [ALERT_AT + MINUTE, id]);
  const [digest] = exchange(box, [], ALERT_AT + 30 * SECOND);
  expect(idsOf(digest!)).toEqual([1, 2, ...upTo(10, 5)]);
});

test("R39: a digest counts the fewest attempts and the newest creation of its deliveries", () => {
  const box = storm(11);
  box.database.run("update deliveries set attempts = id + 4");
  expect(exchange(box)[0]).toMatchObject({ attempts: 5, createdAt: ALERT_AT + 11 });
});

test("R39: one that cannot be read is given up, and the others go out as before", () => {
  const { database, enqueue } = openTestOutbox();
  const lines: unknown[] = [];
  const outbox = createOutbox(database, (...line) => lines.push(line));
  for (const incident of upTo(12)) enqueue(incident, [CHAT], ALERT_AT, alertOf({ openedAt: toIso(ALERT_AT) }));
  database.run("update alerts set data = '{' where id = 4");
  expect(exchange({ outbox }).map(idsOf)).toEqual([upTo(12).filter((id) => id !== 4)]);
  expect(lines).toEqual([["error", "delivery_given_up", { delivery: 4, destination: "chat", answer: "unreadable" }]]);
});
