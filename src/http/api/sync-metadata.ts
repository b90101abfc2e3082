// The metadata a registry may add to a monitor: an object of bounded size and depth (R29). We keep it for the
// integration and never read it.

import { type Refusal, refuse } from "../../domain/errors.ts";
import { METADATA_BYTES, METADATA_DEPTH } from "../../domain/limits.ts";
import { isObject } from "./json-body.ts";

/**
 * The metadata as JSON, null without any; else 400. Sorts its names: many clients send them in any order, and the same
 * registry must give the same result.
 */
export function checkMetadata(metadata: unknown): string | null | Refusal {
  if (metadata === undefined || metadata === null) return null;
  if (!isObject(metadata)) return refuse("INVALID_REQUEST", "metadata: it is not a JSON object, which it must be");
  if (isDeeperThan(metadata, METADATA_DEPTH)) {
    return refuse("INVALID_REQUEST", `metadata: it has more than ${METADATA_DEPTH} levels, the most it may have`);
  }
  const text = JSON.stringify(metadata, (_, value) => (isObject(value) ? inOrder(value) : value));
  if (Buffer.byteLength(text) <= METADATA_BYTES) return text;
  return refuse("INVALID_REQUEST", `metadata: it is larger than ${METADATA_BYTES} bytes, the most it may have`);
}

/** Names are compared by their letters; no two are equal. */
const inOrder = (object: object): object =>
  Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)));

/** Objects and lists are levels; looks no deeper than it must, however deep a value is. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
