// `rollcall discover` with --diff, --apply and --undo, on trees of files below a root and against a real server.

import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rollcall } from "../support/command-line.ts";
import { startService } from "../support/service.ts";
import { keysOf, LEDGER, monitors, picture, run, SETTINGS } from "./applying.ts";
import { discoverBelow } from "./below.ts";
import { plant, SERVER, type Tree } from "./trees.ts";

const HAS_ROOT = process.getuid?.() === 0;
const SET_ATTRIBUTES = 'setfacl -m u:daemon:r "$0" && setfattr -n user.origin -v shop "$0"';
/** A file system may know neither. */
const HAS_ATTRIBUTES = (() => {
  using tree = plant({ "/file": "" });
  return Bun.spawnSync(["sh", "-c", SET_ATTRIBUTES, join(tree.root, "file")]).exitCode === 0;
})();

const CAN_MOUNT = (() => {
  using tree = plant({ "/file": "" });
  if (Bun.spawnSync(["mount", "-t", "tmpfs", "tmpfs", tree.root]).exitCode !== 0) return false;
  return Bun.spawnSync(["umount", tree.root]).exitCode === 0;
})();

/** What root's shell may have. */
function withUmask(mask: number): Disposable {
  const before = process.umask(mask);
  return { [Symbol.dispose]: () => void process.umask(before) };
}

const ALICE = "/var/spool/cron/crontabs/alice";
const crontab = ({ root }: Tree): string => readFileSync(join(root, ALICE), "latin1");

