// What the versions of the contract say differently, side by side: where they live, which schedules they take, how many
// requests and how a receipt reads as JSON. A version is a row; no other file may ask which version it serves.

import type { RateLimit } from "../domain/rate-limit.ts";
import type { Dialect } from "../domain/schedule.ts";
import { HOUR, MINUTE, toIso } from "../domain/time.ts";
import type { Receipt } from "../engine/contract.ts";

/** How many requests a key may send, as the configuration says; 0: as many as it likes (R33). */
export interface Limits {
  readonly v1PerMinute: number;
  readonly v1PerHour: number;
}

export interface Version {
  /** What stands before the monitor key. */
  readonly prefix: string;
  readonly dialect: Dialect;
  /** What holds for its telemetry. */
  readonly rateLimits: (limits: Limits) => readonly RateLimit[];
  /** The answer to an accepted ping. */
  readonly answer: (receipt: Receipt) => object;
}

export const VERSION_1: Version = {
  prefix: "/api/v1/ping/",
  dialect: "five",
  rateLimits: ({ v1PerMinute, v1PerHour }) =>
    [
      { setting: "limits.v1_per_minute", most: v1PerMinute, span: MINUTE },
      { setting: "limits.v1_per_hour", most: v1PerHour, span: HOUR },
    ].filter(({ most }) => most > 0),
  answer: version1Answer,
};

const FAILURE_TEXT = "The failure was recorded.";

/** The contract's "Telemetry responses"; `log` answers in the heartbeat's shape (R5). */
function version1Answer(receipt: Receipt): object {
  const monitor = receipt.monitorKey;
  const at = toIso(receipt.at);
  switch (receipt.kind) {
    case "heartbeat":
    case "log":
      return { status: "ok", monitor, pingedAt: at, warning: receipt.warning };
    case "start":
      return { status: "started", monitor, startedAt: at };
    case "complete":
      return { status: "completed", monitor, completedAt: at, duration: receipt.durationSeconds };
    case "fail":
      return {
        status: "failure_recorded",
        monitor,
        recordedAt: at,
        message: FAILURE_TEXT,
        failureMessage: receipt.message,
      };
    default:
      return receipt.kind satisfies never;
  }
}
