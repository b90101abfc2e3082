// From a report's query and headers to a Ping, or the first 400 (R1), by the table of parameters. Absent ones are null;
// unknown parameters are ignored, and those that resemble a known one named (R7). It must not know what a ping means.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { NO_OUTCOMES } from "../../domain/monitor/outcomes.ts";
import { NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import type { Caller, Ping } from "../../engine/api.ts";
import { createFinder } from "./lookalikes.ts";
import { type Parameter, parametersOf, type SaidField } from "./parameters.ts";
import type { Address } from "./paths.ts";
import { checkPairs, readText, splitQuery } from "./query.ts";
import { fromBytes } from "./text.ts";
import type { Version } from "./versions.ts";

/** Reads a raw query (without its question mark) and headers, behind a path that named this. */
export type ReadPing = (caller: Caller, named: PingTarget, query: string, headers: Headers) => Ping | Refusal;

type PingTarget = Pick<Address, "monitorKey" | "operation">;

/** A Ping to be filled. The table pairs each field with the kind of its value, which the types of a loop cannot say. */
type UncheckedPing = { -readonly [Field in keyof Ping]: Field extends SaidField ? unknown : Ping[Field] };

const NO_LOOKALIKES: Ping["lookalikes"] = [];

/** The spread stands first, where it is cheap: in the middle it would cost more than reading. */
const emptyPing = (caller: Caller, { monitorKey, operation }: PingTarget): UncheckedPing => ({
  ...NOTHING_DECLARED,
  caller,
  monitorKey,
  kind: operation.kind,
  outcomes: NO_OUTCOMES,
  runId: null,
  attempt: null,
  ageSeconds: null,
  durationSeconds: null,
  message: operation.fixedMessage,
  idempotency: null,
  lookalikes: NO_LOOKALIKES,
});

/** A reader for one version: it goes through the table, which was laid out for it once. */
export function createPingReader(version: Version): ReadPing {
  const parameters = parametersOf(version);
  const rows = (Object.entries(parameters) as [SaidField, Parameter][]).map(([field, row]) => ({ ...row, field }));
  const withoutMessage = rows.filter(({ about }) => about !== "failure");
  const inHeaders = rows.flatMap((row) =>
    row.header === undefined ? [] : [{ ...row, header: row.header.toLowerCase() }],
  );
  const lookalikesIn = createFinder(rows);

  return (caller, named, query, headers) => {
    const ping = emptyPing(caller, named);
    for (const row of inHeaders) {
      const bytes = headers.get(row.header);
      if (bytes === null) continue;
      const value = row.read(fromBytes(bytes), row.name);
      if (isRefusal(value)) return value;
      ping[row.field] = value;
    }
    if (query === "") return ping as Ping;
    const tooMany = checkPairs(query);
    if (tooMany !== null) return tooMany;
    const sent = splitQuery(query);
    let known = 0;
    for (const row of named.operation.takesMessage ? rows : withoutMessage) {
      // What a header has said stands.
      const text = ping[row.field] === null ? readText(sent, row.name) : null;
      if (text === null) continue;
      known++;
      const value = isRefusal(text) ? text : row.read(text, row.name);
      if (isRefusal(value)) return value;
      ping[row.field] = value;
    }
    if (known < sent.size) ping.lookalikes = lookalikesIn(sent);
    return ping as Ping;
  };
}
