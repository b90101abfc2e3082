// The fields of what commands send over the management socket: from a JSON body or a query to values of the right type,
// or a 400 that names the field. Whether a value is any good is the engine's to say.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { okAnswer } from "../answers.ts";
import { readTarget } from "../api/paths.ts";
import { type Query, readInteger, splitQuery } from "../api/query.ts";
import { refusalAnswer } from "../errors.ts";

/** One path of the socket; `id` is what stands for `:id` in it. */
export interface ManagementRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly handle: (request: Request, id: string) => Response | Promise<Response>;
}

export type Fields = ReadonlyMap<string, unknown>;

/** The fields of a JSON body; a body that is no JSON object has none. */
export async function readFields(request: Request): Promise<Fields> {
  try {
    const body: unknown = JSON.parse(await request.text());
    return new Map(typeof body === "object" && body !== null ? Object.entries(body) : []);
  } catch {
    return new Map();
  }
}

export const queryOf = (request: Request): Query => splitQuery(readTarget(request.url).query);

export function textOf(fields: Fields, name: string): string | Refusal {
  const value = fields.get(name);
  return typeof value === "string" ? value : refuse("INVALID_REQUEST", `${name}: it is missing, a text is needed`);
}

/** Null where the field is absent or null. */
export function optionalTextOf(fields: Fields, name: string): string | null | Refusal {
  const value = fields.get(name) ?? null;
  return value === null || typeof value === "string" ? value : refuse("INVALID_REQUEST", `${name}: it is not a text`);
}

/** Null where the field is absent or null. */
export function optionalNumberOf(fields: Fields, name: string): number | null | Refusal {
  const value = fields.get(name) ?? null;
  return value === null || typeof value === "number" ? value : refuse("INVALID_REQUEST", `${name}: it is not a number`);
}

/** The number that names a row, from a path. */
export const idOf = (text: string): number | Refusal =>
  /^[0-9]{1,15}$/.test(text) ? Number(text) : refuse("INVALID_REQUEST", "id: it is not a whole number");

/** More would be read by nobody. */
const LIMIT_MAX = 1_000;
const LIMIT_DEFAULT = 20;

/** How many of a list, the newest, are asked for. */
export function limitOf(query: Query, standard = LIMIT_DEFAULT): number | Refusal {
  const limit = readInteger(query, "limit", 1) ?? standard;
  if (isRefusal(limit) || limit <= LIMIT_MAX) return limit;
  return refuse("INVALID_REQUEST", `limit: it is larger than ${LIMIT_MAX}`);
}

/** What an operation answered, as a response. */
export const answer = <Value extends object>(value: Value | Refusal, show: (value: Value) => object): Response =>
  isRefusal(value) ? refusalAnswer(value) : okAnswer(show(value));
