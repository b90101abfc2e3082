// A sample of `test/task torture`'s failing storage with every `make test-all`; left out where no C compiler makes such
// a disk.

import { expect, test } from "bun:test";
import { hasCompiler } from "./disk.ts";
import { runSample } from "./part.ts";
import { storage } from "./storage.ts";

test.skipIf(!hasCompiler)(
  "R36: whatever call of the disk fails, an action is done whole or not at all, says which, and goes on",
  async () => {
    const { faults, figures } = await runSample(storage);
    expect(faults).toEqual([]);
    expect(figures.get("failed calls")).toBeGreaterThan(50);
  },
  300_000,
);
