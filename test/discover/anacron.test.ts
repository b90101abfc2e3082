// Jobs that run at intervals: lines of anacron, wrapped and run by a real one; timers by time passed.

import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { discover } from "../../src/discover/discover.ts";
import type { LineChange } from "../../src/discover/found.ts";
import { machineFilesAt } from "../../src/discover/host.ts";
import { systemManager } from "../../src/discover/managers.ts";
import { unwrapLine } from "../../src/discover/wrap.ts";
import { discoverBelow } from "./below.ts";
import { plant } from "./trees.ts";

const DAY = 86_400;
const ANACRON = Bun.which("anacron") ?? "/usr/sbin/anacron";

const lookAt = (root: string, timezone: string | null = "UTC") =>
  discover({
    host: machineFilesAt(root),
    systemd: true,
    managers: [systemManager(true, null)],
    isRunning: true,
    timezone,
    own: null,
    prefix: "",
  });

const anacrontab = (text: string) => plant({ "/etc/anacrontab": text, "/usr/sbin/anacron": "" });

describe("anacron", () => {
  test("runs a job each so many days, at the latest a day and its delays later", () => {
    using tree = anacrontab(
      "RANDOM_DELAY=45\n1\t5\tdaily\trun-parts /etc/cron.daily\n7 10 weekly /usr/bin/sweep\n@monthly 15 months /bin/x; true\n",
    );
    expect(
      lookAt(tree.root, null).map((job) => [job.key, job.said, job.everySeconds, job.delaySeconds, job.why]),
    ).toEqual([
      ["cron-daily", "every day", DAY, DAY + 50 * 60, null],
      ["sweep", "every 7 days", 7 * DAY, DAY + 55 * 60, null],
      ["x", "monthly", 31 * DAY, DAY + 60 * 60, null],
    ]);
  });

  test("has jobs that cannot be watched as they are", () => {
    const why = (lines: string): (string | null)[] => {
      using tree = anacrontab(lines);
      return lookAt(tree.root).map((job) => job.why);
    };
    expect(why("@often 5 a /bin/a\n")).toEqual(["anacron knows no @often"]);
    expect(why("400 5 a /bin/a\n")).toEqual(["rollcall takes intervals from 10s to 366d, and not every 400 days"]);
    expect(why("1 5 a /bin/a \\\n  --all\n")).toEqual([expect.stringContaining("goes on in another line")]);
    expect(why("1 5 a curl -fsS https://cron.example.org/api/v1/ping/x\n")).toEqual([
      expect.stringContaining("it reports by itself already"),
    ]);
    using none = plant({ "/etc/anacrontab": "1 5 a /bin/a\n" });
    expect(lookAt(none.root)[0]!.why).toBe("there is no anacron here that would run it");
  });

  test("runs a job under the key that somebody has given it", () => {
    using tree = anacrontab(
      "1 5 a /usr/bin/rollcall run --every 2d a -- /bin/a\n7 5 b /usr/bin/rollcall run b -- /bin/b\n",
    );
    expect(lookAt(tree.root).map(({ key, watchedAs }) => [key, watchedAs])).toEqual([
      ["a", "a"],
      ["b", "b"],
    ]);
  });

  test.if(process.getuid?.() === 0 && Bun.which(ANACRON) !== null)(
    "does the same with a wrapped line as with the bare one",
    async () => {
      using tree = plant({ "/usr/sbin/anacron": "" });
      const at = (name: string): string => join(tree.root, name);
      mkdirSync(at("/etc"));
      // Runs what stands after `--`, and notes that it did.
      writeFileSync(
        at("/rollcall"),
        `#!/bin/sh\necho "$2" >>${at("/told")}\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n`,
      );
      chmodSync(at("/rollcall"), 0o755);
      const commands = [
        "echo a 'it is' \"$WHO\" 50% \\% >OUT",
        'cd / && { pwd; echo "it\\\'s"; } >OUT; false',
        "printf '%s,' a\\\\b \"c'd\" `echo e` >OUT # the end",
      ];
      const run = async (lines: readonly string[]): Promise<string> => {
        writeFileSync(at("/etc/anacrontab"), `WHO=somebody else\n${lines.join("\n")}\n`);
        writeFileSync(at("/out"), "");
        const ran = Bun.spawn([ANACRON, "-d", "-f", "-n", "-s", "-t", at("/etc/anacrontab"), "-S", tree.root], {
          stderr: "pipe",
        });
        expect(await ran.exited).toBe(0);
        return readFileSync(at("/out"), "utf8");
      };
      const bare = commands.map(
        (command, number) => `${number + 1} 0 job-${number} ${command.replace("OUT", `>${at("/out")}`)}`,
      );
      const out = await run(bare);
      expect(out).toMatch(/^a it is somebody else 50% %\n\/\nit\\?'s\na.*b,c'd,e,$/);
      const changes = lookAt(tree.root).map((job) => job.change as LineChange);
      const wrapped = changes.map((change, number) => {
        const made = change.wrap(`key-${number}`, at("/rollcall"));
        if ("why" in made) throw new Error(made.why);
        expect(unwrapLine(made.text, [`key-${number}`])).toBe(change.bare);
        return made.text;
      });
      expect(changes.map(({ bare }) => bare)).toEqual(bare);
      expect(await run(wrapped)).toBe(out);
      expect(readFileSync(at("/told"), "utf8")).toBe("key-0\nkey-1\nkey-2\n");
    },
  );
});

