// Where `rollcall run` reads its settings: a file that this user may not read is passed over, and named.

import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SETTINGS = join(import.meta.dir, "../../src/client/client-settings.ts");
const CODE = `import { readClientSettings } from ${JSON.stringify(SETTINGS)};
process.setgid(65534); process.setuid(65534);
const { ROLLCALL_URL, ROLLCALL_KEY } = process.env;
console.log(JSON.stringify(readClientSettings({ environment: { ROLLCALL_URL, ROLLCALL_KEY }, home: process.argv.at(-1), uid: 65534 })));`;

// Only root may become another user, whose rights do not reach root's file.
test.if(process.getuid?.() === 0)("another's file is passed over, and named where nothing else will do", () => {
  const home = mkdtempSync(join(tmpdir(), "settings-"));
  try {
    mkdirSync(join(home, ".config/rollcall"), { recursive: true });
    const file = join(home, ".config/rollcall/client.toml");
    writeFileSync(file, 'url = "https://cron.example.org"\nkey = "ck_app_x"\n');
    chmodSync(home, 0o700);
    const read = (environment: Readonly<Record<string, string>>) => {
      const { stdout } = Bun.spawnSync([process.execPath, "-e", CODE, home], {
        env: { ...process.env, ...environment },
      });
      return JSON.parse(stdout.toString());
    };
    const there = read({ ROLLCALL_URL: "https://here.example.org", ROLLCALL_KEY: "ck_app_a_b" });
    expect(there.server).toMatchObject({ url: "https://here.example.org" });
    expect(there.passedOver).toEqual([file]);
    const none = read({ ROLLCALL_URL: "", ROLLCALL_KEY: "" });
    expect(none.server).toStartWith("there is no address to report to");
    expect(none.server).toEndWith(`this user may not read ${file}`);
  } finally {
    rmSync(home, { recursive: true });
  }
});
