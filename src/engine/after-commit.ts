// What a transaction leaves to do for a monitor after its commit. monitor-memory.ts does it.

import type { AlertMessage } from "../domain/message/alert.ts";
import type { Instant } from "../domain/time.ts";
import type { MonitorRecord } from "../views/monitor-records.ts";

/** The work after the commit: arm the wheel, log alerts, nudge the notifier. */
export interface AfterCommit {
  readonly monitorId: number;
  readonly wakeAt: Instant | null;
  readonly changedAt: Instant;
  readonly raised: readonly RaisedAlert[];
}

export interface RaisedAlert {
  readonly message: AlertMessage;
  /** How many deliveries were written for it; 0: only the log reports it (R36). */
  readonly deliveries: number;
}

const NOTHING_RAISED: readonly RaisedAlert[] = [];

/** The work for a monitor without news: look at it again. */
export const lookAgain = ({ id, monitor }: MonitorRecord, wakeAt: Instant | null): AfterCommit => ({
  monitorId: id,
  wakeAt,
  changedAt: monitor.changedAt,
  raised: NOTHING_RAISED,
});
