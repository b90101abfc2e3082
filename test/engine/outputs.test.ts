// What is kept of failing jobs' output (R46) in the database: once, as long as its report, and read with the alerts
// that it explains.

import { expect, test } from "bun:test";
import { DAY, HOUR, MINUTE } from "../../src/domain/time.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { byHand } from "../support/alerts.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const HOURLY = { schedule: "0 * * * *" };
const JOB = { application: null, key: "job" };
const fail = (output: string | null, message = "failed") => ping({ kind: "fail", ...HOURLY, message, output });

/** The alerts that wait, as the notifier would get them, each delivered. */
function claimed(service: Service): { kind: string; output: string | null; outputAt: string | null }[] {
  const hand = byHand(createOutbox(service.store.database, () => {}));
  const all = [];
  for (;;) {
    const [claim] = hand.claim(service.now);
    if (claim === undefined) return all;
    hand.sent(claim.id, service.now, "HTTP 204");
    const { kind, output, outputAt } = claim.message.data as never;
    all.push({ kind, output, outputAt });
  }
}

test("R46: an output is stored once, and no alert or report repeats it", async () => {
  using service = openService();
  const output = "a line\n".repeat(100);
  await service.send(fail(output), fail(null));
  const bytes = (table: string, column: string): number =>
    service.store.database
      .query<{ n: number }, []>(`select coalesce(sum(length(${column})), 0) as n from ${table}`)
      .get()!.n;
  expect(bytes("outputs", "text")).toBe(output.length);
  expect(bytes("alerts", "data")).toBeLessThan(3_000);
  expect(service.store.database.query("select message from pings").all()).toEqual([
    { message: "failed" },
    { message: "failed" },
  ]);
  expect(claimed(service)).toEqual([{ kind: "InitialFailure", output, outputAt: "2026-03-02T12:00:00.000Z" }]);
});

test("R24, R46: a fail that a pause by hand held back brings its output when it is told", async () => {
  using service = openService();
  await service.send(ping(HOURLY));
  granted(service.engine.operate("monitor pause", { ...JOB, durationSeconds: 600 }));
  service.at(NOON + MINUTE);
  await service.send(fail("held back"));
  service.look(NOON + 11 * MINUTE);
  expect(claimed(service)).toMatchObject([{ kind: "InitialFailure", output: "held back" }]);
});

test("R43, R46: a fail that came late brings its output", async () => {
  using service = openService();
  await service.send(ping(HOURLY));
  service.at(NOON + 30 * MINUTE);
  await service.send({ ...fail("told late"), ageSeconds: 600 });
  expect(claimed(service)).toMatchObject([{ kind: "InitialFailure", output: "told late" }]);
});

test("R46: an alert has no output of an earlier incident, of another job, or of a later failure", async () => {
  using service = openService();
  await service.send(fail("first"), { ...fail("another's"), monitorKey: "other" });
  service.at(NOON + MINUTE);
  await service.send(ping());
  service.look(NOON + 2 * HOUR);
  service.at(NOON + 2 * HOUR + MINUTE);
  await service.send(fail("later"));
  const told = claimed(service);
  const outputs = told.filter(({ output }) => output !== null).map(({ output }) => output);
  // The last is of a new cause, in an incident that a miss has opened; another's has reminders.
  expect(outputs.filter((output) => output !== "another's")).toEqual(["first", "later"]);
  expect(told.map(({ kind }) => kind)).toContain("Recovered");
});

test("R46: an output goes with its report: the last failure and the last 20 reports stay", async () => {
  using service = openService();
  await service.send(fail("old"), fail("newest"));
  for (let count = 0; count < 25; count++) await service.send(ping());
  service.look(NOON + 91 * DAY);
  service.endTurns();
  service.look(NOON + 91 * DAY + HOUR);
  service.endTurns();
  expect(service.store.database.query("select text from outputs").all()).toEqual([{ text: "newest" }]);
  expect(granted(service.engine.operate("monitor show", JOB)).lastOutput).toEqual({
    at: NOON,
    text: "newest",
    ofLastFailure: true,
  });
});

test("R46: an output is not taken for one of a later failure that brought none", async () => {
  using service = openService();
  const ofLast = () => granted(service.engine.operate("monitor show", JOB)).lastOutput?.ofLastFailure;
  await service.send(fail("first"), ping());
  expect(ofLast()).toBe(true);
  await service.send(fail(null, "another"), ping());
  expect(ofLast()).toBe(false);
  await service.send(fail("third"));
  expect(ofLast()).toBe(true);
});

test("R25: with a deleted monitor its outputs go, and no other's", async () => {
  using service = openService();
  await service.send(fail("gone"), { ...fail("stays"), monitorKey: "other" });
  granted(service.engine.operate("monitor delete", JOB));
  claimed(service);
  for (const days of [7, 8, 9]) {
    service.look(NOON + days * DAY + HOUR);
    service.endTurns();
  }
  expect(service.count("monitors")).toBe(1);
  expect(service.store.database.query("select text from outputs").all()).toEqual([{ text: "stays" }]);
});

test("R46: an incident shows the outputs of its last ten failures, and an output survives a crash", async () => {
  using service = openService();
  for (let count = 1; count <= 12; count++) await service.send(fail(`output ${count}`));
  service.restart();
  const { reports } = granted(service.engine.operate("incident show", { id: 1 }));
  expect(reports.map(({ output }) => output)).toEqual([
    null,
    null,
    ...Array.from({ length: 10 }, (_, place) => `output ${place + 3}`),
  ]);
});

test("R46: a reload puts what is kept and hidden in force", () => {
  using service = openService();
  const caller = { applicationId: 1, application: "prod", keyId: 1, scope: "all" } as const;
  expect(service.engine.intake.outputRules(caller)).toBeNull();
  service.reload(policyWith({ prod: { keepOutput: true, mask: ["x+"] } }));
  const rules = service.engine.intake.outputRules(caller);
  expect([rules?.keep, rules?.hide("axxb")]).toEqual([true, "a***b"]);
  expect(service.engine.intake.outputRules({ ...caller, application: "other" })).toBeNull();
});
