// Bytes as no HTTP library sends them, put on a socket of the executable, and the whole answer to each, byte for byte.
// What was answered 200 must be recorded, and what was refused must not.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Folder, firstKeyOf, openFolder, report } from "../support/executable.ts";
import { type HttpSink, startHttpSink } from "../support/http-sink.ts";
import { CHUNK_SIZES, CODINGS, COMPLETES, FOLLOWING, LENGTHS } from "./bodies.ts";
import { HALF_CLOSED, PIECES, PIPELINED } from "./connections.ts";
import { type Case, converse } from "./conversation.ts";
import { CREDENTIALS, HOSTS, SIZES, SURROUNDINGS, SYNTAX } from "./heads.ts";
import { DOT_SEGMENTS, ESCAPES, QUERIES, SEGMENTS } from "./paths.ts";
import { METHODS, NO_HTTP, SPACES, TARGETS, VERSIONS } from "./request-lines.ts";

setDefaultTimeout(120_000);

const TABLES: Readonly<Record<string, readonly Case[]>> = {
  "a version": VERSIONS,
  "spaces and ends of lines": SPACES,
  "R8: a method": METHODS,
  "a target": TARGETS,
  "no HTTP": NO_HTTP,
  "a host": HOSTS,
  "the syntax of headers": SYNTAX,
  "R10: the size of a head": SIZES,
  "a credential": CREDENTIALS,
  "what others add": SURROUNDINGS,
  "R9: the length of a body": LENGTHS,
  "a transfer coding": CODINGS,
  "the size of a chunk": CHUNK_SIZES,
  "R9: the body of a complete": COMPLETES,
  "one request after the other": FOLLOWING,
  "requests sent before the answer": PIPELINED,
  "requests in pieces": PIECES,
  "a half that is closed": HALF_CLOSED,
  "R5: segments of a path": SEGMENTS,
  "R5: dot segments": DOT_SEGMENTS,
  "R5: escapes": ESCAPES,
  "R7: a query": QUERIES,
};

let folder: Folder;
let receiver: HttpSink;
let port: number;
let key: string;

beforeAll(async () => {
  receiver = startHttpSink(() => new Response(null, { status: 204 }));
  folder = openFolder({
    "rollcall.toml": `[limits]
v1_per_minute = 0
v1_per_hour = 0
[team]
destinations = ["hook"]
[destinations.hook]
type = "webhook"
url = "${receiver.url}"
secret = "whsec_${"a".repeat(32)}"
`,
  });
  // Without the pages for people, which have all other paths and answer there in their own way.
  const service = await folder.serve({ ROLLCALL_WEB__ENABLED: "false" });
  key = firstKeyOf(service);
  port = Number(new URL(service.url).port);
  for (const monitor of ["job", "run", "lost"]) await report(service, key, monitor, "?schedule=0%203%20*%20*%20*");
});

afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** Reports of all monitors but `lost`. */
function recorded(): number {
  const [row] = folder.rows(
    "SELECT count(*) AS count FROM pings p JOIN monitors m ON m.id = p.monitor_id WHERE m.key <> 'lost'",
  );
  return Number(row!["count"]);
}

/** Of answers to reports. */
const takenIn = (text: string): number => text.split('"monitor":"').length - 1;

for (const [what, cases] of Object.entries(TABLES)) {
  describe(what, () => {
    test.each(cases.map((row) => [row[0], row] as const))("%s", async (_, row) => {
      const [, , answers, end] = row;
      const before = recorded();
      const [received, how] = await converse(port, key, row);
      expect([received.replaceAll(key, "KEY"), how]).toEqual([answers.join(""), end]);
      expect(recorded() - before).toBe(takenIn(received));
    });
  });
}

test("there are 200 of them and more", () => {
  expect(Object.values(TABLES).flat().length).toBeGreaterThanOrEqual(200);
});
