// From an alert to its deliveries: one row per destination and recipient, by the precedence of R38, written with the
// state that raised it. Sending them is the notifier's.

import { describe, expect, test } from "bun:test";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import { DAY, HOUR, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { MESSAGES, TEAM_MAIL } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service, warningOf } from "../support/engine.ts";

const HOURLY = "0 * * * *";
const FAIL = ping({ kind: "fail", schedule: HOURLY, message: "disk full" });

const hook = MESSAGES;
const email = TEAM_MAIL;
const DESTINATIONS = new Map([
  ["email", email],
  ["hook", hook],
  ["ops", hook],
  ["pager", hook],
]);

/** `destination recipient` of every delivery, in the order of their rows. */
const lanes = ({ store }: Service): string[] =>
  store.database
    .query<{ lane: string }, []>(
      "select destination || coalesce(' ' || recipient, '') as lane from deliveries order by id",
    )
    .all()
    .map(({ lane }) => lane);

test("R38: the monitor's destinations win over its application's, and those over the team's", async () => {
  using service = openService(
    policyWith({
      destinations: DESTINATIONS,
      prod: { destinations: ["ops"] },
      monitors: { paged: { destinations: ["pager", "hook", "pager"] } },
    }),
  );
  await service.send({ ...FAIL, monitorKey: "paged" }, FAIL);
  expect(lanes(service)).toEqual(["pager", "hook", "ops"]);
  service.restart(policyWith({ destinations: DESTINATIONS }));
  // By now the team's destinations hear of both, and of the third.
  await service.send({ ...FAIL, monitorKey: "third" });
  expect(lanes(service)).toEqual(["pager", "hook", "ops", "hook", "hook"]);
});

test("R38: mail goes to every member whose preferences name that kind, each with a row of their own", async () => {
  const members = [
    { name: "Ada", email: "ada@example.org", events: ["InitialFailure", "Recovered"] as const },
    { name: "Bob", email: "bob@example.org", events: ["InitialFailure"] as const },
    { name: "Cyd", email: "cyd@example.org", events: ["Recovered"] as const },
  ];
  using service = openService(
    policyWith({ destinations: DESTINATIONS, team: { name: null, destinations: ["email", "hook"], members } }),
  );
  await service.send(FAIL, ping());
  expect(lanes(service)).toEqual([
    "email ada@example.org",
    "email bob@example.org",
    "hook",
    "email ada@example.org",
    "email cyd@example.org",
    "hook",
  ]);
});

test("R38: the end goes where the trouble was told, also when no list names that any more", async () => {
  const named = (...destinations: string[]) => policyWith({ destinations: DESTINATIONS, prod: { destinations } });
  using service = openService(named("pager", "ops"));
  await service.send(FAIL);
  service.reload(named("hook"));
  // The hook is told of what stands (R38: owed).
  expect(lanes(service)).toEqual(["pager", "ops", "hook"]);
  await service.send(ping({ kind: "fail", monitorKey: "other", schedule: HOURLY }), ping());
  expect(lanes(service)).toEqual(["pager", "ops", "hook", "hook", "hook", "pager", "ops"]);
  await service.send(ping({ kind: "fail" }));
  const { ops: _, ...others } = Object.fromEntries(DESTINATIONS);
  service.reload(policyWith({ destinations: new Map(Object.entries(others)), prod: { destinations: ["pager"] } }));
  await service.send(ping());
  expect(lanes(service).slice(7)).toEqual(["hook", "pager", "pager", "pager", "hook"]);
});

test("R36: an alert and its deliveries are one commit with the state, and the notifier is told once of all", async () => {
  using service = openService();
  const answers = [service.engine.intake.ingest(FAIL), service.engine.intake.ingest({ ...FAIL, monitorKey: "other" })];
  expect([service.count("alerts"), service.nudges]).toEqual([0, 0]);
  service.endTurn();
  expect([service.count("alerts"), service.count("deliveries"), service.nudges]).toEqual([2, 2, 1]);
  await Promise.all(answers);
  await service.send(ping({ kind: "start" }));
  expect(service.nudges).toBe(1);
});

