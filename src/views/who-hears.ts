// Who would hear of an alert of a monitor, when, and why others would not: by the function that makes the routes (R38).
// Changes nothing.

import { isRefusal, type Refusal } from "../domain/errors.ts";
import type { Severity } from "../domain/message/presentation.ts";
import { SERIES_MAX, seriesOf, WELL_FOR } from "../domain/settings/flapping.ts";
import { type Hearing, heardFrom, isAtLeast } from "../domain/settings/hearing.ts";
import { readTime } from "../domain/settings/planned.ts";
import {
  type MemberEvent,
  type MonitorPolicy,
  nearestOf,
  type Policy,
  type Route,
  severityOf,
} from "../domain/settings/policy.ts";
import { onCall } from "../domain/settings/rota.ts";
import { addressesOf, type RoutedAddress } from "../domain/settings/routes.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import { saidAt } from "../domain/wording/now.ts";
import type { Unsaid } from "../domain/wording/types.ts";
import type { WhoHears } from "./answers/why.ts";
import type { ViewSource } from "./context.ts";
import { findMonitor, type MonitorName } from "./find-named.ts";
import type { MonitorRecord } from "./monitor-records.ts";
import { notifiedOf } from "./stories.ts";

type AskedWho = MonitorName & Readonly<{ at: string | null; severity: Severity | null }>;

export function whoHears(context: ViewSource, asked: AskedWho, now: Instant): WhoHears | Refusal {
  const record = findMonitor(context, asked);
  if (isRefusal(record)) return record;
  const { timezone } = record.monitor.watch;
  const time = asked.at === null ? now : readTime("at", asked.at, timezone);
  if (isRefusal(time)) return time;
  const at = typeof time === "number" ? time : time.first;
  const { severity } = asked;
  const policy = severity === null ? record.policy : { ...record.policy, own: { ...record.policy.own, severity } };
  const routed = addressesOf(policy, "InitialFailure", at);
  const knowsUntil = asked.severity === null ? knownUntil(context, record, at) : () => null;
  const goesTo = [...new Set(routed.flatMap(({ leftOut, destination }) => (leftOut === null ? [destination] : [])))];
  return {
    ...{ application: record.application, key: record.key, timezone, at, severity: severityOf(policy) },
    addresses: routed.map((address) => {
      const { destination, recipient, person, rota } = address;
      const isLeftOut = address.leftOut !== null;
      const words = isLeftOut
        ? [`is not told${leftOutInWords(policy, address, "InitialFailure", goesTo)}`]
        : (knowsInWords(knowsUntil(address)) ?? hearsInWords(policy, address.hears, at));
      const fails = isLeftOut ? undefined : context.failing().get(destination);
      if (rota !== null) words.push(`; ${rota.name}: `, ...turnInWords(policy.whole, rota.name, at));
      if (fails !== undefined) words.push(`; it takes no messages now (${fails.answer})`);
      return { destination, recipient, person, hears: !isLeftOut, says: saidAt(words, now, timezone) };
    }),
  };
}

function hearsInWords(policy: MonitorPolicy, hears: Hearing, at: Instant): Unsaid[] {
  const [severity, zone] = [severityOf(policy), policy.whole.timezone];
  const due = at + (hears.afterSeconds ?? 0) * SECOND;
  const from = heardFrom(hears, severity, zone, due);
  const waits: Unsaid[] = from === due ? [] : [{ at: from, as: "when" }];
  if (due > at) return ["hears of it if no one has acknowledged it by ", { at: from, as: "when" }];
  if (waits.length > 0) return ["hears of it ", ...waits, ", when its quiet hours end"];
  const isUrgent = hears.urgent !== undefined && isAtLeast(severity, hears.urgent);
  return [isUrgent ? "hears of it at once, also in its quiet hours" : "hears of it at once"];
}

/** Of a rota whose week it is, of one of its turns that it is one; empty: it is neither. */
export function turnInWords({ rotas = new Map(), timezone }: Policy, name: string, at: Instant): Unsaid[] {
  const rota = rotas.get(name);
  const its = [...rotas.values()].filter(({ turns }) => turns.includes(name)).map((one) => one.name);
  if (rota === undefined) return its.length === 0 ? [] : [`takes turns in ${its.join(", ")}`];
  const { name: turn, until } = onCall(rota, timezone, at);
  return [`${turn} until `, { at: until, as: "when" }];
}

/** Until when who was told that it failed, and waits to be told of its end, is not told of the same trouble (R38). */
function knownUntil(context: ViewSource, { id }: MonitorRecord, at: Instant): (route: Route) => Instant | null {
  const lately = context.store.incidents.lately(id, Number.MAX_SAFE_INTEGER, SERIES_MAX);
  const newest = lately[0]?.id ?? 0;
  const isSeries = seriesOf(lately) !== null && context.store.incidents.load(newest).closedBy === "success";
  const messages = isSeries ? (notifiedOf(context, [newest]).get(newest) ?? []) : [];
  const end = messages.find(
    ({ kind, at: endedAt }) => kind === "Recovered" && at >= endedAt && at < endedAt + WELL_FOR,
  );
  return ({ destination, recipient }) => {
    const isThere = end?.deliveries.some(
      (one) => one.destination === destination && one.recipient === recipient && one.heldUntil !== null,
    );
    return isThere ? end!.at + WELL_FOR : null;
  };
}

const knowsInWords = (until: Instant | null): Unsaid[] | null =>
  until === null
    ? null
    : [
        "has a message that it failed and none yet that it recovered, so hears no more of the same until ",
        { at: until, as: "when" },
      ];

const EVENTS: Readonly<Record<MemberEvent, string>> = {
  InitialFailure: "new trouble",
  NeverExecuted: "jobs that never reported",
  ContinuedFailure: "trouble that goes on",
  Recovered: "recoveries",
};

/** Why an alert of this kind does not go there. `goesTo`: the destinations where it does. */
export function leftOutInWords(
  policy: MonitorPolicy,
  { leftOut, hears: { severity, environments = [] } }: Pick<RoutedAddress, "leftOut" | "hears">,
  event: MemberEvent,
  goesTo: Iterable<string>,
): string {
  switch (leftOut) {
    case "events":
      return `, whose events leave out ${EVENTS[event]}`;
    case "severity":
      return `: it hears of ${severity === "critical" ? "critical alone" : `${severity} and worse`}, and this is ${severityOf(policy)}`;
    case "environment":
      return `: it hears of ${environments.join(", ")}, and this is of ${nearestOf(policy, "environment") ?? "none"}`;
    case "turn":
      return ": it is not its week";
    default:
      return `; its alerts go to ${[...goesTo].join(", ") || "no one"}`;
  }
}
