// The twin: the same service in this process, told the reports that the tortured one has stored, one after the other at
// their instants. It never crashes, so whatever the two know of a monitor must be the same.

import { OPERATIONS } from "../../src/engine/operations/operations.ts";
import { writtenAnswer } from "../../src/views/schemas/written.ts";
import { openService, ping, policyWith } from "../support/engine.ts";
import { granted } from "../support/service.ts";
import { type Job, saidAs, scheduleOf } from "./jobs.ts";

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
  /** What `monitor show` answers, as `comparable` writes it. */
  shown(job: Job): string;
  /** The alerts so far, oldest first, a line each. */
  alerts(): string[];
}

/** One line for an alert: what both must say of it. */
export const alertLine = (alert: { monitor: unknown; at: unknown; kind: unknown; cause: unknown }): string =>
  [alert.monitor, alert.at, alert.kind, alert.cause].join(" ");

export function openTwin(startedAt: number): Twin {
  const twin = openService(policyWith(), startedAt);
  // Nothing of it has to outlive this process.
  twin.store.database.run("PRAGMA synchronous = OFF");
  /**
   * Jobs with many slots are never late but for a time in which nobody could hear them, of which the twin does not
   * know.
   */
  const punctual = new Set<string>();
  return {
    hear: async ({ job, number, at }) => {
      if (job.isFrequent) punctual.add(job.key);
      twin.at(at);
      const said = { ...saidAs(job, number), monitorKey: job.key, schedule: scheduleOf(job), attempt: number };
      await twin.send(ping(said));
      twin.endTurns();
    },
    shown: (job) => {
      const answer = granted(twin.engine.operate("monitor show", { application: "prod", key: job.key }));
      return comparable(job, writtenAnswer(OPERATIONS["monitor show"].answer, answer));
    },
    alerts: () =>
      twin
        .notified()
        .filter(({ monitor }) => !punctual.has(monitor))
        .map(alertLine),
    [Symbol.dispose]: () => twin[Symbol.dispose](),
  };
}

/**
 * What a database numbers by itself, from where a report came, which the twin is not told, and what was said a moment
 * apart.
 */
const OWN = ["id", "incidentId", "sender", "now"];
/** What a minute without a report changes, where slots come as often. */
const TIMELY = ["status", "expectedAt", "unknowns", "lateSince", "nextAt"];

/** An answer of `monitor show` as text, without what may differ between two services that heard the same. */
export function comparable({ isFrequent }: Job, shown: object): string {
  const left = isFrequent ? [...OWN, ...TIMELY] : OWN;
  return JSON.stringify(shown, (name, value) => (left.includes(name) ? undefined : value), 1);
}
