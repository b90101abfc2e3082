// The story of an incident: the messages about it, what people did, and the reports of its job while it was open.

import { type Refusal, refuseField } from "../domain/errors.ts";
import { wholeOf } from "../domain/in-pieces.ts";
import type { Instant } from "../domain/time.ts";
import { isToldOf, pastActsOf } from "./acts.ts";
import { unnotifiedOf } from "./attention.ts";
import { monitorWithPolicy } from "./completed-monitors.ts";
import { incidentSummaryOf } from "./incident-summaries.ts";
import { sentencesNow } from "./jobs-now.ts";
import { notifiedOf } from "./notified.ts";
import { OUTPUTS_SHOWN, reportsForPeople } from "./reports.ts";
import type { IncidentStory } from "./schemas/incident-schemas.ts";
import { storyActedInWords } from "./story.ts";
import type { ViewSource } from "./view-source.ts";

/** How many reports a story shows. More would hide the messages. */
const REPORTS_SHOWN = 60;

/** How many actions of people a story shows, the newest. More would hide the messages too. */
const ACTS_SHOWN = 60;

export function showIncident(
  context: ViewSource,
  { id }: { readonly id: number },
  now: Instant,
): IncidentStory | Refusal {
  const found = context.store.incidents.find(id);
  if (found === null)
    return refuseField("id", `there is no incident ${id}; \`rollcall incident list\` shows them`, "NOT_FOUND");
  const record = monitorWithPolicy(context, found.monitorId)!;
  const { openedAt, closedAt } = found.incident;
  const span = { since: openedAt, before: closedAt === null ? Number.MAX_SAFE_INTEGER : closedAt + 1 };
  const notified = notifiedOf(context, [id]).get(id) ?? [];
  const acts = pastActsOf(context, record, span, ACTS_SHOWN).filter((act) => !isToldOf(act, notified));
  const { reports, isWhole } = wholeOf(
    reportsForPeople(context, record, {
      ...span,
      limit: REPORTS_SHOWN,
      outputs: OUTPUTS_SHOWN,
      isTold: () => true,
    }),
  );
  return {
    incident: incidentSummaryOf(context, found),
    timezone: record.monitor.watch.timezone,
    now: [...sentencesNow(context, [record.id], now).get(record.id)!],
    unnotified: closedAt === null ? (unnotifiedOf(context, [id], now).get(id) ?? []) : [],
    notified: [...notified],
    acts: acts.map((act) => ({ at: act.at, says: storyActedInWords(act) })).reverse(),
    reports: reports
      .slice(0, REPORTS_SHOWN)
      .map(({ shown: { at, kind, message, durationSeconds, durationMilliseconds, outcome }, output }) => {
        return { at, kind, message, output, durationSeconds, durationMilliseconds, outcome };
      })
      .reverse()
      .sort((a, b) => a.at - b.at),
    isWhole,
  };
}
