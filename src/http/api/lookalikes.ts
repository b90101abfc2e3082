// Unknown parameters that resemble a known one (R7): their sender means something by them, and must learn that they had
// no effect. All other unknown ones do not concern us.

import { nearest } from "../../domain/nearest.ts";
import type { Lookalike } from "../../engine/api.ts";
import type { Query } from "./query.ts";

const KNOWN = [
  "schedule",
  "gracePeriod",
  "name",
  "run_id",
  "attempt",
  "message",
  "timezone",
  "maxRuntime",
  "idempotency_key",
];

/** Other names that people use for them, in plain form. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  cron: "schedule",
  crontab: "schedule",
  grace: "gracePeriod",
  graceseconds: "gracePeriod",
  gracetime: "gracePeriod",
  tz: "timezone",
  zone: "timezone",
  runtime: "maxRuntime",
  maxruntimeseconds: "maxRuntime",
  rid: "run_id",
  msg: "message",
};

/** Without the parts that people write in several ways: case, `_`, `-`. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, "");

const MEANT: ReadonlyMap<string, string> = new Map([
  ...Object.entries(OTHER_NAMES),
  ...KNOWN.map((name): [string, string] => [plain(name), name]),
]);

const KNOWN_NAMES: ReadonlySet<string> = new Set(KNOWN);
const NONE: readonly Lookalike[] = [];

/** Names that are looked at, and how long they may be: a query of nonsense must cost little. */
const LOOKED_AT_MAX = 20;
const NAME_MAX = 30;
/** Shorter words are near to one another by chance. */
const GUESSED_FROM = 6;

/** In the order in which they were sent; at most 20 unknown names are looked at. */
export function lookalikesIn(query: Query): readonly Lookalike[] {
  let found = NONE;
  let left = LOOKED_AT_MAX;
  for (const name of query.keys()) {
    if (KNOWN_NAMES.has(name)) continue;
    if (left-- === 0) break;
    const meant = name.length > NAME_MAX ? null : meantBy(plain(name));
    if (meant !== null) found = [...found, { name, meant }];
  }
  return found;
}

function meantBy(word: string): string | null {
  const near = MEANT.has(word) || word.length < GUESSED_FROM ? word : nearest(word, MEANT.keys());
  return near === null ? null : (MEANT.get(near) ?? null);
}
