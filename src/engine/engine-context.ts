// The context: the database, the settings in force and the few functions that nearly every part of the engine needs.
// engine.ts makes it once and hands it to each part.

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

/** A reload replaces the settings in this object, so code must read them here each time and never keep a copy. */
export interface EngineContext extends EngineSettings, ViewSource {
  readonly deliveries: DeliveryStatements;
  /** The system's user that runs rollcall. Commands on its computer must be given as this user or as root. */
  readonly user: string;
  /**
   * How a command on rollcall's computer must begin, such as `rollcall --config /srv/rollcall.toml`; `null` when
   * `rollcall` alone is enough.
   */
  readonly commandLine: string | null;
  /** How many active monitors each application has, for the limit of its paid plan (R34). */
  readonly active: ActiveCounts;
  readonly gaps: Gaps;
  /**
   * Returns the present time, or an earlier one while the clock may be wrong: it is believed once it has made no step
   * for six hours. What cannot be undone goes by this time, such as deleting old data (R26).
   */
  readonly certain: () => Instant;
  /**
   * Returns the present time, or an earlier one while the clock may be wrong: it is believed once it has made no step
   * for ten minutes. What a person asked for, such as a pause, ends by this time.
   */
  readonly steady: () => Instant;
}

export const thisInstance = ({ store, policy, home, user, commandLine }: EngineContext): Instance => ({
  from: home,
  teamName: policy.team.name,
  timezone: policy.timezone,
  onlyApplication: store.applications.count() === 1,
  commandUser: user,
  commandLine,
});

/**
 * The work that a transaction leaves for after its commit, for one monitor. clock/monitor-memory.ts does it: it sets
 * the timing wheel, logs alerts and notices, and wakes the notifier.
 */
export interface AfterCommit {
  readonly monitorId: number;
  readonly wakeAt: Instant | null;
  readonly changedAt: Instant;
  readonly raised: readonly RaisedAlert[];
  readonly notices: readonly RaisedNotice[];
  /**
   * The ids of incidents that ended, were acknowledged, or whose acknowledgement was taken back. The notifier then
   * edits messages about them that were sent already.
   */
  readonly touchedIncidents: readonly number[];
  /** True when an older delivery is now due earlier, so that the notifier must look at its deliveries again. */
  readonly isSooner: boolean;
}

export interface RaisedAlert {
  readonly message: AlertMessage;
  /** How many deliveries were written. When it is 0, no message goes out and only the log has the alert (R36). */
  readonly deliveries: number;
  /**
   * An earlier incident of this monitor. A message about that incident has told some receiver of the trouble already,
   * so this receiver gets no new message (R38). `null` when each receiver gets a message of its own.
   */
  readonly joined: number | null;
}

export interface RaisedNotice {
  readonly message: NoticeMessage;
  readonly deliveries: number;
}

/** One empty list for all fields that are nearly always empty, so that not every report makes new lists. */
export const NONE: readonly never[] = [];

export const armOnly = ({ id, monitor }: MonitorRecord, wakeAt: Instant | null): AfterCommit => ({
  monitorId: id,
  wakeAt,
  changedAt: monitor.changedAt,
  raised: NONE,
  notices: NONE,
  touchedIncidents: NONE,
  isSooner: false,
});

// The tools that nearly every part of the engine gets. The type of a part's parameters names what it needs besides.

export interface EngineTools {
  readonly context: EngineContext;
  readonly clock: Clock;
  readonly gaps: GapTracker;
  readonly committer: Committer;
  readonly background: Background;
  readonly log: Log;
}
