// Labels (R38), on the real engine: who gives a monitor its labels, where its alerts go then, and what a label stands
// for in the place of keys.

import { describe, expect, test } from "bun:test";
import { wholeOf } from "../../src/domain/in-pieces.ts";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import type { Policy } from "../../src/domain/settings/policy.ts";
import { targetMatcherOf } from "../../src/domain/settings/targets.ts";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import { openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const HOURLY = "0 * * * *";

const ROUTED: Policy = {
  ...policyWith(),
  destinations: new Map([
    ["hook", { takes: "messages" }],
    ["pager", { takes: "messages" }],
  ] as const) as Policy["destinations"],
  team: { name: null, destinations: ["hook"], members: [] },
  labels: new Map([["db", { destinations: ["pager"], severity: "critical" }]]),
};

const set = (service: Service, labels: string, key = "job") => service.engine.operate("monitor set", { key, labels });

const labelsOf = (service: Service, key = "job") =>
  granted(service.engine.operate("monitor show", { key })).settings.labels;

const toldAt = ({ store }: Service): string[] =>
  store.database
    .query<{ told: string }, []>("select destination as told from deliveries order by id")
    .all()
    .map(({ told }) => told);

const namesOf = (service: Service, pattern: string): string[] =>
  granted(service.engine.operate("monitor list", { pattern })).monitors.map(({ key }) => key);

describe("R38: labels", () => {
  test("the report that brings a label is told of where that says, and so is its end", async () => {
    using service = openService(ROUTED);
    await service.send(ping({ schedule: HOURLY }));
    await service.send(ping({ kind: "fail", labels: "db" }));
    service.look(service.now + 1_000);
    expect(toldAt(service)).toEqual(["pager"]);
    await service.send(ping({}));
    service.look(service.now + MINUTE);
    expect(toldAt(service)).toEqual(["pager", "pager"]);
    expect(granted(service.engine.operate("monitor show", { key: "job" })).routing).toMatchObject({
      destinations: ["pager"],
      severity: "critical",
    });
  });

  test("a person sets them all, or adds some and removes some, and takes it back", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY, labels: "db nightly" }));
    granted(set(service, "+Web, -nightly"));
    expect(labelsOf(service)).toMatchObject({ value: "db web", from: "declared" });
    granted(set(service, "b a,c b"));
    expect(labelsOf(service)).toMatchObject({ value: "a b c" });
    granted(set(service, "-a -b -c"));
    expect(labelsOf(service)).toEqual({ value: null, from: "default", declared: null });
    granted(service.engine.operate("monitor set", { key: "job", undo: true }));
    expect(labelsOf(service)).toMatchObject({ value: "a b c" });
    // Whatever else a job says, it keeps them.
    await service.send(ping({ graceSeconds: 120 }));
    expect(labelsOf(service)).toMatchObject({ value: "a b c" });
  });

  test("what is none is refused with its name and the rule, and nothing changes", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY, labels: "db" }));
    expect(set(service, "db,two;words")).toHaveProperty(
      "message",
      'labels: "two;words" is no label, write letters, digits and ._:/@+- between commas, at most 40 in each',
    );
    const many = Array.from({ length: 30 }, (_, at) => `label-${at}`).join();
    expect(set(service, many)).toHaveProperty(
      "message",
      "labels: it is longer than 200 characters, the most it may have",
    );
    // Nothing but commas names none.
    expect(set(service, ", ,")).toHaveProperty("message", expect.stringMatching(/^nothing is to be set/));
    expect(labelsOf(service)).toMatchObject({ value: "db" });
  });

  test("R31: an empty list in the configuration means that it has none, whatever is declared", async () => {
    using service = openService(policyWith({ monitors: { job: { labels: "" } } }));
    await service.send(ping({ schedule: HOURLY, labels: "db" }));
    expect(labelsOf(service)).toEqual({ value: null, from: "configuration", declared: "db" });
    expect(namesOf(service, "label:db")).toEqual([]);
    await service.send(ping({ kind: "fail" }));
    const [alert] = service.store.database.query<{ data: string }, []>("select data from alerts").all();
    expect(alertDataFrom(alert!.data)!.labels).toEqual([]);
  });

  test("stand for keys where several monitors are named: in a list, in maintenance, on a status page", async () => {
    using service = openService();
    await service.send(
      ping({ monitorKey: "a", schedule: HOURLY, labels: "db" }),
      ping({ monitorKey: "b", schedule: HOURLY, labels: "db-2" }),
      ping({ monitorKey: "c", schedule: HOURLY }),
    );
    expect([namesOf(service, "label:db"), namesOf(service, "label:none"), namesOf(service, "c")]).toEqual([
      ["a"],
      [],
      ["c"],
    ]);
    const planned = granted(
      service.engine.operate("maintenance plan", {
        application: "prod",
        monitors: ["label:db", "label:dB-3"],
        durationSeconds: 7_200,
        reason: "a new disk",
      }),
    );
    service.endTurns();
    expect(planned.unmatched).toEqual(["label:dB-3"]);
    const paused = () => ["a", "b", "c"].filter((key) => service.monitor(key).pauses.manual !== null);
    expect(paused()).toEqual(["a"]);
    // One that gets the label meanwhile is in it from then on, and one that loses it no longer.
    granted(set(service, "+db", "c"));
    granted(set(service, "-db", "a"));
    expect(paused()).toEqual(["c"]);
    const shown = wholeOf(
      service.engine.views.lookBack({
        application: "prod",
        isChosen: targetMatcherOf(["label:db"]),
        days: 1,
        limit: 10,
      }),
    );
    expect(shown.monitors.map(({ monitor }) => monitor.key)).toEqual(["c"]);
    service.look(service.now + HOUR + 2 * MINUTE);
    expect(
      service
        .alarms()
        .map(({ monitor }) => monitor)
        .sort(),
    ).toEqual(["a", "b"]);
  });
});

test("R41: a person may say at which failure it alarms, and the configuration wins", async () => {
  using service = openService();
  await service.send(ping({ schedule: HOURLY }));
  granted(service.engine.operate("monitor set", { key: "job", alertAfterFailures: 2, note: "look at the disk" }));
  await service.send(ping({ kind: "fail" }));
  service.look(service.now + 1_000);
  expect(service.alarms()).toEqual([]);
  await service.send(ping({ kind: "fail" }));
  service.look(service.now + 1_000);
  expect(service.alarms()).toHaveLength(1);
  const [alert] = service.store.database.query<{ data: string }, []>("select data from alerts").all();
  expect(alertDataFrom(alert!.data)!).toMatchObject({ note: "look at the disk", labels: [] });
});
