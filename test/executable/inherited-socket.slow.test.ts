// The executable on a port that its service manager holds open: nobody is refused while it restarts, and what counts as
// this machine (R35) follows the port that is really open.

import { expect, setDefaultTimeout, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { loadLibrary } from "../../src/http/c-library.ts";
import { ADDRESS_BYTES, socketPortIn } from "../../src/http/connections.ts";
import { firstKeyOf, openFolder, report, until } from "../support/executable.ts";

setDefaultTimeout(120_000);

const AF_INET = 2;
const SOCK_STREAM = 1;
const BACKLOG = 512;
const CLIENTS = 8;
const RESTARTS = 3;

interface Port extends Disposable {
  readonly descriptor: number;
  readonly port: number;
}

/** As a service manager opens a port, at every address of this machine, before it starts the service. */
function openPort(): Port {
  const { socket, bind, listen, getsockname, close } = loadLibrary({
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    bind: { args: ["i32", "ptr", "u32"], returns: "i32" },
    listen: { args: ["i32", "i32"], returns: "i32" },
    getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
    close: { args: ["i32"], returns: "i32" },
  })!;
  const descriptor = socket(AF_INET, SOCK_STREAM, 0);
  const address = new Uint8Array(ADDRESS_BYTES);
  address[0] = AF_INET;
  if (bind(descriptor, address, 16) !== 0 || listen(descriptor, BACKLOG) !== 0) throw new Error("no port");
  getsockname(descriptor, address, new Uint32Array([ADDRESS_BYTES]));
  return { descriptor, port: socketPortIn(address), [Symbol.dispose]: () => void close(descriptor) };
}

const INHERITING = "export LISTEN_PID=$$ LISTEN_FDS=1";

const UNLIMITED = "[limits]\nv1_per_minute = 0\nv1_per_hour = 0\n";

test("nobody is refused while it restarts, and every report that was answered is recorded", async () => {
  await using folder = openFolder({ "rollcall.toml": UNLIMITED });
  using port = openPort();
  let service = await folder.serve({}, INHERITING, port.descriptor);
  const key = firstKeyOf(service);
  const at = { ...service, url: `http://127.0.0.1:${port.port}` };

  let isOver = false;
  let answered = 0;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    while (!isOver) {
      expect(await report(at, key, `job-${client}`, "?schedule=0%202%20*%20*%20*")).toBe(200);
      answered += 1;
    }
  });
  const more = (from: number) => until("more answers", () => (answered >= from + 10 * CLIENTS ? true : null));
  for (let restart = 0; restart < RESTARTS; restart++) {
    await more(answered);
    expect(await service.end("SIGTERM")).toBe(0);
    service = await folder.serve({}, INHERITING, port.descriptor);
  }
  await more(answered);
  isOver = true;
  await Promise.all(clients);
  expect(folder.rows("SELECT count(*) AS pings FROM pings")).toEqual([{ pings: answered }]);
});

const OTHER_ADDRESS = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

test.skipIf(OTHER_ADDRESS === undefined)(
  "R35: a port that is open to others takes plain HTTP from loopback alone, whatever server.listen says",
  async () => {
    await using folder = openFolder();
    using port = openPort();
    const service = await folder.serve({ ROLLCALL_SERVER__LISTEN: "127.0.0.1:0" }, INHERITING, port.descriptor);
    expect(service.url).toBe(`http://0.0.0.0:${port.port}`);
    const key = firstKeyOf(service);
    const from = (host: string) =>
      report({ ...service, url: `http://${host}:${port.port}` }, key, "job", "?schedule=0%202%20*%20*%20*");
    expect(await from("127.0.0.1")).toBe(200);
    expect(await from(OTHER_ADDRESS!)).toBe(403);
  },
);

test.each([
  ["export LISTEN_PID=$$ LISTEN_FDS=2", "2 sockets are inherited, rollcall serves one"],
  ["export LISTEN_PID=$$ LISTEN_FDS=1; exec 3</dev/null", "the inherited descriptor 3 is no port that listens"],
])("a start is refused after %s", async (environment, error) => {
  await using folder = openFolder();
  const service = folder.launch({}, environment);
  expect(await service.logged("start_failed")).toMatchObject({ error });
});
