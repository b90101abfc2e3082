// A few seconds of the part `soak` of `test/task torture` with every `make test-all`.

import { expect, test } from "bun:test";
import { runSample } from "./part.ts";
import { soak } from "./soak.ts";

test("R36: under steady load of every kind nothing fails, nothing answered is lost, and all of it is told in its order", async () => {
  const { faults, figures } = await runSample(soak);
  expect(faults).toEqual([]);
  expect(figures.get("reports stored")).toBeGreaterThan(50);
  expect(figures.get("alerts arrived")).toBeGreaterThan(0);
}, 300_000);
