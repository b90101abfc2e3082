// Decodes the texts of requests: queries (R7) and headers. Queries are split by hand, because `URLSearchParams` is slow
// and hides broken escapes.

import { type Refusal, refuseField } from "../../domain/errors.ts";
import { decodePercentEncoding } from "../request-target.ts";

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

const PLUS = 0x2b;
const SPACE = 0x20;

/**
 * Replaces plus signs by spaces. In ASCII this is done byte by byte, because `replaceAll` makes a new text for each
 * plus sign. 15,000 of them would take as long as ten reports.
 */
export function spacesForPluses(text: string): string {
  if (!text.includes("+") || !isAscii(text)) return text.replaceAll("+", " ");
  const bytes = Buffer.from(text, "latin1");
  for (let place = 0; place < bytes.length; place++) if (bytes[place] === PLUS) bytes[place] = SPACE;
  return bytes.toString("latin1");
}

/**
 * Decodes a header's value, which Bun gives with one letter for each byte. If the bytes are UTF-8, the result is the
 * text that they encode, as in a query. Otherwise it is the value as it came.
 */
export function headerText(value: string): string {
  if (isAscii(value)) return value;
  try {
    return UTF_8.decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}

/** Parameters by name, with their values still encoded. If a name comes twice, its last value counts. */
export type Query = ReadonlyMap<string, string>;

/**
 * How many parameters a query may have, which is far more than there are. A request line has room for thousands, and
 * each would take time.
 */
const PAIRS_MAX = 100;

/** Returns 400 for a query of more than `PAIRS_MAX` parameters, else `null`. It is called before the query is split. */
export function checkPairs(query: string): Refusal | null {
  let at = 0;
  for (let pairs = 1; pairs <= PAIRS_MAX; pairs++) {
    at = query.indexOf("&", at) + 1;
    if (at === 0) return null;
  }
  return refuseField("query", `it has more than ${PAIRS_MAX} parameters, the most it may have`);
}

/**
 * How many characters a parameter's name may have, as it was sent, to be decoded. No known name, and no name that
 * resembles one, is nearly as long.
 */
const NAME_MAX = 300;

/**
 * Splits a query into its parameters. Nothing is refused here: a parameter whose name cannot be decoded is left out, as
 * unknown parameters are ignored.
 */
export function splitQuery(query: string): Query {
  const parameters = new Map<string, string>();
  for (const pair of query.split("&")) {
    const equals = pair.indexOf("=");
    const encoded = equals < 0 ? pair : pair.slice(0, equals);
    const name = encoded.length > NAME_MAX ? encoded : decodePlus(encoded);
    if (name !== null) parameters.set(name, equals < 0 ? "" : pair.slice(equals + 1));
  }
  return parameters;
}

/**
 * Returns a parameter's text, decoded; `null` when the parameter is absent, and 400 when its text cannot be decoded.
 */
export function readText(query: Query, name: string): string | null | Refusal {
  const encoded = query.get(name);
  if (encoded === undefined) return null;
  return decodePlus(encoded) ?? refuseField(name, `its percent-encoding is broken, it must encode UTF-8 text`);
}

/**
 * Returns a parameter's text, or `null` when it is absent. Clients may have forgotten to encode it, so it is never
 * refused: if it cannot be decoded, it is taken as it was sent.
 */
export function readAsSent(query: Query, name: string): string | null {
  const encoded = query.get(name);
  return encoded === undefined ? null : (decodePlus(encoded) ?? spacesForPluses(encoded));
}

/** Decodes a name or a value of a query, in which `+` stands for a space (R5). */
const decodePlus = (encoded: string): string | null =>
  decodePercentEncoding(encoded.includes("+") ? spacesForPluses(encoded) : encoded);
