// The folder of a service under torture: its configuration, its key, and a receiver of its alerts that knows in which
// life of the service each arrived.

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { type Folder, firstKeyOf, openFolder } from "../support/executable.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { difference } from "./judge.ts";
import { alertLine } from "./twin.ts";

/** Without limits, and with one webhook that is told everything. */
export const configurationTo = (receiver: string): string => `
[server]
timezone = "UTC"
[limits]
v1_per_minute = 0
v1_per_hour = 0
alias_per_minute = 0
sync_per_minute = 0
[team]
destinations = ["hook"]
[destinations.hook]
type = "webhook"
url = "${receiver}"
secret = "whsec_${"a".repeat(32)}"
[applications.prod]
`;

/** An alert as it arrived. */
interface Arrival {
  /** The same for each repeat. */
  readonly id: string;
  readonly line: string;
  readonly life: number;
}

export interface Tortured extends AsyncDisposable {
  readonly folder: Folder;
  readonly apiKey: string;
  /** How many alerts have arrived, repeats included. */
  readonly arrived: number;
  /** To be called before each start. */
  newLife(): void;
  /** Says what is wrong with the alerts that arrived, when those of the judge are all that were to be told. */
  judgeArrivals(expected: readonly string[]): string[];
}

/** With a first life, which is over: there is a key, and nothing else. */
export async function openTortured(): Promise<Tortured> {
  const arrivals: Arrival[] = [];
  let life = 0;
  const receiver = startHttpSink((_, { headers, body }) => {
    const { timestamp, data } = JSON.parse(body);
    const line = alertLine({ monitor: data.monitorKey, at: timestamp, kind: data.kind, cause: data.cause });
    arrivals.push({ id: headers["webhook-id"] ?? "", line, life });
    return new Response(null, { status: 204 });
  });
  const folder = openFolder({ "rollcall.toml": configurationTo(receiver.url) });
  const first = await folder.serve();
  const apiKey = firstKeyOf(first);
  await first.end("SIGTERM");
  return {
    folder,
    apiKey,
    get arrived() {
      return arrivals.length;
    },
    newLife: () => {
      life += 1;
    },
    judgeArrivals: (expected) => [...faultsOfArrivals(arrivals, expected)],
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

/** Each alert came, in its monitor's order, and at most once in each life of the service; and no other came. */
function* faultsOfArrivals(arrivals: readonly Arrival[], expected: readonly string[]): Generator<string> {
  const wanted = new Set(expected);
  const lives = new Map<string, Set<number>>();
  const inOrder: string[] = [];
  for (const { id, line, life } of arrivals) {
    if (!wanted.has(line)) yield `a false alarm: ${line}`;
    const known = lives.get(id);
    if (known === undefined) inOrder.push(line);
    if (known?.has(life)) yield `${line} came twice in life ${life}`;
    lives.set(id, (known ?? new Set()).add(life));
  }
  const monitorOf = (line: string): string => line.split(" ", 1)[0]!;
  for (const monitor of new Set(expected.map(monitorOf))) {
    const mine = (lines: readonly string[]) => lines.filter((line) => monitorOf(line) === monitor).join("\n");
    const [came, told] = [mine(inOrder), mine(expected)];
    if (came !== told) yield `alerts of ${monitor} are lost or out of order:\n${difference(came, told)}`;
  }
}

/** What SQLite itself finds wrong with the database's file; null: nothing. */
export function damageOf(folder: Folder): string | null {
  using database = new Database(join(folder.path, "data/rollcall.db"), { readonly: true });
  const [row] = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").all();
  return row?.integrity_check === "ok" ? null : `the database is damaged: ${row?.integrity_check}`;
}

/** Whether no delivery waits any more. */
export const isAllNotified = (folder: Folder): boolean =>
  folder.rows("SELECT 1 FROM deliveries WHERE finished_at IS NULL LIMIT 1").length === 0;
