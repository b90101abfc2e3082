// Lists over the management socket: however many pages there are, the answer is the JSON of all of them at once.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { listsInPieces } from "../../src/http/management/operation-response.ts";
import { PAGE } from "../../src/views/monitor-summaries.ts";
import { listOf, object, TEXT } from "../../src/views/schemas/schema-kinds.ts";
import { writtenAnswer } from "../../src/views/schemas/written.ts";
import { changeRows } from "../support/database.ts";
import { ping } from "../support/engine.ts";
import { managedService } from "../support/management.ts";
import { granted } from "../support/service.ts";

const socket = managedService();

const SCHEMA = object({ long: listOf(object({ name: TEXT })), short: listOf(TEXT), none: listOf(TEXT) });

test("pages are written as one object, and others have their turn between each", () => {
  const anyPage = fc.record({
    long: fc.array(fc.record({ name: fc.string() }), { maxLength: 3 }),
    short: fc.array(fc.string(), { maxLength: 2 }),
    none: fc.constant([]),
  });
  fc.assert(
    fc.property(fc.array(anyPage, { minLength: 2, maxLength: 5 }), (pages) => {
      const [first, ...others] = pages;
      function* each() {
        yield* others.slice(0, -1);
        return others.at(-1)!;
      }
      const pieces: string[] = [];
      const all = listsInPieces(SCHEMA, first!, each());
      for (let made = all.next(); ; made = all.next()) {
        pieces.push(made.value);
        if (made.done) break;
      }
      expect(pieces).toHaveLength(pages.length);
      const whole = {
        long: pages.flatMap(({ long }) => long),
        short: pages.flatMap(({ short }) => short),
        none: [],
      };
      expect(pieces.join("")).toBe(JSON.stringify(writtenAnswer(SCHEMA, whole)));
    }),
  );
});

test("a list of monitors on several pages is what the engine lists", async () => {
  const { service } = socket;
  const keys = Array.from({ length: PAGE + 50 }, (_, index) => `job-${1_000 + index}`);
  await service.send(...keys.map((monitorKey) => ping({ monitorKey, schedule: "0 0 29 2 *" })));
  changeRows(service.store, "delete from monitor_states where monitor_id = 7");
  const { status, body } = await socket.ask("monitor list");
  expect(status).toBe(200);
  expect(body).toMatchObject({ unreadable: [{ application: "prod", key: "job-1006" }] });
  const { monitors } = granted(service.engine.operate("monitor list", {}));
  expect(monitors).toHaveLength(PAGE + 49);
  expect((body as { monitors: { key: string }[] }).monitors.map(({ key }) => key)).toEqual(
    monitors.map(({ key }) => key),
  );
  expect(await socket.ask("monitor list", { application: "none" })).toMatchObject({ status: 404 });
  expect(await socket.ask("monitor list", { status: "odd" as "paused" })).toMatchObject({ status: 400 });
});
