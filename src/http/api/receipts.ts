// Makes the bodies of the responses to accepted reports, one for each kind of report, as the contract's "Telemetry
// responses" has them.

import Type from "typebox";
import { MESSAGE_LENGTH, MONITOR_KEY_LENGTH } from "../../domain/limits.ts";
import { toIso } from "../../domain/time.ts";
import type { Receipt } from "../../engine/api.ts";
import { countShape, instantShape, nullableShape, responseBodyShape, type Shape } from "../json-shapes.ts";

export type Receipts = Readonly<Record<Receipt["kind"], Shape<Receipt>>>;

const MONITOR = Type.String({ minLength: 1, maxLength: MONITOR_KEY_LENGTH, description: "The monitor's key." });
const ARRIVED = instantShape("When the report arrived: ISO 8601, in UTC.");
const DURATION = nullableShape(countShape({ description: "Whole seconds since the start; null without one." }));
const MESSAGE = nullableShape(Type.String({ maxLength: MESSAGE_LENGTH, description: "The message that was sent." }));
const WARNING = nullableShape(Type.String({ description: "What somebody should look at, in one sentence." }));

const LATE = { happenedAt: Type.Optional(instantShape("When it happened: the report said that it is late.")) };
const late = ({ happenedAt }: Receipt): { readonly happenedAt?: string } =>
  happenedAt === null ? {} : { happenedAt: toIso(happenedAt) };

/**
 * The fields that are only there when they say something. In the contract only the response to a heartbeat has a
 * warning; in other responses it is an addition.
 */
const ADDED = { ...LATE, warning: Type.Optional(WARNING) };
const added = (receipt: Receipt): { readonly happenedAt?: string; readonly warning?: string } => ({
  ...late(receipt),
  ...(receipt.warning === null ? {} : { warning: receipt.warning }),
});

const heartbeat = responseBodyShape(
  Type.Object({ status: Type.Literal("ok"), monitor: MONITOR, pingedAt: ARRIVED, ...LATE, warning: WARNING }),
)((receipt: Receipt) => ({
  status: "ok",
  monitor: receipt.monitorKey,
  pingedAt: toIso(receipt.at),
  ...late(receipt),
  warning: receipt.warning,
}));

/** The responses that all versions share. A `log` is answered like a heartbeat (R5). */
export const RECEIPTS = {
  heartbeat,
  log: heartbeat,
  start: responseBodyShape(
    Type.Object({ status: Type.Literal("started"), monitor: MONITOR, startedAt: ARRIVED, ...ADDED }),
  )((receipt: Receipt) => ({
    status: "started",
    monitor: receipt.monitorKey,
    startedAt: toIso(receipt.at),
    ...added(receipt),
  })),
  complete: responseBodyShape(
    Type.Object({
      status: Type.Literal("completed"),
      monitor: MONITOR,
      completedAt: ARRIVED,
      duration: DURATION,
      ...ADDED,
    }),
  )((receipt: Receipt) => ({
    status: "completed",
    monitor: receipt.monitorKey,
    completedAt: toIso(receipt.at),
    duration: receipt.durationSeconds,
    ...added(receipt),
  })),
} satisfies Omit<Receipts, "fail">;

export const failureRecorded = responseBodyShape(
  Type.Object({
    status: Type.Literal("failure_recorded"),
    monitor: MONITOR,
    recordedAt: ARRIVED,
    message: Type.String({ description: "Always the same sentence." }),
    failureMessage: MESSAGE,
    ...ADDED,
  }),
)((receipt: Receipt) => ({
  status: "failure_recorded",
  monitor: receipt.monitorKey,
  recordedAt: toIso(receipt.at),
  message: "The failure was recorded.",
  failureMessage: receipt.message,
  ...added(receipt),
}));

export const failed = responseBodyShape(
  Type.Object({ status: Type.Literal("failed"), monitor: MONITOR, failedAt: ARRIVED, message: MESSAGE, ...ADDED }),
)((receipt: Receipt) => ({
  status: "failed",
  monitor: receipt.monitorKey,
  failedAt: toIso(receipt.at),
  message: receipt.message,
  ...added(receipt),
}));

export const receiptBody = (receipts: Receipts, receipt: Receipt): object => receipts[receipt.kind].of(receipt);

/**
 * Writes the body of a response as text. The response to a heartbeat is by far the most frequent, so it is written by
 * hand, which is faster.
 */
export const receiptText =
  (receipts: Receipts) =>
  (receipt: Receipt): string =>
    receipt.kind === "heartbeat" && receipt.happenedAt === null
      ? heartbeatText(receipt)
      : JSON.stringify(receiptBody(receipts, receipt));

const heartbeatText = ({ monitorKey, at, warning }: Receipt): string =>
  `{"status":"ok","monitor":${JSON.stringify(monitorKey)},"pingedAt":"${toIso(at)}","warning":${JSON.stringify(warning)}}`;
