// A test message, because a person asked or as a drill of a monitor's alerts (R37). Nothing is wrong when one comes.

import { type Instant, MINUTE, SECOND } from "../time.ts";
import type { AlertData } from "./alert.ts";
import { type ListedMonitor, NOT_APPLICABLE, type NotApplicable } from "./notice.ts";
import type { Instance, Presentation } from "./presentation.ts";

/** What a test adds; `from`: the name that people know, this rollcall's public address or the computer's name. */
export interface TestDetails {
  /** `drill`: a drill of the alerts of the monitor named here. */
  readonly kind: "test" | "drill";
  readonly from: string;
  readonly destinations: readonly string[];
  /** How often a drill is sent; null: it is no drill. */
  readonly everySeconds: number | null;
}

type DrilledMonitor = Pick<ListedMonitor, "applicationId" | "monitorKey" | "name"> &
  Pick<AlertData, "severity" | "environment" | "owner" | "schedule">;

type NullFields = {
  readonly [Field in keyof NotApplicable]: Field extends keyof DrilledMonitor ? DrilledMonitor[Field] | null : null;
};

/** R37's `data` for a test: every field about a monitor is null. Additive only. */
export interface TestData extends NullFields, Omit<Instance, "from"> {
  readonly links: Readonly<Record<string, string>>;
  readonly test: TestDetails;
}

export type TestMessage = Readonly<{ type: "destination.test"; at: Instant; data: TestData }>;

export function testMessage(destination: string, at: Instant, { from, ...told }: Instance): TestMessage {
  const test = { kind: "test", from, destinations: [destination], everySeconds: null } as const;
  return { type: "destination.test", at, data: { ...NOT_APPLICABLE, ...told, links: {}, test } };
}

/** Whose alerts the drill tests, how often it is sent and where to. */
export interface Drill extends ListedMonitor {
  readonly schedule: string | null;
  readonly presentation: Presentation;
  readonly everySeconds: number;
  readonly destinations: readonly string[];
}

export function drillMessage(drill: Drill, at: Instant, { from, ...told }: Instance): TestMessage {
  const { applicationId, monitorKey, name, timezone, schedule, presentation, everySeconds, destinations } = drill;
  const { severity, environment, owner, links } = presentation;
  return {
    type: "destination.test",
    at,
    data: {
      ...NOT_APPLICABLE,
      applicationId,
      monitorKey,
      name,
      severity,
      environment,
      owner,
      schedule,
      ...told,
      timezone,
      links,
      test: { kind: "drill", from, destinations, everySeconds },
    },
  };
}

/** Milliseconds. An alert that takes longer calls itself late (R36); a drill not taken by then has failed. */
export const DRILL_PATIENCE = 15 * MINUTE;

/** When the next drill is due. `lastAt`: when the last was sent; null: none was, count from the monitor's creation. */
export const drillDueAt = (everySeconds: number, createdAt: Instant, lastAt: Instant | null): Instant =>
  (lastAt ?? createdAt) + everySeconds * SECOND;

/** A last one further ahead than the interval was written by a wrong clock, and must not put off the next drill. */
export function isDrillDue(everySeconds: number, createdAt: Instant, lastAt: Instant | null, now: Instant): boolean {
  return Math.abs(now - (lastAt ?? createdAt)) >= everySeconds * SECOND;
}

export type DrillOutcome = "delivered" | "failed";

export interface Delivered {
  readonly destination: string;
  readonly recipient: string | null;
  readonly outcome: "sent" | "given_up" | "not_sent" | null;
}

/** The result of a drill; null: some deliveries are still on their way. A drill with nowhere to go has failed. */
export function drillOutcome(deliveries: readonly Delivered[]): DrillOutcome | null {
  const last = lastToEach(deliveries);
  if (last.some(({ outcome }) => outcome === null)) return null;
  return last.length > 0 && last.every(({ outcome }) => outcome === "sent") ? "delivered" : "failed";
}

/** The newest delivery to each address: one sent again replaces the one before. `deliveries`: oldest first. */
export const lastToEach = <Each extends Delivered>(deliveries: readonly Each[]): Each[] => [
  ...new Map(deliveries.map((each) => [JSON.stringify([each.destination, each.recipient]), each])).values(),
];
