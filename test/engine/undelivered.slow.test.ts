// What was given up is told another way (R36): to whom, once an hour for each destination, and never about itself. The
// engine and the outbox are real; nothing is sent.

import { describe, expect, test } from "bun:test";
import { HOUR, type Instant, MINUTE, SECOND } from "../../src/domain/time.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { byHand } from "../support/alerts.ts";
import { MESSAGES, TEAM_MAIL } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const ADA = { name: "Ada", email: "ada@example.org", events: ["InitialFailure"] } as const;
const BOB = { name: "Bob", email: "bob@example.org", events: ["InitialFailure"] } as const;

const DESTINATIONS = new Map([
  ["chat", MESSAGES],
  ["email", TEAM_MAIL],
  ["hook", MESSAGES],
  ["ops", MESSAGES],
]);

const policyTo = (...destinations: string[]) =>
  policyWith({
    team: { name: null, destinations: ["ops"], members: [ADA, BOB] },
    destinations: DESTINATIONS,
    prod: { destinations },
  });

const hourly = { schedule: "0 * * * *", kind: "fail", message: "disk full" } as const;

/** Ends all that may be attempted: at these destinations, or for these recipients, it is given up; elsewhere sent. */
function endAll(service: Service, givenUpAt: readonly string[], at: Instant = service.now): void {
  const outbox = createOutbox(service.store.database, () => {});
  const hand = byHand(outbox);
  for (;;) {
    const claimed = hand.claim(at);
    if (claimed.length === 0) return;
    for (const { id, destination, recipient } of claimed)
      if (givenUpAt.includes(destination) || givenUpAt.includes(recipient ?? "")) hand.giveUp(id, at, "HTTP 400");
      else hand.sent(id, at, "HTTP 204");
  }
}

/** Looks once a minute, for this long. */
function watch(service: Service, milliseconds: number): void {
  for (const end = service.now + milliseconds; service.now < end; ) service.look(service.now + MINUTE);
}

const told = (service: Service) =>
  service
    .notices()
    .flatMap(({ data: { notice }, destinations }) => (notice.kind === "undelivered" ? [{ notice, destinations }] : []));

test("R36: what a destination did not take is told once through the others of its monitors", async () => {
  using service = openService(policyTo("chat", "hook"));
  await service.send(ping({ ...hourly, monitorKey: "a" }), ping({ ...hourly, monitorKey: "b" }));
  endAll(service, ["chat"], NOON + SECOND);
  service.look(NOON + 59 * SECOND);
  expect(told(service)).toEqual([]);
  watch(service, 3 * MINUTE);
  expect(told(service)).toEqual([
    {
      destinations: ["hook"],
      notice: {
        kind: "undelivered",
        removed: false,
        destination: "chat",
        since: "2026-03-02T12:00:00.000Z",
        answer: "HTTP 400",
        messagesTotal: 2,
        monitorsTotal: 2,
        monitors: ["a", "b"].map((key, index) => ({
          applicationId: "prod",
          monitorKey: key,
          name: key.toUpperCase(),
          timezone: "UTC",
          messagesTotal: 1,
          messages: [
            {
              deliveryId: String(2 * index + 1),
              recipient: null,
              kind: "InitialFailure",
              at: "2026-03-02T12:00:00.000Z",
            },
          ],
        })),
      },
    },
  ]);
  expect(service.logged.at(-1)).toMatchObject({
    level: "info",
    event: "notice",
    fields: { notice: "undelivered", deliveries: 1 },
  });
});

test("R36: of one destination it is told once an hour at most, and a restart forgets nothing", async () => {
  using service = openService(policyTo("chat", "hook"));
  await service.send(ping(hourly));
  endAll(service, ["chat"]);
  watch(service, 2 * MINUTE);
  expect(told(service)).toHaveLength(1);

  await service.send(ping({ ...hourly, monitorKey: "later" }));
  endAll(service, ["chat"]);
  service.restart();
  watch(service, 58 * MINUTE);
  expect(told(service)).toHaveLength(1);
  watch(service, 3 * MINUTE);
  expect(told(service).slice(1)).toMatchObject([{ notice: { messagesTotal: 1, monitors: [{ monitorKey: "later" }] } }]);
  watch(service, 2 * HOUR);
  expect(told(service)).toHaveLength(2);
});

