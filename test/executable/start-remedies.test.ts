// A service that cannot start says why, and what to do: each fault is made for real. Some need root.

import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { EXECUTABLE, type Folder, openFolder } from "../support/executable.ts";

setDefaultTimeout(60_000);

const NOBODY = 65_534;
const SETPRIV = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
const AS_NOBODY = `exec ${SETPRIV.join(" ")} "$0" "$@"`;
/** Root alone may run it as somebody else, where that user reaches the executable. */
const isPossible = Bun.spawnSync(["/bin/sh", "-c", `${SETPRIV.join(" ")} "$0" version`, EXECUTABLE]).success;

/** What it says when it does not start. */
async function refusal(folder: Folder, environment: Record<string, string> = {}, limit?: string): Promise<string> {
  const service = folder.launch(environment, limit);
  const { error, rule } = await service.logged("start_failed");
  expect(error).toBeString();
  return String(rule);
}

test("a port that is taken, and an address that the machine does not have", async () => {
  await using folder = openFolder();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as { port: number };
  expect(await refusal(folder, { ROLLCALL_SERVER__LISTEN: `127.0.0.1:${port}` })).toBe(
    `another program listens on 127.0.0.1:${port}: stop it (ss -ltnp names it), or set server.listen to another port`,
  );
  other.close();
  expect(await refusal(folder, { ROLLCALL_SERVER__LISTEN: "192.0.2.1:8787" })).toBe(
    "this machine has no address 192.0.2.1: set server.listen to one that it has",
  );
});

test("a damaged database, with and without a backup", async () => {
  await using folder = openFolder();
  const service = await folder.serve();
  await service.end("SIGTERM");
  const data = join(folder.path, "data");
  writeFileSync(join(data, "rollcall.db"), "torn");
  expect(await refusal(folder)).toContain(`there is no backup in ${data}/backups`);
  mkdirSync(join(data, "backups"));
  for (const day of ["01", "02"]) writeFileSync(join(data, `backups/rollcall-202603${day}T020000Z.db`), "");
  expect(await refusal(folder)).toBe(
    `put the newest backup back: rollcall restore ${data}/backups/rollcall-20260302T020000Z.db`,
  );
});

test("the backup that it names puts things right", async () => {
  await using folder = openFolder();
  let service = await folder.serve();
  expect((await folder.run(["monitor", "create", "job", "--schedule", "0 3 * * *"])).exitCode).toBe(0);
  expect((await folder.run(["backup"])).exitCode).toBe(0);
  await service.end("SIGTERM");
  writeFileSync(join(folder.path, "data/rollcall.db"), "torn");
  const rule = await refusal(folder);
  expect((await folder.run(rule.split(": rollcall ")[1]!.split(" "))).exitCode).toBe(0);
  service = await folder.serve();
  expect((await folder.run(["monitor", "list"])).out).toContain("job");
  expect(readdirSync(join(folder.path, "data")).some((name) => name.includes(".replaced-"))).toBe(true);
});

test("a file where the directory should be", async () => {
  await using folder = openFolder({ data: "" });
  expect(await refusal(folder)).toContain(`${folder.path}/data is, or lies below, a file`);
});

test.skipIf(!isPossible)("a directory, or a file in it, that is another user's or not writable", async () => {
  await using folder = openFolder();
  const service = await folder.serve();
  await service.end("SIGTERM");
  const data = join(folder.path, "data");
  chmodSync(folder.path, 0o755);
  expect(await refusal(folder, {}, AS_NOBODY)).toContain(`${data} or a file in it is not that user's: chown -R nobody`);
  chownSync(data, NOBODY, NOBODY);
  for (const name of readdirSync(data)) chownSync(join(data, name), NOBODY, NOBODY);
  chmodSync(join(data, "rollcall.db"), 0o000);
  expect(await refusal(folder, {}, AS_NOBODY)).toBe(
    `nobody may not write to ${data} or to a file in it: chmod -R u+rwX ${data}`,
  );
});
