// A digest of more alerts than anybody would read (R39): it names the first and counts the others, which are read a
// piece at a time. Over real tables; no sending.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { type DigestMessage, NAMED_MAX } from "../../src/domain/message/digest.ts";
import { MINUTE, SECOND } from "../../src/domain/time.ts";
import type { Claim, Ending, GatheredClaim } from "../../src/engine/api.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { ALERT_AT, alertOf, NOTHING_NEW, openTestOutbox, type TestOutbox, toHook } from "../support/alerts.ts";

const CHAT = toHook("chat");
const ADA = { destination: "email", recipient: "ada@example.org" };
const MOST = 20;
const LATER = ALERT_AT + MINUTE;
const WANTED = {
  ...{ now: LATER, busy: new Set<string>(), limit: 16, each: 16 },
  ...{ digests: new Map(["chat", "email"].map((name) => [name, MOST])), ...NOTHING_NEW },
};

const exchange = ({ outbox }: TestOutbox, endings: readonly Ending[] = [], changes: Partial<typeof WANTED> = {}) =>
  outbox.exchange(endings, { ...WANTED, ...changes }).claimed;

/** As the notifier gathers it. */
function gathered({ outbox }: TestOutbox, claim: Claim, alone: ReadonlySet<number> = new Set()): Claim {
  let whole = claim;
  while (whole.more !== null) whole = withPiece(whole, outbox.gather(whole, LATER, alone));
  return whole;
}

const withPiece = ({ members }: Claim, { claim, added }: GatheredClaim): Claim => ({
  ...claim,
  members: [...members, ...added],
});

const alertFor = (monitor: number, kind: "InitialFailure" | "Recovered" = "InitialFailure") =>
  alertOf(
    {
      monitorKey: `job-${monitor}`,
      incidentId: String(monitor),
      kind,
      reason: kind === "Recovered" ? "success" : "opened",
    },
    ALERT_AT + monitor,
  );

function storm(count: number, routes = [CHAT]): TestOutbox {
  const box = openTestOutbox();
  box.database.transaction(() => {
    for (let monitor = 1; monitor <= count; monitor++) box.enqueue(monitor, routes, ALERT_AT, alertFor(monitor));
  })();
  return box;
}

const digestIn = ({ message }: Claim): DigestMessage["data"] => (message as DigestMessage).data;

const idsOf = ({ members }: Claim): number[] => members.map(({ id }) => id);

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** As the notifier stores it: those that are not named have not been claimed. */
const sentOf = (claim: Claim): Ending[] =>
  idsOf(claim).map((id, place) => ({
    ...{ id, ending: "sent", at: LATER, answer: "ok" },
    ...(place < MOST ? {} : { digestId: claim.id }),
  }));

test("R39: up to a thousand are named one by one, in as many digests as it takes", () => {
  const [claim] = exchange(storm(NAMED_MAX));
  expect([claim!.more, idsOf(claim!).length, digestIn(claim!).others]).toEqual([null, MOST, null]);
});

test("R39: more than a thousand are one digest, which names the first, counts all, and marks every row", () => {
  const count = NAMED_MAX + 300;
  const box = storm(count);
  const [claim, ...none] = exchange(box);
  expect(none).toEqual([]);
  const whole = gathered(box, claim!);
  expect(idsOf(whole).toSorted((a, b) => a - b)).toEqual(upTo(count));
  const { alerts, others } = digestIn(whole);
  expect(alerts.map(({ data }) => data.monitorKey)).toEqual(upTo(MOST).map((monitor) => `job-${monitor}`));
  expect(others).toMatchObject({ count: count - MOST, causes: { missed: count - MOST } });
  expect(exchange(box, sentOf(whole))).toEqual([]);
  const rows = box.database.query(
    "select digest_id as digest, outcome, attempts, count(*) as rows from deliveries group by 1, 2, 3",
  );
  expect(rows.all()).toEqual([{ digest: 1, outcome: "sent", attempts: 1, rows: count }]);
});

