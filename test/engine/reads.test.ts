// What is read without changing anything: page by page in as many queries however many monitors there are, and what is
// told of all of them though some come and go between two pages.

import { describe, expect, test } from "bun:test";
import { newMonitor } from "../../src/domain/monitor/monitor.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import { monitorPolicy, watchOf } from "../../src/domain/settings/policy.ts";
import { openStore } from "../../src/store/store.ts";
import { PAGE, pageOfMonitors, pagesOfMonitors, syncStatus } from "../../src/views/monitor-summaries.ts";
import type { MonitorList } from "../../src/views/schemas/monitor-schemas.ts";
import { countingRuns } from "../support/counting-database.ts";
import { openTestDatabase } from "../support/database.ts";
import { NOON, openService, ping, policyWith } from "../support/engine.ts";
import { granted } from "../support/service.ts";
import { wholly } from "../support/sync-status.ts";

const ALL = { application: null, status: null };
const DRILLED = { drillEverySeconds: 86_400 };

/** A store with so many monitors of `prod`, of which every third has an open incident and a run. */
function monitored(count: number, policy = policyWith()) {
  const { database, count: queries } = countingRuns(openTestDatabase());
  const store = openStore(database);
  const prod = store.applications.create("prod", NOON);
  const create = (key: string): number => {
    const monitor = newMonitor(watchOf(monitorPolicy(policy, "prod", key)), NOON);
    return store.monitors.insert(prod, key, NOTHING_DECLARED, monitor, null).id;
  };
  const ids = Array.from({ length: count }, (_, index) => create(`job-${String(index).padStart(6, "0")}`));
  database.run(
    `insert into incidents (monitor_id, number, opening, opened_at, causes, troubles, awaits_run, missed_slots, reminders_sent)
     select id, 1, 'InitialFailure', ${NOON}, '["failed"]', 1, 0, 0, 0 from monitors where id % 3 = 0`,
  );
  database.run(
    `update monitor_states set runs_that_matter = 1, open_incident_id =
       (select id from incidents where monitor_id = monitor_states.monitor_id) where monitor_id % 3 = 0`,
  );
  queries();
  return { context: { store, policy }, store, ids, create, queries };
}

function pages(...asked: Parameters<typeof pagesOfMonitors>): MonitorList[] {
  const listed = granted(pagesOfMonitors(...asked));
  const read: MonitorList[] = [];
  for (;;) {
    const { done, value } = listed.next();
    read.push(value);
    if (done) return read;
  }
}

const remove = ({ store }: ReturnType<typeof monitored>, id: number) => store.deletedMonitors.mark(id, NOON);

describe("a page of monitors", () => {
  test.each([3, 30, PAGE, PAGE + 1])("costs two queries in an application of %i", (count) => {
    const { context, queries } = monitored(count);
    const page = pageOfMonitors(context, { ...ALL, application: "prod" }, null, NOON);
    expect(page.list.monitors).toHaveLength(Math.min(count, PAGE));
    expect(queries()).toBe(2);
  });

  test("costs one more where applications may follow, however many do", () => {
    const { context, store, queries } = monitored(3);
    for (let index = 0; index < 50; index++) {
      const owner = store.applications.create(`app-${index}`, NOON);
      const monitor = newMonitor(watchOf(monitorPolicy(context.policy, owner.slug, "only")), NOON);
      store.monitors.insert(owner, "only", NOTHING_DECLARED, monitor, null);
    }
    queries();
    expect(pageOfMonitors(context, ALL, { application: "app-1", key: "a" }, NOON).list.monitors).toHaveLength(52);
    expect(queries()).toBe(3);
  });

  test("says where the next begins, which may be gone by then", () => {
    const service = monitored(5);
    const read = (place: Parameters<typeof pageOfMonitors>[2]) => pageOfMonitors(service.context, ALL, place, NOON, 2);
    const keys = ({ list }: ReturnType<typeof read>) => list.monitors.map(({ key }) => Number(key.slice(4)));
    const first = read(null);
    remove(service, service.ids[1]!);
    const second = read(first.next);
    const third = read(second.next);
    expect([first, second, third].map(keys)).toEqual([[0, 1], [2, 3], [4]]);
    expect(third.next).toBeNull();
  });

  test("may be empty where none is of the status, and the list goes on", () => {
    const { context } = monitored(2 * PAGE + 10);
    const read = pages(context, { application: "prod", status: "paused" }, NOON);
    expect(read.map(({ monitors }) => monitors.length)).toEqual([0, 0, 0]);
    const critical = pages(context, { application: null, status: "critical" }, NOON);
    expect(critical.flatMap(({ monitors }) => monitors)).toHaveLength(Math.floor((2 * PAGE + 10) / 3));
  });

  test("one that cannot be read hides none of the others, on whichever page", () => {
    const { context, store } = monitored(2 * PAGE);
    store.database.run("update incidents set causes = '{' where monitor_id in (3, 300)");
    const read = pages(context, ALL, NOON);
    expect(read.map(({ monitors }) => monitors.length)).toEqual([PAGE - 1, PAGE - 1, 0]);
    expect(read.map(({ unreadable }) => unreadable.map(({ key }) => key))).toEqual([
      ["job-000002"],
      ["job-000299"],
      [],
    ]);
  });
});

