// What is found on a machine, from its files alone; and as `rollcall discover` prints it.

import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { discover } from "../../src/discover/discover.ts";
import type { DropIn } from "../../src/discover/found.ts";
import { machineFilesAt } from "../../src/discover/host.ts";
import { systemManager } from "../../src/discover/managers.ts";
import { stemOf } from "../../src/discover/proposed-keys.ts";
import { rollcall } from "../support/command-line.ts";
import { discoverBelow } from "./below.ts";
import { plant, SERVER } from "./trees.ts";

const HAS_ROOT = process.getuid?.() === 0;

const lookAt = (root: string, prefix = "web1-") =>
  discover({
    host: machineFilesAt(root),
    systemd: true,
    managers: [systemManager(true, null)],
    isRunning: true,
    timezone: "Europe/Berlin",
    own: null,
    prefix,
  });

// cron takes files of root alone, so the trees must be its own.
describe.if(HAS_ROOT)("a server", () => {
  test("has these jobs, with keys that do not change from run to run", () => {
    using tree = plant(SERVER);
    const jobs = lookAt(tree.root);
    expect(
      jobs
        .filter(({ key }) => key !== "")
        .map(({ key, schedule, everySeconds, user, where, delaySeconds }) => [
          key,
          schedule ?? everySeconds,
          user,
          where,
          delaySeconds,
        ]),
    ).toEqual([
      ["web1-cron-hourly", "17 * * * *", "root", "/etc/crontab:3", 0],
      ["web1-orders", "*/5 * * * *", "shop", "/etc/cron.d/shop:2", 0],
      ["web1-backup-alice", "0 2 * * *", "alice", "crontab of alice:1", 0],
      ["web1-backup-alice-2", "30 2 * * 0", "alice", "crontab of alice:2", 0],
      ["nightly", "0 3 * * *", "alice", "crontab of alice:3", 0],
      ["web1-cron-daily", 86_400, "root", "/etc/anacrontab:2", 86_700],
      ["web1-clean", 86_400, "root", "clean.timer", 60],
      ["web1-dump-main", "0 1,13 * * *", "root", "dump@main.timer", 60],
      ["web1-restic", "30 3 * * 1-5", "backup", "restic.timer", 601],
    ]);
    expect(lookAt(tree.root).map(({ key }) => key)).toEqual(jobs.map(({ key }) => key));
  });

  test("has these that cannot be watched, and says why", () => {
    using tree = plant(SERVER);
    const why = Object.fromEntries(
      lookAt(tree.root)
        .filter(({ key }) => key === "")
        .map((job) => [job.where, job.why]),
    );
    expect(why).toEqual({
      "/etc/crontab:4": "it does nothing because there is /usr/sbin/anacron: anacron does its work",
      "/etc/cron.d/broken:1": 'line 2 makes cron ignore the whole file: cron refuses hour "25": "25" is outside 0-23',
      "/etc/cron.d/broken:2": 'cron refuses hour "25": "25" is outside 0-23; cron ignores the whole file for it',
      "/etc/cron.d/certbot:1": "it does nothing while systemd runs: a timer does its work",
      "/etc/cron.d/shop:3": "it runs when the machine starts, so no time says when a report is due",
      "/etc/cron.d/shop.bak:1":
        "cron does not read this file: its name has other characters than letters, digits, - and _",
      "strict.timer":
        "PrivateNetwork= of strict.service may keep rollcall run from its work: report in a line of its own",
    });
  });

  test("cronie reads CRON_TZ, and Debian's cron does not", () => {
    const crontab = { "/etc/cron.d/z": "CRON_TZ=Asia/Tokyo\nRANDOM_DELAY=6\n0 1 * * * root /bin/x\n" };
    using debian = plant(crontab);
    using cronie = plant({ ...crontab, "/usr/sbin/crond": "\0CRON_TZ\0" });
    expect(lookAt(debian.root)).toMatchObject([
      { timezone: "Europe/Berlin", delaySeconds: 0, notes: [expect.stringContaining("CRON_TZ")] },
    ]);
    expect(lookAt(cronie.root)).toMatchObject([{ timezone: "Asia/Tokyo", delaySeconds: 360, notes: [] }]);
  });

  test("busybox's crond is not Debian's: its jobs are listed and left alone", () => {
    using tree = plant({
      "/bin/busybox": "",
      "/usr/sbin/crond": ["/bin/busybox"],
      "/var/spool/cron/crontabs/root": "0 2 * * * /bin/backup\n0 3 * * * rollcall run sync -- /bin/sync\n",
    });
    expect(lookAt(tree.root).map(({ key, why, watchedAs }) => [key, why, watchedAs])).toEqual([
      ["", expect.stringContaining("busybox's crond reads crontabs in its own way"), null],
      ["sync", expect.any(String), "sync"],
    ]);
  });

  test("a service that other settings make unfit is left alone", () => {
    const timer = {
      "/etc/systemd/system/timers.target.wants/a.timer": ["../a.timer"],
      "/etc/systemd/system/a.timer": "[Timer]\nOnCalendar=daily\n",
    } as const;
    const why = (lines: string): string | null => {
      using tree = plant({ ...timer, "/etc/systemd/system/a.service": `[Service]\n${lines}\n` });
      return lookAt(tree.root)[0]!.why;
    };
    expect(why("ExecStart=/bin/x")).toBeNull();
    expect(why("Type=exec\nExecStart=/bin/a\nExecStart=\nExecStart=x")).toBeNull();
    expect(why("Type=notify\nExecStart=/bin/x")).toContain("is of Type=notify");
    expect(why("Type=oneshot\nExecStart=@/bin/x y")).toContain("another name (@)");
    expect(why("Type=oneshot\nExecStart=/bin/x ; /bin/y")).toContain("several commands");
    expect(why("Type=oneshot\nEnvironment=PATH=/x\nExecStart=x")).toContain("no absolute path");
    expect(why("Type=oneshot\nRemainAfterExit=yes\nExecStart=/bin/x")).toContain("stays active");
    expect(why("Type=oneshot\nRestrictAddressFamilies=AF_UNIX\nExecStart=/bin/x")).toContain(
      "RestrictAddressFamilies=",
    );
    expect(why("Type=oneshot\nRestrictAddressFamilies=AF_UNIX AF_INET\nExecStart=/bin/x")).toBeNull();
    expect(why("Type=oneshot")).toContain("has no ExecStart=");
    expect(why("MemoryMax=64M\nExecStart=/bin/x")).toContain("MemoryMax=");
    expect(why("TasksMax=8\nExecStart=/bin/x")).toContain("TasksMax=");
    expect(why("MemoryLimit=64M\nExecStart=/bin/x")).toContain("MemoryLimit=");
    expect(why("MemoryHigh=32M\nExecStart=/bin/x")).toContain("MemoryHigh=");
    expect(why("RestrictNetworkInterfaces=lo\nExecStart=/bin/x")).toContain("RestrictNetworkInterfaces=");
    expect(why("LimitNOFILE=8:16\nExecStart=/bin/x")).toContain("LimitNOFILE=");
    expect(why("LimitNOFILE=8:4096\nMemoryHigh=1G\nExecStart=/bin/x")).toBeNull();
    expect(why("MemoryMax=1G\nTasksMax=infinity\nMemoryMax=50%\nExecStart=/bin/x")).toBeNull();
  });

  test("a service that does not see the executable is left alone", () => {
    const made = (lines: string, executable: string) => {
      using tree = plant({
        "/etc/systemd/system/timers.target.wants/a.timer": ["../a.timer"],
        "/etc/systemd/system/a.timer": "[Timer]\nOnCalendar=daily\n",
        "/etc/systemd/system/a.service": `[Service]\n${lines}\nExecStart=/bin/x\n`,
      });
      return (lookAt(tree.root)[0]!.change as DropIn).content("a", executable);
    };
    expect(made("ProtectHome=yes", "/usr/bin/rollcall")).toHaveProperty("text");
    expect(made("ProtectHome=read-only", "/root/bin/rollcall")).toHaveProperty("text");
    expect(made("ProtectHome=yes", "/root/bin/rollcall")).toEqual({
      why: "ProtectHome= of a.service hides /root/bin/rollcall from it",
    });
    expect(made("TemporaryFileSystem=/opt:ro", "/opt/rollcall")).toHaveProperty("why");
  });
});

