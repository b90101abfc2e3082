// A sample of the part `schedules` of `test/task torture` with every `make test`.

import { expect, test } from "bun:test";
import { runSample } from "./part.ts";
import { schedules } from "./schedules.ts";

test("R15, R16: random schedules are read as a grammar written from the contract alone reads them", async () => {
  const { faults, figures } = await runSample(schedules);
  expect(faults).toEqual([]);
  for (const name of ["taken", "taken by the aliases alone", "refused by both"])
    expect(figures.get(name)).toBeGreaterThan(1_000);
  expect(figures.get("slots compared in zones with clock changes")).toBeGreaterThan(100);
}, 300_000);
