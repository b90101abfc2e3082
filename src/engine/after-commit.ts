// What a transaction leaves to do for a monitor once it has committed. Done by monitor-memory.ts.

import type { AlertMessage } from "../domain/message/alert.ts";
import type { Instant } from "../domain/time.ts";
import type { MonitorRecord } from "./monitor-records.ts";

/** What is left to do after the commit: the wheel is armed, alerts are logged, the notifier is nudged. */
export interface AfterCommit {
  readonly monitorId: number;
  readonly wakeAt: Instant | null;
  /** The monitor's newest instant. */
  readonly changedAt: Instant;
  readonly raised: readonly RaisedAlert[];
}

export interface RaisedAlert {
  readonly message: AlertMessage;
  /** How many deliveries were written for it; 0: only the log tells of it (R36). */
  readonly deliveries: number;
}

export const NOTHING_RAISED: readonly RaisedAlert[] = [];

/** The work left for a monitor about which nothing is told: to look at it again. */
export const lookAgain = ({ id, monitor }: MonitorRecord, wakeAt: Instant | null): AfterCommit => ({
  monitorId: id,
  wakeAt,
  changedAt: monitor.changedAt,
  raised: NOTHING_RAISED,
});
