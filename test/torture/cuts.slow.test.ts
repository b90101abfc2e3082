// A sample of `test/task torture`'s power cuts with every `make test-all`; left out where no C compiler makes such a
// disk.

import { expect, test } from "bun:test";
import { cuts } from "./cuts.ts";
import { hasCompiler } from "./disk.ts";
import { runSample } from "./part.ts";

test.skipIf(!hasCompiler)(
  "R36: after a power cut at a random moment every report that was answered is known, and cuts are found out where the log is not synced",
  async () => {
    const { faults, figures } = await runSample(cuts);
    expect(faults).toEqual([]);
    expect(figures.get("answered reports looked for")).toBeGreaterThan(100);
    expect(figures.get("of 2 cuts with ignored syncs found out")).toBe(2);
  },
  300_000,
);
