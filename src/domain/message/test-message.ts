// A test message shows that messages arrive. A person asks for it, or it goes out by itself as a drill (R37).

import { type Instant, MINUTE } from "../time.ts";
import type { AlertData } from "./alert.ts";
import { type ListedMonitor, NOT_APPLICABLE, type NotApplicable } from "./notice.ts";
import type { Instance, Presentation } from "./presentation.ts";

/** `from` is the name by which people know this rollcall: its public address or the computer's name. */
export interface TestDetails {
  /** `test`: a person asked for it. `drill`: it went out by itself, to try the way of one monitor's alerts. */
  readonly kind: "test" | "drill";
  readonly from: string;
  readonly destinations: readonly string[];
  /** How often the drill goes out, in seconds; `null` when this is no drill. */
  readonly everySeconds: number | null;
}

type DrilledMonitor = Pick<ListedMonitor, "applicationId" | "monitorKey" | "name"> &
  Pick<AlertData, "severity" | "environment" | "owner" | "schedule">;

type NullFields = {
  readonly [Field in keyof NotApplicable]: Field extends keyof DrilledMonitor ? DrilledMonitor[Field] | null : null;
};

/**
 * The `data` of a test (R37). Fields about a monitor are `null`, except in a drill those that say which monitor it is.
 * No field is ever removed.
 */
export interface TestData extends NullFields, Omit<Instance, "from"> {
  readonly links: Readonly<Record<string, string>>;
  readonly test: TestDetails;
}

export type TestMessage = Readonly<{ type: "destination.test"; at: Instant; data: TestData }>;

export function testMessage(destination: string, at: Instant, { from, ...told }: Instance): TestMessage {
  const test = { kind: "test", from, destinations: [destination], everySeconds: null } as const;
  return { type: "destination.test", at, data: { ...NOT_APPLICABLE, ...told, links: {}, test } };
}

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

/** How long after its creation a drill may be delivered, in milliseconds. After that it has failed. */
export const DRILL_PATIENCE = 15 * MINUTE;
