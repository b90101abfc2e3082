// The operations on what came in beside accepted reports: bulk syncs (R29) and refused reports (R33).

import { REFUSED_REPORTS, SYNCS } from "../../views/answers/received.ts";
import { aboutApplication } from "../../views/find-named.ts";
import { listRejected, listSyncs } from "../../views/received.ts";
import { limit, listedApplication, listedMonitor, since } from "./fields.ts";
import { looks } from "./operation.ts";

const NEWEST = {
  application: listedApplication(),
  monitor: listedMonitor(),
  sinceSeconds: since(),
  limit: limit(20),
};

const EXAMPLES = ["", "--app prod --limit 100", "--monitor nightly-backup --json"];

const listOfSyncs = looks({
  summary: "list bulk syncs: who sent them, what each changed, and what it withheld and why; the newest first",
  notes: `With --monitor those that made, changed, withdrew or withheld this one, or had
an error in it.

Syncs of a source that repeat the one before and change nothing stand in one
line. The newest 500 of an application are kept, for 90 days.`,
  examples: EXAMPLES,
  input: NEWEST,
  answer: SYNCS,
  about: (context, { application }) => aboutApplication(context, application),
  run: listSyncs,
});

/** Those that were refused for another reason than the rate limit. */
const listOfRefused = looks({
  summary: "list reports with a valid key that were refused, by monitor and reason; the newest first",
  notes: `What a report is refused for: an invalid schedule or parameter, a monitor that
does not exist and no schedule to make it, a body that is too large, no room in
the plan, a key of another scope, a path that does not exist. What a rate limit
refuses is told in notices. The newest 500 of an application are kept, for 90
days.`,
  examples: ["", "--monitor nightly-backup --since 7d", "--json"],
  input: NEWEST,
  answer: REFUSED_REPORTS,
  about: (context, { application }) => aboutApplication(context, application),
  run: listRejected,
});

export const RECEIVED_OPERATIONS = { "sync list": listOfSyncs, "refused list": listOfRefused };
