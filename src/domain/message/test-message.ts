// A test message is sent because a person asked for it, or as a drill of a monitor's alerts (R37). It never means that
// something is wrong.

import { type Instant, MINUTE, SECOND } from "../time.ts";
import type { AlertData } from "./alert.ts";
import { type ListedMonitor, NOT_APPLICABLE, type NotApplicable } from "./notice.ts";
import type { Instance, Presentation } from "./presentation.ts";

/** The content of a test. `from` is the name that people know: rollcall's public address or the computer's name. */
export interface TestDetails {
  /** `drill` means a drill of the alerts of the monitor that the message names. */
  readonly kind: "test" | "drill";
  readonly from: string;
  readonly destinations: readonly string[];
  /** How often the drill is sent; `null` when the message is not a drill. */
  readonly everySeconds: number | null;
}

type DrilledMonitor = Pick<ListedMonitor, "applicationId" | "monitorKey" | "name"> &
  Pick<AlertData, "severity" | "environment" | "owner" | "schedule">;

type NullFields = {
  readonly [Field in keyof NotApplicable]: Field extends keyof DrilledMonitor ? DrilledMonitor[Field] | null : null;
};

/** The `data` of a test (R37), in which every field about a monitor is `null`. Fields are only ever added. */
export interface TestData extends NullFields, Omit<Instance, "from"> {
  readonly links: Readonly<Record<string, string>>;
  readonly test: TestDetails;
}

export type TestMessage = Readonly<{ type: "destination.test"; at: Instant; data: TestData }>;

export function testMessage(destination: string, at: Instant, { from, ...told }: Instance): TestMessage {
  const test = { kind: "test", from, destinations: [destination], everySeconds: null } as const;
  return { type: "destination.test", at, data: { ...NOT_APPLICABLE, ...told, links: {}, test } };
}

/** Whose alerts the drill tests, how often it is sent, and where to. */
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

/**
 * Milliseconds. An alert that takes longer says that it is late (R36), and a drill that is not delivered by then has
 * failed.
 */
export const DRILL_PATIENCE = 15 * MINUTE;

/**
 * When the next drill is due. `lastAt` is when the last one was sent; with `null` the time counts from the monitor's
 * creation.
 */
export const drillDueAt = (everySeconds: number, createdAt: Instant, lastAt: Instant | null): Instant =>
  (lastAt ?? createdAt) + everySeconds * SECOND;

/**
 * The distance is absolute: a last drill that lies far in the future was written by a wrong clock and must not delay
 * the next one.
 */
export function isDrillDue(everySeconds: number, createdAt: Instant, lastAt: Instant | null, now: Instant): boolean {
  return Math.abs(now - (lastAt ?? createdAt)) >= everySeconds * SECOND;
}

export type DrillVerdict = "delivered" | "failed";

export interface Delivered {
  readonly destination: string;
  readonly recipient: string | null;
  readonly outcome: "sent" | "given_up" | "not_sent" | null;
}

/**
 * How a drill ended; `null` while some deliveries are still on their way. A drill without any destination has
 * failed.
 */
export function drillVerdict(deliveries: readonly Delivered[]): DrillVerdict | null {
  const last = lastToEach(deliveries);
  if (last.some(({ outcome }) => outcome === null)) return null;
  return last.length > 0 && last.every(({ outcome }) => outcome === "sent") ? "delivered" : "failed";
}

/** The newest delivery to each address; a repeated one replaces the one before. `deliveries` has the oldest first. */
export const lastToEach = <Each extends Delivered>(deliveries: readonly Each[]): Each[] => [
  ...new Map(deliveries.map((each) => [JSON.stringify([each.destination, each.recipient]), each])).values(),
];
