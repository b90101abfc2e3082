// A service that cannot start says why, and what to do: each fault is made for real. Some need root.

import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { EXECUTABLE, type Folder, openFolder } from "../support/executable.ts";

setDefaultTimeout(120_000);

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
  expect(await refusal(folder, { ROLLCALL_WEB__LISTEN: `127.0.0.1:${port}` })).toBe(
    `another program listens on 127.0.0.1:${port}: stop it (ss -ltnp names it), or set web.listen to another port`,
  );
  other.close();
  expect(await refusal(folder, { ROLLCALL_SERVER__LISTEN: "192.0.2.1:8787" })).toBe(
    "this machine has no address 192.0.2.1: set server.listen to one that it has",
  );
  expect(await refusal(folder, { ROLLCALL_WEB__LISTEN: "192.0.2.1:8788" })).toBe(
    "this machine has no address 192.0.2.1: set web.listen to one that it has",
  );
});

test("a damaged database, with and without a backup", async () => {
  await using folder = openFolder();
  const service = await folder.serve();
  await service.end("SIGTERM");
  const data = join(folder.path, "data");
  const sound = readFileSync(join(data, "rollcall.db"));
  writeFileSync(join(data, "rollcall.db"), "torn");
  expect(await refusal(folder)).toStartWith(`there is no backup in ${data}/backups: put another copy back (`);
  mkdirSync(join(data, "backups"));
  const backup = (day: number) => join(data, `backups/rollcall-2026030${day}T020000Z.db`);
  for (const day of [2, 3]) writeFileSync(backup(day), "");
  expect(await refusal(folder)).toStartWith(
    `none of the 2 backups in ${data}/backups is whole: put another copy back (`,
  );
  writeFileSync(backup(1), sound);
  // By a clock that was wrong.
  writeFileSync(join(data, "backups/rollcall-20990101T020000Z.db"), sound);
  const restore = `ROLLCALL_STORAGE__DIRECTORY=${data} rollcall restore`;
  expect(await refusal(folder)).toBe(
    `put the newest backup back that is whole (of the newer ones 2 are damaged): ${restore} ${backup(1)}`,
  );
});

test("a database that is gone, or empty, though there are backups", async () => {
  await using folder = openFolder();
  const service = await folder.serve();
  expect((await folder.run(["backup"])).exitCode).toBe(0);
  await service.end("SIGTERM");
  const path = join(folder.path, "data/rollcall.db");
  writeFileSync(path, "");
  expect(await refusal(folder)).toStartWith("put the newest backup back that is whole: ");
  rmSync(path);
  expect(await refusal(folder)).toStartWith("put the newest backup back that is whole: ");
  expect(existsSync(path)).toBe(false);
});

test("a second one on the same directory, and too few files", async () => {
  await using folder = openFolder();
  await folder.serve();
  expect(await refusal(folder)).toStartWith("one rollcall serves a directory: stop the other (fuser -v ");
  await using other = openFolder();
  for (const limit of [8, 10, 14])
    expect(await refusal(other, {}, `ulimit -n ${limit}`)).toMatch(/^this process may have only .* files open: raise/);
});

test.skipIf(!isPossible)("a disk that is full, and one that cannot be written", async () => {
  await using folder = openFolder();
  const disk = join(folder.path, "disk");
  mkdirSync(disk);
  const mount = (...options: string[]) => Bun.spawnSync(["mount", ...options, disk], { stderr: "ignore" }).success;
  if (!mount("-t", "tmpfs", "-o", "size=1m", "tmpfs")) return;
  const directory = join(disk, "data");
  try {
    writeFileSync(join(disk, "full"), "x".repeat(1_000 * 1_024));
    const environment = { ROLLCALL_STORAGE__DIRECTORY: directory };
    expect(await refusal(folder, environment)).toBe(`the disk of ${directory} is full: free some space`);
    // Half a file would keep `init` from writing it when there is space again.
    Bun.spawnSync(["dd", "if=/dev/zero", `of=${join(disk, "more")}`, "bs=4k"], { stderr: "ignore" });
    const init = await folder.run(["init", disk]);
    expect(init).toEqual({ exitCode: 1, out: "", err: `${disk}/rollcall.toml cannot be written (ENOSPC)\n` });
    for (const name of ["more", "full"]) rmSync(join(disk, name));
    expect((await folder.run(["init", disk])).exitCode).toBe(0);
    mount("-o", "remount,ro");
    expect(await refusal(folder, environment)).toBe(
      `${directory} is on a file system that cannot be written: mount it for writing, or set storage.directory`,
    );
  } finally {
    Bun.spawnSync(["umount", "-l", disk]);
  }
});

