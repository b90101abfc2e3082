// Which idempotency key a request names (R11): the header's, else the query's. One that is empty or too long is none, for a
// report is worth more than what it would have saved. What a key does is not known here.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { IDEMPOTENCY_KEY_LENGTH } from "../../domain/limits.ts";
import { isLongerThan } from "../../domain/text.ts";
import { type Query, readText } from "./query.ts";

/** The key in the header; null: the query counts. */
export function keyInHeader(headers: Headers): string | null {
  const value = headers.get("idempotency-key");
  return value === null ? null : usable(fromBytes(value));
}

/** The key in the query; null: there is none; 400 when it is no text. */
export function keyInQuery(query: Query): string | null | Refusal {
  const text = readText(query, "idempotency_key");
  return text === null || isRefusal(text) ? text : usable(text);
}

/** Scripts send unset variables: if an empty key counted, all their reports would repeat the first. */
const usable = (key: string): string | null => (key === "" || isLongerThan(key, IDEMPOTENCY_KEY_LENGTH) ? null : key);

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** A header's bytes reach us one letter each. Where they are UTF-8 the key is the one a query would name, and as long. */
function fromBytes(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  try {
    return UTF_8.decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}
