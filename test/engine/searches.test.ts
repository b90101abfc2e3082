// Lists that are found among many rows: in pieces, between which others have their turn, and complete.

import { expect, test } from "bun:test";
import type { IncidentList } from "../../src/views/schemas/incident-schemas.ts";
import { NOON, openService, ping, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const COUNT = 12_000;

/** `prod` has the last of these incidents, each with a delivery, and `other` has every thousandth and the first. */
async function manyJobs(): Promise<Service> {
  const service = openService();
  const { database, applications } = service.store;
  const other = applications.create("other", NOON);
  const caller = { applicationId: other.id, application: "other", keyId: 1, scope: "all" } as const;
  await service.send(ping({ kind: "fail", schedule: "0 * * * *" }));
  await service.send(ping({ caller, kind: "fail", schedule: "0 * * * *" }));
  database.transaction(() => {
    for (const table of ["incidents", "alerts", "deliveries"]) {
      const columns = database.query<{ name: string }, []>(`pragma table_info(${table})`).all();
      const values = columns.map(({ name }) => {
        if (name === "id" || name === "number") return "n";
        if (name === "incident_id" || name === "alert_id") return "n";
        return name;
      });
      database.run(
        `with recursive numbers (n) as (select 3 union all select n + 1 from numbers where n < ${COUNT})
         insert into ${table} (${columns.map(({ name }) => name).join(", ")})
         select ${values.join(", ")} from numbers join ${table} on ${table}.id = iif(n % 1000 = 0, 2, 1)`,
      );
    }
  })();
  return service;
}

/** The answer, and how many turns others had before it. */
function searched(service: Service, name: "incident list" | "notify list", given: object) {
  const work = service.engine.ask(name, given);
  for (let turns = 0; ; turns++) {
    const step = work.next();
    if (step.done) return { answer: step.value, turns };
  }
}

test.each([{ open: true }, { open: false }])("an application's incidents are found among many: %p", async (given) => {
  using service = await manyJobs();
  const { answer, turns } = searched(service, "incident list", { ...given, application: "other", limit: 20 });
  const { incidents, more } = answer as IncidentList;
  const expected = Array.from({ length: COUNT / 1_000 }, (_, index) => COUNT - 1_000 * index);
  expect([incidents.map(({ id }) => id), more]).toEqual([[...expected, 2], false]);
  expect(turns).toBeGreaterThan(1);
  expect(granted(service.engine.operate("incident list", { ...given, application: "other", limit: 20 }))).toEqual(
    answer as never,
  );
});

test("a search ends as soon as it has found what was asked for, and says that there is more", async () => {
  using service = await manyJobs();
  const { answer, turns } = searched(service, "incident list", { application: "prod", limit: 3, before: 11_001 });
  expect((answer as IncidentList).incidents.map(({ id }) => id)).toEqual([10_999, 10_998, 10_997]);
  expect([turns, (answer as IncidentList).more]).toEqual([1, true]);
});

test("sent deliveries are found behind many that wait, and an application's among all", async () => {
  using service = await manyJobs();
  service.store.database.run("update deliveries set outcome = 'sent', finished_at = created_at where id in (1, 5, 7)");
  const sent = searched(service, "notify list", { states: ["sent"], limit: 2 });
  expect(sent.answer).toMatchObject({ deliveries: [{ id: 7 }, { id: 5 }], more: ["sent"] });
  expect(sent.turns).toBeGreaterThan(1);
  const waiting = searched(service, "notify list", { states: ["waiting"], application: "other", limit: 3 });
  expect(waiting.answer).toMatchObject({
    deliveries: [{ id: 12_000 }, { id: 11_000 }, { id: 10_000 }],
    more: ["waiting"],
  });
});
