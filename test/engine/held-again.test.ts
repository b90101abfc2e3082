// An answer over HTTP and back: what a command holds is what the service held.

import { expect, test } from "bun:test";
import { HOUR } from "../../src/domain/time.ts";
import { OPERATIONS, type OperationName } from "../../src/engine/operations/operations.ts";
import { fromWritten, writtenAnswer } from "../../src/views/schemas/written.ts";
import { NOON, openService, ping } from "../support/engine.ts";
import { granted } from "../support/service.ts";

test("R18: an answer that was written and read again is what the service held, instants too", async () => {
  using service = openService();
  await service.send(ping({ schedule: "0 * * * *" }));
  service.look(NOON + HOUR + HOUR / 2);
  const asked = { "monitor show": { key: "job" }, "incident show": { id: 1 }, "notify list": {}, why: { key: "job" } };
  for (const [name, input] of Object.entries(asked)) {
    const answer = granted(service.engine.operate(name as OperationName, input as never)) as object;
    const schema = OPERATIONS[name as OperationName].answer;
    const sent = JSON.parse(JSON.stringify(writtenAnswer(schema as never, answer as never)));
    expect(answer).toMatchObject(fromWritten(schema as never, sent as never) as object);
  }
});

test("a field that a service of another version leaves out is null", () => {
  const { answer } = OPERATIONS["incident show"];
  expect(fromWritten(answer, { notified: [] } as never)).toMatchObject({
    incident: null,
    timezone: null,
    notified: [],
  });
});
