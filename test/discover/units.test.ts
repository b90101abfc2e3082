// Timers of systemd: what a running one says of them, as a real one wrote it; those of users; drop-ins in every place.

import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { managersOf } from "../../src/cli/discover/machine.ts";
import { machineFilesAt } from "../../src/discover/host.ts";
import {
  askUnits,
  type LoadedUnits,
  loadedIn,
  systemManager,
  userManager,
  usersOfUnits,
} from "../../src/discover/managers.ts";
import { below, discoverBelow } from "./below.ts";
import { UNITS } from "./status-table.ts";
import { lookAt, plant } from "./trees.ts";

const unit = (name: string, ...more: readonly string[]): string =>
  [
    ...(name.endsWith(".timer") ? [`Unit=${name.replace("timer", "service")}`] : []),
    `Id=${name}`,
    `Names=${name}`,
    "LoadState=loaded",
    "ActiveState=active",
    `FragmentPath=/etc/systemd/system/${name}`,
    "DropInPaths=",
    "NeedDaemonReload=no",
    "Transient=no",
    "",
  ]
    .map((line) => more.find((one) => one.split("=")[0] === line.split("=")[0]) ?? line)
    .join("\n");
const loaded = (...units: readonly string[]): LoadedUnits => loadedIn(units.join("\n"));

const TIMER = "[Timer]\nOnCalendar=*-*-* 03:00\n";
const SERVICE = "[Service]\nType=oneshot\nExecStart=/bin/x\n";
const nightly = {
  "/etc/systemd/system/nightly.timer": TIMER,
  "/etc/systemd/system/nightly.service": SERVICE,
} as const;
const enabled = { "/etc/systemd/system/timers.target.wants/nightly.timer": ["../nightly.timer"] } as const;

describe("a running systemd", () => {
  test("knows a timer that was started and is not enabled", () => {
    using tree = plant(nightly);
    expect(lookAt(tree.root, [systemManager(true, null)])).toEqual([]);
    expect(lookAt(tree.root, [systemManager(true, loaded(unit("nightly.timer")))])).toMatchObject([
      {
        key: "nightly",
        schedule: "0 3 * * *",
        notes: ["It was started and is not enabled, so no boot starts it: systemctl enable nightly.timer."],
      },
    ]);
  });

  test("knows that an enabled timer does not run", () => {
    using tree = plant({ ...nightly, ...enabled });
    const stopped = loaded(unit("nightly.timer", "ActiveState=inactive"));
    for (const units of [stopped, loaded()])
      expect(lookAt(tree.root, [systemManager(true, units)])[0]).toMatchObject({
        key: "nightly",
        notes: [expect.stringContaining("systemctl start nightly.timer")],
      });
    expect(lookAt(tree.root, [systemManager(true, loaded(unit("nightly.timer")))])[0]!.notes).toEqual([]);
  });

  test("knows drop-ins wherever they lie, but what has changed since is read from the files", () => {
    using tree = plant({
      ...nightly,
      ...enabled,
      "/opt/odd/later.conf": "[Timer]\nOnCalendar=\nOnCalendar=*-*-* 05:00\n",
    });
    const at = (...more: readonly string[]) =>
      lookAt(tree.root, [systemManager(true, loaded(unit("nightly.timer", ...more)))])[0]!;
    expect(at("DropInPaths=/opt/odd/later.conf").schedule).toBe("0 5 * * *");
    const stale = at("DropInPaths=/opt/odd/later.conf", "NeedDaemonReload=yes");
    expect(stale.schedule).toBe("0 3 * * *");
    expect(stale.notes).toEqual([expect.stringContaining("daemon-reload")]);
  });

  test("knows what a program has made: that is gone with the next boot, and our drop-in with it", () => {
    using tree = plant({ "/run/systemd/transient/once.timer": TIMER, "/run/systemd/transient/once.service": SERVICE });
    const path = "FragmentPath=/run/systemd/transient/once.timer";
    const units = loaded(unit("once.timer", "Transient=yes", path));
    expect(lookAt(tree.root, [systemManager(true, units)])).toMatchObject([
      { key: "", why: "a program made it, and makes it again without what we add" },
    ]);
  });

  test("is not needed: what it does not tell is a text", () => {
    expect(askUnits(["/nowhere/systemctl"], process.env)).toBe("there is no systemctl");
    expect(askUnits(["sh", "-c", "echo 'Failed to connect to bus' >&2; exit 1"], process.env)).toBe(
      "Failed to connect to bus",
    );
  });
});

