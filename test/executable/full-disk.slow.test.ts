// The executable on a disk that fills up (R36): people hear of it at once, lists show everything, and all goes on by
// itself. A small disk can be made by root alone; elsewhere this is left out.

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstKeyOf, openFolder, report, until } from "../support/executable.ts";
import { ask } from "../support/http-client.ts";
import { startHttpSink } from "../support/http-sink.ts";

/** How long it stays full under load. Seconds; at 200 jobs that run every minute would be missed meanwhile. */
const FULL_FOR = Number(process.env["FULL_FOR"] ?? 5);

setDefaultTimeout(180_000 + 2_000 * FULL_FOR);

const disk = mkdtempSync(join(tmpdir(), "rollcall-disk-"));
const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], { stderr: "ignore" }).success;

beforeAll(() => {
  if (!mounted) console.error("no small disk can be made here; left out");
});

afterAll(() => {
  if (mounted) Bun.spawnSync(["umount", "-l", disk]);
  rmSync(disk, { recursive: true });
});

/** Takes all that is left. */
function fillDisk(): () => void {
  const file = join(disk, "full");
  for (let bytes = 4 * 1024 * 1024; bytes >= 512; bytes /= 2) {
    try {
      for (;;) writeFileSync(file, "x".repeat(bytes), { flag: "a" });
    } catch {
      // A smaller piece may still fit.
    }
  }
  return () => unlinkSync(file);
}

test.skipIf(!mounted)("R36: a full disk is told of at once, looked at, and over when there is room", async () => {
  await using receiver = startHttpSink(() => new Response(null, { status: 204 }));
  const destination = `type = "webhook"\nurl = "${receiver.url}"\nsecret = "whsec_${"a".repeat(32)}"`;
  const toml = `[storage]\ndirectory = "${disk}/data"\n[team]\ndestinations = ["receiver"]\n[destinations.receiver]\n${destination}\n`;
  await using folder = openFolder({ "rollcall.toml": toml });
  const service = await folder.serve();
  const key = firstKeyOf(service);
  expect(await report(service, key, "backup", "?schedule=0%202%20*%20*%20*")).toBe(200);
  const empty = fillDisk();
  await until("a report that cannot be stored", async () =>
    (await report(service, key, "backup")) === 503 ? true : null,
  );
  await until("the notice", () => (receiver.requests.length > 0 ? true : null));
  const told = () => receiver.requests.map(({ body }) => JSON.parse(body).data.notice);
  expect(told()).toMatchObject([{ kind: "storage", fault: "full", until: null, database: `${disk}/data/rollcall.db` }]);

  const ready = await ask(`${service.url}/readyz`);
  expect(ready).toMatchObject({ status: 503, text: expect.stringContaining("disk full") });
  for (const command of [
    ["monitor", "list"],
    ["monitor", "show", "backup"],
    ["notify", "list"],
    ["incident", "list"],
  ]) {
    expect(await folder.run(command)).toMatchObject({ exitCode: 0 });
  }
  const refused = await folder.run(["monitor", "pause", "backup"]);
  expect(refused).toMatchObject({ exitCode: 1, err: expect.stringMatching(/disk full.*free space/) });
  // What could not be asked for is not begun either: no test goes out.
  await using phone = startHttpSink(() => Response.json({ id: "x" }));
  const url = `url=${new URL(phone.url).origin}`;
  for (let tries = 0; tries < 3; tries++)
    expect(await folder.run(["destination", "add", "phone", "ntfy", url, "topic=t"])).toMatchObject({ exitCode: 1 });
  expect(phone.requests).toEqual([]);

  empty();
  await service.logged("storage_works");
  expect(await report(service, key, "backup")).toBe(200);
  expect((await ask(`${service.url}/readyz`)).status).toBe(200);
});

const JOBS = 30;
const UNLIMITED = { ROLLCALL_LIMITS__V1_PER_MINUTE: "0", ROLLCALL_LIMITS__V1_PER_HOUR: "0" };

test.skipIf(!mounted)("R36, R26: a disk that fills under load costs no answered report and no alarm", async () => {
  await using receiver = startHttpSink(() => new Response(null, { status: 204 }));
  const destination = `type = "webhook"\nurl = "${receiver.url}"\nsecret = "whsec_${"a".repeat(32)}"`;
  const toml = `[storage]\ndirectory = "${disk}/loaded"\n[team]\ndestinations = ["receiver"]\n[destinations.receiver]\n${destination}\n`;
  await using folder = openFolder({ "rollcall.toml": toml });
  const service = await folder.serve(UNLIMITED);
  const key = firstKeyOf(service);
  const answered = { taken: 0, refused: 0 };
  let goesOn = true;
  let takenAt = 0;
  const jobs = Array.from({ length: JOBS }, async (_, job) => {
    for (; goesOn; await Bun.sleep(100)) {
      const status = await report(service, key, `job-${job}`, "?schedule=*%20*%20*%20*%20*&gracePeriod=60");
      if (status === 200) takenAt = Date.now();
      answered[status === 200 ? "taken" : "refused"] += 1;
      expect([200, 503]).toContain(status);
    }
  });
  await until("some reports", () => (answered.taken >= 2 * JOBS ? true : null));
  const empty = fillDisk();
  await until("a refused report", () => (answered.refused > 0 ? true : null));
  // Time itself is what is tried here: slots pass that nobody could fill.
  await Bun.sleep(1_000 * FULL_FOR);
  const emptiedAt = Date.now();
  empty();
  // R36: it takes reports again within five seconds.
  await until("a report that is taken", () => (takenAt > emptiedAt ? true : null), 5_000);
  const tookUntilWorks = takenAt - emptiedAt;
  await until("all of them again", async () => ((await ask(`${service.url}/readyz`)).status === 200 ? true : null));
  goesOn = false;
  await Promise.all(jobs);
  expect(await service.end("SIGTERM")).toBe(0);
  const database = new Database(`${disk}/loaded/rollcall.db`, { readonly: true });
  const { stored } = database.query<{ stored: number }, []>("SELECT count(*) AS stored FROM pings").get()!;
  const incidents = database.query("SELECT 1 FROM incidents").all();
  database.close();
  console.info(`full for ${FULL_FOR} s: ${JSON.stringify({ ...answered, stored, tookUntilWorks })}`);
  expect(stored).toBe(answered.taken);
  expect(incidents).toEqual([]);
  const told = receiver.requests.map(({ body }) => JSON.parse(body).type);
  expect(told.filter((type) => type !== "service.notice")).toEqual([]);
});