test("R36: a delivery's age counts from when it was written, so an alert stamped two days ago is still sent", async () => {
  using service = openService();
  await service.send(ping({ schedule: HOURLY }));
  service.look(NOON + 2 * DAY);
  expect(service.notified()[0]!.at).toBe("2026-03-02T13:01:05.000Z");
  const rows = service.store.database.query("select distinct created_at, next_attempt_at from deliveries").all();
  expect(rows).toEqual([
    { created_at: service.now, next_attempt_at: service.now },
    { created_at: service.now, next_attempt_at: null },
  ]);
});

test("R37: the message carries what the configuration says of names, owner, severity, environment and links", async () => {
  using service = openService(
    policyWith({
      team: { name: "Home", destinations: ["hook"], members: [], environment: "production" },
      prod: {
        name: "Production",
        owner: "ops",
        severity: "warning",
        links: { logs: "https://logs.example.org" },
      },
      monitors: { job: { name: "The job", severity: "critical", links: { runbook: "https://wiki.example.org" } } },
    }),
  );
  await service.send(FAIL);
  const { data } = service.store.database.query<{ data: string }, []>("select data from alerts").get()!;
  expect(alertDataFrom(data)!).toMatchObject({
    incidentId: "1",
    applicationId: "prod",
    applicationName: "Production",
    teamName: "Home",
    monitorKey: "job",
    name: "The job",
    owner: "ops",
    severity: "critical",
    environment: "production",
    links: { logs: "https://logs.example.org", runbook: "https://wiki.example.org" },
    failureMessage: "disk full",
  });
});

test("R37: a message says whether there is another application, and as whom commands are typed", async () => {
  using service = openService(policyWith());
  await service.send(FAIL);
  service.store.applications.create("stage", service.now);
  await service.send({ ...FAIL, monitorKey: "another" });
  const rows = service.store.database.query<{ data: string }, []>("select data from alerts order by id").all();
  expect(rows.map(({ data }) => alertDataFrom(data)!)).toMatchObject([
    { onlyApplication: true, commandUser: "rollcall" },
    { onlyApplication: false, commandUser: "rollcall" },
  ]);
});

