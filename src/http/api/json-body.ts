// Bodies that are JSON: their media type, and any JSON value behind their bytes. No library may reshape a value before
// it is checked. It does not know what a value means.

import { type Refusal, refuse } from "../../domain/errors.ts";
import { beforeParameters } from "./text.ts";

/** Whether we read a body of this media type (R9); parameters such as a charset do not matter. */
export const isJson = (contentType: string | null): boolean =>
  contentType !== null && beforeParameters(contentType) === "application/json";

type JsonObject = Readonly<Record<string, unknown>>;

/** The JSON object of a body; 400 for anything else. */
export function readJsonObject(bytes: Uint8Array): JsonObject | Refusal {
  const body = parse(bytes);
  if (body === undefined) return refuse("INVALID_REQUEST", "body: it is not JSON, a JSON object in UTF-8 is needed");
  return isObject(body) ? body : refuse("INVALID_REQUEST", "body: it is not a JSON object, which it must be");
}

/** Any JSON value; undefined, which JSON lacks, for everything else. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
