// The executable whose database is taken away while it runs: it answers no report that no start would find again, says
// so everywhere, and goes on when the file is back.

import { expect, setDefaultTimeout, test } from "bun:test";
import { closeSync, copyFileSync, mkdtempSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { firstKeyOf, openFolder, report, until } from "../support/executable.ts";
import { ask } from "../support/http-client.ts";
import { startHttpSink } from "../support/http-sink.ts";

setDefaultTimeout(120_000);

const UNLIMITED = { ROLLCALL_LIMITS__V1_PER_MINUTE: "0", ROLLCALL_LIMITS__V1_PER_HOUR: "0" };
const DAILY = "?schedule=0%202%20*%20*%20*";

test("R36: a directory that is moved away, and a file that is replaced, are told; nothing more is answered 200", async () => {
  await using receiver = startHttpSink(() => new Response(null, { status: 204 }));
  const destination = `type = "webhook"\nurl = "${receiver.url}"\nsecret = "whsec_${"a".repeat(32)}"`;
  const toml = `[team]\ndestinations = ["receiver"]\n[destinations.receiver]\n${destination}\n`;
  await using folder = openFolder({ "rollcall.toml": toml });
  const service = await folder.serve(UNLIMITED);
  const key = firstKeyOf(service);
  const data = join(folder.path, "data");
  const refused = () =>
    until("a report that is refused", async () => ((await report(service, key, "job")) === 503 ? true : null));
  const works = () =>
    until("a report that is taken", async () => ((await report(service, key, "job")) === 200 ? true : null));
  expect(await report(service, key, "job", DAILY)).toBe(200);

  renameSync(data, `${data}-moved`);
  await refused();
  await until("the notice", () => (receiver.requests.length > 0 ? true : null));
  expect(JSON.parse(receiver.requests[0]!.body).data.notice).toMatchObject({ kind: "storage", fault: "gone" });
  const ready = await ask(`${service.url}/readyz`);
  expect(ready).toMatchObject({ status: 503, text: expect.stringContaining("deleted or replaced") });
  renameSync(`${data}-moved`, data);
  await works();

  const path = join(data, "rollcall.db");
  renameSync(path, `${path}-kept`);
  copyFileSync(`${path}-kept`, path);
  await refused();
  renameSync(`${path}-kept`, path);
  await works();
  const counted = folder.rows("SELECT count(*) AS reports FROM pings");
  expect(await service.end("SIGTERM")).toBe(0);
  expect(folder.rows("SELECT count(*) AS reports FROM pings")).toEqual(counted);
  expect(folder.rows("SELECT 1 FROM incidents")).toEqual([]);
});

test("R19: a start goes on though rows of monitors cannot be read, and says how many", async () => {
  await using folder = openFolder();
  let service = await folder.serve(UNLIMITED);
  const key = firstKeyOf(service);
  for (let job = 0; job < 60; job++) expect(await report(service, key, `job-${job}`, DAILY)).toBe(200);
  await service.end("SIGTERM");
  const [leaf] = folder.rows(
    "SELECT pageno FROM dbstat WHERE name = 'monitor_states' AND pagetype = 'leaf' ORDER BY path LIMIT 1",
  );
  const [{ page_size: size } = {}] = folder.rows("PRAGMA page_size");
  const hurt = Bun.spawnSync([
    "dd",
    "if=/dev/urandom",
    `of=${join(folder.path, "data/rollcall.db")}`,
    `bs=${size}`,
    `seek=${Number(leaf!["pageno"]) - 1}`,
    "count=1",
    "conv=notrunc",
  ]);
  expect(hurt.exitCode).toBe(0);
  service = await folder.serve(UNLIMITED);
  await service.logged("monitor_unreadable");
  expect(await report(service, key, "job-59")).toBe(200);
  expect(await report(service, key, "job-0")).toBe(503);
  expect((await ask(`${service.url}/readyz`)).text).toMatch(/\d+ monitors cannot be read/);
  expect((await folder.run(["monitor", "list"])).err).toContain("job-0 of application default cannot be read");
  expect(await service.end("SIGTERM")).toBe(0);
});

/** Root alone may take the right to write from a file that is open, and on some file systems not even root. */
function canBeSealed(): boolean {
  const file = join(mkdtempSync(join(tmpdir(), "rollcall-sealed-")), "file");
  const opened = openSync(file, "w");
  Bun.spawnSync(["chattr", "+i", file], { stderr: "ignore" });
  try {
    writeSync(opened, "x");
    return false;
  } catch {
    return true;
  } finally {
    Bun.spawnSync(["chattr", "-i", file], { stderr: "ignore" });
    closeSync(opened);
    rmSync(dirname(file), { recursive: true });
  }
}

const isSealable = Bun.which("chattr") !== null && canBeSealed();

test.skipIf(!isSealable)(
  "R36: a database that cannot be written any more is told, and is over when it can",
  async () => {
    await using folder = openFolder();
    const service = await folder.serve(UNLIMITED);
    const key = firstKeyOf(service);
    expect(await report(service, key, "job", DAILY)).toBe(200);
    const log = join(folder.path, "data/rollcall.db-wal");
    expect(Bun.spawnSync(["chattr", "+i", log]).success).toBe(true);
    try {
      expect(await report(service, key, "job")).toBe(503);
      expect((await ask(`${service.url}/readyz`)).text).toContain("the database cannot be written");
      expect((await folder.run(["monitor", "list"])).exitCode).toBe(0);
      const paused = await folder.run(["monitor", "pause", "job"]);
      expect(paused).toMatchObject({ exitCode: 1, err: expect.stringContaining("dmesg") });
    } finally {
      Bun.spawnSync(["chattr", "-i", log]);
    }
    await service.logged("storage_works");
    expect(await report(service, key, "job")).toBe(200);
    expect(await service.end("SIGTERM")).toBe(0);
    expect(folder.rows("SELECT 1 FROM incidents")).toEqual([]);
  },
);
