// What `address` commands say of addresses of other services (R45), and what a person at a terminal is asked before one
// is revoked. None of them ever repeats an address.

import { describe, expect, test } from "bun:test";
import { openRunning } from "../support/commands.ts";
import { ping } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const UUID = "0b6f3a1c-5d2e-4c3b-9f4e-6a7b8c9d0e1f";
const URL = `https://hc.example.org/ping/${UUID}`;

describe("R45: address add", () => {
  test("says what the address is for, and when it was there already", async () => {
    await using place = openRunning();
    await place.service.send(ping({ schedule: "0 2 * * *" }));
    const added = await place.run("address", "add", URL, "job");
    expect(added).toMatchObject({ exitCode: 0, err: "" });
    expect(added.out.replaceAll("\n", " ")).toBe(
      "/ping/…0e1f for monitor job, address 1: jobs may report there once its host name leads here",
    );
    expect((await place.run("address", "add", UUID, "job")).out).toContain("it was there already");
    const creating = await place.run("address", "add", "/ping/fqood6f4mmnucenztu01wx", "--prefix", "hosts-");
    expect(creating.out).toContain("/ping/…01wx/* for new monitors hosts-*, address 2");
    const json = JSON.parse((await place.run("address", "add", URL, "job", "--json")).out);
    expect(json).toMatchObject({ id: 1, added: false, address: "/ping/…0e1f" });
  });

  test("reads the address from the input in place of -, so that no list of processes shows it", async () => {
    await using place = openRunning();
    await place.service.send(ping({ schedule: "0 2 * * *" }));
    const { exitCode, out, err } = await place.runTyping([URL], "address", "add", "-", "job");
    expect([exitCode, err]).toEqual([0, "address (it is not shown):"]);
    expect(out).toContain("/ping/…0e1f for monitor job, address 1");
    expect((await place.run("address", "add", "-", "job")).err).toContain("address: the input has no line for it");
  });

  test.each([
    [
      ["nonsense-that-is-secret", "job"],
      "address: what was sent is no address of Healthchecks or Uptime Kuma: it must be",
    ],
    [["job", URL], "address: it comes first, and the key of the monitor behind it; they are swapped"],
    [[URL, "nobody"], "there is no monitor"],
    [[URL], "key: it is missing"],
  ])("%j is refused with a sentence that does not repeat it", async (words, sentence) => {
    await using place = openRunning();
    await place.service.send(ping({ schedule: "0 2 * * *" }));
    const { exitCode, out, err } = await place.run("address", "add", ...words);
    expect([exitCode, out]).toEqual([1, ""]);
    expect(err.replaceAll("\n", " ")).toContain(sentence);
    expect(err).not.toMatch(/secret|6a7b8c9d/);
  });
});

describe("R45: address list and revoke", () => {
  test("say which monitor is gone, what was used, and how one is added where there is none", async () => {
    await using place = openRunning();
    expect((await place.run("address", "list")).err).toContain("rollcall address add ADDRESS KEY");
    await place.service.send(ping({ schedule: "0 2 * * *" }));
    await place.run("address", "add", URL, "job");
    granted(place.service.engine.operate("monitor delete", { key: "job" }));
    for (const [words, said] of [
      [["--monitor", "nopenope"], "there are no addresses of other services for a monitor nopenope; this"],
      [
        ["--monitor", "nope", "--app", "prod"],
        "there are no addresses of other services for a monitor nope in application prod;",
      ],
    ] as const)
      expect((await place.run("address", "list", ...words)).err.replaceAll("\n", " ")).toContain(said);
    const { out } = await place.run("address", "list");
    expect(out).toMatch(
      /^ID +ADDRESS +SERVICE +MONITOR +ADDED.+LAST USED\n1 +\/ping\/…0e1f +Healthchecks +job, which is gone .+ never$/,
    );
    expect(JSON.parse((await place.run("address", "list", "--json")).out)).toMatchObject([{ id: 1, exists: false }]);
  });

  test("ask at a terminal, with what is known of its use; any answer but yes leaves it", async () => {
    await using place = openRunning();
    const { service } = place;
    await service.send(ping({ schedule: "0 2 * * *" }));
    await place.run("address", "add", URL, "job");
    const asked = async () => (await place.runTyping(["n"], "address", "revoke", "1")).err.replaceAll("\n", " ");
    expect(await asked()).toContain(
      "Revoke address 1 of prod? It is /ping/…0e1f, from Healthchecks, for job. It was never used. What still reports",
    );
    service.engine.intake.atOldAddress(`/ping/${UUID}`);
    expect(await asked()).toContain("It was last used now. What still reports there is refused from then on, and");
    expect(service.engine.intake.atOldAddress(`/ping/${UUID}`)).not.toBeNull();
    expect((await place.runTyping(["y"], "address", "revoke", "1")).out).toContain("revoked address 1, /ping/…0e1f");
    expect(service.engine.intake.atOldAddress(`/ping/${UUID}`)).toBeNull();
    expect((await place.run("address", "list")).out).toContain("revoked 2026-03-02");
    expect((await place.run("address", "revoke", "9")).err).toContain("there is no address 9");
  });
});

test("R45: monitor show names the addresses at which it may be reported, and the one of its last report", async () => {
  await using place = openRunning();
  const { service } = place;
  await service.send(ping({ schedule: "0 2 * * *" }));
  await place.run("address", "add", URL, "job");
  const found = service.engine.intake.atOldAddress(`/ping/${UUID}`);
  if (found === null || !("caller" in found)) throw new Error("the address is not found");
  service.engine.intake.heardFrom(found.caller, "job", { client: () => "192.0.2.1", headers: { get: () => "curl/8" } });
  service.look(service.now + 20_000);
  const { out } = await place.run("monitor", "show", "job");
  expect(out).toMatch(/reported from +192\.0\.2\.1, at address 1, since .+\(curl\/8\)/);
  expect(out).toMatch(/old address +\/ping\/…0e1f/);
});
