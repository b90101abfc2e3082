// Every answer other than 200 as the OpenAPI document has it: one response for each status, from the table the server
// answers by. It must not know which operation refuses what.

import Type from "typebox";
import { type RefusalCode, STATUS } from "../../domain/errors.ts";
import { MINUTE } from "../../domain/time.ts";
import { rateExceeded, refused } from "../errors.ts";
import { REFUSALS } from "../refusals.ts";
import { oneOf } from "../shapes.ts";
import { type Components, type Json, jsonResponse, refer, titleOf } from "./parts.ts";

const CODES = Object.keys(REFUSALS) as RefusalCode[];

/** The meaning of refusals' headers, by their names as they are sent. */
const HEADERS: Readonly<Record<string, Json>> = {
  "www-authenticate": { schema: { type: "string" } },
  allow: { description: "The methods that are taken.", schema: { type: "string" } },
  "retry-after": {
    description: "Whole seconds after which to try again.",
    schema: { type: "string", pattern: "^[1-9][0-9]*$" },
  },
};

const headersOf = (code: RefusalCode): readonly [string, Json][] =>
  Object.entries(REFUSALS[code].headers ?? {}).map(([name, example]) => [
    titleOf(name),
    { required: true, ...HEADERS[name], example },
  ]);

const limit = { setting: "limits.v1_per_minute", most: 60, span: MINUTE };

const exampleOf = (code: RefusalCode): object =>
  code === "RATE_LIMIT_EXCEEDED"
    ? rateExceeded.of({ accepted: false, limit, retryAfterSeconds: 17 })
    : refused.of({ refusal: code, message: REFUSALS[code].example });

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
  const { schema } = codes.includes("RATE_LIMIT_EXCEEDED") ? rateExceeded : refused;
  return jsonResponse(
    codes.map((code) => `\`${code}\`: ${REFUSALS[code].when}.`).join(" "),
    Type.Object({ ...schema.properties, error: oneOf(codes) }),
    Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
    Object.fromEntries(codes.flatMap(headersOf)),
  );
}