test("the backup that it names puts things right", async () => {
  await using folder = openFolder();
  let service = await folder.serve();
  expect((await folder.run(["monitor", "create", "job", "--schedule", "0 3 * * *"])).exitCode).toBe(0);
  expect((await folder.run(["backup"])).exitCode).toBe(0);
  await service.end("SIGTERM");
  writeFileSync(join(folder.path, "data/rollcall.db"), "torn");
  const rule = await refusal(folder);
  const [, command = ""] = rule.split(": ");
  // As it is printed, and from anywhere.
  const typed = command.replace(" rollcall ", ` ${EXECUTABLE} `);
  expect(Bun.spawnSync(["/bin/sh", "-c", typed], { cwd: "/", env: {}, stderr: "inherit" }).exitCode).toBe(0);
  service = await folder.serve();
  expect((await folder.run(["monitor", "list"])).out).toContain("job");
  expect(readdirSync(join(folder.path, "data")).some((name) => name.includes(".replaced-"))).toBe(true);
});

test("a file where the directory should be", async () => {
  await using folder = openFolder({ data: "" });
  expect(await refusal(folder)).toContain(`${folder.path}/data is, or lies below, a file`);
});

test("a directory where none can be made", async () => {
  await using folder = openFolder({ "rollcall.toml": '[storage]\ndirectory = "/proc/rollcall"\n' });
  expect(await refusal(folder)).toBe("no directory can be made at /proc/rollcall: set storage.directory to another");
});

test.skipIf(!isPossible)("a directory, or a file in it, that is another user's or not writable", async () => {
  await using folder = openFolder();
  const service = await folder.serve();
  await service.end("SIGTERM");
  const data = join(folder.path, "data");
  chmodSync(folder.path, 0o755);
  const own = `if ${data} holds nothing but rollcall's files, chown -R nobody ${data}; else set storage.directory to a directory of its own`;
  expect(await refusal(folder, {}, AS_NOBODY)).toBe(`${data} belongs to root, and rollcall runs as nobody: ${own}`);
  chownSync(data, NOBODY, NOBODY);
  chownSync(join(data, "first-key"), NOBODY, NOBODY);
  expect(await refusal(folder, {}, AS_NOBODY)).toBe(
    `${data}/rollcall.db belongs to root, and rollcall runs as nobody: ${own}`,
  );
  for (const name of readdirSync(data)) chownSync(join(data, name), NOBODY, NOBODY);
  chmodSync(join(data, "rollcall.db"), 0o400);
  expect(await refusal(folder, {}, AS_NOBODY)).toMatch(
    new RegExp(`^nobody may not write to ${data}/rollcall.db(-shm)?: chmod -R u\\+rwX ${data}$`),
  );
  const [missing, hidden] = [join(folder.path, "none/data"), join(folder.path, "hidden/below/data")];
  expect(await refusal(folder, { ROLLCALL_STORAGE__DIRECTORY: missing }, AS_NOBODY)).toBe(
    `nobody may not make ${missing}: make it as root (install -d -m 700 -o nobody ${missing}), or set storage.directory to a directory of its own`,
  );
  mkdirSync(join(folder.path, "hidden"), { mode: 0o700 });
  expect(await refusal(folder, { ROLLCALL_STORAGE__DIRECTORY: hidden }, AS_NOBODY)).toStartWith(
    `nobody may not enter ${folder.path}/hidden, below which ${hidden} is: `,
  );
});
