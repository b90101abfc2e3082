// The executable under a service manager: what it says to one, and the unit that it brings for systemd.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInstalled } from "../support/clients.ts";
import { EXECUTABLE, openFolder } from "../support/executable.ts";
import { ask } from "../support/http-client.ts";
import { startServiceManager } from "../support/service-manager.ts";

setDefaultTimeout(120_000);

/** What a unit of this exposure or less may be, of 10 at most. */
const EXPOSURE_MAX = 1.5;

const UNDELIVERABLE = "alerts cannot be delivered:";

describe("a service manager hears", () => {
  test.each(["a file", "an abstract name"])("readiness, beats and the stop, at a socket with %s", async (kind) => {
    await using folder = openFolder();
    const path = kind === "a file" ? join(folder.path, "notify") : `@${folder.path}/notify`;
    using manager = startServiceManager(path);
    const service = folder.launch({ NOTIFY_SOCKET: path, WATCHDOG_USEC: "1000000" });

    const [, status] = await manager.hears("READY=1");
    const url = /http:[^;]+/.exec(status ?? "")![0];
    expect(status).toBe(`STATUS=listening on ${url}; ${UNDELIVERABLE} no destination is configured for them`);
    expect((await ask(`${url}/healthz`)).status).toBe(200);
    for (let beat = 0; beat < 3; beat++) await manager.hears("WATCHDOG=1");

    expect(await service.end("SIGTERM")).toBe(0);
    expect(manager.heard().at(-1)).toEqual(["STOPPING=1", "STATUS=stopping"]);
  });

  test("in a sentence what is wrong, without a name of what is configured", async () => {
    const topic = 'type = "ntfy"\nurl = "http://127.0.0.2:4"\ntopic = "a-topic"\n';
    const toml = `[team]\ndestinations = ["secret-room"]\n[destinations.secret-room]\n${topic}`;
    await using folder = openFolder({ "rollcall.toml": toml });
    using manager = startServiceManager(join(folder.path, "notify"));
    const service = await folder.serve({ NOTIFY_SOCKET: manager.path, WATCHDOG_USEC: "1000000" });
    expect(await manager.hears("READY=1")).toEqual(["READY=1", `STATUS=listening on ${service.url}`]);
    expect((await folder.run(["notify", "test", "secret-room"])).exitCode).toBe(1);
    const why = "no destination takes them, and rollcall's log says why";
    await manager.hears(`STATUS=listening on ${service.url}; ${UNDELIVERABLE} ${why}`);
  });

  test("nothing at a kind of socket that we do not know, and the log says so", async () => {
    await using folder = openFolder();
    const service = await folder.serve({ NOTIFY_SOCKET: "vsock:2:1234" });
    expect(await service.logged("notify_socket_unusable")).toMatchObject({ level: "warn", path: "vsock:2:1234" });
    expect(await service.end("SIGTERM")).toBe(0);
  });
});

describe("rollcall systemd-unit", () => {
  test("prints a unit for this executable, and needs neither a configuration nor a service", async () => {
    await using folder = openFolder({ "rollcall.toml": "faulty" });
    const { out, exitCode } = await folder.run(["systemd-unit"]);
    expect(exitCode).toBe(0);
    expect(out).toContain(`\nExecStart=${EXECUTABLE} serve\n`);
    expect(out).not.toContain("/usr/bin/");
  });

  test.skipIf(!isInstalled("systemd-analyze"))(
    `systemd understands the unit whole, and calls its exposure at most ${EXPOSURE_MAX}`,
    async () => {
      await using folder = openFolder();
      const unit = join(folder.path, "rollcall.service");
      writeFileSync(unit, (await folder.run(["systemd-unit"])).out);
      expect(analyze("verify", "--man=no", unit)).toEqual({ exitCode: 0, screen: "" });
      const { screen } = analyze("security", "--offline=yes", "--no-pager", unit);
      const [, exposure] = /Overall exposure level for rollcall\.service: (\S+)/.exec(screen) ?? [];
      expect(Number(exposure)).toBeLessThanOrEqual(EXPOSURE_MAX);
    },
  );
});

function analyze(...args: readonly string[]): { exitCode: number; screen: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["systemd-analyze", ...args]);
  return { exitCode, screen: stdout.toString() + stderr.toString() };
}
