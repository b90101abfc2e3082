// Crontabs that people write and cron reads in its own way: each case as Debian 12's cron or cronie 1.7 took it.

import { describe, expect, test } from "bun:test";
import { chmodSync, chownSync } from "node:fs";
import { join } from "node:path";
import { type Flavour, readCrontab } from "../../src/discover/crontab.ts";
import { discover, type Job } from "../../src/discover/discover.ts";
import { machineFilesAt } from "../../src/discover/host.ts";
import { readCronSchedule } from "../../src/domain/schedule/cron-schedule.ts";
import { plant, type Tree } from "./trees.ts";

const BOTH = ["debian", "cronie"] as const;

/** What stands for the name A above a job; null: cron refuses the line. */
function assignedBy(line: string, flavour: Flavour): string | null {
  const { jobs, broken } = readCrontab(`${line}\n* * * * * x\n`, false, flavour);
  expect(jobs).toHaveLength(1);
  return broken.length > 0 ? null : (jobs[0]!.environment.get("A") ?? "missing");
}

describe("an assignment", () => {
  test.each([
    ["A=b c", "b c"],
    ["A\t=\tb \r", "b"],
    ['A = "b c"  ', "b c"],
    ["'A'='b'", "b"],
    ['A=""', ""],
    ["A=b'c", "b'c"],
    ["A=b # c", "b # c"],
    ['A="b" # c', null],
    ["A='b", null],
    ["A='b'c", null],
    ["B A=c", null],
  ])("%j", (line, value) => {
    for (const flavour of BOTH) expect(assignedBy(line, flavour)).toBe(value);
  });

  test.each(["A=", "A = "])("without a value, as %j, is one for cronie alone", (line) => {
    expect(assignedBy(line, "cronie")).toBe("");
    expect(assignedBy(line, "debian")).toBeNull();
    expect(readCrontab(`${line}\n* * * * * x\n`, false, "debian").ignored).toBe(
      'line 1 makes cron ignore the whole file: cron takes it for no assignment: an empty value is "", and behind quotation marks nothing may stand',
    );
  });
});

describe("a line", () => {
  const why = (line: string, withUser: boolean, flavour: Flavour): string | null =>
    readCrontab(`${line}\n`, withUser, flavour).broken[0]?.why ?? null;

  test("without a command is taken by Debian's cron, and refused by cronie", () => {
    for (const [line, withUser] of [
      ["* * * * *", false],
      ["@daily", false],
      ["* * * * * root ", true],
    ] as const) {
      expect(why(line, withUser, "debian")).toBeNull();
      expect(why(line, withUser, "cronie")).toContain("it has no schedule");
    }
    expect(why("* * * * * root", true, "debian")).toContain("it has no schedule, user and command");
  });

  test("with a longer command than Debian's cron takes makes it ignore the file", () => {
    const line = (length: number) => `* * * * * ${"x".repeat(length)}`;
    expect(why(line(998), false, "debian")).toBeNull();
    expect(why(line(999), false, "debian")).toBe("its command is 999 bytes long, and cron takes 998");
    expect(why(line(10_000), false, "cronie")).toBeNull();
  });

  test("keeps cronie's -n before what is wrapped", () => {
    const { jobs } = readCrontab("0 1 * * * root -n  /bin/x -n\n", true, "cronie");
    expect(jobs).toMatchObject([{ before: "0 1 * * * root -n  ", command: "/bin/x -n" }]);
    expect(why("0 1 * * * -x y", false, "cronie")).toBe("cron knows no option -x");
    expect(readCrontab("0 1 * * * -n x\n", false, "debian").jobs).toMatchObject([{ command: "-n x" }]);
  });

  test("with a sixth field is refused", () => {
    for (const flavour of BOTH) {
      expect(why("0 0 1 * * * x", false, flavour)).toContain("as a sixth field would");
      expect(why("0 0 1 * * * root x", true, flavour)).toContain("as a sixth field would");
    }
  });
});

test("a range that runs backwards is taken, and nothing is in it", () => {
  expect(readCronSchedule("0 22-6 * * *")).toEqual({
    why: 'it never runs, because hour "22-6" runs backwards',
    broken: false,
  });
  expect(readCronSchedule("0 9 * * 1,sat-sun")).toEqual({ schedule: "0 9 * * 1" });
});

test("Debian's cron passes over what it does not know behind a value, cronie chooses by chance", () => {
  const read = (said: string, flavour: Flavour) =>
    readCrontab(`${said} x\n`, false, flavour).jobs.map(({ schedule }) => schedule);
  expect(read("0~30 2 * * *", "debian")).toEqual([{ schedule: "0 2 * * *" }]);
  expect(read("*/10 1-3,5. * * mon~fri", "debian")).toEqual([{ schedule: "*/10 1-3,5 * * mon" }]);
  expect(read("0~30 2 * * *", "cronie")).toMatchObject([{ why: expect.stringContaining("by chance") }]);
  expect(read("5.5 2 * * *", "cronie")).toEqual([]);
});