describe("R36: without a destination that can deliver", () => {
  const deaf = policyWith({ team: { name: null, destinations: [], members: [] } });

  test("where destinations hear only of worse, no trouble of rollcall is said, and the job is told", async () => {
    const calm = { ...MESSAGES, hears: { severity: "critical" } } as const;
    const team = { name: null, destinations: ["calm"], members: [] };
    using service = openService(policyWith({ team, destinations: new Map([["calm", calm]]) }));
    expect((await service.send(ping({ schedule: HOURLY }))).map(warningOf)).toEqual([
      "Alerts of this monitor cannot be delivered: no destination hears of them.",
    ]);
    expect(service.engine.troubles()).toEqual([]);
  });

  test("the alert is stored and logged at error, the warning and the troubles say so", async () => {
    using service = openService(deaf);
    await service.send(FAIL);
    expect(service.engine.troubles()).toEqual([
      'alerts of application "prod" cannot be delivered: no destination is configured for them',
    ]);
    expect([service.count("alerts"), service.count("deliveries")]).toEqual([1, 0]);
    expect(service.logged).toEqual([
      {
        level: "error",
        event: "alert",
        fields: {
          application: "prod",
          monitor: "job",
          kind: "InitialFailure",
          cause: "failed",
          reason: "opened",
          incident: "1",
          trueAt: toIso(NOON),
          deliveries: 0,
        },
      },
    ]);
    const [answer] = await service.send(ping());
    expect(warningOf(answer)).toStartWith("Alerts of this monitor cannot be delivered: no destination");
  });

  test("that is: a name nothing is configured under, or mail that no member wants", async () => {
    using service = openService(policyWith({ team: { name: null, destinations: ["gone"], members: [] } }));
    expect(service.engine.troubles()).toHaveLength(1);
    service.restart(
      policyWith({
        destinations: DESTINATIONS,
        team: {
          name: null,
          destinations: ["email"],
          members: [{ name: "Ada", email: "ada@example.org", events: ["Recovered"] }],
        },
      }),
    );
    expect(service.engine.troubles()).toHaveLength(1);
    service.restart(policyWith({ monitors: { job: { destinations: [] } } }));
    expect(service.engine.troubles()).toEqual([]);
    expect((await service.send(ping({ schedule: HOURLY }))).map(warningOf)[0]).toStartWith(
      "Alerts of this monitor cannot be delivered: no destination",
    );
  });

  test("that is: every destination it would go to takes nothing, and not one of several", async () => {
    using service = openService(policyWith({ destinations: DESTINATIONS, prod: { destinations: ["pager", "ops"] } }));
    service.failing.set("ops", "HTTP 404");
    expect((await service.send(ping({ schedule: "0 * * * *" }))).map(warningOf)).toEqual([null]);
    expect(service.engine.troubles()).toEqual([]);
    service.failing.set("pager", "connection refused");
    const since = "since 2026-03-02 12:00:00 UTC";
    const why = `pager does not take them (connection refused, ${since}), ops does not take them (HTTP 404, ${since})`;
    expect((await service.send(ping())).map(warningOf)).toEqual([
      "Alerts of this monitor cannot be delivered: no destination takes them, and rollcall's log says why.",
    ]);
    expect(service.engine.troubles()).toEqual([`alerts of application "prod" cannot be delivered: ${why}`]);
  });

  test("names of applications and destinations, and what receivers answered, are for the operator alone", async () => {
    using service = openService(policyWith({ destinations: DESTINATIONS, prod: { destinations: ["ops"] } }));
    service.failing.set("ops", "HTTP 403: account of Ada Lovelace suspended");
    const known = [...(await service.send(ping({ schedule: "0 * * * *" }))).map(warningOf)];
    const told = [...known, ...service.engine.troubles("anyone")];
    expect(told.filter((text) => /ops|403|Ada|prod/.test(text ?? ""))).toEqual([]);
    expect(service.engine.troubles("anyone")).toEqual([
      "alerts cannot be delivered: no destination takes them, and rollcall's log says why",
    ]);
    expect(service.engine.troubles("operator").join()).toMatch(/"prod".*ops.*Ada/);
  });

  test("and with one, the log says so at info", async () => {
    using service = openService();
    await service.send(FAIL);
    expect(service.engine.troubles()).toEqual([]);
    expect(service.logged).toMatchObject([{ level: "info", event: "alert", fields: { deliveries: 1 } }]);
  });
});

describe("an incident", () => {
  test("keeps its id through all its alerts, and the next one has the next id", async () => {
    using service = openService();
    await service.send(FAIL, ping({ kind: "fail" }), ping({ kind: "start" }), ping());
    await service.send({ ...FAIL, monitorKey: "other" });
    service.look(NOON + 2 * HOUR + 10 * MINUTE);
    await service.send(ping());
    await service.send(ping({ kind: "fail" }), ping());
    const rows = service.store.database
      .query("select id, monitor_id as monitor, number from incidents order by id")
      .all();
    expect(rows).toEqual([
      { id: 1, monitor: 1, number: 1 },
      { id: 2, monitor: 2, number: 1 },
      { id: 3, monitor: 1, number: 2 },
      { id: 4, monitor: 1, number: 3 },
    ]);
  });

  test("gathers troubles of which nothing is told", async () => {
    using service = openService();
    await service.send(FAIL, ping({ kind: "fail", message: "still full", runId: "b" }));
    service.restart();
    expect(service.monitor().incident).toMatchObject({ troubles: 2, message: "still full", runId: "b" });
    expect(service.count("alerts")).toBe(1);
  });

  test("that opened and closed between two looks is written with both its alerts", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    service.at(NOON + HOUR + 10 * MINUTE);
    await service.send(ping());
    const incident = service.store.database.query("select opened_at, closed_at, closed_by from incidents").all();
    expect(incident).toEqual([
      { opened_at: NOON + HOUR + MINUTE + 5 * SECOND, closed_at: service.now, closed_by: "success" },
    ]);
    expect(service.store.database.query("select distinct incident_id from alerts").all()).toEqual([{ incident_id: 1 }]);
  });
});