describe("a timer by time passed", () => {
  const found = (timer: string, timezone: string | null = null) => {
    using tree = plant({
      "/etc/systemd/system/timers.target.wants/a.timer": ["../a.timer"],
      "/etc/systemd/system/a.timer": `[Timer]\n${timer}\n`,
      "/etc/systemd/system/a.service": "[Service]\nExecStart=/bin/x\n",
    });
    return lookAt(tree.root, timezone)[0]!;
  };

  test("runs at least so often, in whatever zone", () => {
    expect(found("OnBootSec=5min\nOnUnitActiveSec=1h 30min\nAccuracySec=1s\nRandomizedDelaySec=20")).toMatchObject({
      everySeconds: 5_400,
      schedule: null,
      timezone: null,
      delaySeconds: 21,
      why: null,
      notes: [],
    });
    expect(found("OnActiveSec=1\nOnUnitInactiveSec=10m\nOnUnitActiveSec=15m").everySeconds).toBe(600);
    expect(found("OnActiveSec=1\nOnUnitInactiveSec=90500ms").everySeconds).toBe(91);
  });

  test("runs once, too often, or never", () => {
    expect(found("OnBootSec=10\nOnStartupSec=20").why).toBe(
      "it runs once after a start (OnBootSec=10, OnStartupSec=20), so no time says when a report is due",
    );
    expect(found("OnBootSec=1\nOnUnitActiveSec=5s").why).toBe(
      "rollcall takes intervals from 10s to 366d, and not OnUnitActiveSec=5s",
    );
    expect(found("OnBootSec=1\nOnUnitActiveSec=infinity").why).toBe("OnUnitActiveSec=infinity is not understood");
    expect(found("AccuracySec=1s").why).toBe("it has no time at which it starts");
    expect(found("OnUnitActiveSec=1h").notes).toEqual([expect.stringContaining("Nothing starts its first run")]);
  });

  test("keeps its calendar where it has one", () => {
    const both = found("OnCalendar=daily\nOnUnitActiveSec=1h", "UTC");
    expect(both).toMatchObject({ schedule: "0 0 * * *", everySeconds: null, timezone: "UTC" });
    expect(both.notes).toEqual(["Its runs by OnUnitActiveSec=1h come besides, and nothing waits for them."]);
  });
});

test("the list says how often, and names the zone of the others alone", async () => {
  using tree = plant({
    "/usr/sbin/anacron": "",
    "/etc/hostname": "web1\n",
    "/etc/anacrontab": "7 5 sweep /usr/bin/sweep\n",
  });
  const { out } = await discoverBelow(tree, []);
  expect(out.split("\n")).toEqual([
    "KEY         SCHEDULE  USER  WHERE",
    "web1-sweep  every 7d  root  /etc/anacrontab:1",
    "",
    "rollcall discover --diff shows what --apply would change.",
  ]);
  const { out: json } = await discoverBelow(tree, ["--json"]);
  expect(JSON.parse(json)).toMatchObject([{ schedule: null, every: "7d", timezone: null, gracePeriod: DAY + 600 }]);
});
