// The telemetry operations, one row each: what the last segment of a report's path says, in every version.

import type { PingKind } from "../../engine/api.ts";

export interface TelemetryOperation {
  /** A `log` is kept as a row of history and changes nothing (R5). */
  readonly kind: PingKind | "log";
  /** The failure's text when the path itself gives it (R5: `exit status N`), else `null`. */
  readonly fixedMessage: string | null;
  /** Whether the `message` parameter counts. Only a failure has a message. */
  readonly takesMessage: boolean;
  /** Whether a POST may carry outcomes in a JSON body (R9). Bodies of other operations are ignored. */
  readonly takesOutcomes: boolean;
}

const operation = (kind: TelemetryOperation["kind"], fixedMessage: string | null = null): TelemetryOperation => ({
  kind,
  fixedMessage,
  takesMessage: kind === "fail" && fixedMessage === null,
  takesOutcomes: kind === "complete",
});

/** The operation of a path that ends with its monitor or its key. */
export const HEARTBEAT = operation("heartbeat");

/**
 * The contract's operations by the last segment of their path, which is the same with a key in the path and with an
 * Authorization header.
 */
export const OPERATIONS: ReadonlyMap<string, TelemetryOperation> = new Map([
  ["start", operation("start")],
  ["complete", operation("complete")],
  ["fail", operation("fail")],
]);

/** The operations whose segments may stand only behind a key in the path (R5). */
export const BEHIND_KEY_ALONE: ReadonlyMap<string, TelemetryOperation> = new Map([["log", operation("log")]]);

export const EXIT_STATUS_MAX = 255;

export const EXIT_STATUSES: ReadonlyMap<string, TelemetryOperation> = new Map(
  Array.from({ length: EXIT_STATUS_MAX + 1 }, (_, status): [string, TelemetryOperation] => [
    String(status),
    status === 0 ? HEARTBEAT : operation("fail", `exit status ${status}`),
  ]),
);

export const OPERATIONS_BEHIND_KEY: ReadonlyMap<string, TelemetryOperation> = new Map([
  ...OPERATIONS,
  ...BEHIND_KEY_ALONE,
  ...EXIT_STATUSES,
]);
