// Finds who would be told if a monitor failed at an instant, when they would be told, and why others would not. It uses
// the functions that plan real alerts (R38).

import { isRefusal, type Refusal } from "../domain/errors.ts";
import type { Severity } from "../domain/message/presentation.ts";
import { readPlannedTime } from "../domain/schedule/planned.ts";
import { type RoutedAddress, routedAddresses } from "../domain/settings/alert-routes.ts";
import { severityOf } from "../domain/settings/policy.ts";
import { SERIES_MAX, unattendedSince } from "../domain/telling/flapping.ts";
import { EMPTY_LANE, type LaneMessage, NOT_STORED, type Standing } from "../domain/telling/lane.ts";
import { plan } from "../domain/telling/plan.ts";
import { receiverKey, receiverRules } from "../domain/telling/receiver-rules.ts";
import type { Instant } from "../domain/time.ts";
import { leftOutInWords, planInWords, turnInWords } from "../domain/wording/hearing-words.ts";
import { wordedAt } from "../domain/wording/now.ts";
import type { UnwordedPart } from "../domain/wording/types.ts";
import type { MonitorRecord } from "./completed-monitors.ts";
import { findMonitor, type MonitorName } from "./find-named.ts";
import type { WhoHears } from "./schemas/why-schemas.ts";
import type { ViewSource } from "./view-source.ts";

type AskedWho = MonitorName & Readonly<{ at: string | null; severity: Severity | null }>;

export function whoHears(context: ViewSource, asked: AskedWho, now: Instant): WhoHears | Refusal {
  const record = findMonitor(context, asked);
  if (isRefusal(record)) return record;
  const { timezone } = record.monitor.watch;
  const time = asked.at === null ? now : readPlannedTime("at", asked.at, timezone);
  if (isRefusal(time)) return time;
  const at = typeof time === "number" ? time : time.first;
  const { severity } = asked;
  const policy = severity === null ? record.policy : { ...record.policy, own: { ...record.policy.own, severity } };
  const routed = routedAddresses(policy, "InitialFailure", at);
  const hearsOf = hearsInWords(context, { ...record, policy }, at);
  const goesTo = [...new Set(routed.flatMap(({ leftOut, destination }) => (leftOut === null ? [destination] : [])))];
  return {
    application: record.application,
    key: record.key,
    timezone,
    at,
    severity: severityOf(policy),
    addresses: routed.map((address) => {
      const { destination, recipient, person, rota } = address;
      const isLeftOut = address.leftOut !== null;
      const words = isLeftOut
        ? [`is not told${leftOutInWords(policy, address, "InitialFailure", goesTo)}`]
        : hearsOf(address);
      const fails = isLeftOut ? undefined : context.failing().get(destination);
      if (rota !== null) words.push(`; ${rota.name}: `, ...turnInWords(policy.whole, rota.name, at));
      if (fails !== undefined) words.push(`; it takes no messages now (${fails.answer})`);
      return { destination, recipient, person, hears: !isLeftOut, says: wordedAt(words, now, timezone) };
    }),
  };
}

/**
 * Makes a function that says when a receiver would be told of a failure at `at`. It plans the receiver's lane as if the
 * alert waited there, and stores nothing.
 */
function hearsInWords(context: ViewSource, { id, policy }: MonitorRecord, at: Instant) {
  const lanes = context.store.lanes.of(id);
  const severity = severityOf(policy);
  const opening = { openedAt: at, causes: ["failed"], acknowledgedAt: null, closedBy: null } as const;
  const { incidents, pausesByHand } = context.store;
  const former = incidents.lately(id, Number.MAX_SAFE_INTEGER, SERIES_MAX);
  const from = unattendedSince([opening, ...former], pausesByHand.find(id)?.at ?? null) ?? at;
  const standing: Standing = {
    open: { incident: NO_INCIDENT, since: at, acknowledged: null },
    isQuietByHand: false,
  };
  return (address: RoutedAddress): UnwordedPart[] => {
    const { rota, hears } = address;
    const { lane } = lanes.get(receiverKey(address)) ?? { lane: EMPTY_LANE };
    const message: LaneMessage = {
      ...{
        ...NOT_STORED,
        incident: NO_INCIDENT,
        kind: "InitialFailure",
        reason: "opened",
        causes: ["failed"],
        severity,
      },
      ...{
        at,
        written: at,
        from: hears.afterSeconds === undefined ? at : from,
        isOfSeries: false,
        via: rota?.name ?? null,
      },
    };
    const waiting = [...lane.waiting, message];
    const planned = plan({ ...lane, waiting }, standing, receiverRules(policy.whole, address), at).at(-1)!;
    return planInWords(
      planned,
      address,
      severity,
      at,
      lane.waiting.findLast(({ kind, isOfSeries }) => kind === "Recovered" && isOfSeries)?.due ?? at,
    );
  };
}

/** Stands for the id of the incident that the failure would open. No stored incident has this id. */
const NO_INCIDENT = 0;
