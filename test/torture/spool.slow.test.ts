// A sample of `test/task torture`'s power cuts under `rollcall run` with every `make test`; left out where there is no
// strace.

import { expect, test } from "bun:test";
import { runSample } from "./part.ts";
import { spool } from "./spool.ts";
import { hasStrace } from "./spool-journal.ts";

test.skipIf(!hasStrace)(
  "R43: after a power cut under rollcall run each report that was kept is there once, and cuts are found out where nothing is synced",
  async () => {
    const { faults, figures } = await runSample(spool);
    expect(faults).toEqual([]);
    expect(figures.get("kept reports looked for")).toBeGreaterThan(50);
  },
  300_000,
);
