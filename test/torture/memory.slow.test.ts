// One flood of the part `memory` of `test/task torture` with every `make test`.

import { expect, test } from "bun:test";
import { memory } from "./memory.ts";
import { runSample } from "./part.ts";

test("R36: out of memory, the executable refuses or dies, and loses no report that was answered and no alert", async () => {
  const { faults, figures } = await runSample(memory);
  expect(faults).toEqual([]);
  expect(figures.get("reports stored")).toBeGreaterThan(0);
}, 300_000);
