// Reads text from outside. Queries (R7) are split by hand, because a URLSearchParams costs much and hides broken
// escapes.

import { type Refusal, refuseField } from "../../domain/errors.ts";
import { isLongerThan } from "../../domain/text.ts";

/** Decodes percent-encoding; `null` when an escape is broken or the bytes are not UTF-8. */
export function decode(encoded: string): string | null {
  if (!encoded.includes("%")) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

const PLUS = 0x2b;
const SPACE = 0x20;

/**
 * Replaces plus signs by spaces. `replaceAll` would make a text for each plus sign: 15,000 would cost as much as ten
 * reports.
 */
export function spacesForPluses(text: string): string {
  if (!text.includes("+") || !isAscii(text)) return text.replaceAll("+", " ");
  const bytes = Buffer.from(text, "latin1");
  for (let place = 0; place < bytes.length; place++) if (bytes[place] === PLUS) bytes[place] = SPACE;
  return bytes.toString("latin1");
}

/**
 * The text of a header, which reaches us with one letter for each byte. If the bytes are UTF-8, it has the text and the
 * length that a query would give.
 */
export function fromBytes(value: string): string {
  if (isAscii(value)) return value;
  try {
    return UTF_8.decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}

/**
 * Returns the text, or its first code points when it has more than this number. One code point has at most two UTF-16
 * units.
 */
export const cutTo = (text: string, codePoints: number): string =>
  isLongerThan(text, codePoints) ? [...text.slice(0, 2 * codePoints)].slice(0, codePoints).join("") : text;

export const beforeParameters = (value: string): string => value.split(";", 1)[0]!.trim().toLowerCase();

/** Parameters by name, with their values still encoded. If a name comes twice, its last value counts. */
export type Query = ReadonlyMap<string, string>;

/**
 * How many parameters a query may have, far more than are known. A request line has room for thousands, and each would
 * cost time.
 */
const PAIRS_MAX = 100;

/** Returns 400 for a query of more than 100 parameters, else `null`; to be called before the query is split. */
export function checkPairs(query: string): Refusal | null {
  let at = 0;
  for (let pairs = 1; pairs <= PAIRS_MAX; pairs++) {
    at = query.indexOf("&", at) + 1;
    if (at === 0) return null;
  }
  return refuseField("query", `it has more than ${PAIRS_MAX} parameters, the most it may have`);
}

/**
 * How long an encoded name may be that is decoded. No known name, and no name that resembles one, is nearly as long.
 */
const NAME_MAX = 300;

/**
 * Splits a query. This step refuses nothing: a name that cannot be decoded counts as the name of an unknown parameter.
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

/** A parameter's text; `null` when it is absent, and 400 when it is not text. */
export function readText(query: Query, name: string): string | null | Refusal {
  const encoded = query.get(name);
  if (encoded === undefined) return null;
  return decodePlus(encoded) ?? refuseField(name, `its percent-encoding is broken, it must encode UTF-8 text`);
}

/**
 * Reads a text that clients may have left unencoded, and that is never refused: when it cannot be decoded, it is taken
 * as it was sent.
 */
export function readAsSent(query: Query, name: string): string | null {
  const encoded = query.get(name);
  return encoded === undefined ? null : (decodePlus(encoded) ?? spacesForPluses(encoded));
}

/** Decodes a text of a query, in which `+` is a space (R5). */
const decodePlus = (encoded: string): string | null =>
  decode(encoded.includes("+") ? spacesForPluses(encoded) : encoded);
