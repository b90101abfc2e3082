// The context of all operations of the engine. engine.ts makes it once and passes it to each operation.

import type { Log } from "../domain/log.ts";
import type { AlertMessage } from "../domain/message/alert.ts";
import type { NoticeMessage } from "../domain/message/notice.ts";
import type { Instance } from "../domain/message/presentation.ts";
import type { Background } from "../domain/scheduler.ts";
import type { Instant } from "../domain/time.ts";
import type { DeliveryStatements } from "../store/deliveries.ts";
import type { MonitorRecord } from "../views/completed-monitors.ts";
import type { ViewSource } from "../views/view-source.ts";
import type { Clock } from "./api.ts";
import type { ActiveCounts } from "./capacity.ts";
import type { Committer } from "./committer.ts";
import type { EngineSettings } from "./engine-settings.ts";
import type { Gaps, GapTracker } from "./own-outages/gap-tracker.ts";

/**
 * What the whole engine uses. Settings are replaced while the engine runs, so they must be read from here each time.
 */
export interface EngineContext extends EngineSettings, ViewSource {
  readonly deliveries: DeliveryStatements;
  /** The user as whom rollcall runs and from whom it takes commands; `null` when it is not known. */
  readonly user: string;
  /** How commands begin on rollcall's computer; `null` when they begin with `rollcall`. */
  readonly commandLine: string | null;
  /** The numbers of active monitors, for the limit of a plan (R34). */
  readonly active: ActiveCounts;
  readonly gaps: Gaps;
  /** The latest time that is believed where a mistake cannot be undone, by a clock that has been steady (R26). */
  readonly certain: () => Instant;
  /**
   * The latest time that is believed for the end of what a person asked for, by a clock that has been steady for some
   * minutes.
   */
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

// What a transaction leaves to be done for a monitor after its commit. monitor-memory.ts does it.

/** What is left to do after the commit: arm the wheel, log alerts, nudge the notifier. */
export interface AfterCommit {
  readonly monitorId: number;
  readonly wakeAt: Instant | null;
  readonly changedAt: Instant;
  readonly raised: readonly RaisedAlert[];
  readonly notices: readonly RaisedNotice[];
  /** The ids of incidents that have ended, or that were acknowledged, or are so no more. */
  readonly answered: readonly number[];
  /** True when a delivery that was written before may be sent earlier than the notifier knows. */
  readonly isSooner: boolean;
}

export interface RaisedAlert {
  readonly message: AlertMessage;
  /** How many deliveries were written for the alert. With 0, only the log reports it (R36). */
  readonly deliveries: number;
  /** The incident whose messages cover this one for some receivers (R38); `null` when there is none. */
  readonly joined: number | null;
}

export interface RaisedNotice {
  readonly message: NoticeMessage;
  /** How many deliveries were written for the notice. With 0, only the log reports it. */
  readonly deliveries: number;
}

/** One shared empty list, for fields that are nearly always empty. */
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

// The tools that nearly every part of the engine uses, made before the parts. A part's own type names only what it
// needs in addition.

export interface EngineTools {
  readonly context: EngineContext;
  readonly clock: Clock;
  readonly gaps: GapTracker;
  readonly committer: Committer;
  readonly background: Background;
  readonly log: Log;
}
