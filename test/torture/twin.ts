// The twin: the same service in this process, told the reports that the tortured one has stored, one after the other at
// their instants. It never crashes, so whatever the two know of a monitor must be the same.

import { OPERATIONS } from "../../src/engine/operations/operations.ts";
import { written } from "../../src/engine/operations/written.ts";
import { openService, ping, policyWith } from "../support/engine.ts";
import { granted } from "../support/service.ts";
import { type Job, saidAs } from "./jobs.ts";

/** A report as it was stored. */
export interface StoredReport {
  readonly job: Job;
  readonly number: number;
  /** Milliseconds. */
  readonly at: number;
}

export interface Twin extends Disposable {
  /** Hears one more report. */
  hear(stored: StoredReport): Promise<void>;
  /** What `monitor show` answers, without what differs between two databases. */
  shown(key: string): string;
  /** The alerts so far, oldest first, a line each. */
  alerts(): string[];
}

/** One line for an alert: what both must say of it. */
export const alertLine = (alert: { monitor: unknown; at: unknown; kind: unknown; cause: unknown }): string =>
  [alert.monitor, alert.at, alert.kind, alert.cause].join(" ");

export function openTwin(startedAt: number): Twin {
  const twin = openService(policyWith(), startedAt);
  return {
    hear: async ({ job, number, at }) => {
      twin.at(at);
      const said = { ...saidAs(job, number), monitorKey: job.key, schedule: job.schedule, attempt: number };
      await twin.send(ping(said));
      twin.endTurns();
    },
    shown: (key) => {
      const answer = granted(twin.engine.operate("monitor show", { application: "prod", key }));
      return comparable(written(OPERATIONS["monitor show"].answer, answer));
    },
    alerts: () => twin.told().map(alertLine),
    [Symbol.dispose]: () => twin[Symbol.dispose](),
  };
}

/** An answer of `monitor show` as text, without the numbers that a database gives. */
export const comparable = (shown: object): string =>
  JSON.stringify(shown, (name, value) => (name === "id" || name === "incidentId" ? undefined : value), 1);