const lookAt = ({ root }: Tree, own: string | null = null): readonly Job[] =>
  discover({
    host: machineFilesAt(root),
    systemd: true,
    managers: [],
    isRunning: true,
    timezone: "UTC",
    own: own === null ? null : { user: "alice", text: own },
    prefix: "",
  });
const whyOf = (tree: Tree): Record<string, string | null> =>
  Object.fromEntries(lookAt(tree).map(({ where, why }) => [where, why]));

describe.if(process.getuid?.() === 0)("a crontab", () => {
  const PASSWD =
    "root:x:0:0::/root:/bin/sh\nalice:x:1001:1001::/home/alice:/bin/sh\nj.doe:x:1002:1002::/home/j.doe:/bin/sh\n";
  const TABS = {
    "/etc/passwd": PASSWD,
    "/etc/cron.d/shop": "0 1 * * * root x\n0 2 * * * ghost y\n",
    "/var/spool/cron/crontabs/alice": "0 1 * * * x\n",
    "/var/spool/cron/crontabs/ghost": "0 1 * * * x\n",
    "/var/spool/cron/crontabs/j.doe": "0 1 * * * x\n",
  } as const;

  test("of a user whom the machine does not have is not read, and one line for such a user spoils a file", () => {
    using tree = plant(TABS);
    expect(whyOf(tree)).toEqual({
      "/etc/cron.d/shop:1": "line 2 makes cron ignore the whole file: there is no user ghost",
      "/etc/cron.d/shop:2": "there is no user ghost; cron ignores the whole file for it",
      "crontab of alice:1": null,
      "crontab of ghost:1": "cron does not read it: there is no user ghost",
      "crontab of j.doe:1": null,
    });
    using elsewhere = plant({ ...TABS, "/etc/nsswitch.conf": "passwd: files sss\n" });
    expect(new Set(Object.values(whyOf(elsewhere)))).toEqual(new Set([null]));
    using cronie = plant({ ...TABS, "/usr/sbin/crond": "CRON_TZ" });
    expect(whyOf(cronie)).toMatchObject({ "/etc/cron.d/shop:1": null, "/etc/cron.d/shop:2": "there is no user ghost" });
  });

  test("that others may write, or own, is not read", () => {
    using tree = plant(TABS);
    const [alice, doe] = ["alice", "j.doe"].map((name) => join(tree.root, "/var/spool/cron/crontabs", name));
    chmodSync(alice!, 0o644);
    chownSync(doe!, 1001, 1001);
    expect(whyOf(tree)).toMatchObject({
      "crontab of alice:1": "cron does not read it: its mode is not 0600, or it is a link",
      "crontab of j.doe:1": "cron does not read it: its owner is neither j.doe nor root",
    });
    chmodSync(alice!, 0o600);
    chownSync(alice!, 1001, 1001);
    chownSync(doe!, 1002, 1002);
    expect(whyOf(tree)).toMatchObject({ "crontab of alice:1": null, "crontab of j.doe:1": null });
  });
});

test.if(process.getuid?.() === 0)("run-parts passes over files because of their names and modes", () => {
  const files = {
    "/etc/crontab": "25 6 * * * root run-parts --report /etc/cron.daily\n17 * * * * root run-parts /etc/cron.hourly\n",
    "/etc/cron.daily/logrotate": "",
    "/etc/cron.daily/backup.sh": "",
    "/etc/cron.daily/shut": "",
    "/etc/cron.daily/folder/file": "",
    "/etc/cron.daily/gone": ["/nowhere"],
    "/etc/cron.daily/.placeholder": "",
    "/etc/cron.hourly/old.rpmsave": "",
  } as const;
  const notesOf = (more: Record<string, string>): readonly (readonly string[])[] => {
    using tree = plant({ ...files, ...more });
    chmodSync(join(tree.root, "/etc/cron.daily/shut"), 0o644);
    return lookAt(tree).map(({ notes }) => notes);
  };
  const over = "run-parts passes over these, because of their names or modes:";
  const daily = "It runs /etc/cron.daily as one job, and fails if one of these does:";
  const hourly = ["It runs /etc/cron.hourly, which has no script.", `${over} old.rpmsave.`];
  expect(notesOf({})).toEqual([[`${daily} logrotate.`, `${over} backup.sh, folder, gone, shut.`], hourly]);
  // Red Hat's is a script with rules of its own.
  expect(notesOf({ "/usr/bin/run-parts": "#!/bin/bash\n" })).toEqual([
    [`${daily} backup.sh, logrotate.`, `${over} folder, gone, shut.`],
    hourly,
  ]);
});

test("a crontab in which crontab -l may show other letters than there are is for root to wrap", () => {
  using tree = plant({});
  for (const [tab, isClear] of [
    ["0 1 * * * x\\r\n", false],
    ["0 1 * * * grep '\\bx'\n", false],
    ["0 1 * * * x\n", true],
  ] as const)
    expect(lookAt(tree, tab)[0]!.why === null).toBe(isClear);
  using cronie = plant({ "/usr/sbin/crond": "CRON_TZ" });
  expect(lookAt(cronie, "0 1 * * * x\\r\n")[0]!.why).toBeNull();
});