describe("sync status", () => {
  test("of many pages tells what one page would, and of each as much as a list", () => {
    const { context } = monitored(3 * PAGE + 7, policyWith({ monitors: { "job-000300": DRILLED } }));
    const status = wholly(syncStatus(context, "prod", NOON));
    const read = [...status.pages];
    const monitors = read.flat();
    expect(read).toHaveLength(4);
    expect([status.total, monitors.length]).toEqual([3 * PAGE + 6, 3 * PAGE + 6]);
    const listed = pages(context, ALL, NOON).flatMap((page) => page.monitors);
    expect(monitors).toEqual(listed.filter(({ key }) => key !== "job-000300"));
  });

  test("takes the ids in pieces, and each page in one query", () => {
    const { context, queries } = monitored(10 * PAGE + 1);
    const counting = syncStatus(context, "prod", NOON);
    expect(counting.next().done).toBe(false);
    expect(queries()).toBe(1);
    const { value } = counting.next();
    expect(queries()).toBe(1);
    const lengths = [...value!.pages].map(({ length }) => length);
    expect(lengths).toEqual([...Array.from({ length: 10 }, () => PAGE), 1]);
    expect(queries()).toBe(11);
  });

  test("lists as many as it announces, though monitors are deleted and created between two pages", () => {
    const service = monitored(3 * PAGE);
    const status = wholly(syncStatus(service.context, "prod", NOON));
    const { total } = status;
    const first = status.pages.next().value!;
    for (const place of [10, PAGE, 2 * PAGE - 1, 3 * PAGE - 1]) remove(service, service.ids[place]!);
    service.create("job-000010");
    const monitors = [...first, ...[...status.pages].flat()];
    expect(monitors).toHaveLength(total);
    expect(new Set(monitors.map(({ key }) => key)).size).toBe(total);
    expect(wholly(syncStatus(service.context, "prod", NOON)).total).toBe(total - 3);
  });

  test("lists as many as it announces, though one has lost its facts or cannot be read", () => {
    const { context, store } = monitored(PAGE + 10);
    store.database.run("delete from monitor_states where monitor_id in (4, 255)");
    store.database.run("update incidents set causes = '{'");
    const status = wholly(syncStatus(context, "prod", NOON));
    expect([status.total, [...status.pages].flat().length]).toEqual([PAGE + 8, PAGE + 8]);
  });
});

test("looking commits no report that waits, and sees none; acting commits them first", async () => {
  using service = openService();
  await service.send(ping({ schedule: "0 * * * *" }));
  const waiting = service.engine.intake.ingest(ping({ monitorKey: "other", schedule: "0 * * * *" }));
  const keys = () => {
    const list = service.engine.operate("monitor list", {});
    return "monitors" in list ? list.monitors.map(({ key }) => key) : [];
  };
  expect(keys()).toEqual(["job"]);
  expect(service.engine.operate("monitor show", { key: "other" })).toMatchObject({ refusal: "MONITOR_NOT_FOUND" });
  expect(wholly(service.engine.views.syncStatus(ping().caller.application)).total).toBe(1);
  expect(service.count("pings")).toBe(1);
  service.engine.operate("monitor pause", { key: "job" });
  expect(service.count("pings")).toBe(2);
  expect(keys()).toEqual(["job", "other"]);
  expect(await waiting).toMatchObject({ monitorKey: "other" });
});
