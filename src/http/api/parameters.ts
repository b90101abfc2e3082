// The table of the parameters that a report may have. Reports are read by it, and the OpenAPI document is made from it.
// Each row stands under the field of `Ping` that it fills.

import Type from "typebox";
import { AGE_SECONDS_MAX, IDEMPOTENCY_KEY_LENGTH, MESSAGE_LENGTH, RUN_ID_LENGTH } from "../../domain/limits.ts";
import { HOST_LENGTH, USER_LENGTH } from "../../domain/message/presentation.ts";
import { OUTPUT_BYTES } from "../../domain/output/kept-output.ts";
import type { Dialect } from "../../domain/schedule/schedule.ts";
import {
  DECLARED_SETTINGS,
  type Declared,
  type DeclaredField,
  type FieldOf,
  type ReportedField,
} from "../../domain/settings/settings.ts";
import type { Idempotency, Ping } from "../../engine/api.ts";
import * as kinds from "./parameter-kinds.ts";
import { receiptText } from "./receipts.ts";
import type { TelemetryOperation } from "./telemetry-operations.ts";
import type { Version } from "./versions.ts";

type OwnField = Exclude<keyof Ping, "caller" | "monitorKey" | "kind" | "said" | "output" | "outcomes" | "lookalikes">;

export type SaidField = OwnField | ReportedField;

interface ParameterWords {
  readonly description: string;
  readonly example: string | number;
  /** Wrong names that people use for this parameter, in lower case and without `_` and `-` (R7). */
  readonly alsoCalled?: readonly string[];
  /**
   * The name that tools for Healthchecks give the parameter (R45). It counts when the API key is in the path and the
   * parameter's own name is absent.
   */
  readonly behindKey?: string;
  readonly header?: string;
}

export interface Parameter<Value = unknown> extends kinds.ParameterKind<Value>, ParameterWords {
  readonly name: string;
  /** Operations that take no message ignore parameters about a `failure`. */
  readonly about: "monitor" | "run" | "failure";
}

export type Parameters = { readonly [Field in SaidField]: Parameter<NonNullable<(Ping & Declared)[Field]>> };

export const parametersOf = (version: Version, messageUse: MessageUse = "plain"): Parameters => ({
  schedule: setting("schedule", kinds.cronExpression(DECLARED_SETTINGS.schedule.longest, version.dialect), {
    alsoCalled: ["cron", "crontab"],
    description:
      `A cron expression of ${SCHEDULE_FORMS[version.dialect]}. It creates a monitor that is missing, and replaces the ` +
      "schedule of one that exists.",
    example: "0 3 * * *",
  }),
  everySeconds: setting("everySeconds", kinds.interval, {
    alsoCalled: ["interval", "period", "timeout", "everyseconds"],
    description:
      "Instead of a schedule: the longest time from one end to the next, as a duration from 10s to 366d, such as 90s, 15m, " +
      "25h, 7d. It creates a monitor that is missing, and replaces the schedule of one that exists.",
    example: "25h",
  }),
  graceSeconds: setting("graceSeconds", secondsKind("graceSeconds"), {
    alsoCalled: ["grace", "graceseconds", "gracetime"],
    description: "Seconds that a report may come late without an alarm.",
    example: 300,
  }),
  name: setting("name", kinds.boundedLine(DECLARED_SETTINGS.name.longest), {
    description: "What people read; made from the key when omitted.",
    example: "Nightly backup",
  }),
  runId: parameter("run_id", "run", kinds.boundedLine(RUN_ID_LENGTH), {
    alsoCalled: [RID],
    behindKey: RID,
    description: "Names one execution: the same on its start and its end, and on its retries.",
    example: "2026-03-01-a",
  }),
  attempt: parameter("attempt", "run", kinds.wholeNumberKind(0), {
    description: "Which retry this is; shown, decides nothing.",
    example: 0,
  }),
  message: parameter("message", "failure", MESSAGES[version.longMessage][messageUse], {
    alsoCalled: ["msg"],
    description: `What went wrong, for the alert.${version.longMessage === "cut" ? CUT : ""}`,
    example: "disk full",
  }),
  host: parameter("host", "failure", kinds.cutText(HOST_LENGTH), {
    description: `On which machine it failed, for the alert; its first ${HOST_LENGTH} characters count.`,
    example: "web1",
  }),
  user: parameter("user", "failure", kinds.cutText(USER_LENGTH), {
    description: `As which user it ran, for the alert; the first ${USER_LENGTH} characters count.`,
    example: "backup",
  }),
  ageSeconds: parameter("age", "run", kinds.wholeNumberKind(0, AGE_SECONDS_MAX), {
    description:
      "For a report that could not be sent when it happened: how many seconds ago that was, rounded down. It then counts from " +
      "when it happened. Send such reports in their order, each under its idempotency key.",
    example: 0,
  }),
  durationSeconds: parameter("duration", "run", kinds.measuredSeconds, {
    description:
      "With an end: how many seconds the run took, as its client measured it. A fraction does not count. Else we measure " +
      "from its start. More than can have passed is ignored, and `warning` says so.",
    example: 1260.5,
  }),
  timezone: setting("timezone", kinds.timeZone, {
    alsoCalled: ["tz", "zone"],
    description: "The IANA time zone in which the schedule is read; else the application's, the service's, UTC.",
    example: "Europe/Berlin",
  }),
  maxRuntimeSeconds: setting("maxRuntimeSeconds", secondsKind("maxRuntimeSeconds"), {
    alsoCalled: ["runtime", "maxruntimeseconds"],
    description: "Seconds that a run may take from its start; a run that has not ended by then is told of.",
    example: 7200,
  }),
  labels: setting("labels", kinds.labels, {
    alsoCalled: ["labels", "tags"],
    description: "Words to find the monitor by and to send its alerts by, between commas; all that it has.",
    example: "db,nightly",
  }),
  idempotency: parameter("idempotency_key", "run", idempotencyKey(receiptText(version.receipts)), {
    header: "Idempotency-Key",
    description:
      "A repeat of a report under the same key gets the first answer byte for byte, also from another " +
      "operation, and nothing is applied again. The monitor and this key are the identity; the answer is kept for 7 days. " +
      "An empty or longer key is ignored.",
    example: "backup-2026-03-01",
  }),
});

