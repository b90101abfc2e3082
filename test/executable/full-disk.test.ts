// The executable on a disk that fills up (R36): people hear of it at once, lists show everything, and all goes on by
// itself. A small disk can be made by root alone; elsewhere this is left out.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstKeyOf, openFolder, report, until } from "../support/executable.ts";
import { ask } from "../support/http-client.ts";
import { startHttpSink } from "../support/http-sink.ts";

setDefaultTimeout(180_000);

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

  empty();
  await service.logged("storage_works");
  expect(await report(service, key, "backup")).toBe(200);
  expect((await ask(`${service.url}/readyz`)).status).toBe(200);
});