test("R39: it is one message for each recipient, and openings do not share it with recoveries", () => {
  const count = NAMED_MAX + 1;
  const box = storm(count, [CHAT, ADA, { ...ADA, recipient: "bob@example.org" }]);
  // Each waits behind its opening.
  for (const monitor of upTo(20)) box.enqueue(monitor, [CHAT], ALERT_AT, alertFor(monitor, "Recovered"));
  const found: string[] = [];
  for (let claims = exchange(box); claims.length > 0; ) {
    const wholes = claims.map((claim) => gathered(box, claim));
    for (const whole of wholes)
      found.push(`${whole.destination} ${whole.recipient} ${digestIn(whole).kind} ${idsOf(whole).length}`);
    claims = exchange(box, wholes.flatMap(sentOf));
  }
  expect(found.toSorted()).toEqual([
    `chat null opened ${count}`,
    "chat null recovered 20",
    `email ada@example.org opened ${count}`,
    `email bob@example.org opened ${count}`,
  ]);
});

test("R36: of those that it counts, one whose ending cannot be stored keeps no other from being stored", () => {
  const box = storm(NAMED_MAX + 1);
  const lines: unknown[] = [];
  const outbox = createOutbox(box.database, (...line) => lines.push(line));
  const whole = gathered(box, exchange(box)[0]!);
  const spoiled = whole.members.at(-2)!.id;
  box.database.run(
    `create trigger spoiled before update of finished_at on deliveries when new.id = ${spoiled}
     begin select raise(abort, 'spoiled'); end`,
  );
  outbox.exchange(sentOf(whole), { ...WANTED, busy: new Set(["chat"]) });
  expect(lines).toMatchObject([["error", "ending_not_stored", { delivery: spoiled, ending: "sent" }]]);
  expect(box.database.query("select id from deliveries where finished_at is null").all()).toEqual([{ id: spoiled }]);
});

test("R36, R39: while its endings are stored a piece at a time, nothing is claimed there, and what follows goes out after it", () => {
  const box = storm(NAMED_MAX + 1);
  const whole = gathered(box, exchange(box)[0]!);
  // Behind one that the digest names, and behind one that it counts.
  for (const monitor of [1, NAMED_MAX]) box.enqueue(monitor, [CHAT], LATER, alertFor(monitor, "Recovered"));
  const endings = sentOf(whole);
  const busy = new Set(["chat"]);
  expect(exchange(box, endings.slice(0, 601), { busy })).toEqual([]);
  // Both are due now, and only the first goes: fewer than eleven do not share a message.
  const recovered = NAMED_MAX + 2;
  expect(exchange(box, endings.slice(601)).map(idsOf)).toEqual([[recovered]]);
  const sent = { id: recovered, ending: "sent", at: LATER, answer: "ok" } as const;
  expect(exchange(box, [sent]).map(idsOf)).toEqual([[recovered + 1]]);
});

test("R39: the same set bears the same name in whatever pieces and order it is claimed, and another set another", () => {
  const box = storm(NAMED_MAX + 1);
  const first = gathered(box, exchange(box)[0]!);
  const untried = (claim: Claim): Ending[] =>
    idsOf(claim)
      .slice(0, MOST)
      .map((id) => ({ id, ending: "untried" }));
  exchange(box, untried(first), { limit: 0 });
  box.database.run("update deliveries set next_attempt_at = ? - id", [LATER]);
  const again = gathered(box, exchange(box)[0]!);
  expect(idsOf(again)[0]).not.toBe(idsOf(first)[0]);
  expect([again.reference, again.thread]).toEqual([first.reference, first.thread]);
  box.enqueue(NAMED_MAX + 2, [CHAT], ALERT_AT, alertFor(NAMED_MAX + 2));
  const more = gathered(box, exchange(box, untried(again))[0]!);
  expect(more.reference).not.toBe(first.reference);
});