test("R36: where the monitor has no other destination that works, the team's hears of it, else any that works", async () => {
  const cases: [failing: string[], heard: string][] = [
    [[], "ops"],
    [["ops"], "email"],
    [["ops", "email"], "hook"],
  ];
  for (const [failing, heard] of cases) {
    using service = openService(policyTo("chat"));
    for (const name of ["chat", ...failing]) service.failing.set(name, "connection refused");
    await service.send(ping(hourly));
    endAll(service, ["chat"]);
    watch(service, 2 * MINUTE);
    expect(told(service).map(({ destinations }) => destinations)).toEqual([[heard]]);
  }
});

test("R36: when no other works now, it waits where the monitor's alerts go until one may again", async () => {
  using service = openService(policyTo("chat", "hook"));
  for (const name of DESTINATIONS.keys()) service.failing.set(name, "connection refused");
  await service.send(ping(hourly));
  endAll(service, ["chat"]);
  watch(service, 2 * MINUTE);
  expect(told(service).map(({ destinations }) => destinations)).toEqual([["hook"]]);
});

test("R36: without another destination the log tells of it as loudly as it can", async () => {
  using service = openService(policyWith());
  await service.send(ping(hourly));
  endAll(service, ["hook"]);
  watch(service, 2 * MINUTE);
  expect(told(service).map(({ destinations }) => destinations)).toEqual([[]]);
  expect(service.logged.at(-1)).toMatchObject({
    level: "error",
    event: "notice",
    fields: { notice: "undelivered", deliveries: 0 },
  });
});

test("R36: what one recipient did not get is told to the others of the same destination", async () => {
  using service = openService(policyTo("email"));
  await service.send(ping(hourly));
  endAll(service, [ADA.email]);
  watch(service, 2 * MINUTE);
  expect(told(service)).toMatchObject([{ destinations: ["email"], notice: { messagesTotal: 1 } }]);
  const recipients = service.store.database.query("select recipient from deliveries where incident_id is null").all();
  expect(recipients).toEqual([{ recipient: BOB.email }]);
});

test("R36: a notice of this kind that is given up calls for no other, however long that goes on", async () => {
  using service = openService(policyTo("chat", "hook"));
  await service.send(ping(hourly));
  endAll(service, ["chat"]);
  watch(service, 2 * MINUTE);
  expect(told(service)).toHaveLength(1);
  endAll(service, ["hook"]);
  watch(service, 3 * HOUR);
  expect(told(service)).toHaveLength(1);
  expect(service.store.undelivered.destinations()).toEqual([]);
});

test("R36: other notices that were given up count; a test somebody waits for does not", async () => {
  using service = openService(policyTo("chat", "hook"));
  await service.send(ping({ ...hourly, kind: "heartbeat" }));
  service.engine.operate("notify test", { destination: "chat" });
  endAll(service, ["chat"]);
  watch(service, 3 * MINUTE);
  expect(told(service)).toEqual([]);

  service.standStill(2 * HOUR);
  watch(service, 5 * MINUTE);
  expect(service.notices().map(({ data }) => data.notice.kind)).toEqual(["unheard", "unheard"]);
  endAll(service, ["chat"]);
  watch(service, 2 * MINUTE);
  expect(told(service)).toMatchObject([
    { destinations: ["ops"], notice: { messagesTotal: 1, monitorsTotal: 0, monitors: [] } },
  ]);
});

test("R36: what was lost about a monitor that is gone since is told by the name it had", async () => {
  using service = openService(policyTo("chat", "hook"));
  await service.send(ping({ ...hourly, monitorKey: "a" }));
  endAll(service, ["chat"], NOON + SECOND);
  granted(service.engine.operate("monitor delete", { key: "a" }));
  watch(service, 3 * MINUTE);
  const first = { kind: "InitialFailure", recipient: null };
  const monitors = [{ applicationId: "prod", monitorKey: "a", name: "A", timezone: "UTC" }];
  expect(told(service)).toMatchObject([
    { destinations: ["hook"], notice: { destination: "chat", monitorsTotal: 1, monitors } },
  ]);
  expect(told(service)[0]!.notice.monitors[0]!.messages[0]).toMatchObject(first);
});

test("R36: what cannot be read is told of by its number alone", async () => {
  using service = openService(policyTo("chat", "hook"));
  await service.send(ping(hourly));
  service.store.database.run("update alerts set data = '{'");
  endAll(service, []);
  watch(service, 2 * MINUTE);
  expect(told(service)).toMatchObject([
    { notice: { destination: "chat", messagesTotal: 1, answer: "unreadable", monitors: [] } },
    { notice: { destination: "hook", messagesTotal: 1, answer: "unreadable", monitors: [] } },
  ]);
});

