// The operation that says what needs attention.

import { refuse } from "../../domain/errors.ts";
import { RELOAD, STATUS_SUMMARY } from "../../views/answers/status.ts";
import { statusOfAll } from "../../views/attention.ts";
import { aboutApplication } from "../../views/find-named.ts";
import { listedApplication, rowNumber } from "./fields.ts";
import { acts, looks, unchanged } from "./operation.ts";

const status = looks({
  summary: "say what needs attention: open incidents, destinations that take nothing; and what may soon: warnings",
  notes: `Exit code 1 says that something needs attention: an open incident that is not
acknowledged (of a job that is not paused), a destination that takes nothing,
alerts that have no destination, a monitor that cannot be read, or rollcall
itself, such as a full disk. So it is never 0 while /readyz answers 503.
Warnings alone leave it at 0.`,
  examples: ["", "--app prod", "--json > /dev/null || echo trouble"],
  input: { application: listedApplication() },
  answer: STATUS_SUMMARY,
  about: (context, { application }) => aboutApplication(context, application),
  run: statusOfAll,
});

export const STATUS_OPERATIONS = { status };

// The operations that read the configuration again. An edge does it; here it is asked for.

/** It has only begun when it is answered. */
const reload = acts({
  summary: "read the configuration again while the service runs",
  notes: `Says what has changed, and what needs a restart. Nobody waits for it: reports
are taken meanwhile. A faulty configuration changes nothing: every fault is
listed, and the exit code is 2.

Files of secrets and --env-file are read again too. Variables and credentials
that systemd hands over come with a restart.`,
  examples: ["", "--json"],
  input: {},
  answer: RELOAD,
  role: "admin",
  inAudit: "read the configuration again",
  run: ({ reloads }) => unchanged(reloads.begin()),
});

const show = looks({
  summary: "show how far a reload is",
  noCommand: "`reload` asks it until the reload has ended",
  examples: [],
  input: { id: rowNumber({ description: "the reload's number, as `reload` answers it" }) },
  answer: RELOAD,
  role: "admin",
  run: ({ reloads }, { id }) =>
    reloads.find(id) ?? refuse("NOT_FOUND", `id: there is no reload ${id}, or it was long ago`),
});

export const RELOAD_OPERATIONS = { reload, "reload show": show };