test.each([
  ["/usr/local/bin/backup.sh --full", "backup"],
  ["cd /x && ./y > log 2>&1", "y"],
  ["nice -n 19 ionice -c3 /opt/sync.py", "sync"],
  ["/usr/bin/php /var/www/artisan schedule:run >> /dev/null 2>&1", "artisan-schedule-run"],
  ["test -x /usr/bin/certbot && perl -e 'sleep 3' && certbot -q renew", "certbot-renew"],
  ["FOO=1 /usr/bin/env python3 /srv/app/manage.py clearsessions", "manage-clearsessions"],
  ["flock -n /run/lock /bin/bash -c '\"/opt/Nightly Job.sh\"'", "nightly-job"],
  ["cd / && run-parts --report /etc/cron.daily", "cron-daily"],
  ["sudo -u www-data borgmatic", "borgmatic"],
  ["[ -x /a ] && if [ ! -d /run/systemd/system ]; then /usr/lib/php/sessionclean; fi", "sessionclean"],
  ['""', "job"],
  ["sh -c 'sleep 5'", "sleep"],
  ['/bin/bash -lc "cd /x && ./run.sh"', "run"],
  ["bash -o pipefail -c '/opt/dump.sh | gzip'", "dump"],
  ["env A=b nice -n 5 script", "script"],
  ["timeout 5 python3 -m pkg.mod", "pkg.mod"],
  ["/srv/venv/bin/python -m app.cli sync", "app.cli-sync"],
  ["python3 -c 'import x; x.run()'", "python3"],
  ["flock -n /run/lock -c 'sleep 5'", "sleep"],
  ["flock -n /run/lock -c sleep", "sleep"],
  ["su - postgres -c 'pg_dump shop > /x'", "pg_dump-shop"],
  ["java -Xmx1g -jar /opt/report.jar --all", "report"],
  ["docker exec -t web php artisan schedule:run", "artisan-schedule-run"],
  ["php -d memory_limit=1G /srv/cron.php", "cron"],
  ["test -x /a || exit 0; /opt/b.sh", "b"],
  ["(cd /x && A=1 ./y.sh)>/dev/null", "y"],
  ["sh -c 'for i in 1 2; do /opt/x.sh $i; done'", "x"],
  ["sh -c", "sh"],
])("%s is called %s", (command, stem) => expect(stemOf(command)).toBe(stem));

