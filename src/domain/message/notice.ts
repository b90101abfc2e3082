// A notice: what rollcall has to say about itself, and which jobs that leaves in doubt (R26, R33). Who gets one, and when, is
// for the engine to decide; the message it becomes stands in notice-message.ts.

import type { FoundGap } from "../monitor/gap.ts";
import type { Watch } from "../monitor/monitor.ts";
import type { StorageFault } from "../storage-fault.ts";
import type { Instant } from "../time.ts";
import type { AlertKind } from "./alert.ts";
import type { Delivered } from "./drill.ts";

/** A monitor as a notice names it; `application` is the slug. */
export interface NamedMonitor {
  readonly application: string;
  readonly key: string;
  readonly name: string;
  readonly watch: Watch;
}

/** R26: what of a monitor a gap left unknown. */
export interface UnknownMonitor extends NamedMonitor {
  /** The first slot that is unknown, and how many are; null: no slot is. */
  readonly slots: { readonly first: Instant; readonly count: number } | null;
  readonly runs: readonly { readonly runId: string | null; readonly startedAt: Instant }[];
  /** When the next report is expected; null when none is. */
  readonly expectedAt: Instant | null;
}

/** R33: what of a monitor the rate limit refused. */
export interface RateLimitedMonitor extends NamedMonitor {
  /** In how many minutes reports were refused. */
  readonly minutes: number;
  readonly fails: readonly { readonly at: Instant; readonly message: string | null }[];
}

/** R33: what of a monitor was refused for another reason than the rate limit; it need not exist, and then has no schedule. */
export interface RejectedMonitor extends NamedMonitor {
  readonly watched: boolean;
  /** The newest of each reason; never empty. */
  readonly refused: readonly { readonly at: Instant; readonly kind: string | null; readonly reason: string }[];
}

/** The result of a drill at one address; there is none if the monitor's alerts go nowhere. */
export interface DrillDelivery extends Delivered {
  readonly answer: string | null;
}

/** R36: a message that was given up. */
export interface LostMessage {
  /** The delivery's id, by which it can be sent again. */
  readonly delivery: number;
  readonly recipient: string | null;
  /** When what it tells became true. */
  readonly at: Instant;
  /** Null: it is about no monitor, or cannot be read. `kind`: what it tells. */
  readonly monitor:
    | (Pick<NamedMonitor, "application" | "key" | "name"> & { readonly timezone: string; readonly kind: AlertKind })
    | null;
}

export type Notice =
  /** Nothing could be heard for a while, and these monitors should have reported in it. */
  | { readonly kind: "unheard"; readonly gap: FoundGap; readonly monitors: readonly UnknownMonitor[] }
  /** The rate limit refused reports; `settings` names what to raise, such as `limits.v1_per_minute`. */
  | {
      readonly kind: "refused";
      readonly from: Instant;
      readonly to: Instant;
      readonly settings: readonly string[];
      readonly monitors: readonly RateLimitedMonitor[];
    }
  /** Reports were refused because something is wrong with them: of jobs without a monitor, or failures. */
  | { readonly kind: "rejected"; readonly monitors: readonly RejectedMonitor[] }
  /** A drill of this monitor's alerts did not arrive everywhere: its alerts would not. */
  | {
      readonly kind: "drill";
      readonly monitor: NamedMonitor;
      readonly drilledAt: Instant;
      readonly deliveries: readonly DrillDelivery[];
    }
  /**
   * A destination did not take messages until they were given up. `total`: how many messages, about the
   * `monitors`; `messages`: the oldest of them. `since`: when the oldest was to be sent.
   */
  | {
      readonly kind: "undelivered";
      readonly destination: string;
      readonly total: number;
      readonly monitors: number;
      readonly since: Instant;
      readonly answer: string | null;
      readonly messages: readonly LostMessage[];
    }
  /**
   * A destination has taken nothing for an hour, the last attempt ending with `answer`; `until`: when it was seen to take
   * messages again, null while it does not. The others as above, of what waits there.
   */
  | {
      readonly kind: "failing";
      readonly destination: string;
      readonly total: number;
      readonly monitors: number;
      readonly since: Instant;
      readonly until: Instant | null;
      readonly answer: string | null;
      readonly messages: readonly LostMessage[];
    }
  /** Nothing can be stored (R36); `until`: since when it can again, null while it cannot. */
  | {
      readonly kind: "storage";
      readonly fault: StorageFault;
      readonly since: Instant;
      readonly until: Instant | null;
      readonly database: string;
    }
  /**
   * The clock was set back by `backMs` milliseconds; `exact` false: at least. `since`: when that was noticed. `monitors`: how
   * many were pulled back.
   */
  | {
      readonly kind: "clock";
      readonly backMs: number;
      readonly exact: boolean;
      readonly since: Instant;
      readonly monitors: number;
    };
