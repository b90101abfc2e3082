// What every operation of the engine works with: engine.ts makes it once and passes it to each.

import type { Log } from "../domain/log.ts";
import type { AlertMessage } from "../domain/message/alert.ts";
import type { NoticeMessage } from "../domain/message/notice.ts";
import type { Instance } from "../domain/message/presentation.ts";
import type { Instant } from "../domain/time.ts";
import type { Turns } from "../domain/turns.ts";
import type { DeliveryStatements } from "../store/deliveries.ts";
import type { MonitorRecord } from "../views/completed-monitors.ts";
import type { ViewSource } from "../views/view-source.ts";
import type { Clock } from "./api.ts";
import type { ActiveCounts } from "./capacity.ts";
import type { Committer } from "./committer.ts";
import type { EngineSettings } from "./engine-settings.ts";
import type { Gaps, GapTracker } from "./own-outages/gap-tracker.ts";

/** Settings are replaced while the engine runs: take them from here each time. */
export interface EngineContext extends EngineSettings, ViewSource {
  readonly deliveries: DeliveryStatements;
  /** The user it runs as and takes commands from; null: not known. */
  readonly user: string;
  /** How its commands begin on its computer; null: by the name `rollcall`. */
  readonly commandLine: string | null;
  /** For the limit of a plan (R34). */
  readonly active: ActiveCounts;
  readonly gaps: Gaps;
  /** What time it is at least, by a clock that has stood: for what cannot be taken back (R26). */
  readonly settled: () => Instant;
  /** What time it is at least, by a clock that has stood for some minutes: for the end of what a person asked for. */
  readonly steady: () => Instant;
}

export const instanceOf = ({ store, policy, home, user, commandLine }: EngineContext): Instance => ({
  from: home,
  teamName: policy.team.name,
  timezone: policy.timezone,
  onlyApplication: store.applications.count() === 1,
  commandUser: user,
  commandLine,
});

// What a transaction leaves to do for a monitor after its commit. monitor-memory.ts does it.

/** The work after the commit: arm the wheel, log alerts, nudge the notifier. */
export interface AfterCommit {
  readonly monitorId: number;
  readonly wakeAt: Instant | null;
  readonly changedAt: Instant;
  readonly raised: readonly RaisedAlert[];
  readonly notices: readonly RaisedNotice[];
  /** The ids of incidents that were acknowledged or are over. */
  readonly answered: readonly number[];
  /** A delivery that was written before may be sent earlier than the notifier knows. */
  readonly isSooner: boolean;
}

export interface RaisedAlert {
  readonly message: AlertMessage;
  /** How many deliveries were written for it; 0: only the log reports it (R36). */
  readonly deliveries: number;
  /** The incident of whose messages some are for this one too (R38); null: of none. */
  readonly joined: number | null;
}

export interface RaisedNotice {
  readonly message: NoticeMessage;
  /** 0: only the log reports it. */
  readonly deliveries: number;
}

/** For what is nearly always empty: one for all. */
export const NONE: readonly never[] = [];

export const lookAgain = ({ id, monitor }: MonitorRecord, wakeAt: Instant | null): AfterCommit => ({
  monitorId: id,
  wakeAt,
  changedAt: monitor.changedAt,
  raised: NONE,
  notices: NONE,
  answered: NONE,
  isSooner: false,
});

// What nearly every part of the engine works with, made before any of them. A part names only what it needs besides.

export interface EngineTools {
  readonly context: EngineContext;
  readonly clock: Clock;
  readonly gaps: GapTracker;
  readonly committer: Committer;
  readonly turns: Turns;
  readonly log: Log;
}
