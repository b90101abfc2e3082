// `rollcall discover --apply` and `--undo`, killed at any moment: the next undo puts every byte back, with mode and
// time.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM } from "../discover/below.ts";
import { plant, SERVER } from "../discover/trees.ts";
import { startService } from "../support/service.ts";

/** How long a whole call takes at most on a fast machine; a kill comes before. Milliseconds. */
const CALL = 160;
const KILLS = 12;

const picture = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("rollcall-client"))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => {
      const { mode, uid, gid, mtimeNs } = statSync(path, { bigint: true });
      return [path.slice(root.length), mode, uid, gid, mtimeNs, readFileSync(path, "latin1")].join(" ");
    });

test.if(process.getuid?.() === 0)("a killed call leaves nothing that an undo does not put back", async () => {
  await using service = startService();
  // In one file it begins as soon as the executable does.
  using folder = plant({});
  await Bun.build({ entrypoints: [PROGRAM], outdir: folder.root, target: "bun" });
  const program = join(folder.root, "below.js");
  for (let kill = 0; kill < KILLS; kill++) {
    const settings = 'url = "https://cron.example.org"\nkey = "ck_app_x"\n';
    using tree = plant({ ...SERVER, "/usr/bin/rollcall": "", "/etc/rollcall/client.toml": settings });
    // Each has names of its own, as on another machine.
    const args = [process.execPath, program, tree.root, "--prefix", `m${kill}-`, "--yes"];
    const env = {
      HOME: tree.root,
      PATH: process.env["PATH"],
      ROLLCALL_URL: service.origin,
      ROLLCALL_KEY: service.keys.all,
    };
    const call = async (what: string, lives: number | null): Promise<number | null> => {
      const child = Bun.spawn([...args, what], { env, stdout: "ignore", stderr: "ignore" });
      const timer = lives === null ? null : setTimeout(() => child.kill("SIGKILL"), lives);
      await child.exited;
      if (timer !== null) clearTimeout(timer);
      return child.exitCode;
    };
    const before = picture(tree.root);
    await call("--apply", CALL * Math.random());
    if (kill % 3 === 0) await call("--undo", CALL * Math.random());
    expect(await call("--undo", null)).toBe(0);
    expect(picture(tree.root)).toEqual(before);
  }
});
