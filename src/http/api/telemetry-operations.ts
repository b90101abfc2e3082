// The operations of a report, such as `start` and `fail`: each is named by the last segment of the report's path, in
// every version alike.

import type { PingKind } from "../../engine/api.ts";

export interface TelemetryOperation {
  /** A `log` is only kept in the history and changes nothing else (R5). */
  readonly kind: PingKind | "log";
  /** The failure's text when the path itself gives it (R5: `exit status N`), else `null`. */
  readonly fixedMessage: string | null;
  /** Whether the parameter `message` counts. Only a failure without a fixed message takes it. */
  readonly takesMessage: boolean;
  /** Whether a POST may carry outcomes in a JSON body, which only a complete may (R9). */
  readonly takesOutcomes: boolean;
}

const operation = (kind: TelemetryOperation["kind"], fixedMessage: string | null = null): TelemetryOperation => ({
  kind,
  fixedMessage,
  takesMessage: kind === "fail" && fixedMessage === null,
  takesOutcomes: kind === "complete",
});

/** The operation of a path that names none: it ends with the key of its monitor or with the API key. */
export const HEARTBEAT = operation("heartbeat");

/**
 * The contract's operations by the last segment of their path. The segment is the same whether the API key is in the
 * path or in a header.
 */
export const OPERATIONS: ReadonlyMap<string, TelemetryOperation> = new Map([
  ["start", operation("start")],
  ["complete", operation("complete")],
  ["fail", operation("fail")],
]);

/** The operations that a path may name only behind an API key, as in `/ping/MONITOR/KEY/log` (R5). */
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
