// Text from outside. Queries (R7) are split by hand: a URLSearchParams costs much and hides broken escapes.

import { type Refusal, refuseField } from "../../domain/errors.ts";
import { isLongerThan } from "../../domain/text.ts";

/** The text behind percent-encoding, or null when an escape is broken or the bytes are not UTF-8. */
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

/** Spaces in place of plus signs. `replaceAll` makes a text for each: 15,000 would cost as much as ten reports. */
export function spacesForPluses(text: string): string {
  if (!text.includes("+") || !isAscii(text)) return text.replaceAll("+", " ");
  const bytes = Buffer.from(text, "latin1");
  for (let place = 0; place < bytes.length; place++) if (bytes[place] === PLUS) bytes[place] = SPACE;
  return bytes.toString("latin1");
}

/** A header reaches us one letter per byte; if these are UTF-8, it has the text and length a query would give. */
export function fromBytes(value: string): string {
  if (isAscii(value)) return value;
  try {
    return UTF_8.decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}

/** The text, or its first code points when it is longer than this. One code point has at most two letters. */
export const cutTo = (text: string, codePoints: number): string =>
  isLongerThan(text, codePoints) ? [...text.slice(0, 2 * codePoints)].slice(0, codePoints).join("") : text;

export const beforeParameters = (value: string): string => value.split(";", 1)[0]!.trim().toLowerCase();

/** Parameters by name, their values still encoded. If one comes twice, its last value counts. */
export type Query = ReadonlyMap<string, string>;

/** Far more than the known parameters; a request line has room for thousands, and each would cost. */
const PAIRS_MAX = 100;

/** 400 for a query of more than 100 parameters, else null; ask before splitting it. */
export function checkPairs(query: string): Refusal | null {
  let at = 0;
  for (let pairs = 1; pairs <= PAIRS_MAX; pairs++) {
    at = query.indexOf("&", at) + 1;
    if (at === 0) return null;
  }
  return refuseField("query", `it has more than ${PAIRS_MAX} parameters, the most it may have`);
}

/** No name that we know or that resembles one is nearly as long, encoded; we need not decode longer ones. */
const NAME_MAX = 300;

/** Splits a query. Nothing can be refused here: a name that does not decode is that of an unknown parameter. */
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

/** A parameter's text; null when absent; 400 when it is not text. */
export function readText(query: Query, name: string): string | null | Refusal {
  const encoded = query.get(name);
  if (encoded === undefined) return null;
  return decodePlus(encoded) ?? refuseField(name, `its percent-encoding is broken, it must encode UTF-8 text`);
}

/** A text that clients may not have encoded, and that is never refused: else it is taken as it was sent. */
export function readAsSent(query: Query, name: string): string | null {
  const encoded = query.get(name);
  return encoded === undefined ? null : (decodePlus(encoded) ?? spacesForPluses(encoded));
}

/** In a query `+` is a space (R5). */
const decodePlus = (encoded: string): string | null =>
  decode(encoded.includes("+") ? spacesForPluses(encoded) : encoded);
