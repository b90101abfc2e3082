// R35: a flood of new connections is taken up a few in each turn of the event loop, so that reports have theirs.

import { expect, test } from "bun:test";
import { existsSync, mkdtempDisposableSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRecordingEngine } from "../support/http-engine.ts";
import { startPublicServer } from "../support/public-server.ts";

const CONNECTIONS = 300;

/** In a process of its own: sends all requests, says so by a file, and prints how many were answered with 200. */
const CLIENTS = `
const [port, sent] = process.argv.slice(-2);
let left = ${CONNECTIONS}, well = 0;
const ended = Promise.withResolvers();
for (let each = 0; each < ${CONNECTIONS}; each++)
  await Bun.connect({ hostname: "127.0.0.1", port: Number(port), socket: {
    open: (socket) => void socket.write("GET /readyz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n"),
    data: (_, bytes) => { if (bytes.toString().startsWith("HTTP/1.1 200")) well++; },
    close: () => { if (--left === 0) ended.resolve(); },
  } });
await Bun.write(sent, "");
await ended.promise;
console.log(well);
`;

test("of 300 connections that wait with their requests, no turn takes up more than a few, and all are answered", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "accepting-"));
  const sent = join(folder.path, "sent");
  const engine = createRecordingEngine();
  let inTurn = 0;
  let most = 0;
  const troubles = (): string[] => {
    inTurn++;
    most = Math.max(most, inTurn);
    return [];
  };
  const server = startPublicServer({ ...engine, troubles });
  let counting = true;
  const nextTurn = (): void => {
    inTurn = 0;
    if (counting) setImmediate(nextTurn);
  };
  const clients = Bun.spawn([process.execPath, "-e", CLIENTS, "--", String(server.port), sent], { stdout: "pipe" });
  // This thread stays in one turn until all of them wait.
  while (!existsSync(sent) && clients.exitCode === null) Bun.sleepSync(2);
  nextTurn();
  expect(Number(await new Response(clients.stdout).text())).toBe(CONNECTIONS);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThan(CONNECTIONS / 4);
  counting = false;
  await server.stop(0);
});

test("after a stop the port is free, and no descriptor is left open", async () => {
  const before = readdirSync("/proc/self/fd").length;
  const server = startPublicServer(createRecordingEngine());
  await server.stop(0);
  expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before);
  const refused = await new Promise((resolve) => connect(server.port, "127.0.0.1").once("error", resolve));
  expect(refused).toMatchObject({ code: "ECONNREFUSED" });
});
