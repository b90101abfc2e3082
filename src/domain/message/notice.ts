// A notice: what rollcall says about itself, and which jobs that leaves in doubt (R26, R33). The engine decides who
// gets one, and when; notice-message.ts makes the message.

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

/** R26: what a gap left unknown about a monitor. */
export interface UnknownMonitor extends NamedMonitor {
  /** The first unknown slot, and how many there are; null: no slot is unknown. */
  readonly slots: { readonly first: Instant; readonly count: number } | null;
  readonly runs: readonly { readonly runId: string | null; readonly startedAt: Instant }[];
  /** When we expect the next report; null: we expect none. */
  readonly expectedAt: Instant | null;
}

/** R33: the reports of a monitor that the rate limit refused. */
export interface RateLimitedMonitor extends NamedMonitor {
  /** In how many minutes reports were refused. */
  readonly minutes: number;
  readonly failsTotal: number;
  /** The newest of them, newest first. */
  readonly fails: readonly { readonly at: Instant; readonly message: string | null }[];
}

/** R33: a monitor's reports refused for another reason. The monitor may not exist; then it has no schedule. */
export interface RejectedMonitor extends NamedMonitor {
  readonly watched: boolean;
  /** The newest report of each reason; never empty. */
  readonly refused: readonly {
    readonly at: Instant;
    readonly kind: string | null;
    /** Of the refusal. */
    readonly code: string;
    readonly reason: string;
  }[];
}

/** The result of a drill at one address; no address if the monitor's alerts go nowhere. */
export interface DrillDelivery extends Delivered {
  readonly answer: string | null;
}

/** R36: a message that we gave up. */
export interface LostMessage {
  /** The delivery's id, for sending it again. */
  readonly delivery: number;
  readonly recipient: string | null;
  /** When its content became true. */
  readonly at: Instant;
  /** Null: it is about no monitor, or we cannot read it. `kind`: the kind of message. */
  readonly monitor:
    | (Pick<NamedMonitor, "application" | "key" | "name"> & { readonly timezone: string; readonly kind: AlertKind })
    | null;
}

export type Notice =
  /**
   * We could not hear for a while, and this many monitors should have reported then; `monitors`: all that are listed;
   * `awaited`: how many more may report still.
   */
  | {
      readonly kind: "unheard";
      readonly gap: FoundGap;
      readonly total: number;
      readonly monitors: readonly UnknownMonitor[];
      readonly awaited: number;
    }
  /**
   * The rate limit refused reports; `settings` names the limits to raise, such as `limits.v1_per_minute`. `monitors`:
   * the first of the `total`, those with a refused failure first; `failing` of all had one, and `fails` failures were
   * refused.
   */
  | {
      readonly kind: "refused";
      readonly from: Instant;
      readonly to: Instant;
      readonly settings: readonly string[];
      readonly total: number;
      readonly failing: number;
      readonly fails: number;
      readonly monitors: readonly RateLimitedMonitor[];
    }
  /** Reports were refused because something is wrong with them: jobs without a monitor, or failures. */
  | { readonly kind: "rejected"; readonly monitors: readonly RejectedMonitor[] }
  /** A drill of this monitor's alerts failed somewhere: its alerts would fail there too. */
  | {
      readonly kind: "drill";
      readonly monitor: NamedMonitor;
      readonly drilledAt: Instant;
      readonly deliveries: readonly DrillDelivery[];
    }
  /**
   * We gave up messages to a destination. `total`: how many messages, about the `monitors`; `messages`: the oldest of
   * them. `since`: when the oldest was due.
   */
  | {
      readonly kind: "undelivered";
      /** The configuration no longer has the destination. */
      readonly removed: boolean;
      readonly destination: string;
      readonly total: number;
      readonly monitors: number;
      readonly since: Instant;
      readonly answer: string | null;
      readonly messages: readonly LostMessage[];
    }
  /**
   * A destination has taken nothing for an hour, and the last attempt ended with `answer`. `until`: when it took
   * messages again, null: it does not yet. The other fields as above, for what waits there.
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
  /** A backup failed, or the operator's command with one. `reason`: a sentence. */
  | {
      readonly kind: "backup";
      readonly step: "copy" | "command";
      readonly file: string;
      readonly at: Instant;
      readonly reason: string;
    }
  /**
   * Nothing can be stored (R36); `until`: since when storage works again, null: it does not yet. `failed`: whose
   * failures could not be stored.
   */
  | {
      readonly kind: "storage";
      readonly fault: StorageFault;
      readonly since: Instant;
      readonly until: Instant | null;
      readonly database: string;
      readonly failed: readonly RejectedMonitor[];
    }
  /**
   * The clock was set back by `backMs` milliseconds; `exact` false: by at least that. `since`: when we noticed.
   * `monitors`: how many we pulled back.
   */
  | {
      readonly kind: "clock";
      readonly backMs: number;
      readonly exact: boolean;
      readonly since: Instant;
      readonly monitors: number;
    };