test("R36: a process that is gone in the middle leaves nothing claimed and loses nothing", () => {
  const box = storm(NAMED_MAX + 600);
  const { claim: part } = box.outbox.gather(exchange(box)[0]!, LATER, new Set());
  expect(part.more).not.toBeNull();
  box.outbox.releaseClaims();
  const whole = gathered(box, exchange(box)[0]!);
  expect(idsOf(whole).toSorted((a, b) => a - b)).toEqual(upTo(NAMED_MAX + 600));
  // And one that is gone while the endings are stored repeats those alone that were not.
  const stored = sentOf(whole).slice(0, 101);
  exchange(box, stored, { limit: 0 });
  box.outbox.releaseClaims();
  const sent = new Set(stored.flatMap(({ id, ending }) => (ending === "sent" ? [id] : [])));
  expect(idsOf(gathered(box, exchange(box)[0]!)).toSorted((a, b) => a - b)).toEqual(
    upTo(NAMED_MAX + 600).filter((id) => !sent.has(id)),
  );
});

test("R39: while monitors are being settled it waits, half a minute at most, and counts those too", () => {
  const box = storm(NAMED_MAX + 1);
  let settling = true;
  const engine = { deliveriesEnded: () => {}, worksAgain: () => {}, isSettling: () => settling };
  const busy = { ...box, outbox: createOutbox(box.database, () => {}, engine) };
  const [claim] = exchange(busy);
  const atLast = claim!.createdAt + 30 * SECOND;
  expect(busy.outbox.gather(claim!, atLast - 1, new Set())).toEqual({ claim: claim!, added: [] });
  expect(busy.outbox.gather(claim!, atLast, new Set()).added.length).toBeGreaterThan(0);
  for (const monitor of [NAMED_MAX + 2, NAMED_MAX + 3]) box.enqueue(monitor, [CHAT], ALERT_AT, alertFor(monitor));
  settling = false;
  expect(idsOf(gathered(busy, claim!)).toSorted((a, b) => a - b)).toEqual(upTo(NAMED_MAX + 3));
});

test("R36: between two pieces anything may happen to those not yet claimed: each is told once, as it is then", () => {
  const others = NAMED_MAX + 100 - MOST;
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ monitor: fc.integer({ min: 1, max: NAMED_MAX + 100 }), what: fc.constantFrom("done", "later") }),
        {
          maxLength: 8,
        },
      ),
      (events) => {
        const box = storm(NAMED_MAX + 100);
        let whole = exchange(box)[0]!;
        const claimed = () => new Set(idsOf(whole));
        const missing = new Set<number>();
        for (const { monitor, what } of events) {
          if (claimed().has(monitor)) continue;
          missing.add(monitor);
          if (what === "later")
            exchange(box, [{ id: monitor, ending: "retry", nextAttemptAt: LATER + 1, answer: "" }], { limit: 0 });
          else exchange(box, [{ id: monitor, ending: "sent", at: LATER, answer: "" }], { limit: 0 });
          if (whole.more !== null) whole = withPiece(whole, box.outbox.gather(whole, LATER, new Set()));
        }
        whole = gathered(box, whole);
        expect(idsOf(whole).length).toBe(new Set(idsOf(whole)).size);
        expect(idsOf(whole).toSorted((a, b) => a - b)).toEqual(upTo(NAMED_MAX + 100).filter((id) => !missing.has(id)));
        expect(digestIn(whole).others!.count).toBe(others - missing.size);
        box.database.close();
      },
    ),
    {
      numRuns: 10,
      examples: [
        [
          [
            { monitor: 900, what: "done" },
            { monitor: 1_000, what: "later" },
          ],
        ],
      ],
    },
  );
});

test("R39: what was refused in a digest is in none, and those beside it go on", () => {
  const box = storm(NAMED_MAX + MOST + 1);
  const alone = new Set(upTo(MOST));
  for (const id of upTo(MOST)) expect(exchange(box, [], { alone }).map(idsOf)).toEqual([[id]]);
  const [claim] = exchange(box, [], { alone });
  expect(idsOf(gathered(box, claim!, alone)).length).toBe(NAMED_MAX + 1);
});
