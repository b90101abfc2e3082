// The part that attacks the executable with the random requests of `make fuzz`, ten times as many.

import { attack } from "../fuzz/attack.ts";
import { inMegabytes } from "./footprint.ts";
import type { Part } from "./part.ts";

export const requests: Part<"requests"> = {
  name: "requests",
  what: "random requests, sound and broken ones, are answered as the contract says, and the service goes on as before",
  counts: { requests: { full: 1_000_000, sample: 5_000 } },
  run: async ({ requests, seed }, report) => {
    const { counts, findings } = await attack({
      seed,
      requests,
      progress: (sent, bytes) => {
        report.progress(`${sent} of ${requests}`);
        report.figure("requests", sent);
        report.figure("MB resident", inMegabytes(bytes));
      },
    });
    report.figure("answered 200", counts.get("200") ?? 0);
    report.figure("sorts of answers and of ends without one", counts.size);
    for (const finding of findings) report.fault(finding);
  },
};
