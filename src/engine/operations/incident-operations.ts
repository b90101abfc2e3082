// The operations on incidents (R23).

import { aboutApplication } from "../reads/find-named.ts";
import { listIncidents } from "../reads/look-incidents.ts";
import { showIncident } from "../reads/stories.ts";
import { CHANGED_INCIDENT, INCIDENT_STORY, INCIDENTS } from "./answers/incidents.ts";
import { before, flag, limit, listedApplication, listedMonitor, rowNumber, since } from "./fields.ts";
import { aboutIncident, acknowledgeIncident, resolveIncident } from "./operate-incidents.ts";
import { acts, reads, searches } from "./operation.ts";

const ONE_INCIDENT = {
  id: rowNumber({ description: "the incident's number, as `incident list` shows it", argument: "id" }),
};

/** People look for current trouble, not for that of a year. */
const LISTED_STANDARD = 500;

const list = searches({
  summary: "list incidents, the newest first",
  examples: ["--open", "--monitor nightly-backup --since 30d", "--app prod --json", "--limit 20 --before 4711"],
  input: {
    open: flag({ description: "only those that are open", option: "open" }),
    application: listedApplication(),
    monitor: listedMonitor(),
    sinceSeconds: since(),
    before: before(),
    limit: limit(LISTED_STANDARD),
  },
  answer: INCIDENTS,
  about: (context, { application }) => aboutApplication(context, application),
  search: listIncidents,
});

const show = reads({
  summary: "show an incident's reports, what was told of it, to whom, and whether it arrived",
  examples: ["12", "12 --json"],
  input: ONE_INCIDENT,
  answer: INCIDENT_STORY,
  about: aboutIncident,
  run: showIncident,
});

/** Stops the reminders of an open incident. */
const acknowledge = acts({
  summary: "acknowledge an incident: its reminders stop, new causes and the recovery are still told",
  examples: ["12"],
  input: ONE_INCIDENT,
  answer: CHANGED_INCIDENT,
  about: aboutIncident,
  run: acknowledgeIncident,
});

/** Closes an open incident; `Recovered` goes out. */
const resolve = acts({
  summary: "close an incident by hand; the recovery is told",
  examples: ["12"],
  input: ONE_INCIDENT,
  answer: CHANGED_INCIDENT,
  about: aboutIncident,
  run: resolveIncident,
});

export const INCIDENT_OPERATIONS = {
  "incident list": list,
  "incident show": show,
  "incident ack": acknowledge,
  "incident resolve": resolve,
};