describe("root among users", () => {
  const HOME = "/home/eve/.config/systemd/user";
  const account = (home: string): string => `nobody:x:65534:65534::${home}:/bin/sh\n`;

  test("is not held up by a pipe that one of them has for a timer", () => {
    using tree = plant({
      "/etc/passwd": account("/home/eve"),
      [`${HOME}/timers.target.wants/pipe.timer`]: ["../pipe.timer"],
    });
    const pipe = join(tree.root, HOME, "pipe.timer");
    expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
    // Somebody holds it open to write, and writes nothing. In a process of its own, as it would wait for ever.
    const { exitCode } = Bun.spawnSync(below(tree, "--timezone", "UTC"), { timeout: 60_000 });
    expect(exitCode).toBe(0);
  });

  test.skipIf(process.getuid?.() !== 0)("asks in the name of one without handing over root's environment", () => {
    using tree = plant({
      "/etc/passwd": account("/home/eve"),
      "/var/lib/systemd/linger/nobody": "",
      "/run/user/65534/systemd/private": "",
      "/bin/systemctl": "#!/bin/sh\necho $(env) >&2\nexit 1\n",
    });
    chmodSync(tree.root, 0o755);
    chmodSync(join(tree.root, "bin/systemctl"), 0o755);
    const { PATH, ROLLCALL_KEY } = process.env;
    process.env["PATH"] = `${tree.root}/bin:${PATH}`;
    process.env["ROLLCALL_KEY"] = "ck_app_prod_secret";
    try {
      const { silent } = managersOf(machineFilesAt(tree.root), true, true, true, "root");
      const [ofUser] = silent.filter((one) => one.startsWith("systemd of nobody"));
      expect(ofUser).toContain("XDG_RUNTIME_DIR=/run/user/65534");
      expect(ofUser).not.toContain("ck_app_prod_secret");
    } finally {
      process.env["PATH"] = PATH;
      if (ROLLCALL_KEY === undefined) delete process.env["ROLLCALL_KEY"];
      else process.env["ROLLCALL_KEY"] = ROLLCALL_KEY;
    }
  });
});

test("drop-ins count for every unit whose name begins so, the nearer before the farther", () => {
  const later = (hour: number): string => `[Timer]\nOnCalendar=\nOnCalendar=*-*-* 0${hour}:00\n`;
  const timer = { ...enabled, "/etc/systemd/system/nightly.timer": TIMER } as const;
  const schedule = (files: Readonly<Record<string, string>>): string | null => {
    using tree = plant({
      "/etc/systemd/system/timers.target.wants/dump-all@main.timer": ["../dump-all@.timer"],
      "/etc/systemd/system/dump-all@.timer": timer["/etc/systemd/system/nightly.timer"],
      "/etc/systemd/system/dump-all@.service": SERVICE,
      ...files,
    });
    return lookAt(tree.root, [systemManager(true, null)])[0]!.schedule;
  };
  const at = (name: string): string => `/run/systemd/system/${name}.d/x.conf`;
  const places = ["timer", "dump-.timer", "dump-all@.timer", "dump-all@main.timer"].map(at);
  const files: Record<string, string> = {};
  const seen = places.map((place, number) => {
    files[place] = later(number + 4);
    return schedule(files);
  });
  expect(seen).toEqual(["0 4 * * *", "0 5 * * *", "0 6 * * *", "0 7 * * *"]);
});

test("an empty time in a drop-in takes away all times that stand before it, of whatever kind", () => {
  const read = (timer: string, dropIn: string) => {
    using tree = plant({
      ...nightly,
      ...enabled,
      "/etc/systemd/system/nightly.timer": timer,
      "/etc/systemd/system/nightly.timer.d/x.conf": dropIn,
    });
    const { schedule, everySeconds, notes } = lookAt(tree.root, [systemManager(true, null)])[0]!;
    return { schedule, everySeconds, notes };
  };
  const interval = "[Timer]\nOnBootSec=15min\nOnUnitActiveSec=1w\n";
  expect(read(TIMER, `[Timer]\nOnBootSec=\n${interval}`)).toEqual({
    schedule: null,
    everySeconds: 604_800,
    notes: [],
  });
  expect(read(interval, `[Timer]\nOnCalendar=\n${TIMER}`)).toEqual({
    schedule: "0 3 * * *",
    everySeconds: null,
    notes: [],
  });
});

