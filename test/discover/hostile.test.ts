// What users can do to root's `rollcall discover`: links that they lay, keys that they copy, and files that are too
// large.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spanSeconds } from "../../src/discover/unit-file.ts";
import { startService } from "../support/service.ts";
import { keysOf, monitors, run, SETTINGS } from "./applying.ts";
import { discoverBelow } from "./below.ts";
import { plant, type Tree } from "./trees.ts";

// Thousands of files are written.
setDefaultTimeout(60_000);

const PASSWD = ["root:x:0:0::/root", "eve:x:65534:65534::/home/eve"].map((row) => `${row}:/bin/sh\n`).join("");
const MACHINE = {
  ...SETTINGS,
  "/etc/hostname": "web1\n",
  "/etc/localtime": ["/usr/share/zoneinfo/UTC"],
  "/etc/passwd": PASSWD,
  "/run/systemd/system/none": "",
  "/etc/cron.d/shop": "*/5 * * * * root /srv/orders.sh\n",
} as const;
const EVE = "/var/spool/cron/crontabs/eve";

describe.if(process.getuid?.() === 0)("a user", () => {
  test("who knows the number of the process leads no half written file elsewhere by a link", async () => {
    using tree = plant({ ...MACHINE, "/home/eve/victim": "mine" });
    await using service = startService();
    const victim = join(tree.root, "home/eve/victim");
    symlinkSync(victim, join(tree.root, `etc/cron.d/.rollcall-half-${process.pid}`));
    expect(await run(tree, service, "--apply")).toMatchObject({ exitCode: 0 });
    expect(readFileSync(victim, "utf8")).toBe("mine");
    expect(readFileSync(join(tree.root, "etc/cron.d/shop"), "utf8")).toContain("rollcall run web1-orders");
  });

  test("whose crontab has a key of root's changes nothing of what root declares, and is named", async () => {
    using tree = plant({ ...MACHINE, [EVE]: "0 3 * * * /bin/mine\n" });
    await using service = startService();
    await run(tree, service, "--apply");
    const lines = "0 3 * * * /bin/mine\n@yearly /usr/bin/rollcall run web1-orders -- /bin/true\n";
    writeFileSync(join(tree.root, EVE), lines);
    const { exitCode, err } = await run(tree, service, "--apply");
    expect(exitCode).toBe(1);
    expect(err).toContain(
      "stays as it is: crontab of eve:2: it has the key web1-orders of a job in /etc/cron.d/shop: give it another",
    );
    const orders = (await monitors(service)).filter(({ monitorKey }) => monitorKey === "web1-orders");
    expect(orders).toMatchObject([{ schedule: "*/5 * * * *" }]);
  });

  test("who doubles a wrapped line keeps the one that was wrapped, and the other is named", async () => {
    using tree = plant({ ...MACHINE, [EVE]: "0 3 * * * /bin/mine\n" });
    await using service = startService();
    await run(tree, service, "--apply");
    const path = join(tree.root, EVE);
    const wrapped = readFileSync(path, "utf8");
    writeFileSync(path, wrapped.replace("0 3", "9 9") + wrapped);
    const { err } = await run(tree, service, "--apply");
    expect(err).toContain("stays as it is: crontab of eve:1: it has the key web1-mine of a job in /var/spool/cron");
    expect(await keysOf(service)).toEqual(["web1-mine", "web1-orders"]);
    const mine = (await monitors(service)).filter(({ monitorKey }) => monitorKey === "web1-mine");
    expect(mine).toMatchObject([{ schedule: "0 3 * * *" }]);
  });

  const UNITS = "/home/eve/.config/systemd/user";
  const timers = (count: number): Record<string, readonly [string]> =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${UNITS}/timers.target.wants/a${n}.timer`, ["x"]]));
  const TOO_LARGE: readonly (readonly [what: string, make: () => Tree, named: string])[] = [
    [
      "a unit of 1.9 GB",
      () => {
        const unit = `${UNITS}/huge.timer`;
        const tree = plant({ ...MACHINE, [unit]: "", [`${UNITS}/timers.target.wants/huge.timer`]: ["../huge.timer"] });
        truncateSync(join(tree.root, unit), 1_900 * 2 ** 20);
        return tree;
      },
      `${UNITS}/huge.timer was not looked at: it is larger than 1024 KiB`,
    ],
    [
      "a crontab of 3,000 lines",
      () => plant({ ...MACHINE, [EVE]: "* * * * * /bin/x\n".repeat(3_000) }),
      "crontab of eve           it has 3001 lines, and at most 2000 are read",
    ],
    [
      "300 timers",
      () => plant({ ...MACHINE, ...timers(300) }),
      "timers of eve           there are 300 of them, and at most 200 are read",
    ],
    [
      "6,000 files in a directory",
      () => plant({ ...MACHINE, ...timers(6_000) }),
      `${UNITS}/timers.target.wants was not looked at: it holds more than 5000 files`,
    ],
  ];
  test.each(TOO_LARGE)("with %s is named, and root's jobs are found", async (_what, make, named) => {
    using tree = make();
    const { exitCode, out, err } = await discoverBelow(tree, []);
    expect(exitCode).toBe(0);
    expect(`${out}\n${err}`).toContain(named);
    expect(out).toContain("web1-orders  */5 * * * *  root  /etc/cron.d/shop:1");
  });
});

test("a span that is none is read in time, however it is written", () => {
  expect(spanSeconds(`${"1".repeat(5_000)}!`)).toBeNull();
  expect(spanSeconds("1h 30min")).toBe(5_400);
});