test("a command that a user has made endless is named in time", () => {
  for (const [word, stem] of [
    ["nice ", "nice"],
    ["sh -c ", "sh"],
    ["'\"", "job"],
    ["1", "1"],
  ] as const)
    expect(stemOf(word.repeat(150_000))).toStartWith(stem);
});

describe("rollcall discover", () => {
  const strange = {
    // Cron reads the crontab of its user, as whom this test may run, or of root.
    "/etc/passwd": `alice:x:${process.getuid?.()}:100::/home/alice:/bin/sh\n`,
    "/home/alice/.profile": "",
    "/var/spool/cron/crontabs/alice": "0 2 * * * /usr/local/bin/backup.sh\n@reboot /bin/x\n",
    "/etc/localtime": ["/usr/share/zoneinfo/Europe/Berlin"],
    "/etc/hostname": "web1\n",
  } as const;

  test("prints what can be watched, and then what cannot", async () => {
    using tree = plant(strange);
    const { exitCode, out, err } = await discoverBelow(tree, []);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(out.split("\n")).toEqual([
      "KEY          SCHEDULE   USER   WHERE",
      "web1-backup  0 2 * * *  alice  crontab of alice:1",
      "",
      "Schedules are read in Europe/Berlin.",
      "",
      "1 job cannot be watched as it is:",
      "",
      "WHERE               COMMAND  WHY",
      expect.stringContaining("crontab of alice:2  /bin/x   it runs when the machine starts"),
      "",
      "rollcall discover --diff shows what --apply would change.",
    ]);
  });

  test("prints JSON, of the jobs that are meant", async () => {
    using tree = plant(strange);
    const { out } = await discoverBelow(tree, ["--json", "--only", "web1-*", "--prefix", "web1-"]);
    expect(JSON.parse(out)).toEqual([
      {
        key: "web1-backup",
        where: "crontab of alice:1",
        user: "alice",
        command: "/usr/local/bin/backup.sh",
        schedule: "0 2 * * *",
        every: null,
        said: "0 2 * * *",
        timezone: "Europe/Berlin",
        gracePeriod: 300,
        watchedAs: null,
        why: null,
        notes: [],
        status: null,
      },
    ]);
  });

  test("leaves out what the distribution brings for itself, unless it is asked for", async () => {
    const at = "/lib/systemd/system";
    const own = "/etc/systemd/system";
    const timer = (name: string, directory = at) => ({
      [`${directory}/${name}.timer`]: "[Timer]\nOnCalendar=daily\n",
      [`${directory}/${name}.service`]: `[Service]\nType=oneshot\nExecStart=/usr/bin/${name}\n`,
      [`${own}/timers.target.wants/${name}.timer`]: [`${directory}/${name}.timer`] as [string],
    });
    using tree = plant({
      "/etc/localtime": ["/usr/share/zoneinfo/Europe/Berlin"],
      "/run/systemd/system/none": "",
      ...timer("apt-daily"),
      ...timer("apt-daily-upgrade"),
      ...timer("man-db"),
      ...timer("certbot"),
      // Somebody has written it.
      ...timer("logrotate", own),
    });
    const keys = async (...options: readonly string[]) => {
      const { out } = await discoverBelow(tree, ["--prefix", "h-", "--json", ...options]);
      return JSON.parse(out).map(({ key }: { key: string }) => key);
    };
    const { out } = await discoverBelow(tree, ["--prefix", "h-"]);
    expect(out).toContain("\n3 jobs of the distribution's own housekeeping are left out; --all has them, too.\n");
    expect(await keys()).toEqual(["h-certbot", "h-logrotate"]);
    expect(await keys("--only", "*.timer")).toEqual(["h-certbot", "h-logrotate"]);
    expect(await keys("--only", "apt-*", "h-certbot")).toEqual(["h-apt-daily-upgrade", "h-apt-daily", "h-certbot"]);
    expect(await keys("--only", "man-db.timer")).toEqual(["h-man-db"]);
    expect(await keys("--all", "--skip", "h-apt-*")).toEqual(["h-certbot", "h-logrotate", "h-man-db"]);
    expect((await discoverBelow(tree, ["--all"])).out).not.toContain("left out");

    // What is watched already stays in the list.
    const watched = "[Service]\nExecStart=\nExecStart=/usr/bin/rollcall run h-man -- /usr/bin/man-db\n";
    mkdirSync(join(tree.root, own, "man-db.service.d"));
    writeFileSync(join(tree.root, own, "man-db.service.d/mine.conf"), watched);
    expect(await keys()).toEqual(["h-certbot", "h-logrotate", "h-man"]);
  });

  test("says that there is nothing, and what is wrong with an option", async () => {
    using tree = plant({});
    expect(await discoverBelow(tree, [])).toMatchObject({ exitCode: 0, out: "", err: "no scheduled job was found" });
    expect(await discoverBelow(tree, ["--only", "x*"])).toMatchObject({
      exitCode: 2,
      err: 'no job has the key or place "x*"',
    });
    expect(await discoverBelow(tree, ["--timezone", "Mars"])).toMatchObject({
      exitCode: 2,
      err: '--timezone: there is no zone "Mars"',
    });
  });
});