test("a timer is persistent by each spelling of yes that systemd takes", () => {
  for (const [value, count] of [
    ["true", 1],
    ["y", 1],
    ["T", 1],
    ["no", 0],
  ] as const) {
    using tree = plant({
      ...nightly,
      ...enabled,
      "/etc/systemd/system/nightly.timer": `${TIMER}Persistent=${value}\n`,
    });
    const { notes } = lookAt(tree.root, [systemManager(true, null)])[0]!;
    expect(notes).toEqual(count === 0 ? [] : [expect.stringContaining("It is persistent")]);
  }
});

describe("timers of users", () => {
  const home = "/home/alice/.config/systemd/user";
  const files = {
    "/etc/passwd":
      "root:x:0:0::/root:/bin/sh\nalice:x:1000:1000::/home/alice:/bin/bash\nbob:x:1001:1001::/home/bob:/bin/sh\n",
    [`${home}/notes.timer`]: TIMER,
    [`${home}/notes.service`]: SERVICE,
    [`${home}/timers.target.wants/notes.timer`]: ["../notes.timer"],
    "/run/systemd/system/none": "",
    "/etc/hostname": "web1\n",
    "/etc/localtime": ["/usr/share/zoneinfo/UTC"],
    "/usr/bin/rollcall": "",
    "/etc/rollcall/client.toml": 'url = "https://cron.example.org"\nkey = "ck_app_x"\n',
  } as const;
  const lingers = { "/var/lib/systemd/linger/alice": "" } as const;
  const found = (root: string) =>
    lookAt(
      root,
      usersOfUnits(machineFilesAt(root), null).map((user) => userManager(user, true, null)),
    );

  test("are found, and run always only where the user lingers", () => {
    using tree = plant({ ...files, ...lingers });
    expect(found(tree.root)).toMatchObject([
      {
        key: "notes",
        user: "alice",
        where: "notes.timer of alice",
        change: { user: "alice", path: `${home}/notes.service.d/rollcall.conf` },
      },
    ]);
    using fleeting = plant(files);
    expect(found(fleeting.root)).toMatchObject([
      { key: "", why: "it runs only while alice is signed in; loginctl enable-linger alice lets it run always" },
    ]);
  });

  test.if(process.getuid?.() === 0)("are for their user to change, since root must not write into a home", async () => {
    using tree = plant({ ...files, ...lingers });
    const { out, err } = await discoverBelow(tree, ["--apply"]);
    expect(out).toBe("");
    expect(err).toContain("notes.timer of alice: it is for alice to change: run rollcall discover --apply as alice");
  });
});

