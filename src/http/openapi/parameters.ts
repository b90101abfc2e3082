// The parameters of the telemetry operations as the OpenAPI document has them: names, rules and examples, from the
// limits the server checks by. It must not know paths or answers.

import { formatKey, KEY_PREFIX } from "../../domain/api-key.ts";
import {
  GRACE_SECONDS_DEFAULT,
  GRACE_SECONDS_MIN,
  IDEMPOTENCY_KEY_LENGTH,
  MAX_RUNTIME_SECONDS_MIN,
  MESSAGE_LENGTH,
  MONITOR_KEY_LENGTH,
  NAME_LENGTH,
  RUN_ID_LENGTH,
  SCHEDULE_LENGTH,
} from "../../domain/limits.ts";
import type { Dialect } from "../../domain/schedule/schedule.ts";
import { EXIT_STATUS_MAX, type Operation } from "../api/operations.ts";
import type { Version } from "../api/versions.ts";
import { type Components, componentName, type Json, LINE, refer } from "./parts.ts";

/** What a query takes as a whole number: plain digits, at most nine. */
const INTEGER: Json = { type: "integer", maximum: 999_999_999 };

interface Parameter extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly description: string;
  readonly schema: Json;
}

const inPath = (name: string, description: string, schema: Json, example: unknown): Parameter => ({
  name,
  in: "path",
  required: true,
  description,
  schema,
  example,
});

const inQuery = (name: string, description: string, schema: Json, example: unknown): Parameter => ({
  name,
  in: "query",
  description,
  schema,
  example,
});

const IDEMPOTENCY =
  "Whoever repeats a report under the same key is answered byte for byte what the first one was, also by another " +
  "operation, and nothing is applied again. The monitor and this key are the identity; the answer is kept for 7 days. " +
  "An empty or longer key is ignored.";
const IDEMPOTENCY_SCHEMA: Json = { type: "string", maxLength: IDEMPOTENCY_KEY_LENGTH };

/** What all versions take alike, by the names of the components. */
const SHARED = {
  MonitorKey: inPath(
    "monitor_key",
    "Which monitor, compared exactly. Percent-encode it; `%2F` is then part of the key. `.` and `..` are refused.",
    { type: "string", minLength: 1, maxLength: MONITOR_KEY_LENGTH, pattern: LINE },
    "nightly-backup",
  ),
  ApiKey: inPath(
    "api_key",
    "The application's API key; it wins over an Authorization header.",
    { type: "string", pattern: `^${KEY_PREFIX}` },
    formatKey("prod", "0123456789abcdefghijklmnopqrstuv"),
  ),
  ExitStatus: inPath(
    "exit_status",
    "The exit status of the job: 0 is a heartbeat, everything else a failure with the message `exit status N`.",
    { type: "integer", minimum: 0, maximum: EXIT_STATUS_MAX },
    1,
  ),
  GracePeriod: inQuery(
    "gracePeriod",
    "Seconds that a report may come late without an alarm.",
    { ...INTEGER, minimum: GRACE_SECONDS_MIN, default: GRACE_SECONDS_DEFAULT },
    300,
  ),
  Name: inQuery(
    "name",
    "What people read; made from the key when omitted.",
    { type: "string", maxLength: NAME_LENGTH, pattern: LINE },
    "Nightly backup",
  ),
  Timezone: inQuery(
    "timezone",
    "The IANA time zone in which the schedule is read; else the application's, the service's, UTC.",
    { type: "string" },
    "Europe/Berlin",
  ),
  MaxRuntime: inQuery(
    "maxRuntime",
    "Seconds that a run may take from its start; a run that has not ended by then is told of.",
    { ...INTEGER, minimum: MAX_RUNTIME_SECONDS_MIN },
    7200,
  ),
  RunId: inQuery(
    "run_id",
    "Names one execution: the same on its start and its end, and on its retries.",
    { type: "string", maxLength: RUN_ID_LENGTH, pattern: LINE },
    "2026-03-01-a",
  ),
  Attempt: inQuery("attempt", "Which retry this is; shown, decides nothing.", { ...INTEGER, minimum: 0 }, 0),
  IdempotencyHeader: {
    name: "Idempotency-Key",
    in: "header",
    description: `${IDEMPOTENCY} It wins over the parameter \`idempotency_key\`.`,
    schema: IDEMPOTENCY_SCHEMA,
    example: "backup-2026-03-01",
  },
  IdempotencyQuery: inQuery("idempotency_key", IDEMPOTENCY, IDEMPOTENCY_SCHEMA, "backup-2026-03-01"),
} satisfies Readonly<Record<string, Parameter>>;