test("options that an undo alone has are refused without one", async () => {
  using tree = plant({});
  const err = async (...args: readonly string[]) => (await discoverBelow(tree, args)).err.replaceAll("\n", " ");
  expect(await err("--force", "--apply")).toBe("--force goes with --undo");
  expect(await rollcall(["discover", "--all-users"])).toMatchObject({
    exitCode: 2,
    err: "--all-users goes with --undo",
  });
});

test("a line that pings Healthchecks' own service at its short address stays as it is", () => {
  using tree = plant({
    "/etc/crontab": "0 1 * * * root x && curl -m 10 https://hc-ping.com/0f9d4b6c-7e1a-4f0e-9a53-1f0c2d3e4f5a\n",
  });
  if (HAS_ROOT)
    expect(lookAt(tree.root)[0]!.why).toStartWith("it reports by itself already, to hc-ping.com/…; rollcall import");
});

test("a line that tells another service by itself stays as it is, also where that is Uptime Kuma", () => {
  using tree = plant({
    "/etc/crontab": "0 1 * * * root x && curl -fsS https://kuma.example.org/api/push/Xk3d9sJ2mQ?status=up\n",
  });
  if (HAS_ROOT)
    expect(lookAt(tree.root)[0]!.why).toStartWith(
      "it reports by itself already, to kuma.example.org/api/push/…; rollcall",
    );
});

test.each([
  "/opt/ping/check.sh",
  "curl -fsS --data-binary @m https://push.example.org/api/push/metrics/job/x",
  "ping -c1 192.168.1.1/ping/x",
  "curl -f https://intranet.example.org/ping/host",
])("%s tells no service that it has run", (command) => {
  using tree = plant({ "/etc/crontab": `0 1 * * * root ${command}\n` });
  if (HAS_ROOT) expect(lookAt(tree.root)[0]!.why).toBeNull();
});

test.each([
  ["/usr/local/bin/été.sh", "ete"],
  ["which rsync && rsync-all", "rsync-all"],
  ["date +\\%u | grep -q 1 && report.sh", "report"],
  ["exec > /var/log/x; nightly.sh", "nightly"],
  ["run-one backup.sh", "backup"],
  ["cat /etc/hosts | xargs -n1 sync-host", "sync-host"],
])("%s is named after its program", (command, name) => expect(stemOf(command)).toBe(name));

test.if(HAS_ROOT)("a user without a place for reports is named, unless all have one", () => {
  const files = {
    "/etc/passwd": "root:x:0:0::/root:/bin/sh\nwww-data:x:33:33::/var/www:/bin/sh\n",
    "/var/www/index.html": "",
    "/etc/crontab": "0 1 * * * www-data /bin/clean\n0 2 * * * root /bin/dump\n",
  };
  using without = plant(files);
  expect(lookAt(without.root).map(({ notes }) => notes)).toEqual([
    [
      "www-data has no place where a report can wait that cannot be sent at once: install -d -m 1733 /var/spool/rollcall makes one for all.",
    ],
    [],
  ]);
  using shared = plant({ ...files, "/var/spool/rollcall/none": "" });
  chmodSync(join(shared.root, "/var/spool/rollcall"), 0o1733);
  expect(lookAt(shared.root).flatMap(({ notes }) => notes)).toEqual([]);
});
