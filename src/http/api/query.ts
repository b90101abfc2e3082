// Query strings (R7): splits them by hand, since a URLSearchParams would cost as much as the rest of a ping and hides
// broken escapes. It must not know what a parameter means.

import { type Refusal, refuse } from "../../domain/errors.ts";
import { decode, spacesForPluses } from "./text.ts";

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
  return refuse("INVALID_REQUEST", `query: it has more than ${PAIRS_MAX} parameters, the most it may have`);
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
  return (
    decodePlus(encoded) ??
    refuse("INVALID_REQUEST", `${name}: its percent-encoding is broken, it must encode UTF-8 text`)
  );
}

/**
 * The same where clients encode nothing, and nothing may be refused: what does not decode is the text as it was sent.
 */
export function readAsSent(query: Query, name: string): string | null {
  const encoded = query.get(name);
  return encoded === undefined ? null : (decodePlus(encoded) ?? spacesForPluses(encoded));
}

/** In a query `+` is a space (R5). */
const decodePlus = (encoded: string): string | null =>
  decode(encoded.includes("+") ? spacesForPluses(encoded) : encoded);