const RID = "rid";

/**
 * The text that the `message` of a fail may hold. `plain`: a message. `hiding`: a message in which secrets are hidden
 * before it is cut. `output`: a message or the job's output (R46).
 */
export type MessageUse = "plain" | "hiding" | "output";

const MESSAGES: Readonly<Record<Version["longMessage"], Readonly<Record<MessageUse, kinds.ParameterKind<string>>>>> = {
  refused: {
    plain: kinds.boundedText(MESSAGE_LENGTH),
    hiding: kinds.boundedText(MESSAGE_LENGTH),
    output: kinds.boundedBytes(OUTPUT_BYTES),
  },
  cut: { plain: kinds.cutText(MESSAGE_LENGTH), hiding: kinds.anyText, output: kinds.anyText },
};
const CUT = ` Of a longer one the first ${MESSAGE_LENGTH} characters count.`;

const FIELDS = "minute, hour, day of month, month, day of week (Sunday is 0)";
const SCHEDULE_FORMS: Readonly<Record<Dialect, string>> = {
  five: `five fields: ${FIELDS}`,
  alias: `five fields: ${FIELDS}; or six, the seconds first; or @hourly, @daily, @weekly, @monthly, @yearly`,
};

const idempotencyKey = (textOf: Idempotency["textOf"]): kinds.ParameterKind<Idempotency> =>
  kinds.keyKind(IDEMPOTENCY_KEY_LENGTH, (key) => ({ key, textOf }));

const parameter = <Value>(
  name: string,
  about: Parameter["about"],
  kind: kinds.ParameterKind<Value>,
  words: ParameterWords,
): Parameter<Value> => ({ name, about, ...kind, ...words });

function setting<Value>(
  field: ReportedField,
  kind: kinds.ParameterKind<Value>,
  words: ParameterWords,
): Parameter<Value> {
  const { parameter: name, otherwise } = DECLARED_SETTINGS[field];
  const hasDefault = otherwise.from === "default" && otherwise.value !== null;
  const schema = hasDefault ? Type.With(kind.schema, { default: otherwise.value }) : kind.schema;
  return parameter(name, "monitor", { ...kind, schema }, words);
}

const secondsKind = (field: FieldOf<"seconds", DeclaredField>): kinds.ParameterKind<number> => {
  const { least, most } = DECLARED_SETTINGS[field];
  return kinds.wholeNumberKind(least, most);
};

/** A `log` takes no settings of a monitor, because it is only kept in the history. */
export function operationTakesParameter({ about }: Parameter, { kind, takesMessage }: TelemetryOperation): boolean {
  switch (about) {
    case "monitor":
      return kind !== "log";
    case "run":
      return true;
    case "failure":
      return takesMessage;
    default:
      return about satisfies never;
  }
}
