// Every answer other than 200 as the OpenAPI document has it: one response for each status, from the table the server
// answers by. It must not know which operation refuses what.

import type { RefusalCode } from "../../domain/errors.ts";
import { STATUS } from "../errors.ts";
import { type Components, type Json, jsonResponse, objectOf, refer } from "./parts.ts";

interface Told {
  /** Completes "Refused: ". */
  readonly when: string;
  /** A message as it may read. */
  readonly message: string;
}

const TOLD: Readonly<Record<RefusalCode, Told>> = {
  INVALID_SCHEDULE: {
    when: "the cron expression is malformed or never comes true",
    message: 'schedule: hour field "25" is out of range, 0-23 are taken',
  },
  INVALID_REQUEST: {
    when: "anything else is malformed; the message names the field, what is wrong with it and the rule",
    message: "gracePeriod: 30 is too small, it must be at least 60",
  },
  AUTHENTICATION_REQUIRED: {
    when: "the API key is missing, malformed, unknown or revoked",
    message: "a valid API key is required",
  },
  PLAN_LIMIT_REACHED: {
    when: "the application has no capacity for another active monitor; those that exist go on",
    message: "the application has as many active monitors as it may have",
  },
  ACCESS_DENIED: {
    when: "the key is valid and may not do this, or the request says that it is a prefetch",
    message: 'this key has the scope "sync", telemetry takes keys of the scopes "all" and "ping"',
  },
  HTTPS_REQUIRED: {
    when: "the request came over plain HTTP, which is not accepted",
    message: "plain HTTP is not accepted here, send the request over HTTPS",
  },
  MONITOR_NOT_FOUND: {
    when: "there is no such monitor, and the request carries no schedule to create it",
    message:
      'monitor "nightly-backup" does not exist in application "prod"; a report that carries a schedule creates it',
  },
  NOT_FOUND: { when: "there is no such path", message: "there is no such path" },
  METHOD_NOT_ALLOWED: {
    when: "the path takes other methods, which `Allow` names; nothing was changed",
    message: "PUT is not taken here, use GET or POST",
  },
  PAYLOAD_TOO_LARGE: {
    when: "the body is too large; nothing was recorded",
    message: "body: it is larger than 16384 bytes, the most it may have",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: "the body is not of a media type that is read",
    message: "content-type: a registry is sent as application/json",
  },
  RATE_LIMIT_EXCEEDED: {
    when: "the key has sent more requests than the limit allows; retry after the stated time, with growing pauses",
    message: "this key may send 60 requests in 1 minute (limits.v1_per_minute); the next one is taken in 17 seconds",
  },
  INTERNAL_ERROR: {
    when: "something unexpected happened; retry with growing pauses",
    message: "an unexpected error; the log has it as number 1",
  },
  STORAGE_UNAVAILABLE: {
    when: "nothing could be written, and nothing was recorded; retry",
    message: "the database cannot be written; the log has the error as number 1",
  },
};

const RETRY_AFTER: Json = {
  "Retry-After": {
    description: "Whole seconds after which to try again.",
    required: true,
    schema: { type: "string", pattern: "^[1-9][0-9]*$" },
    example: "17",
  },
};

/** Headers that one status has beside those of every answer. */
const MORE_HEADERS: Readonly<Partial<Record<RefusalCode, Json>>> = {
  AUTHENTICATION_REQUIRED: {
    "WWW-Authenticate": { required: true, schema: { type: "string" }, example: 'Basic realm="rollcall"' },
  },
  METHOD_NOT_ALLOWED: {
    Allow: {
      description: "The methods that are taken.",
      required: true,
      schema: { type: "string" },
      example: "GET, POST",
    },
  },
  RATE_LIMIT_EXCEEDED: RETRY_AFTER,
  STORAGE_UNAVAILABLE: RETRY_AFTER,
};

/** What an error has in its body beside its code and its sentence, with an example of it. */
const MORE_FIELDS: Readonly<Partial<Record<RefusalCode, { readonly schema: Json; readonly example: Json }>>> = {
  RATE_LIMIT_EXCEEDED: {
    schema: { retry_after: { type: "integer", minimum: 1, description: "Seconds, as in `Retry-After`." } },
    example: { retry_after: 17 },
  },
};

const CODES = Object.keys(STATUS) as RefusalCode[];

const nameOf = (status: number): string => `Refused${status}`;

/** What the socket answers before anything of ours has seen the request. */
const HEAD_TOO_LARGE: Json = {
  description:
    "The request line and the headers are too large together. This answer alone has neither a body nor headers of ours.",
};

/** The responses of these statuses as an operation has them, and of what may come instead of any. */
export const refusals = (...statuses: readonly number[]): Json => ({
  ...Object.fromEntries(statuses.map((status) => [status, refer("responses", nameOf(status))])),
  431: refer("responses", "HeadTooLarge"),
});

/** The response of each status that a refusal can have. */
export function refusalComponents(): Components {
  const statuses = [...new Set(CODES.map((code) => STATUS[code]))];
  const described = Object.fromEntries(statuses.map((status) => [nameOf(status), describe(status)]));
  return { responses: { ...described, HeadTooLarge: HEAD_TOO_LARGE } };
}

function describe(status: number): Json {
  const codes = CODES.filter((code) => STATUS[code] === status);
  const merged = (parts: readonly (Json | undefined)[]): Json => Object.assign({}, ...parts);
  return jsonResponse({
    description: codes.map((code) => `\`${code}\`: ${TOLD[code].when}.`).join(" "),
    schema: objectOf({
      error: { type: "string", enum: codes },
      message: { type: "string", minLength: 1, description: "A sentence for people." },
      ...merged(codes.map((code) => MORE_FIELDS[code]?.schema)),
    }),
    examples: Object.fromEntries(
      codes.map((code) => [code, { error: code, message: TOLD[code].message, ...MORE_FIELDS[code]?.example }]),
    ),
    headers: merged(codes.map((code) => MORE_HEADERS[code])),
  });
}
