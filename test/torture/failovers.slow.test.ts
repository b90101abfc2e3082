// A sample of `test/task torture`'s failovers with every `make test-all`.

import { expect, test } from "bun:test";
import { failovers } from "./failovers.ts";
import { runSample } from "./part.ts";

test("R26, R36: an instance that takes over from a dead or hanging one loses no answered report and no alert, and never runs beside it", async () => {
  const { faults, figures } = await runSample(failovers);
  expect(faults).toEqual([]);
  expect(figures.get("reports stored")).toBeGreaterThan(100);
}, 300_000);
