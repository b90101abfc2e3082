// What a shell is told could be typed next; the scripts that ask; watching; what needs attention.

import { describe, expect, test } from "bun:test";
import { COMPLETE, SHELLS } from "../../src/cli/asking/completion.ts";
import { zonesInForce } from "../../src/domain/schedule/zone.ts";
import { HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { zoneRulesInWords } from "../../src/domain/wording/zone-words.ts";
import { openPlace, openRunning, type Running } from "../support/commands.ts";
import { NOON, ping, policyWith } from "../support/engine.ts";

/** The words after `words`, of which the last is being typed. */
async function next(place: Pick<Running, "run">, ...words: string[]): Promise<string[]> {
  const { out, err, exitCode } = await place.run(COMPLETE, words.at(-1)!, ...words.slice(0, -1));
  expect([exitCode, err]).toEqual([0, ""]);
  return out === "" ? [] : out.split("\n").map((line) => line.split("\t")[0]!);
}

describe("completion", () => {
  test("is of commands, of their parts and of options, as far as they are typed", async () => {
    using place = openPlace();
    expect(await next(place, "mon")).toEqual(["monitor"]);
    expect(await next(place, "monitor", "re")).toEqual(["rename", "resume", "refused"]);
    expect(await next(place, "monitor", "set", "--m")).toEqual(["--max-runtime", "--mail-rule"]);
    expect(await next(place, "monitor", "list", "--conf")).toEqual(["--config"]);
    expect(await next(place, "monitor", "list", "--status", "h")).toEqual(["healthy"]);
    expect(await next(place, "completion", "")).toEqual([...SHELLS]);
    expect(await next(place, "help", "key", "ro")).toEqual(["rotate"]);
  });

  test("is of monitors, applications and numbers of the running service, with what they are", async () => {
    await using place = openRunning();
    await place.service.send(ping({ schedule: "0 2 * * *" }), ping({ monitorKey: "two words", schedule: "0 2 * * *" }));
    await place.service.send(ping({ kind: "fail" }));
    await place.run("key", "create", "prod", "--label", "web");
    expect(await next(place, "monitor", "show", "")).toEqual(["job", "two words"]);
    expect(await next(place, "monitor", "show", "j")).toEqual(["job"]);
    expect(await next(place, "monitor", "list", "--app", "")).toEqual(["prod"]);
    expect(await next(place, "app", "suspend", "")).toEqual(["prod"]);
    expect(await next(place, "incident", "ack", "")).toEqual(["1"]);
    expect((await place.run(COMPLETE, "", "key", "revoke")).out).toBe("1\tweb");
    await place.run("address", "add", "/api/push/Wd4Kq8Zt1x", "job");
    expect((await place.run(COMPLETE, "", "address", "revoke")).out).toBe("2\tjob");
    expect(await next(place, "monitor", "show", "job", "")).toEqual([]);
    expect(await next(place, "--config", place.config, "monitor", "pause", "")).toEqual(["job", "two words"]);
  });

  test("says nothing where no service runs", async () => {
    using place = openPlace();
    expect(await next(place, "monitor", "show", "")).toEqual([]);
  });

  test.each([...SHELLS])("has a script for %s, which asks the executable", async (shell) => {
    using place = openPlace();
    const { out, exitCode } = await place.run("completion", shell);
    expect([exitCode, out.includes(` ${COMPLETE} `)]).toEqual([0, true]);
  });

  test.skipIf(Bun.which("fish") === null)(
    "is of files in fish where nothing else is known, as in the other shells",
    async () => {
      using place = openPlace();
      const { out } = await place.run("completion", "fish");
      const typed = (line: string): string[] => {
        const stub = 'function rollcall; test "$argv[4]" = show; and printf "job\\thealthy\\n"; end';
        const script = `${stub}\n${out}\ncomplete -C '${line}'`;
        return Bun.spawnSync(["fish", "--no-config", "-c", script]).stdout.toString().trim().split("\n");
      };
      expect(typed("rollcall monitor show ")).toEqual(["job\thealthy"]);
      expect(typed("rollcall run backup -- /etc/host")).toContain("/etc/hosts");
    },
  );

  test("knows no other shell: exit code 2", async () => {
    using place = openPlace();
    expect((await place.run("completion", "cmd.exe")).exitCode).toBe(2);
  });
});

test("monitor list --watch ends where no service runs: exit code 3", async () => {
  using place = openPlace();
  expect((await place.run("monitor", "list", "--watch")).exitCode).toBe(3);
});

const ZONES = `zone rules: ${zoneRulesInWords(zonesInForce())}`;

describe("status", () => {
  test("says that nothing needs attention, with exit code 0", async () => {
    await using place = openRunning();
    await place.service.send(ping({ schedule: "0 2 * * *" }));
    expect(await place.run("status")).toEqual({
      exitCode: 0,
      err: "",
      out: `1 monitor: 1 healthy\nno incident is open\n${ZONES}\nnothing needs attention`,
    });
  });

  test("says of warnings that they may need attention soon, and its help says so too, with exit code 0", async () => {
    await using place = openRunning();
    await place.service.send(ping({ schedule: "0 * * * *" }));
    place.service.at(NOON + HOUR + MINUTE + SECOND);
    const { exitCode, out } = await place.run("status");
    expect([exitCode, ...out.split("\n").slice(-3)]).toEqual([
      0,
      "warning: job is 1 min 1 s late, due 13:00",
      ZONES,
      "nothing needs attention now; 1 warning may soon",
    ]);
    const { out: help } = await place.run("status", "--help");
    expect(help.replace(/\s+/g, " ")).toContain("and what may soon: warnings");
    expect(help).toContain("Warnings alone leave it at 0.");
  });

  test("R18: names a job as late only when it is later than it usually is, though its status is warning", async () => {
    await using place = openRunning();
    const report = () => place.service.send(ping({ schedule: "0 * * * *" }));
    const said = async () => (await place.run("status")).out.split("\n");
    place.service.at(NOON + 20 * MINUTE);
    await report();
    place.service.at(NOON + HOUR + 21 * MINUTE);
    expect(await said()).toEqual(["1 monitor: 1 warning", "no incident is open", ZONES, "nothing needs attention"]);
    place.service.at(NOON + HOUR + 21 * MINUTE + SECOND);
    expect(await said()).toContain("warning: job is 21 min 1 s late, due 13:00");
  });

  test("names open incidents, with exit code 1 until somebody has acknowledged them", async () => {
    await using place = openRunning();
    await place.service.send(ping({ schedule: "0 2 * * *", kind: "fail", message: "disk full" }));
    const { exitCode, out } = await place.run("status");
    expect(exitCode).toBe(1);
    expect(out).toMatch(
      /^1 monitor: 1 critical\n\nID +MONITOR +NOW .+\n1 +job +failed now: disk full +open\nzone rules: .+$/,
    );
    await place.run("incident", "ack", "1");
    expect((await place.run("status")).exitCode).toBe(0);
  });

  test("R26: names a disk that takes nothing, with exit code 1", async () => {
    await using place = openRunning();
    const other = place.service.connect();
    other.run("BEGIN IMMEDIATE");
    await place.service.send(ping());
    const { exitCode, out } = await place.run("status");
    other.run("ROLLBACK");
    expect(exitCode).toBe(1);
    expect(out.replace(/\s+/g, " ")).toStartWith("rollcall itself: the database cannot be written: ");
    expect(out).not.toContain("nothing needs attention");
  });

  test("names applications whose alerts have nowhere to go, with exit code 1", async () => {
    await using place = openRunning(policyWith({ team: { name: null, destinations: [], members: [] } }));
    await place.service.send(ping({ schedule: "0 2 * * *" }));
    expect(await place.run("status")).toEqual({
      exitCode: 1,
      err: "",
      out: `1 monitor: 1 healthy\nno incident is open\nalerts of application "prod" cannot be delivered: no destination is configured for them\n${ZONES}`,
    });
  });

  test("names destinations that take nothing, and suspended applications; --json has all of it", async () => {
    await using place = openRunning();
    place.service.failing.set("hook", "HTTP 500");
    await place.run("app", "suspend", "prod");
    const { exitCode, out } = await place.run("status");
    expect(exitCode).toBe(1);
    expect(out).toMatch(/hook has taken no messages since .+: HTTP 500\nsuspended: prod\nzone rules: .+$/);
    const json = await place.run("status", "--json");
    expect([json.exitCode, JSON.parse(json.out)]).toMatchObject([1, { suspended: ["prod"], counts: { critical: 0 } }]);
  });
});
