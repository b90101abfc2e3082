// The executable when clients open more connections than it may have: it closes some of theirs, and neither a report that
// was answered nor an alert is lost by it.

import { expect, setDefaultTimeout, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { firstKeyOf, openFolder, report, type Service, until } from "../support/executable.ts";
import { ask } from "../support/http-client.ts";
import { startHttpSink } from "../support/http-sink.ts";

setDefaultTimeout(120_000);

const CONNECTIONS = 400;
const JOBS = 20;

interface Crowd extends Disposable {
  /** Connections that were opened so far, each that was closed again included. */
  opened(): number;
}

/** This many connections; each sends `text`, asks nothing, and comes back as soon as it is closed. */
function crowd(service: Service, text: string): Crowd {
  const sockets = new Set<Socket>();
  const port = Number(new URL(service.url).port);
  let opened = 0;
  let over = false;
  const open = (): void => {
    if (over) return;
    const socket = connect(port, "127.0.0.1", () => {
      opened++;
      socket.write(text);
    });
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      setImmediate(open);
    });
  };
  for (let count = 0; count < CONNECTIONS; count++) open();
  return {
    opened: () => opened,
    [Symbol.dispose]: () => {
      over = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

const KINDS: readonly [string, string][] = [
  ["connections that say nothing", ""],
  ["connections that never end their request", "GET /healthz HT"],
];

for (const limit of [60, 200]) {
  test.each(KINDS)(
    `R36: with ${limit} open files allowed and 400 %s, every fail is taken and told`,
    async (_, text) => {
      await using receiver = startHttpSink(() => new Response(null, { status: 204 }));
      const destination = `type = "webhook"\nurl = "${receiver.url}"\nsecret = "whsec_${"a".repeat(32)}"`;
      const toml = `[team]\ndestinations = ["receiver"]\n[destinations.receiver]\n${destination}\n`;
      await using folder = openFolder({ "rollcall.toml": toml });
      const service = await folder.serve({}, `ulimit -n ${limit}`);
      const key = firstKeyOf(service);
      expect(await service.logged("descriptors")).toMatchObject({ limit });
      using strangers = crowd(service, text);
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
}