describe.if(HAS_ROOT)("a server", () => {
  const planted = () => plant({ ...SERVER, ...SETTINGS });
  const NEW = [
    "web1-backup-alice",
    "web1-backup-alice-2",
    "web1-clean",
    "web1-cron-daily",
    "web1-cron-hourly",
    "web1-dump-main",
    "web1-orders",
    "web1-restic",
  ];

  test("--diff shows everything and changes nothing", async () => {
    using tree = planted();
    const before = picture(tree);
    const { exitCode, out, err } = await run(tree, null, "--diff");
    expect(exitCode).toBe(0);
    expect(out).toContain(
      "-0 2 * * * cd /x && ./backup.sh > log 2>&1\n-30 2 * * 7 /usr/local/bin/backup.sh --full\n+0 2 * * * /usr/local/bin/rollcall run web1-backup-alice --message-from-stderr -- /bin/sh -c 'cd /x && ./backup.sh > log 2>&1'",
    );
    const { out: silent } = await run(tree, null, "--diff", "--stderr", "none");
    expect(silent).toContain("/usr/local/bin/rollcall run web1-backup-alice -- /bin/sh -c");
    expect(out).toContain("--- /dev/null\n+++ /etc/systemd/system/restic.service.d/rollcall.conf");
    expect(err).toContain(`new: web1-cron-hourly, web1-orders, web1-backup-alice`);
    expect(picture(tree)).toEqual(before);
    expect(existsSync(join(tree.root, LEDGER))).toBe(false);
  });

  test.each(["{half", "null", "{}"])("--undo names a ledger that is damaged: %s", async (text) => {
    using tree = plant({ ...SERVER, [LEDGER]: text });
    expect(await run(tree, null, "--undo")).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining(`${LEDGER} is damaged: --undo --force takes out`),
    });
  });

  test("--apply declares and wraps all, a second one changes nothing, --undo restores every byte", async () => {
    using tree = planted();
    await using service = startService();
    chmodSync(join(tree.root, "/etc/cron.d/shop"), 0o640);
    const before = picture(tree);
    using _ = withUmask(0o077);
    const applied = await run(tree, service, "--apply");
    expect(applied.out).toContain("declared 8 jobs, changed 7 files");
    expect(applied.exitCode).toBe(0);
    expect(await keysOf(service)).toEqual(NEW);
    expect((await monitors(service)).find(({ monitorKey }) => monitorKey === "web1-restic")).toMatchObject({
      schedule: "30 3 * * 1-5",
      gracePeriod: 901,
    });
    const held = service.database
      .query("SELECT key, schedule, every_seconds AS every, grace_seconds AS grace FROM monitors")
      .all();
    expect(held).toContainEqual({ key: "web1-cron-daily", schedule: null, every: 86_400, grace: 87_000 });
    expect(held).toContainEqual({ key: "web1-clean", schedule: null, every: 86_400, grace: 360 });
    const wrapped = picture(tree);
    expect(wrapped["/etc/cron.d/shop"]).toStartWith(
      "100640 0:0 MAILTO=ops\n*/5 * * * * shop /usr/local/bin/rollcall run web1-orders --message-from-stderr -- /bin/sh -c '/srv/shop/bin/orders.php --all'\n@reboot shop",
    );
    expect(wrapped["/etc/systemd/system/dump@main.service.d/rollcall.conf"]).toContain(
      "ExecStart=\nExecStart=/usr/bin/check %i\nExecStart=/usr/local/bin/rollcall run web1-dump-main --message-from-stderr -- /usr/bin/dump %i\n",
    );

    const again = await run(tree, service, "--apply");
    expect(again).toMatchObject({ exitCode: 0, out: expect.stringContaining("declared 8 jobs, changed 0 files") });
    expect(picture(tree)).toEqual(wrapped);

    const undone = await run(tree, service, "--undo");
    expect(undone).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining("paused on the server: web1-backup-alice"),
    });
    expect(picture(tree)).toEqual(before);
    expect(await keysOf(service)).toEqual([]);
    expect(existsSync(join(tree.root, "/etc/systemd/system/restic.service.d"))).toBe(false);
    expect(readdirSync(join(tree.root, "/var/lib/rollcall-client/discover"))).toEqual([]);
    expect(await run(tree, service, "--undo")).toMatchObject({
      exitCode: 0,
      err: expect.stringContaining("nothing to undo"),
    });
  });

  test("a job that comes later is added, one that goes is paused on the server", async () => {
    using tree = planted();
    await using service = startService();
    await run(tree, service, "--apply", "--only", "crontab of alice");
    expect(await keysOf(service)).toEqual(["web1-backup-alice", "web1-backup-alice-2"]);
    const bare = `${crontab(tree).split("\n").slice(0, 4).join("\n")}\n5 5 * * * /bin/extra\n`;
    writeFileSync(join(tree.root, "/var/spool/cron/crontabs/alice"), bare, "latin1");

    const { err } = await run(tree, service, "--apply", "--only", "web1-extra");
    expect(err).toContain("no longer wrapped here, so the server pauses them");
    expect(await keysOf(service)).toEqual(["web1-backup-alice", "web1-extra"]);
    expect(await run(tree, service, "--undo")).toMatchObject({ exitCode: 0 });
    // The person's own edit stays.
    expect(crontab(tree)).toEndWith("0 2 * * * cd /x && ./backup.sh > log 2>&1\n5 5 * * * /bin/extra\n");
  });

  test("a careless crontab is wrapped line by line, and bare again to the byte", async () => {
    const tab = [
      "MAILTO = 'ops@example.org'\r",
      '  PATH="/opt/my tools:/usr/bin" ',
      "SHELL=/bin/bash",
      "",
      "\t5\t4\t*\t*\t*\tdate +\\%F > /tmp/x 2>&1  ",
      "1 2 * * * /srv/crlf.sh\r",
      "2 2 * * 1-5 '/opt/my tools/run me.sh' \\",
      "3 2 * * * mail%Dear all,%%bye",
      "@reboot /bin/warm",
      "@daily [[ -f /x ]] && ./odd@name",
      "#4 2 * * * /bin/off",
      "5 2 * * * rollcall run mine -- /bin/sync",
      "",
    ].join("\n");
    const bash = (key: string, command: string): string =>
      `/usr/local/bin/rollcall run ${key} --message-from-stderr -- /bin/bash -c '${command}'`;
    using tree = plant({ ...SETTINGS, "/etc/localtime": ["/usr/share/zoneinfo/UTC"], [ALICE]: tab });
    await using service = startService();
    expect(await run(tree, service, "--apply", "--prefix", "")).toMatchObject({
      exitCode: 1,
      out: expect.stringContaining(`@daily [[ -f /x ]] && ${bash("odd-name", "./odd@name")}`),
    });
    expect(crontab(tree).split("\n")).toEqual([
      ...tab.split("\n").slice(0, 4),
      `\t5\t4\t*\t*\t*\t${bash("date", "date +\\%F > /tmp/x 2>&1  ")}`,
      `1 2 * * * ${bash("crlf", "/srv/crlf.sh\r")}`,
      `2 2 * * 1-5 ${bash("run-me", "'\\''/opt/my tools/run me.sh'\\'' \\")}`,
      `3 2 * * * ${bash("mail", "mail")}%Dear all,%%bye`,
      "@reboot /bin/warm",
      ...tab.split("\n").slice(9),
    ]);
    expect(await run(tree, service, "--undo")).toMatchObject({ exitCode: 0 });
    expect(crontab(tree)).toBe(tab);
  });

  test("a job that a tool has written bare again is wrapped once more, and not called gone", async () => {
    using tree = planted();
    await using service = startService();
    const before = crontab(tree);
    await run(tree, service, "--apply", "--yes");
    const wrapped = crontab(tree);
    writeFileSync(join(tree.root, ALICE), before);
    const again = await run(tree, service, "--apply", "--yes");
    expect(again.err).toContain("new: web1-backup-alice");
    expect(again.err).not.toContain("no longer wrapped here");
    expect([crontab(tree), await keysOf(service)]).toEqual([wrapped, NEW]);

    writeFileSync(join(tree.root, ALICE), before);
    const { err } = await run(tree, service, "--apply", "--yes", "--skip", "web1-backup-alice*");
    expect(err).toContain("no longer wrapped here, so the server pauses them");
    expect(err).toContain("is complete: web1-backup-alice, web1-backup-alice-2\n");
    expect(err).toContain("\npaused on the server, because they are no longer wrapped here: web1-backup-alice, ");
  });

  test("a file that somebody changed since stays wrapped, unless --force takes our lines out of it", async () => {
    using tree = planted();
    await using service = startService();
    const before = crontab(tree);
    await run(tree, service, "--apply", "--only", "crontab of alice");
    writeFileSync(join(tree.root, "/var/spool/cron/crontabs/alice"), `${crontab(tree)}1 1 * * * /bin/mine\n`);
    const wrapped = crontab(tree);
    const refused = await run(tree, service, "--undo");
    expect(refused).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining("was changed since and stays as it is"),
    });
    expect(crontab(tree)).toBe(wrapped);
    expect(await keysOf(service)).toEqual(["web1-backup-alice", "web1-backup-alice-2"]);
    expect(await run(tree, service, "--undo", "--force")).toMatchObject({ exitCode: 0 });
    expect(crontab(tree)).toBe(`${before}1 1 * * * /bin/mine\n`);
    expect(await keysOf(service)).toEqual([]);
  });

  test("no server, or a key that may not: nothing is changed", async () => {
    using tree = planted();
    await using service = startService();
    const before = picture(tree);
    const outcomes = [
      await run(tree, null, "--apply"),
      await discoverBelow(tree, ["--apply"], {
        ROLLCALL_URL: service.origin,
        ROLLCALL_KEY: service.keys.ping,
      }),
      await discoverBelow(tree, ["--apply"], {
        ROLLCALL_URL: "http://127.0.0.1:9",
        ROLLCALL_KEY: service.keys.all,
      }),
    ];
    expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([1, 1, 1]);
    expect(outcomes.map(({ err }) => err.split("\n").at(-1))).toEqual([
      expect.stringContaining("nothing was changed: there is no address to report to"),
      expect.stringContaining("this call needs a key of scope all or sync, in ROLLCALL_KEY"),
      expect.stringContaining("cannot be reached: connection refused"),
    ]);
    expect(picture(tree)).toEqual(before);
  });

  /** Mounts a disk of so many KiB where the list of changes is kept. */
  function withDisk(tree: Tree, kibibytes: number): Disposable {
    const path = join(tree.root, "/var/lib/rollcall-client");
    mkdirSync(path, { recursive: true });
    Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${kibibytes}k`, "tmpfs", path]);
    return { [Symbol.dispose]: () => void Bun.spawnSync(["umount", "-l", path]) };
  }

  test.skipIf(!CAN_MOUNT)("on a full disk no job stays declared that is not wrapped", async () => {
    using tree = planted();
    await using service = startService();
    for (const kibibytes of [4, 8, 12, 16, 24]) {
      using _ = withDisk(tree, kibibytes);
      const before = picture(tree);
      const { exitCode } = await run(tree, service, "--apply", "--yes");
      const wrapped =
        Object.values(picture(tree))
          .join("\n")
          .match(/(?<= run )web1-[\w-]+(?= --mess)/g) ?? [];
      expect(wrapped.length < NEW.length ? exitCode : 1).toBe(1);
      expect({ kibibytes, keys: await keysOf(service) }).toEqual({ kibibytes, keys: [...wrapped].sort() });
      await run(tree, service, "--undo", "--force", "--yes");
      expect(picture(tree)).toEqual(before);
    }
  });

  test.skipIf(!CAN_MOUNT)(
    "on a full disk --undo says of what is bare that it was put back, and pauses it",
    async () => {
      using tree = planted();
      using _ = withDisk(tree, 64);
      await using service = startService();
      const before = picture(tree);
      await run(tree, service, "--apply", "--yes");
      const full = join(tree.root, "/var/lib/rollcall-client/full");
      Bun.spawnSync(["dd", "if=/dev/zero", `of=${full}`, "bs=1k"], { stderr: "ignore" });
      const { exitCode, err } = await run(tree, service, "--undo", "--yes");
      expect([exitCode, err]).toEqual([0, expect.not.stringContaining("was not put back")]);
      expect(picture(tree)).toEqual(before);
      expect(await keysOf(service)).toEqual([]);
    },
  );

  test.skipIf(!CAN_MOUNT)("where the list of changes cannot be written, --apply names its directory", async () => {
    using tree = planted();
    using _ = withDisk(tree, 4);
    writeFileSync(join(tree.root, "/var/lib/rollcall-client/full"), "x".repeat(4_096));
    await using service = startService();
    const { exitCode, err } = await run(tree, service, "--apply", "--yes");
    expect([exitCode, err]).toEqual([
      1,
      expect.stringContaining(
        `nothing was changed: ${tree.root}/var/lib/rollcall-client/discover cannot be written: ENOSPC`,
      ),
    ]);
  });

  test("without any settings nothing is shown before what is needed", async () => {
    using tree = planted();
    const own = join(tree.root, "rollcall/client.toml");
    expect(await discoverBelow(tree, ["--apply"], { XDG_CONFIG_HOME: tree.root })).toEqual({
      exitCode: 1,
      out: "",
      err: `nothing was changed: there is no address to report to: set ROLLCALL_URL and ROLLCALL_KEY, or url and key in ${own} or /etc/rollcall/client.toml`,
    });
  });

  test("it changes this machine alone: links in another tree would lead back to this one", async () => {
    using tree = planted();
    for (const more of [[], ["--diff"], ["--apply"], ["--undo"], ["--json"]])
      expect(await rollcall(["discover", "--root", tree.root, ...more])).toMatchObject({
        exitCode: 2,
        out: "",
        err: expect.stringContaining("unknown option '--root'"),
      });
  });

  test("jobs whose user cannot read the settings stay as they are", async () => {
    using tree = planted();
    chmodSync(join(tree.root, "/etc/rollcall/client.toml"), 0o600);
    await using service = startService();
    const { exitCode, err } = await run(tree, service, "--apply");
    expect(exitCode).toBe(1);
    expect(err).toContain(
      "stays as it is: /etc/cron.d/shop:2: shop may not read /etc/rollcall/client.toml, so its runs would tell nobody",
    );
    expect(await keysOf(service)).toEqual(["web1-clean", "web1-cron-daily", "web1-cron-hourly", "web1-dump-main"]);
    const settings = join(tree.root, "/etc/rollcall/client.toml");
    chmodSync(settings, 0o644);
    // What stands in the environment of this call is not there for a run of cron.
    for (const [text, why] of [
      ["# url = 'https://cron.example.org'\n", "/etc/rollcall/client.toml has no url, so its runs would tell nobody"],
      ["url = 'https://cron.example.org'\n", "/etc/rollcall/client.toml has no key, so its runs would tell nobody"],
      [
        `url = 'https://cron.example.org'\nkey = 'ck_app_shop_${"x".repeat(32)}'\n`,
        "/etc/rollcall/client.toml has a key of another application than this call, so its runs would tell that one",
      ],
      [
        "url = 'https://cron.example.org'\nkey = 'ck_app_x'\nauthority_file = '/etc/home.pem'\n",
        "shop may not read /etc/home.pem, so its runs would tell nobody",
      ],
    ] as const) {
      writeFileSync(settings, text);
      writeFileSync(join(tree.root, "/etc/home.pem"), "", { mode: 0o600 });
      const { err: unread } = await run(tree, service, "--apply", "--only", "/etc/cron.d/shop:2");
      expect(unread).toContain(`stays as it is: /etc/cron.d/shop:2: ${why}`);
    }
    rmSync(settings);
    const { out, err: said } = await run(tree, service, "--diff");
    expect(said).toContain("there is no /etc/rollcall/client.toml");
    expect(out).toContain("run web1-orders --");
  });

  test("a wrapped line that somebody has edited is bare after an undo by force", async () => {
    using tree = planted();
    await using service = startService();
    await run(tree, service, "--apply", "--only", "crontab of alice");
    const edited = crontab(tree).replace("0 2 * * * /usr", "5 5 * * * /usr").replace("--full'", "--half'");
    writeFileSync(join(tree.root, "/var/spool/cron/crontabs/alice"), edited, "latin1");
    expect(await run(tree, service, "--undo", "--force")).toMatchObject({ exitCode: 0 });
    expect(crontab(tree)).toContain(
      "\n5 5 * * * cd /x && ./backup.sh > log 2>&1\n30 2 * * 7 /usr/local/bin/backup.sh --half\n",
    );
  });

  test("what somebody has wrapped by hand is named after an undo, for it still needs the executable", async () => {
    using tree = planted();
    await using service = startService();
    await run(tree, service, "--apply");
    const { exitCode, err } = await run(tree, service, "--undo");
    expect(exitCode).toBe(0);
    expect(err).toContain("rollcall still runs, and they need it: crontab of alice:6");
  });

  test("without a server an undo makes all bare, says what is still declared, and answers 3", async () => {
    using tree = planted();
    await using service = startService();
    const before = picture(tree);
    await run(tree, service, "--apply");
    const undone = await run(tree, null, "--undo");
    expect(undone).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining("are still declared, and will be missed"),
    });
    expect(picture(tree)).toEqual(before);
    expect(await run(tree, service, "--undo")).toMatchObject({ exitCode: 0 });
    expect(await keysOf(service)).toEqual([]);
  });

  test.if(HAS_ATTRIBUTES)("a file keeps its access list and attributes, and after an undo its time", async () => {
    using tree = planted();
    const shop = join(tree.root, "/etc/cron.d/shop");
    const kept = Bun.spawnSync([
      "sh",
      "-c",
      'setfacl -m u:daemon:r "$0" && setfattr -n user.origin -v shop "$0"',
      shop,
    ]);
    if (kept.exitCode !== 0) return;
    const facts = (): string =>
      Bun.spawnSync(["sh", "-c", 'getfacl -p "$0"; getfattr -d --absolute-names "$0"', shop]).stdout.toString();
    Bun.spawnSync(["touch", "-d", "2024-02-29 12:34:56.123456789", shop]);
    const [before, time] = [facts(), statSync(shop, { bigint: true }).mtimeNs];
    await using service = startService();
    await run(tree, service, "--apply");
    expect(facts()).toBe(before);
    expect(statSync(shop, { bigint: true }).mtimeNs).toBeGreaterThan(time);
    await run(tree, service, "--undo");
    expect([facts(), statSync(shop, { bigint: true }).mtimeNs]).toEqual([before, time]);
  });

  test("what a killed call has left half written goes with the next one", async () => {
    using tree = planted();
    await using service = startService();
    await run(tree, service, "--apply");
    // A number that no process has.
    const half = ".rollcall-half-4194305";
    const directories = ["/etc/cron.d", "/etc/systemd/system/restic.service.d", "/var/lib/rollcall-client/discover"];
    for (const directory of directories) writeFileSync(join(tree.root, directory, half), "half");
    await run(tree, service, "--undo");
    expect(directories.filter((directory) => existsSync(join(tree.root, directory, half)))).toEqual([]);
    expect(existsSync(join(tree.root, "/etc/systemd/system/restic.service.d"))).toBe(false);
  });

  test("a job whose user may not start rollcall stays as it is, and so does one where there is none", async () => {
    using tree = planted();
    await using service = startService();
    const executable = join(tree.root, "/usr/local/bin/rollcall");
    chmodSync(executable, 0o750);
    const shut = await run(tree, service, "--apply", "--only", "/etc/cron.d/shop");
    expect(shut).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining("shop may not start /usr/local/bin/rollcall, so it would not run"),
    });
    rmSync(executable);
    const none = await run(tree, service, "--apply", "--only", "/etc/cron.d/shop");
    expect(none.err).toContain("there is no /usr/local/bin/rollcall there, so it would not run");
    expect(await keysOf(service)).toEqual([]);
  });

  test("killed between its notes and a file, it can still take back the others", async () => {
    using tree = planted();
    await using service = startService();
    const before = picture(tree);
    await run(tree, service, "--apply");
    // As if it had been killed before this file was written.
    writeFileSync(join(tree.root, "/etc/cron.d/shop"), SERVER["/etc/cron.d/shop"]);
    expect(await run(tree, service, "--undo")).toMatchObject({ exitCode: 0 });
    expect(picture(tree)).toEqual(before);
  });

  test.if(Bun.which("systemd-analyze") !== null)("systemd takes the drop-ins", async () => {
    const restic = SERVER["/etc/systemd/system/restic.service"].replace("ExecStart=-", "ExecStart=");
    using tree = plant({ ...SERVER, ...SETTINGS, "/etc/systemd/system/restic.service": restic });
    await using service = startService();
    await run(tree, service, "--apply");
    const units = ["/etc/systemd/system", "/lib/systemd/system"].map((path) => join(tree.root, path));
    // Those that every unit needs.
    units.push("/lib/systemd/system");
    const ran = Bun.spawnSync(["systemd-analyze", "verify", "--man=no", "restic.service", "dump@main.service"], {
      env: { SYSTEMD_UNIT_PATH: units.join(":"), PATH: process.env["PATH"] },
    });
    // Nothing of it is installed here; everything else would be a fault of the unit.
    const said = ran.stderr
      .toString()
      .split("\n")
      .filter((line) => line !== "" && !/is not executable: No such file/.test(line));
    expect(said).toEqual([]);
    expect(ran.stderr.toString()).toContain("restic.service: Command /usr/local/bin/rollcall is not executable");
  });
});
