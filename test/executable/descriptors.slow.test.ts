// The executable when clients open more connections than it may have: it closes some of theirs, and neither a report
// that was answered nor an alert is lost by it.

import { expect, setDefaultTimeout, test } from "bun:test";
import { firstKeyOf, openFolder, report, until } from "../support/executable.ts";
import { ask } from "../support/http-client.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { HALF, openStrangers, SILENT } from "../torture/strangers.ts";

setDefaultTimeout(300_000);

const CONNECTIONS = 400;
const JOBS = 20;

test.each([
  [60, SILENT.name, SILENT],
  [60, HALF.name, HALF],
  [200, SILENT.name, SILENT],
])(
  "R36: with %d open files allowed and 400 connections that %s, every fail is taken and told",
  async (limit, _, habit) => {
    await using receiver = startHttpSink(() => new Response(null, { status: 204 }));
    const destination = `type = "webhook"\nurl = "${receiver.url}"\nsecret = "whsec_${"a".repeat(32)}"`;
    const toml = `[team]\ndestinations = ["receiver"]\n[destinations.receiver]\n${destination}\n`;
    await using folder = openFolder({ "rollcall.toml": toml });
    const service = await folder.serve({}, `ulimit -n ${limit}`);
    const key = firstKeyOf(service);
    expect(await service.logged("descriptors")).toMatchObject({ limit });
    using strangers = openStrangers(Number(new URL(service.url).port), CONNECTIONS, [habit], true);
    await until("a full house", () => (strangers.opened() >= limit ? true : null));

    for (let job = 0; job < JOBS; job++) {
      expect(await report(service, key, `job-${job}`, "/fail?schedule=0%202%20*%20*%20*")).toBe(200);
    }
    await until("all alerts", () => (receiver.requests.length >= JOBS ? true : null));

    expect(folder.rows("SELECT count(*) AS fails FROM pings")).toEqual([{ fails: JOBS }]);
    expect(await service.logged("connections_closed")).toMatchObject({ limit });
    const ready = await ask(`${service.url}/readyz`);
    expect(ready).toMatchObject({ status: 503, text: expect.stringContaining(`limit of ${limit} open files`) });
    strangers[Symbol.dispose]();
    expect((await folder.run(["notify", "list"])).exitCode).toBe(0);
    expect(await service.end("SIGTERM")).toBe(0);
  },
);
