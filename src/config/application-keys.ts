// The configuration keys below [applications] and [labels], and those of status pages.

import { PATTERNS_MAX, patternSteps, STEPS_MAX } from "../domain/output/patterns.ts";
import type { StatusPageSettings } from "../domain/settings/status-page-settings.ts";
import {
  BOOLEAN,
  decodedKind,
  inherited,
  into,
  listKind,
  namedTables,
  optional,
  preset,
  secret,
  table,
  whole,
} from "./kinds.ts";
import { LABEL_NAMES, LINKS, MONITOR, maintenanceWindows, ROUTING } from "./monitor-keys.ts";
import type { ConfigPlace } from "./place.ts";
import {
  JOB_PATTERN,
  LABEL,
  MONITOR_NAMES,
  OUTPUT_PATTERN,
  SAMPLE_STATUS_TOKEN,
  SLUG_NAMES,
  STATUS_TOKEN,
  ZONE,
} from "./vocabulary.ts";

const STATUS_PAGE = into(
  table(
    { meaning: "A page for everybody who knows its address, which needs no sign-in. Without a token there is none." },
    {
      token: secret(
        STATUS_TOKEN,
        SAMPLE_STATUS_TOKEN,
        "The page is at /status/ followed by this; make one with: openssl rand -hex 20.",
      ),
      title: optional(LABEL, "Our backups", "What stands on top of it. Left out: the application's name."),
      jobs: listKind(
        JOB_PATTERN,
        "keys of jobs",
      )({
        meaning:
          "Needed with a token: the keys of the jobs that it shows, in which * stands for any characters, or label:db.",
        example: ["nightly-*", "certificates"],
      }),
      messages: preset(BOOLEAN, false, "Whether it says what jobs reported about their failures."),
    },
  ),
  ({ token, ...page }, at) => {
    if (token === null && page.jobs.length > 0) at.miss(["token"], "must be given, or nobody can see the page");
    if (token !== null && page.jobs.length === 0) at.miss(["jobs"], 'must name the jobs to show; ["*"] is all');
    return token === null ? null : { token, ...page };
  },
);

function checkMask(mask: readonly string[], at: ConfigPlace): void {
  if (mask.length > PATTERNS_MAX) {
    at.complain([], `has ${mask.length} patterns`, `must be a list of at most ${PATTERNS_MAX}`);
  } else if (patternSteps(mask) > STEPS_MAX) {
    const rule = `must take RE2 at most ${STEPS_MAX} steps in all: a count such as {30} takes as many`;
    at.complain([], `takes ${patternSteps(mask)} steps`, rule);
  }
}

const APPLICATION = table(
  {},
  {
    name: inherited(LABEL, "Production", "Shown in messages, beside the name in the key."),
    timezone: inherited(ZONE, "Europe/Berlin", "The zone of its schedules; left out: the server's."),
    maintenance: maintenanceWindows("When all its monitors are paused, as if by hand."),
    max_active_monitors: preset(
      whole(0, 1_000_000),
      0,
      "How many of its monitors may be active at once; 0 is no limit. Monitors paused without an end do not count.",
    ),
    keep_output: preset(
      BOOLEAN,
      false,
      "Whether a failure may bring up to 10 kB of its job's last lines, for incidents, mail and webhooks.",
    ),
    mask: preset(
      decodedKind(listKind(OUTPUT_PATTERN, "regular expressions"), (mask, at) => {
        checkMask(mask, at);
        return mask;
      }),
      [],
      "What these match is hidden in failures' messages and output, beside keys and passwords that we know by their form.",
    ),
    ...ROUTING,
    links: LINKS,
    status_page: STATUS_PAGE,
    monitors: namedTables(
      {
        meaning: "One monitor. What is set here wins over what the job or its registry declares.",
        names: MONITOR_NAMES,
        inEnvironment: false,
        samples: [
          { name: "nightly-backup", without: ["every"] },
          { name: "queue-worker", only: ["every", "grace"], without: ["maintenance", "links", "outcomes"] },
        ],
      },
      MONITOR,
    ),
  },
);

/** The settings for all monitors with a label (R38). They win over the application's; a monitor's own win over them. */
export const LABELS_TABLE = namedTables(
  {
    meaning: "What holds for monitors with a label. Of several labels of a monitor, the first in this file counts.",
    names: LABEL_NAMES,
    inEnvironment: false,
    samples: [{ name: "db" }],
  },
  table({}, { ...ROUTING, links: LINKS }),
);

/** The settings of each application by its slug, and apart from them the status pages that some applications have. */
export const APPLICATIONS = into(
  namedTables(
    {
      meaning: "An application, created at start if it is missing.",
      names: SLUG_NAMES,
      inEnvironment: true,
      samples: [{ name: "prod" }],
    },
    APPLICATION,
  ),
  (applications, at) => {
    const statusPages: StatusPageSettings[] = [];
    for (const [application, { statusPage }] of applications) {
      if (statusPage === null) continue;
      const owner = statusPages.find(({ token }) => token === statusPage.token)?.application;
      if (owner !== undefined) {
        const path = [application, "status_page", "token"];
        at.complain(path, `is that of the application "${owner}"`, "must be another");
      }
      statusPages.push({ application, ...statusPage });
    }
    const rules = [...applications].map(([slug, { statusPage, ...own }]) => [slug, own] as const);
    return { applications: new Map(rules), statusPages };
  },
);
