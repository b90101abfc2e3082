// The operations that read the configuration again. An edge does it; here it is asked for.

import { refuse } from "../../domain/errors.ts";
import { RELOAD } from "./answers/reloads.ts";
import { rowNumber } from "./fields.ts";
import { acts, reads, unchanged } from "./operation.ts";

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
  run: ({ reloads }) => unchanged(reloads.begin()),
});

const show = reads({
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
