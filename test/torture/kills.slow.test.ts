// A sample of `test/task torture`'s kills with every `make test-all`.

import { expect, test } from "bun:test";
import { kills } from "./kills.ts";
import { runSample } from "./part.ts";

test("R36: killed at random moments under load, the executable loses no report that was answered and no alert, and makes none up", async () => {
  const { faults, figures } = await runSample(kills);
  expect(faults).toEqual([]);
  expect(figures.get("reports stored")).toBeGreaterThan(30);
  expect(figures.get("alerts arrived")).toBeGreaterThan(1);
}, 300_000);
