// `rollcall incident …` as a person at a terminal sees it: the real engine behind a real socket.

import { describe, expect, test } from "bun:test";
import { HOUR } from "../../src/domain/time.ts";
import { openRunning, type Running } from "../support/commands.ts";
import { MESSAGES } from "../support/destinations.ts";
import { NOON, ping, policyWith } from "../support/engine.ts";

const TOLD = policyWith({
  destinations: new Map([["chat", MESSAGES]]),
  team: { name: null, destinations: ["chat"], members: [] },
});

/** A service whose monitor `job` has just failed. */
async function withIncident(message = "disk full"): Promise<Running> {
  const place = openRunning();
  await place.service.send(ping({ schedule: "0 0 29 2 *" }), ping({ kind: "fail", message }));
  return place;
}

const cells = (out: string): string[][] => out.split("\n").map((line) => line.split(/ {2,}/));

describe("incident list", () => {
  test("has the newest first with cause, state and what the job said", async () => {
    await using place = await withIncident();
    place.service.at(NOON + HOUR);
    await place.service.send(ping(), ping({ kind: "fail", message: `${"x".repeat(70)}\u001b` }));
    await place.run("incident", "ack", "2");
    await place.service.send(
      ping({ monitorKey: "other", schedule: "0 0 29 2 *" }),
      ping({ monitorKey: "other", kind: "fail" }),
    );
    const { exitCode, out, err } = await place.run("incident", "list");
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(cells(out)).toEqual([
      ["ID", "MONITOR", "OPENED (UTC)", "CAUSE", "STATE", "MESSAGE"],
      ["3", "other", "2026-03-02 13:00 (now)", "Failed", "open", "-"],
      ["2", "job", "2026-03-02 13:00 (now)", "Failed", "acknowledged now", `${"x".repeat(59)}…`],
      ["1", "job", "2026-03-02 12:00 (60 min ago)", "Failed", "recovered after 1 h", "disk full"],
    ]);
    const ids = async (...options: string[]) =>
      JSON.parse((await place.run("incident", "list", "--json", ...options)).out).map(({ id }: { id: number }) => id);
    expect([await ids(), await ids("--open"), await ids("--app", "prod")]).toEqual([
      [3, 2, 1],
      [3, 2],
      [3, 2, 1],
    ]);
    expect(await place.run("incident", "list", "--app", "nowhere")).toMatchObject({ exitCode: 1, out: "" });
  });

  test("an empty one is said on stderr, and is an empty list to a machine", async () => {
    await using place = openRunning();
    expect(await place.run("incident", "list")).toEqual({ exitCode: 0, out: "", err: "there are no incidents" });
    expect(await place.run("incident", "list", "--open")).toEqual({ exitCode: 0, out: "", err: "no incident is open" });
    expect(await place.run("incident", "list", "--json")).toEqual({ exitCode: 0, out: "[]", err: "" });
  });

  test("says when there are more than it shows", async () => {
    await using place = await withIncident();
    await place.service.send(...Array.from({ length: 500 }, () => [ping(), ping({ kind: "fail" })]).flat());
    const { exitCode, out, err } = await place.run("incident", "list", "--json");
    expect({ exitCode, err }).toEqual({
      exitCode: 0,
      err: "these are the newest 500; there are older ones, --limit shows more",
    });
    expect(JSON.parse(out)).toHaveLength(500);
  });
});

describe("incident ack", () => {
  test("R23: says what it means; twice is done all the same", async () => {
    await using place = await withIncident();
    expect(await place.run("incident", "ack", "1")).toEqual({
      exitCode: 0,
      out: "acknowledged incident 1 of job",
      err: "no more reminders; a new cause and the recovery are still told",
    });
    expect(await place.run("incident", "ack", "1")).toEqual({
      exitCode: 0,
      out: "incident 1 was acknowledged already, at 2026-03-02 12:00:00 UTC (now)",
      err: "",
    });
  });

  test("R23, R38: of one under which another goes on says which that is", async () => {
    await using place = openRunning(TOLD);
    await place.service.send(ping({ schedule: "0 0 29 2 *" }));
    const fails = () => place.service.send(ping(), ping({ kind: "fail" }));
    for (let times = 0; times < 3; times++) await fails();
    const { out } = await place.run("incident", "ack", "2");
    expect(out).toBe("acknowledged incident 3 (told as 2) of job");
    expect((await place.run("incident", "ack", "2")).out).toStartWith(
      "incident 3 (told as 2) was acknowledged already",
    );
    const closed = await place.run("incident", "resolve", "2");
    expect(closed.out).toBe("closed incident 3 (told as 2) of job, which is healthy now");
  });

  test("one that is closed, and one that does not exist, are exit code 1", async () => {
    await using place = await withIncident();
    await place.service.send(ping());
    expect(await place.run("incident", "ack", "1")).toEqual({
      exitCode: 1,
      out: "",
      err: "id: incident 1 is closed since 2026-03-02T12:00:00.000Z, there is nothing to acknowledge",
    });
    expect(await place.run("incident", "ack", "2")).toEqual({
      exitCode: 1,
      out: "",
      err: "id: there is no incident 2; `rollcall incident list` shows them",
    });
  });
});

describe("incident resolve", () => {
  test("R23: closes it; a second time changes nothing and succeeds", async () => {
    await using place = await withIncident();
    expect(await place.run("incident", "resolve", "1")).toEqual({
      exitCode: 0,
      out: "closed incident 1 of job, which is healthy now",
      err: "the recovery is told; whether the job works shows with its next report",
    });
    expect(await place.run("incident", "resolve", "1")).toEqual({
      exitCode: 0,
      out: "incident 1 is closed already, since 2026-03-02 12:00:00 UTC (now): closed by hand after less than 1 s",
      err: "",
    });
    await place.service.send(ping({ kind: "fail" }), ping());
    expect((await place.run("incident", "resolve", "2")).out).toEndWith(": recovered after less than 1 s");
    expect(place.service.alarms().map(({ reason }) => reason)).toEqual(["opened", "resolved", "opened", "success"]);
  });

  test("one that does not exist is exit code 1", async () => {
    await using place = await withIncident();
    expect(await place.run("incident", "resolve", "7")).toMatchObject({ exitCode: 1, out: "" });
  });
});

describe("incident show", () => {
  test("tells the story of its page in 80 columns: what was reported, told, to whom, and what was done", async () => {
    await using place = await withIncident(`disk full\u001b on ${"a very long path ".repeat(8)}`);
    place.service.at(NOON + HOUR);
    await place.run("incident", "ack", "1");
    await place.service.send(ping());
    const { exitCode, out, err } = await place.runAt(80, "incident", "show", "1");
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    const lines = out.split("\n");
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(out).not.toContain("\u001b");
    expect(lines.slice(0, 3)).toEqual([
      "Job works again.",
      "Incident 1 of job, opened 2026-03-02 12:00:00 (60 min ago); recovered after 1 h.",
      "",
    ]);
    const told = out.replaceAll(/\s+/g, " ");
    for (const words of [
      "2026-03-02 UTC 12:00:00 Reported 12:00:00 Failed",
      "> disk full",
      "Failed. Job reported a failure.",
      "hook: waits",
      "13:00:00 Acknowledged",
      "13:00:00 Reported",
      "Recovered. Job works again.",
    ])
      expect(told).toContain(words);
    const json = JSON.parse((await place.run("incident", "show", "1", "--json")).out);
    expect(json).toMatchObject({ incident: { id: 1 }, isWhole: true });
    expect(await place.run("incident", "show", "9")).toMatchObject({ exitCode: 1, out: "" });
  });
});
