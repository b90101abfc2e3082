// The parts that attack the executable with the random requests of `test/task fuzz`, ten times as many: the paths of
// jobs, and the pages for people.

import { attack } from "../fuzz/attack.ts";
import type { Front } from "../fuzz/front.ts";
import { openPages } from "../fuzz/pages-front.ts";
import { openPathsOfJobs } from "../fuzz/paths-of-jobs.ts";
import { inMegabytes } from "./footprint.ts";
import type { Counts, Part, Report } from "./part.ts";

export const requests: Part<"requests"> = {
  name: "requests",
  what: "random requests, sound and broken ones, are answered as the contract says, and the service goes on as before",
  counts: { requests: { full: 1_000_000, sample: 5_000 } },
  run: async (counts, report) => attacked(await openPathsOfJobs(counts.requests), counts, "200", report),
};

export const pages: Part<"pageRequests"> = {
  name: "pages",
  what: "random requests to pages, with and without a session, get whole pages in which no text of others is markup",
  counts: { pageRequests: { full: 200_000, sample: 1_500 } },
  run: async ({ pageRequests, seed }, report) =>
    attacked(await openPages(), { requests: pageRequests, seed }, "a page", report),
};

/** `good`: how the answers are called that were as wished. */
async function attacked(front: Front, { requests, seed }: Counts<"requests">, good: string, report: Report) {
  await using _ = front;
  const { counts, findings } = await attack({
    front,
    seed,
    requests,
    progress: (sent, bytes) => {
      report.progress(`${sent} of ${requests}`);
      report.figure("requests", sent);
      report.figure("MB resident", inMegabytes(bytes));
    },
  });
  report.figure(`answered ${good}`, counts.get(good) ?? 0);
  report.figure("sorts of answers and of ends without one", counts.size);
  for (const finding of findings) report.fault(finding);
}
