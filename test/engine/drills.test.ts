// Drills through the engine: when one goes out and where, what a restart, a pause and our own absence mean for it, and
// that one that failed is told elsewhere.

import { describe, expect, test } from "bun:test";
import { isRefusal } from "../../src/domain/errors.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { byHand } from "../support/alerts.ts";
import { MESSAGES, TEAM_MAIL } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { monitorsInStatus } from "../support/sync-status.ts";

const MONTH = 30 * DAY;
const DRILLED = { drillEverySeconds: MONTH / SECOND, schedule: "0 0 29 2 *" };
const ADA = { name: "Ada", email: "ada@example.org", events: ["InitialFailure"] } as const;
const BOB = { name: "Bob", email: "bob@example.org", events: [] } as const;

const POLICY = policyWith({
  team: { name: null, destinations: ["hook"], members: [ADA, BOB] },
  destinations: new Map([
    ["hook", MESSAGES],
    ["email", TEAM_MAIL],
    ["ops", MESSAGES],
  ]),
  monitors: { job: { ...DRILLED, destinations: ["hook", "email"] }, other: { schedule: "0 0 29 2 *" } },
});

interface Row {
  readonly type: string;
  readonly destination: string;
  readonly recipient: string | null;
}

const rowsOf = (service: Service): Row[] =>
  service.store.database
    .query<Row, []>("select type, destination, recipient from deliveries join alerts on alerts.id = alert_id")
    .all();

/** As a notifier that has just started. */
function handOf(service: Service) {
  const outbox = createOutbox(service.store.database, () => {});
  outbox.releaseClaims();
  return byHand(outbox);
}

/** Ends every delivery that may go, as the test says for its destination. */
function endAll(service: Service, how: Readonly<Record<string, "sent" | "given_up">>): void {
  const hand = handOf(service);
  for (;;) {
    const claimed = hand.claim(service.now);
    if (claimed.length === 0) return;
    for (const { id, destination } of claimed)
      if (how[destination] === "sent") hand.sent(id, service.now, "HTTP 204");
      else hand.giveUp(id, service.now, "HTTP 404");
  }
}

function drillOf(service: Service, key = "job") {
  const shown = service.engine.operate("monitor show", { application: "prod", key });
  if (isRefusal(shown)) throw new Error(shown.message);
  return shown.drill;
}

const drills = (service: Service): number => rowsOf(service).filter(({ type }) => type === "destination.test").length;

test("a drill goes out so long after the monitor was made, to where its alerts go, and then again", () => {
  using service = openService(POLICY);
  service.look(NOON + MONTH - MINUTE);
  expect(rowsOf(service)).toEqual([]);
  expect(drillOf(service)).toEqual({ everySeconds: MONTH / SECOND, dueAt: NOON + MONTH, last: null });
  service.look(NOON + MONTH);
  // As an opening goes: Bob has left those out.
  expect(rowsOf(service)).toEqual([
    { type: "destination.test", destination: "hook", recipient: null },
    { type: "destination.test", destination: "email", recipient: ADA.email },
  ]);
  expect(service.logged).toContainEqual({
    level: "info",
    event: "drill",
    fields: { application: "prod", monitor: "job", deliveries: 2 },
  });
  expect(handOf(service).claim(service.now)[0]!.message).toMatchObject({
    type: "destination.test",
    data: { monitorKey: "job", test: { kind: "drill", destinations: ["hook", "email"] } },
  });
  service.restart();
  endAll(service, { hook: "sent", email: "sent" });
  service.look(NOON + 2 * MONTH - MINUTE);
  expect(drills(service)).toBe(2);
  service.look(NOON + 2 * MONTH);
  expect(drills(service)).toBe(4);
});

test("what became of it is shown", () => {
  using service = openService(POLICY);
  const at = NOON + MONTH;
  service.look(at);
  expect(drillOf(service)).toMatchObject({ dueAt: at + MONTH, last: { at, outcome: null, deliveries: [{}, {}] } });
  endAll(service, { hook: "sent", email: "sent" });
  service.look(at + MINUTE);
  const delivered = { state: "sent", answer: "HTTP 204" };
  expect(drillOf(service)).toMatchObject({ last: { outcome: "delivered", deliveries: [delivered, delivered] } });
  expect(service.notices()).toEqual([]);
  expect(drillOf(service, "other")).toBeNull();
});

test("one that was missed while we were down goes out once, at the next look, and raises nothing by that", () => {
  using service = openService(POLICY);
  service.kill();
  service.at(NOON + 10 * MONTH);
  service.start();
  service.look(NOON + 10 * MONTH + SECOND);
  service.look(NOON + 10 * MONTH + MINUTE);
  expect(drills(service)).toBe(2);
  endAll(service, { hook: "sent", email: "sent" });
  service.look(NOON + 10 * MONTH + HOUR);
  expect(drills(service)).toBe(2);
  expect(service.notices()).toEqual([]);
});

test("no other goes out while what became of the last is open", () => {
  using service = openService(POLICY);
  service.look(NOON + MONTH);
  service.look(NOON + 2 * MONTH);
  expect(drills(service)).toBe(2);
  endAll(service, { hook: "sent", email: "sent" });
  service.look(NOON + 2 * MONTH + MINUTE);
  service.look(NOON + 2 * MONTH + 2 * MINUTE);
  expect(drills(service)).toBe(4);
});