/** Kept in the history alone, `log` declares nothing. */
const OF_LOG = ["RunId", "Attempt", "IdempotencyHeader", "IdempotencyQuery"];
const OF_ALL = ["GracePeriod", "Name", "Timezone", "MaxRuntime", ...OF_LOG];

const FIELDS = "minute, hour, day of month, month, day of week (Sunday is 0)";
const SCHEDULES: Readonly<Record<Dialect, { readonly form: string; readonly pattern: string }>> = {
  five: { form: `five fields: ${FIELDS}`, pattern: "^[ \\t]*[^ \\t]+([ \\t]+[^ \\t]+){4}[ \\t]*$" },
  alias: {
    form: `five fields: ${FIELDS}; or six, the seconds first; or @hourly, @daily, @weekly, @monthly, @yearly`,
    pattern: "^[ \\t]*(@[A-Za-z]+|[^ \\t]+([ \\t]+[^ \\t]+){4,5})[ \\t]*$",
  },
};

const scheduleOf = ({ dialect }: Version): Parameter =>
  inQuery(
    "schedule",
    `A cron expression of ${SCHEDULES[dialect].form}. It creates a monitor that is missing, and replaces the schedule ` +
      "of one that exists.",
    { type: "string", minLength: 1, maxLength: SCHEDULE_LENGTH, pattern: SCHEDULES[dialect].pattern },
    "0 3 * * *",
  );

function messageOf({ longMessage }: Version): Json {
  const shown = "What went wrong, for the alert.";
  const cut = longMessage === "cut";
  return inQuery(
    "message",
    cut ? `${shown} Of a longer one the first ${MESSAGE_LENGTH} characters count.` : shown,
    cut ? { type: "string" } : { type: "string", maxLength: MESSAGE_LENGTH },
    "disk full",
  );
}

const scheduleName = (version: Version): string => componentName(version, "Schedule");
const messageName = (version: Version): string => componentName(version, "Message");

/** Every parameter as a component: those that all versions share, and each version's own. */
export const parameterComponents = (versions: readonly Version[]): Components => ({
  parameters: {
    ...SHARED,
    ...Object.fromEntries(
      versions.flatMap((version) => [
        [scheduleName(version), scheduleOf(version)],
        [messageName(version), messageOf(version)],
      ]),
    ),
  },
});

export type PathParameter = "MonitorKey" | "ApiKey" | "ExitStatus";

export const pathParameters = (...names: readonly PathParameter[]): readonly Json[] =>
  names.map((name) => refer("parameters", name));

/** What an operation of a version takes beside its path. */
export function parametersOf(version: Version, { kind, fixedMessage }: Operation): readonly Json[] {
  const names = kind === "log" ? OF_LOG : [scheduleName(version), ...OF_ALL];
  const speaks = kind === "fail" && fixedMessage === null;
  return [...(speaks ? [messageName(version)] : []), ...names].map((name) => refer("parameters", name));
}

/** What a report declares of its monitor, as fields of a JSON body. */
export const declaredFields = (version: Version): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    [scheduleOf(version), SHARED.GracePeriod, SHARED.Name, SHARED.Timezone, SHARED.MaxRuntime].map(
      ({ name, description, schema }) => [name, { ...schema, description }],
    ),
  );