describe("a service", () => {
  const at = "/etc/systemd/system";
  const found = (service: string, timer = TIMER, name = "nightly.timer", more: Record<string, string> = {}) => {
    const files = {
      [`${at}/${name.replace(/@.*\./, "@.")}`]: timer,
      [`${at}/nightly.service`]: service,
      ...more,
    };
    using tree = plant({ ...files, [`${at}/timers.target.wants/${name}`]: [`../${name.replace(/@.*\./, "@.")}`] });
    const [job] = lookAt(tree.root, [systemManager(true, null)]);
    const { change, why, notes, user, watchedAs, misleading } = job!;
    const drop = change?.kind === "drop-in" ? change : null;
    const made = drop?.content("k", "/usr/bin/rollcall");
    return {
      why,
      notes,
      reasons: misleading?.says ?? [],
      user,
      watchedAs,
      path: drop?.path,
      text: made !== undefined && "text" in made ? made.text : made?.why,
    };
  };
  const ofCommand = (line: string) => found(`[Service]\nType=oneshot\nExecStart=${line}\n`);

  test.each(UNITS)("%s %s", (section, setting, says) => {
    const { notes, why, reasons } = found(`[Service]\nType=oneshot\nExecStart=/bin/x\n[${section}]\n${setting}\n`);
    expect([...(why === null ? reasons : [why]), ...notes]).toEqual([expect.stringMatching(says)]);
    if (section === "Unit") expect(found(SERVICE, `${TIMER}[Unit]\n${setting}\n`).notes.join()).toMatch(says);
  });

  test.each([
    "WorkingDirectory=-/srv",
    "WorkingDirectory=~",
    "EnvironmentFile=-/etc/x",
    "ReadWritePaths=-/srv",
    "Nice=5",
  ])("%s keeps no run away", (setting) => expect(found(`${SERVICE}${setting}\n`).notes).toEqual([]));

  test("that tries again by itself has a misleading status, and its last try is told by --retries", () => {
    const service =
      "[Unit]\nStartLimitBurst=3\n[Service]\nType=oneshot\nRestart=on-failure\nRestartSec=30\nExecStart=/bin/x\n";
    using tree = plant({ ...nightly, ...enabled, "/etc/systemd/system/nightly.service": service });
    const { misleading } = lookAt(tree.root, [systemManager(true, null)])[0]!;
    expect(misleading?.says.join()).toContain("Restart=on-failure tries it again by itself");
    expect(misleading?.instead?.("k", "/usr/bin/rollcall")).toEqual({
      text: "Restart=no\nExecStart=/usr/bin/rollcall run --retries 2 --backoff 30s k -- /bin/x",
    });
    expect(found(service.replace("on-failure", "always").replace("oneshot", "simple")).why).toContain(
      "starts it again",
    );
  });

  test.each(["DynamicUser=yes", "ProtectSystem=strict"])(
    "with %s may still keep reports that have to wait",
    (setting) => {
      expect(found(`${SERVICE}${setting}\n`).text).toEndWith("k -- /bin/x\nReadWritePaths=-/var/spool/rollcall\n");
      expect(found(`${SERVICE}ProtectSystem=full\n`).text).not.toContain("ReadWritePaths");
    },
  );

  test("waits for the offset that systemd has chosen for this machine", () => {
    using tree = plant({
      ...nightly,
      ...enabled,
      "/etc/systemd/system/nightly.timer": `${TIMER}RandomizedOffsetSec=2h\n`,
    });
    expect(lookAt(tree.root, [systemManager(true, null)])[0]!.delaySeconds).toBe(7_260);
  });

  // As systemd-cron 1.15.19 writes it.
  test("that was made of a crontab's line is that line", () => {
    const made = "[Unit]\nPartOf=cron.target\nSourcePath=/etc/cron.d/shop\n";
    using tree = plant({
      "/run/systemd/generator/cron-shop-root-0.timer": `${made}[Timer]\nUnit=cron-shop-root-0.service\nOnCalendar=*-*-* 3:15:00\n`,
      "/run/systemd/generator/cron-shop-root-0.service": `${made}[Service]\nType=oneshot\nExecStart=/bin/sh /run/x.sh\n`,
      "/run/systemd/generator/cron.target.wants/cron-shop-root-0.timer": ["../cron-shop-root-0.timer"],
      "/etc/cron.d/shop": "15 3 * * * root /bin/echo hi\n",
    });
    const found = lookAt(tree.root, [systemManager(true, null)]).map(({ where }) => where);
    expect(found.filter((where) => where.endsWith(".timer"))).toEqual([]);
  });

  test.each(["", "-", "+", "!", "!!", ":", "-+", ":-"])("keeps the prefix %j before what is wrapped", (prefix) => {
    const { text, why } = ofCommand(`${prefix}/bin/echo $A \${B} "q  q" %n $$C`);
    expect(why).toBeNull();
    expect(text).toEndWith(`\nExecStart=${prefix}/usr/bin/rollcall run k -- /bin/echo $A \${B} "q  q" %n $$C\n`);
    const drop = { [`${at}/nightly.service.d/rollcall.conf`]: text! };
    const again = found(
      `[Service]\nType=oneshot\nExecStart=${prefix}/bin/echo $A \${B} "q  q" %n $$C\n`,
      TIMER,
      "nightly.timer",
      drop,
    );
    expect(again.watchedAs).toBe("k");
    expect(again.notes.join()).not.toContain("another command");
  });

  test("with a higher LimitNOFILE= is said to begin with the usual number of files", () => {
    const notes = (limit: string) => found(`${SERVICE}LimitNOFILE=${limit}\n`).notes;
    const said = ["8192", "8192:16384", "infinity"].map((limit) => notes(limit).join());
    for (const note of said) expect(note).toContain("under rollcall run its command may open 1024 files");
    expect(notes("512")).toEqual([]);
  });

  test("may have a SystemCallFilter= that leaves rollcall run the calls that it makes", () => {
    const why = (...filters: readonly string[]) =>
      found(SERVICE + filters.map((filter) => `SystemCallFilter=${filter}\n`).join("")).why;
    for (const fit of [
      ["@system-service"],
      ["@system-service", "~@privileged:EPERM @resources"],
      ["@basic-io", "@file-system @system-service reboot"],
      ["~@clock @mount @swap"],
      ["read", ""],
    ])
      expect(why(...fit)).toBeNull();
    for (const unfit of [
      ["@basic-io @file-system"],
      ["@system-service", "~@network-io"],
      ["@system-service", "~prctl"],
      ["~@clock @process"],
      ["~@clock", "@system-service", "~@signal"],
    ])
      expect(why(...unfit)).toStartWith("SystemCallFilter= of nightly.service may keep rollcall run from its work");
  });

  test("cannot be wrapped where systemd does more with its command", () => {
    expect(ofCommand("@/bin/x y").why).toContain("another name (@)");
    expect(ofCommand("|x | y").why).toContain("to a shell (|)");
    expect(found(`${SERVICE}WatchdogSec=30\n`).why).toContain(
      "a watchdog (WatchdogSec=), which hears its command alone",
    );
    expect(found(`${SERVICE}WatchdogSec=0\n`).why).toBeNull();
  });

  test("may fail, or skip a run, and the list says what that is here", () => {
    expect(ofCommand("-/bin/x").notes).toEqual([
      "ExecStart=- of nightly.service permits its command to fail, which is a failure here.",
    ]);
    for (const [condition, name] of [
      ["[Unit]\nConditionPathExists=/x\n", "ConditionPathExists"],
      ["[Service]\nExecCondition=/bin/x\n", "ExecCondition"],
    ])
      expect(found(`${condition}${SERVICE}`).notes).toEqual([
        `${name}= of nightly.service may skip a run, and a run that is skipped counts as missed.`,
      ]);
  });

  test("tells the exit codes that it permits as a success", () => {
    const permits = (...values: readonly string[]) =>
      found(SERVICE + values.map((value) => `SuccessExitStatus=${value}\n`).join(""));
    const { text, notes } = permits("TEMPFAIL 3 NOTIMPLEMENTED", "250 SIGUSR1 CHDIR SUCCESS");
    expect(text).toEndWith("\nExecStart=/usr/bin/rollcall run --success-codes 3,75,250 k -- /bin/x\n");
    expect(notes).toEqual(["SuccessExitStatus= of nightly.service permits SIGUSR1 CHDIR, and that is a failure here."]);
    expect(permits("3", "").text).toEndWith("run k -- /bin/x\n");

    const drop = { [`${at}/nightly.service.d/rollcall.conf`]: text! };
    const later = (status: string) =>
      found(`${SERVICE}SuccessExitStatus=${status}\n`, TIMER, "nightly.timer", drop).notes;
    expect(later("3 75 250")).toEqual([]);
    const heard = text!.replace(" k -- ", " k --message-from-stderr --output-from-stderr -- ");
    const drops = { [`${at}/nightly.service.d/rollcall.conf`]: heard };
    expect(found(`${SERVICE}SuccessExitStatus=3 75 250\n`, TIMER, "nightly.timer", drops).notes).toEqual([]);
    expect(later("3 75")).toEqual([expect.stringContaining("has another command than our drop-in")]);
  });

  test("may be named by its timer's own name, as may its user", () => {
    const more = { [`${at}/copy@.service`]: `${SERVICE}User=%i\n` };
    const timer = `${TIMER}Unit=copy@%i.service\n`;
    expect(found(SERVICE, timer, "dump@bar.baz.timer", more)).toMatchObject({
      why: null,
      user: "bar.baz",
      path: `${at}/copy@bar.baz.service.d/rollcall.conf`,
    });
    expect(found(SERVICE, timer.replace("%i", "%H"), "dump@x.timer", more).why).toBe(
      "it starts copy@%H.service, and only systemd knows which unit that is",
    );
  });
});

test("systemd writes names with a back slash in quotation marks", () => {
  const units = loaded(
    unit("a-b\\x2dc.timer", 'Names="a-b\\\\x2dc.timer"', 'DropInPaths=/a/b.conf "/c/a-b\\\\x2dc.conf"'),
  );
  expect(units.get("a-b\\x2dc.timer")).toMatchObject({ isActive: true, dropIns: ["/a/b.conf", "/c/a-b\\x2dc.conf"] });
});
