// A sample of `test/task torture`'s crashes of the notifier with every `make test-all`.

import { expect, test } from "bun:test";
import { notifier } from "./notifier.ts";
import { runSample } from "./part.ts";

test("R36: killed between a receiver's answer and storing it, the executable tells each alert through every channel, at most once a life", async () => {
  const { faults, figures } = await runSample(notifier);
  expect(faults).toEqual([]);
  expect(Number(figures.get("messages arrived"))).toBeGreaterThanOrEqual(Number(figures.get("alerts")) / 10);
}, 300_000);
