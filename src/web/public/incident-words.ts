// What happened in an incident, in words for everybody: without times, which stand beside them, and without anything that
// the job or its people wrote.

import { counted } from "../../domain/wording/spoken-time.ts";
import { troublesInWords } from "../../domain/wording/subject.ts";
import type { PastMonitor } from "../../engine/reads/look-back.ts";

type Incident = PastMonitor["incidents"][number];

export interface IncidentWords {
  /** `Missed, also failed`. */
  readonly head: string;
  /** In sentences. */
  readonly story: string;
}

export const incidentInWords = (incident: Incident): IncidentWords => ({
  head: troublesInWords(incident),
  story: incident.causes.map((cause) => sentenceOf(cause, incident)).join(" "),
});

function sentenceOf(cause: Incident["causes"][number], { opening, missedSlots }: Incident): string {
  switch (cause) {
    case "missed":
      if (opening === "NeverExecuted") return "It had never reported.";
      return missedSlots > 1 ? `It did not report: ${counted(missedSlots, "run")} did not come.` : "It did not report.";
    case "failed":
      return "It reported a failure.";
    case "unfinished":
      return "It began and did not finish in time.";
    case "outcome":
      return "It finished with a wrong result.";
    default:
      return cause satisfies never;
  }
}
