// What `app` and `key` commands say of what they did, and what a person at a terminal is asked before.

import { describe, expect, test } from "bun:test";
import { openRunning } from "../support/commands.ts";
import { ping } from "../support/engine.ts";

const NOTHING_DONE = "nothing was done";

describe("app suspend and resume", () => {
  test("R3: say what follows, and when it was so already", async () => {
    await using place = openRunning();
    await place.service.send(ping({ schedule: "0 2 * * *" }));
    const suspended = await place.run("app", "suspend", "prod");
    place.service.endTurns();
    expect(suspended).toMatchObject({ exitCode: 0, out: "suspended prod" });
    expect(suspended.err).toContain("its job is paused");
    expect((await place.run("app", "suspend", "prod")).out).toMatch(
      /^prod is suspended already, since 2026-03-02 12:00/,
    );
    expect((await place.run("monitor", "show", "job")).out).toMatch(/paused +until its application is resumed/);
    expect((await place.run("app", "list")).out).toMatch(/2026-03-02 12:00 \(now\)$/);
    expect((await place.run("app", "resume", "prod")).out).toBe("resumed prod");
    expect((await place.run("app", "resume", "prod")).out).toBe("prod is not suspended");
  });
});

test("app rename says the name in force, and that the configuration's wins", async () => {
  await using place = openRunning();
  expect((await place.run("app", "rename", "prod", "Production")).out).toBe(
    "application prod is called Production now",
  );
  expect((await place.run("app", "rename", "prod", "Production")).out).toContain("already");
  expect((await place.run("app", "rename", "prod")).out).toBe("application prod is known by its slug now");
});

describe("what cannot be undone", () => {
  test("is asked at a terminal, with what goes with it; any answer but yes leaves all as it was", async () => {
    await using place = openRunning();
    await place.run("app", "create", "other");
    for (const answer of ["n", "", "nope"]) {
      const { exitCode, out, err } = await place.runTyping([answer], "app", "delete", "other");
      expect([exitCode, out]).toEqual([1, ""]);
      expect(err).toMatch(/^Delete application other with 0 monitors\?/);
      expect(err).toEndWith(NOTHING_DONE);
    }
    expect((await place.runTyping([], "app", "delete", "other")).exitCode).toBe(1);
    expect((await place.runTyping(["y"], "app", "delete", "other")).out).toMatch(/^deleted application other/);
  });

  test("is not asked with --yes, and not where no terminal is", async () => {
    await using place = openRunning();
    for (const slug of ["one", "two"]) await place.run("app", "create", slug);
    expect((await place.runTyping([], "app", "delete", "one", "--yes")).exitCode).toBe(0);
    expect((await place.run("app", "delete", "two")).exitCode).toBe(0);
    expect(JSON.parse((await place.run("app", "list", "--json")).out)).toHaveLength(1);
  });

  test("names who used a key before it is revoked", async () => {
    await using place = openRunning();
    const { service } = place;
    const { out: key } = await place.run("key", "create", "prod", "--label", "web");
    expect((await place.runTyping(["n"], "key", "revoke", "1")).err).toContain("It was never used.");
    await service.send(ping({ schedule: "0 2 * * *" }));
    service.engine.intake.authenticate(key);
    service.engine.intake.heardFrom(ping().caller, "job", {
      client: () => "192.0.2.1",
      headers: { get: () => "curl/8" },
    });
    service.look(service.now + 20_000);
    const { err } = await place.runTyping(["n"], "key", "revoke", "1");
    expect(err.replaceAll("\n", " ")).toContain(
      "Revoke key 1, web of prod for good? It is for reports and syncs, and was created 20 s ago. " +
        "It was last used 20 s ago from 192.0.2.1. It is the only key by which jobs of prod can report. Its job stops",
    );
    await place.run("key", "create", "prod");
    expect((await place.runTyping(["n"], "key", "revoke", "1")).err.replaceAll("\n", " ")).toContain(
      "prod has 1 other key for reports. With this one 1 job reported last: job.",
    );
    expect((await place.run("key", "show", "1")).out).toMatch(
      /last used +[^\n]+ from 192\.0\.2\.1\nlast used by +curl\/8\nlast used for +job/,
    );
    expect((await place.run("key", "list")).out).toMatch(/web +reports and syncs .+ from 192\.0\.2\.1/);
  });

  test("says what is wrong instead of asking, where there is nothing to do", async () => {
    await using place = openRunning();
    const { exitCode, err } = await place.runTyping(["y"], "key", "revoke", "9");
    expect([exitCode, err]).toEqual([1, expect.stringContaining("there is no key 9")]);
    expect((await place.runTyping(["y"], "app", "delete", "nowhere")).err).toContain("does not exist");
  });
});

test("key rotate prints the new key alone on stdout, and says how long the old one works", async () => {
  await using place = openRunning();
  const { out: old } = await place.run("key", "create", "prod");
  const { out, err } = await place.run("key", "rotate", "1");
  expect(out).toMatch(/^ck_app_prod_[0-9a-z]{32}$/);
  expect(out).not.toBe(old);
  expect(err).toContain("key 1 still works until 2026-03-09 12:00:00 UTC (in 7 d)");
  expect((await place.run("key", "list")).out).toContain("replaced, ends 2026-03-09 12:00 (in 7 d)");
  expect((await place.run("key", "rotate", "2", "--overlap", "0s")).err).toContain("key 2 works no more");
  expect((await place.run("key", "label", "3", "hosts")).out).toBe("key 3 is labelled hosts");
});