describe("a drill that was given up is told", () => {
  test("where it did arrive, by mail to every member, once", () => {
    using service = openService(POLICY);
    service.look(NOON + MONTH);
    endAll(service, { email: "sent" });
    service.look(NOON + MONTH + MINUTE);
    const addresses = [
      { destination: "hook", recipient: null, delivered: false, answer: "HTTP 404" },
      { destination: "email", recipient: ADA.email, delivered: true, answer: "HTTP 204" },
    ];
    expect(service.notices()).toMatchObject([
      { data: { notice: { kind: "drill", monitor: { monitorKey: "job" }, addresses } }, destinations: ["email"] },
    ]);
    expect(
      rowsOf(service)
        .slice(2)
        .map(({ recipient }) => recipient),
    ).toEqual([ADA.email, BOB.email]);
    expect(drillOf(service)).toMatchObject({ last: { outcome: "failed" } });
    service.look(NOON + MONTH + HOUR);
    service.restart();
    service.look(NOON + MONTH + 2 * HOUR);
    expect(service.notices()).toHaveLength(1);
  });

  test("through another destination that works, when it arrived nowhere", () => {
    using service = openService(POLICY);
    service.failing.set("hook", "HTTP 404");
    service.look(NOON + MONTH);
    endAll(service, {});
    service.look(NOON + MONTH + MINUTE);
    // Bob was not told, so his mail may still work; what failed for Ada does not go there again.
    expect(service.notices()).toMatchObject([{ destinations: ["email"] }]);
    expect(rowsOf(service).at(-1)).toMatchObject({ destination: "email", recipient: BOB.email });
  });

  test("but not through one that takes nothing itself", () => {
    const { destinations, team } = POLICY;
    const order = new Map(["ops", "email", "hook"].map((name) => [name, destinations.get(name)!]));
    const monitors = { job: { ...DRILLED, destinations: ["hook"] } };
    using service = openService(policyWith({ team, destinations: order, monitors }));
    service.failing.set("ops", "connection refused");
    service.look(NOON + MONTH);
    endAll(service, {});
    service.look(NOON + MONTH + MINUTE);
    expect(service.notices()).toMatchObject([{ destinations: ["email"] }]);
  });

  test("when the monitor has nowhere to go, and to the log where nobody else has", () => {
    const monitors = { job: { ...DRILLED, destinations: [] } };
    using service = openService(policyWith({ monitors }));
    service.look(NOON + MONTH);
    expect(service.logged.filter(({ event }) => event === "drill")).toMatchObject([
      { level: "error", fields: { deliveries: 0 } },
    ]);
    service.look(NOON + MONTH + MINUTE);
    expect(service.notices()).toMatchObject([{ data: { notice: { addresses: [] } }, destinations: ["hook"] }]);

    using silent = openService(policyWith({ monitors, destinations: new Map() }));
    silent.look(NOON + MONTH);
    silent.look(NOON + MONTH + MINUTE);
    expect(silent.logged.filter(({ event }) => event === "notice")).toMatchObject([
      { level: "error", fields: { notice: "drill", deliveries: 0 } },
    ]);
  });
});

test("a paused monitor is left in peace; the drill goes out when the pause is over", () => {
  using service = openService(POLICY);
  service.engine.operate("monitor pause", { application: "prod", key: "job" });
  service.look(NOON + MONTH + DAY);
  expect(drills(service)).toBe(0);
  service.engine.operate("monitor resume", { application: "prod", key: "job" });
  service.look(NOON + MONTH + DAY + MINUTE);
  expect(drills(service)).toBe(2);
});

test("a monitor that does not exist yet drills nothing, and the log says so; with its first report it counts", async () => {
  using service = openService(policyWith({ monitors: { job: { drillEverySeconds: MONTH / SECOND } } }));
  service.look(NOON + SECOND);
  const warnings = () => service.logged.filter(({ event }) => event === "drill_without_monitor");
  expect(warnings()).toMatchObject([{ level: "warn", fields: { application: "prod", monitor: "job" } }]);
  service.look(NOON + MONTH);
  expect(drills(service)).toBe(0);
  await service.send(ping({ schedule: "0 0 29 2 *" }));
  service.look(NOON + 2 * MONTH);
  expect(drills(service)).toBe(1);
  expect(warnings()).toHaveLength(1);
});

test("R30: sync status leaves drill monitors out, and nobody else", () => {
  using service = openService(POLICY);
  const caller = { applicationId: 1, application: "prod", keyId: 1, scope: "all" } as const;
  expect(monitorsInStatus(service.engine, caller).map(({ key }) => key)).toEqual(["other"]);
  const list = service.engine.operate("monitor list", { application: "prod" });
  expect(isRefusal(list) ? [] : list.monitors.map(({ key }) => key)).toEqual(["job", "other"]);
});

test("R25: what is known of drills goes with the monitor", () => {
  using service = openService(POLICY);
  service.look(NOON + MONTH);
  service.engine.operate("monitor delete", { application: "prod", key: "job" });
  service.look(NOON + MONTH + HOUR);
  expect(service.count("drills")).toBe(1);
  service.look(NOON + MONTH + 8 * DAY);
  service.look(NOON + MONTH + 8 * DAY + HOUR);
  expect(service.count("drills")).toBe(0);
  expect(service.notices()).toEqual([]);
});
