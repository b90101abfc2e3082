// Reads the query and the headers of a report into a `Ping`, by the table of parameters. If something is wrong, it
// returns a 400 for the first fault (R1). A field is `null` when its parameter is absent.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { NO_OUTCOMES } from "../../domain/monitor/reported-outcomes.ts";
import { checkOneRhythm, parameterName } from "../../domain/settings/declaration.ts";
import { NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import { nearestKnownName } from "../../domain/text.ts";
import type { Caller, Lookalike, Ping } from "../../engine/api.ts";
import { type MessageUse, type Parameter, parametersOf, type SaidField } from "./parameters.ts";
import type { Address } from "./read-path.ts";
import { checkPairs, headerText, type Query, readText, splitQuery } from "./read-text.ts";
import type { Version } from "./versions.ts";

/**
 * Returns the report in a request, or why it is refused. `named` is what the path named; `query` is still encoded,
 * without its question mark.
 */
export type ReadPing = (caller: Caller, named: PingTarget, query: string, headers: Headers) => Ping | Refusal;

type PingTarget = NamedPing & Pick<Address, "pathKey">;
type NamedPing = Pick<Address, "monitorKey" | "operation">;

/**
 * A `Ping` while it is being filled. Its fields may have any type here, because the loop that fills them by the table
 * cannot express their types. The table pairs each field with the right kind of value.
 */
type UncheckedPing = { -readonly [Field in keyof Ping]: Field extends SaidField ? unknown : Ping[Field] };
type Unchecked = Partial<Record<SaidField, unknown>>;

const NO_LOOKALIKES: Ping["lookalikes"] = [];

/** Makes a report that declares no settings and is not late. `others` are the fields that have other values. */
export const plainPing = (caller: Caller, named: NamedPing, others: Partial<Ping>): Ping =>
  ({ ...emptyPing(caller, named), ...others }) as Ping;

const emptyPing = (caller: Caller, { monitorKey, operation }: NamedPing): UncheckedPing => ({
  caller,
  monitorKey,
  kind: operation.kind,
  said: NOTHING_DECLARED,
  outcomes: NO_OUTCOMES,
  runId: null,
  attempt: null,
  ageSeconds: null,
  durationSeconds: null,
  message: operation.fixedMessage,
  host: null,
  user: null,
  output: null,
  idempotency: null,
  lookalikes: NO_LOOKALIKES,
});

export function createPingReader(version: Version, messageUse?: MessageUse): ReadPing {
  const parameters = parametersOf(version, messageUse);
  const rows = (Object.entries(parameters) as [SaidField, Parameter][]).map(
    ([field, row]): ParameterRow => ({ ...row, field }),
  );
  const withHeader = layOut(rows);
  const withPathKey = layOut([...rows, ...rows.flatMap(behindKey)]);
  const inHeaders = rows.flatMap((row) =>
    row.header === undefined ? [] : [{ ...row, header: row.header.toLowerCase() }],
  );

  return (caller, named, query, headers) => {
    const ping = emptyPing(caller, named);
    for (const row of inHeaders) {
      const bytes = headers.get(row.header);
      if (bytes === null) continue;
      const value = row.read(headerText(bytes), row.name);
      if (isRefusal(value)) return value;
      put(ping, row, value);
    }
    if (query === "") return ping as Ping;
    const tooMany = checkPairs(query);
    if (tooMany !== null) return tooMany;
    const sent = splitQuery(query);
    const laidOut = named.pathKey === null ? withHeader : withPathKey;
    let known = 0;
    for (const row of named.operation.takesMessage ? laidOut.rows : laidOut.withoutMessage) {
      // A value that a header or an earlier row has set is not replaced: two rows may set one field under different
      // names.
      const text = saidUnder(ping, row) === null ? readText(sent, row.name) : null;
      if (text === null) continue;
      known++;
      const value = isRefusal(text) ? text : row.read(text, row.name);
      if (isRefusal(value)) return value;
      put(ping, row, value);
    }
    const both = checkOneRhythm(ping.said, parameterName);
    if (both !== null) return both;
    if (known < sent.size) ping.lookalikes = laidOut.lookalikesIn(sent);
    return ping as Ping;
  };
}

type ParameterRow = Parameter & Readonly<{ field: SaidField }>;

const saidUnder = (ping: UncheckedPing, { about, field }: ParameterRow): unknown =>
  ((about === "monitor" ? ping.said : ping) as Unchecked)[field];

function put(ping: UncheckedPing, { about, field }: ParameterRow, value: unknown): void {
  if (about === "monitor" && ping.said === NOTHING_DECLARED) ping.said = { ...NOTHING_DECLARED };
  ((about === "monitor" ? ping.said : ping) as Unchecked)[field] = value;
}

/**
 * Prepares rows of the table of parameters, so that no ping need filter them. `withoutMessage` has the rows for
 * operations that take no message.
 */
const layOut = (rows: readonly ParameterRow[]) => ({
  rows,
  withoutMessage: rows.filter(({ about }) => about !== "failure"),
  lookalikesIn: createFinder(rows),
});

/**
 * Returns the row once more, under the name that tools for Healthchecks use for its parameter (R45). Returns an empty
 * list when they use no other name.
 */
const behindKey = ({ behindKey: name, ...row }: ParameterRow): readonly ParameterRow[] =>
  name === undefined ? [] : [{ ...row, name }];

// The following finds unknown parameters that resemble a known one (R7). Their sender meant something by them, and must
// learn that they had no effect. All other unknown parameters are ignored.

/** The name in lower case and without `_` and `-`: `Grace_Period` becomes `graceperiod`, as `gracePeriod` does. */
const plainName = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, "");

const NONE: readonly Lookalike[] = [];

/**
 * How many unknown names of a query are compared with known ones, and how many characters such a name may have. A query
 * of nonsense must take little time.
 */
const LOOKED_AT_MAX = 20;
const NAME_MAX = 30;
/** How many letters a name must have to count as misspelled; shorter words are alike by chance. */
const GUESSED_FROM = 6;

/**
 * Makes a function that finds the parameters of a query that resemble a known one. It looks at the first 20 unknown
 * names, in the order of sending.
 */
function createFinder(parameters: readonly Parameter[]): (query: Query) => readonly Lookalike[] {
  const known: ReadonlySet<string> = new Set(parameters.map(({ name }) => name));
  const meant: ReadonlyMap<string, string> = new Map([
    ...parameters.flatMap(({ name, alsoCalled = [] }) => alsoCalled.map((other): [string, string] => [other, name])),
    ...parameters.map(({ name }): [string, string] => [plainName(name), name]),
  ]);

  function meantBy(word: string): string | null {
    const near = meant.has(word) || word.length < GUESSED_FROM ? word : nearestKnownName(word, meant.keys());
    return near === null ? null : (meant.get(near) ?? null);
  }

  return (query) => {
    let found = NONE;
    let left = LOOKED_AT_MAX;
    for (const name of query.keys()) {
      if (known.has(name)) continue;
      if (left-- === 0) break;
      const resembled = name.length > NAME_MAX ? null : meantBy(plainName(name));
      if (resembled !== null) found = [...found, { name, meant: resembled }];
    }
    return found;
  };
}
