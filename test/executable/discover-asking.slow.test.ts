// `rollcall discover --apply` and `--undo` at a terminal: they show what would change, ask, and do nothing without a
// yes.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { below } from "../discover/below.ts";
import { plant, type Tree } from "../discover/trees.ts";
import { type Service, startService } from "../support/service.ts";

// Seven processes start, one after the other.
setDefaultTimeout(60_000);

const TAB = "0 2 * * * /usr/local/bin/backup.sh\n";
const planted = (): Tree =>
  plant({
    "/etc/hostname": "web1\n",
    "/etc/localtime": ["/usr/share/zoneinfo/UTC"],
    "/etc/passwd": "root:x:0:0::/root:/bin/sh\n",
    "/etc/rollcall/client.toml": 'url = "https://cron.example.org"\nkey = "ck_app_x"\n',
    "/usr/bin/rollcall": "",
    "/etc/cron.d/site": TAB.replace("* /", "* root /"),
  });
const site = ({ root }: Tree): string => readFileSync(join(root, "/etc/cron.d/site"), "utf8");

/** Types a line at the question; `script` gives the command a terminal. */
async function typing(line: string, tree: Tree, service: Service, what: string) {
  const command = below(tree, what)
    .map((word) => `'${word}'`)
    .join(" ");
  const child = Bun.spawn(["script", "--quiet", "--return", "--command", command, "/dev/null"], {
    env: { PATH: process.env["PATH"], HOME: tree.root, ROLLCALL_URL: service.origin, ROLLCALL_KEY: service.keys.sync },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  let screen = "";
  for await (const piece of child.stdout) {
    const asked = screen.includes("[y/N]");
    screen += Buffer.from(piece).toString();
    if (!asked && screen.includes("[y/N]")) {
      child.stdin.write(`${line}\n`);
      child.stdin.flush();
    }
  }
  child.stdin.end();
  return { exitCode: await child.exited, screen };
}

describe.if(process.getuid?.() === 0 && Bun.which("script") !== null)("at a terminal", () => {
  test("nothing happens without a yes, and everything with one", async () => {
    using tree = planted();
    await using service = startService();
    const bare = site(tree);
    for (const no of ["", "n", "yep"]) {
      const { exitCode, screen } = await typing(no, tree, service, "--apply");
      expect(exitCode).toBe(1);
      expect(screen).toContain("Declare 1 job to ");
      expect(screen).toContain("nothing was done");
      expect(site(tree)).toBe(bare);
    }
    const applied = await typing("y", tree, service, "--apply");
    expect(applied.exitCode).toBe(0);
    expect(applied.screen).toMatch(/\+0 2 \* \* \* root \/usr\/bin\/rollcall run web1-backup [\s\S]*\[y\/N\]/);
    const wrapped = site(tree);
    expect(wrapped).toContain("rollcall run web1-backup");

    expect((await typing("n", tree, service, "--undo")).exitCode).toBe(1);
    expect(site(tree)).toBe(wrapped);
    const undone = await typing("yes", tree, service, "--undo");
    expect(undone).toMatchObject({ exitCode: 0, screen: expect.stringContaining("Put back 1 file?") });
    expect(site(tree)).toBe(bare);
  });
});