describe("R36: of very many messages that were given up", () => {
  const MANY = 1_100;

  /** All of them given up at `chat` in the same minute. */
  async function withMany(): Promise<Service> {
    const service = openService(policyTo("chat", "hook"));
    await service.send(ping(hourly));
    endAll(service, ["chat"]);
    const { database } = service.store;
    const columns = "incident_id, destination, created_at, attempts, finished_at, outcome, answer, monitor_id";
    database.run(
      `WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${MANY})
       INSERT INTO deliveries (alert_id, untold, ${columns}) SELECT alert_id, n, ${columns}
       FROM numbers, (SELECT * FROM deliveries WHERE destination = 'chat')`,
    );
    return service;
  }

  /** The next of the same kind. */
  async function giveUpOneMore(service: Service): Promise<void> {
    await service.send(ping({ ...hourly, monitorKey: "later" }));
    endAll(service, ["chat"]);
  }

  const totals = (service: Service): number[] => told(service).map(({ notice }) => notice.messagesTotal);

  const left = ({ store: { database } }: Service): unknown[] =>
    database.query("select id from deliveries where untold is not null union select up_to from undelivered_told").all();

  test.each([
    ["whatever is given up meanwhile", false],
    ["wherever the process dies meanwhile", true],
  ])("none is told twice and none is lost, %s", async (_title, dies) => {
    const seen = new Set<string>();
    for (let turns = 1, isOver = false; !isOver; turns += 1) {
      using service = await withMany();
      service.at(NOON + 2 * MINUTE);
      service.engine.tick();
      for (let turn = 0; turn < turns; turn += 1) isOver = !service.endTurn();
      await giveUpOneMore(service);
      if (dies) service.restart();
      watch(service, 68 * MINUTE);
      expect(totals(service).reduce((sum, total) => sum + total, 0)).toBe(MANY + 1);
      expect(left(service)).toEqual([]);
      seen.add(totals(service).join(" and "));
    }
    expect([...seen].sort()).toEqual(dies ? [`${MANY} and 1`, `${MANY + 1}`] : [`${MANY} and 1`]);
  });

  test("all are told, the oldest thousand by name, and a turn of the event loop takes some of them", async () => {
    using service = await withMany();
    service.at(NOON + 2 * MINUTE);
    service.engine.tick();
    let turns = 0;
    while (service.endTurn()) turns += 1;
    expect(turns).toBeGreaterThan(8);
    const [{ notice }] = told(service) as [ReturnType<typeof told>[number]];
    expect(notice).toMatchObject({ messagesTotal: MANY, monitorsTotal: 1, answer: "HTTP 400" });
    expect(notice.monitors.flatMap(({ messages }) => messages)).toHaveLength(1_000);
  });

  test("none is told twice when it cannot be told at first, or cannot be marked as told", async () => {
    using service = await withMany();
    const { database } = service.store;
    database.run("CREATE TRIGGER refuse BEFORE INSERT ON alerts BEGIN SELECT RAISE(ABORT, 'no'); END");
    watch(service, 2 * MINUTE);
    expect(totals(service)).toEqual([]);
    database.run("DROP TRIGGER refuse");
    database.run(
      `CREATE TRIGGER refuse BEFORE UPDATE OF untold ON deliveries WHEN old.untold = 700 AND new.untold IS NULL
       BEGIN SELECT RAISE(ABORT, 'no'); END`,
    );
    watch(service, 2 * MINUTE);
    await giveUpOneMore(service);
    watch(service, 2 * HOUR);
    expect(totals(service)).toEqual([MANY]);
    expect(left(service).length).toBeGreaterThan(100);
    database.run("DROP TRIGGER refuse");
    watch(service, 2 * MINUTE);
    expect([totals(service), left(service)]).toEqual([[MANY, 1], []]);
  });
});

test("R36: what waited at a destination that was taken out of the configuration is told as that", async () => {
  using service = openService(policyTo("chat", "hook"));
  await service.send(ping({ ...hourly, monitorKey: "a" }));
  const left = new Map([...DESTINATIONS].filter(([name]) => name !== "chat"));
  service.reload({ ...policyTo("hook"), destinations: left });
  endAll(service, ["chat"], NOON + SECOND);
  watch(service, 3 * MINUTE);
  expect(told(service)).toMatchObject([
    { destinations: ["hook"], notice: { kind: "undelivered", removed: true, destination: "chat", messagesTotal: 1 } },
  ]);
});
