// `rollcall monitor show` as a person at a terminal and a program see it: the real engine behind a real socket.

import { describe, expect, test } from "bun:test";
import type { Expectation } from "../../src/domain/monitor/reported-outcomes.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import { DAY, MINUTE } from "../../src/domain/time.ts";
import { cells, openRunning, withBackup } from "../support/commands.ts";
import { NOON, ping, policyWith } from "../support/engine.ts";

/** What a registry leaves behind. */
const SAID = ["source", "declared", "metadata"];

describe("monitor show", () => {
  test("says what is in force and why, what is known, and the last runs and reports", async () => {
    const policy = policyWith({
      prod: { owner: "ops", links: { runbook: "https://wiki.example.org" } },
      monitors: { job: { graceSeconds: 1_800 } },
    });
    await using place = openRunning(policy);
    await place.service.send(
      ping({ schedule: "0 2 * * *", timezone: "Europe/Berlin", graceSeconds: 60 }),
      ping({ kind: "start", runId: "r1", attempt: 2 }),
    );
    place.service.at(NOON + 90 * MINUTE);
    await place.service.send(ping({ kind: "fail", runId: "r1", message: "disk full" }));
    const { exitCode, out, err } = await place.run("monitor", "show", "job");
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    const [facts = "", runs = "", pings = ""] = out.split("\n\n");
    expect(cells(facts)).toEqual([
      ["application", "prod"],
      ["key", "job"],
      ["status", "critical"],
      ["now", "it failed now: disk full"],
      ["expected", "2026-03-03 02:00:00 (in 12 h)"],
      ["incident", "1, opened 2026-03-02 14:30:00 (now): Failed: disk full; open, next reminder in 60 min"],
      ["schedule", "0 2 * * *: at 02:00, every day (declared)"],
      ["name", "Job (from its key)"],
      ["timezone", "Europe/Berlin (declared)"],
      ["grace", "30 min (configuration; declared 1 min)"],
      ["max runtime", "none (default)"],
      ["alert after misses", "1 (default)"],
      ["alert after failures", "1 (default)"],
      ["severity", "error (default)"],
      ["labels", "none (default)"],
      ["note", "none (default)"],
      ["mail rule", "usual (default)"],
      [
        "run deadline",
        "24 h 30 min after its start (a guess, from the time between two scheduled runs, 24 h at most, and the grace)",
      ],
      ["last report", "2026-03-02 14:30:00 (now)"],
      ["last success", "2026-03-02 13:00:00 (90 min ago)"],
      ["alerts go to", "hook"],
      ["owner", "ops"],
      ["runbook", "https://wiki.example.org"],
      ["created", "2026-03-02 13:00:00 (90 min ago)"],
      ["changed", "2026-03-02 13:00:00 (90 min ago)"],
      ["", "All times here are in Europe/Berlin."],
    ]);
    expect(cells(runs)).toEqual([
      ["Runs:"],
      ["RUN", "RUN ID", "ATTEMPT", "STATE", "STARTED", "ENDED", "DURATION"],
      ["1", "r1", "2", "ended by fail", "2026-03-02 13:00:00 (90 min ago)", "2026-03-02 14:30:00 (now)", "1 h 30 min"],
    ]);
    expect(cells(pings)).toEqual([
      ["Last reports:"],
      ["AT", "REPORT", "RUN", "RUN ID", "ATTEMPT", "DURATION", "MESSAGE"],
      ["2026-03-02 14:30:00 (now)", "fail", "1", "r1", "-", "1 h 30 min", "disk full"],
      ["2026-03-02 13:00:00 (90 min ago)", "start", "1", "r1", "2", "-", "-"],
      ["2026-03-02 13:00:00 (90 min ago)", "heartbeat", "-", "-", "-", "-", "-"],
    ]);
  });

  test("R29, R30: says which registry declared it last, under which version, when, and with what metadata", async () => {
    await using place = openRunning();
    const caller = { applicationId: 1, application: "prod", keyId: 1, scope: "sync" } as const;
    const declared = { ...NOTHING_DECLARED, schedule: "0 2 * * *" };
    const metadata = '{"queue":"mail","shard":2}';
    const entries = [
      { key: "job", declared, metadata },
      { key: "plain", declared, metadata: null },
    ];
    const registry = { source: "worker", version: "2.4.1", authoritative: true, entries };
    place.service.engine.intake.sync(caller, registry);
    place.service.at(NOON + 90 * MINUTE);
    place.service.engine.intake.sync(caller, registry);
    const factsOf = async (key: string) =>
      cells((await place.run("monitor", "show", key)).out).filter(([name = ""]) => SAID.includes(name));
    const declaredAt = ["declared", "2026-03-02 13:30:00 (now)"];
    expect(await factsOf("job")).toEqual([["source", "worker, version 2.4.1"], declaredAt, ["metadata", metadata]]);
    place.service.engine.intake.sync(caller, { ...registry, version: null });
    expect(await factsOf("plain")).toEqual([["source", "worker"], declaredAt]);
    expect(JSON.parse((await place.run("monitor", "show", "job", "--json")).out).declaration).toEqual({
      source: "worker",
      version: null,
      declaredAt: "2026-03-02T13:30:00.000Z",
      metadata: { queue: "mail", shard: 2 },
    });
    await place.service.send(ping({ monitorKey: "self", schedule: "0 2 * * *" }));
    expect(await factsOf("self")).toEqual([]);
    expect(JSON.parse((await place.run("monitor", "show", "self", "--json")).out).declaration).toBeNull();
  });

  test("R27: names the outcomes that are expected, and which of them only warn", async () => {
    const rows = { equals: null, min: 1, max: null, onFailure: "fail" } as const;
    const outcomes = new Map<string, Expectation>([
      ["rows", rows],
      ["errors", { ...rows, min: null, max: 0, onFailure: "warn" }],
    ]);
    await using place = openRunning(policyWith({ monitors: { job: { schedule: "0 2 * * *", outcomes } } }));
    const { out } = await place.run("monitor", "show", "job");
    expect(cells(out).filter(([name]) => name === "outcome")).toEqual([
      ["outcome", "rows: expected at least 1 (configuration)"],
      ["outcome", "errors: expected at most 0, else a warning (configuration)"],
    ]);
  });

  test("R21: says of an incomplete run that no end came and why no alarm was raised", async () => {
    await using place = openRunning();
    const { service } = place;
    await service.send(ping({ schedule: "0 2 * * *", kind: "start", runId: "killed" }));
    const before = (await place.run("monitor", "show", "job")).out;
    expect(before).not.toContain("incomplete");
    service.at(NOON + MINUTE);
    await service.send(ping({ kind: "start", runId: "good" }), ping({ kind: "complete", runId: "good" }));
    const { out } = await place.run("monitor", "show", "job");
    expect(out).toMatch(/killed +incomplete/);
    expect(out).not.toContain("DEADLINE");
    expect(out).toContain("incomplete: no end was reported, and no alarm raised.");
    expect(out).toContain("set maxRuntime");
  });

  test("R22, R27: says by when an open run must end, which pairing is a guess, and what outcomes were reported", async () => {
    const rows = { equals: null, min: 1, max: null, onFailure: "fail" } as const;
    const outcomes = new Map<string, number | boolean>([
      ["rows", 12],
      ["ok", true],
    ]);
    const expectations = new Map<string, Expectation>([
      ["rows", rows],
      ["ok", { ...rows, equals: true, min: null }],
    ]);
    await using place = openRunning(policyWith({ monitors: { job: { outcomes: expectations } } }));
    const { service } = place;
    await service.send(ping({ schedule: "0 2 * * *", maxRuntimeSeconds: 3_600, kind: "start" }));
    service.at(NOON + MINUTE);
    await service.send(ping({ kind: "complete", outcomes }), ping({ kind: "start", runId: "b" }));
    const [, runs = "", pings = ""] = (await place.run("monitor", "show", "job")).out.split("\n\n");
    expect(cells(runs).slice(2)).toEqual([
      ["2", "b", "running", "2026-03-02 12:01:00 (now)", "2026-03-02 13:01:00 (in 60 min)", "-", "-"],
      [
        "1",
        "-",
        "ended by complete, legacy",
        "2026-03-02 12:00:00 (60 s ago)",
        "-",
        "2026-03-02 12:01:00 (now)",
        "1 min",
      ],
    ]);
    expect(cells(pings).slice(1)).toEqual([
      ["AT", "REPORT", "RUN", "RUN ID", "DURATION", "OUTCOMES"],
      ["2026-03-02 12:01:00 (now)", "start", "2", "b", "-", "-"],
      ["2026-03-02 12:01:00 (now)", "complete", "1", "-", "1 min", "rows=12 ok=true"],
      ["2026-03-02 12:00:00 (60 s ago)", "start", "1", "-", "-", "-"],
    ]);
    const shown = JSON.parse((await place.run("monitor", "show", "job", "--json")).out);
    expect(shown.runs[0]).toEqual({
      number: 2,
      runId: "b",
      attempt: null,
      state: "open",
      startedAt: "2026-03-02T12:01:00.000Z",
      deadline: "2026-03-02T13:01:00.000Z",
      endedAt: null,
      endedBy: null,
      durationSeconds: null,
      durationMilliseconds: null,
      legacy: false,
      verdict: null,
    });
    expect(shown.pings[1]).toEqual({
      at: "2026-03-02T12:01:00.000Z",
      outcome: "succeeded",
      kind: "complete",
      runNumber: 1,
      runId: null,
      attempt: null,
      heardAt: null,
      durationSeconds: 60,
      durationMilliseconds: 60_000,
      message: null,
      outcomes: { rows: 12, ok: true },
    });
    expect(shown.zoneHint).toBeNull();
  });

  test("R13: says by how much the reports are off and which zone would fit, in a line and in --json", async () => {
    await using place = openRunning(policyWith({ timezone: "Europe/Berlin" }));
    for (const day of [0, 1, 2]) {
      place.service.at(NOON + day * DAY);
      await place.service.send(ping({ schedule: "0 12 * * *" }));
    }
    const hint =
      "The last 3 reports came 1 hour after their scheduled time in Europe/Berlin, which is on time in UTC: " +
      "if the job runs there, set timezone=UTC in its reports, or server.timezone.";
    expect(cells((await place.run("monitor", "show", "job")).out)).toContainEqual(["zone hint", hint]);
    expect(JSON.parse((await place.run("monitor", "show", "job", "--json")).out)).toMatchObject({ zoneHint: hint });
  });

  test("R26: shows what is unknown because rollcall could not hear, and why, in a table and in --json", async () => {
    await using place = openRunning(policyWith());
    const { service } = place;
    await service.send(ping({ schedule: "0 * * * *" }));
    service.look(NOON + 59 * MINUTE);
    service.standStill(2 * MINUTE);
    for (let second = 0; second < 90; second++) service.look(service.now + 1_000);
    const { out } = await place.run("monitor", "show", "job");
    const gap = ["2026-03-02 12:59:00 (4 min ago)", "2026-03-02 13:01:05 (85 s ago)"];
    expect(cells(out.split("\n\n")[1]!)).toEqual([
      ["Unknown, because rollcall could not hear:"],
      ["WHAT", "JUDGED", "FROM", "TO", "BECAUSE"],
      [
        "the report due 2026-03-02 13:00:00 (3 min ago)",
        "2026-03-02 13:02:05 (25 s ago)",
        ...gap,
        "rollcall was suspended",
      ],
    ]);
    expect(cells(out)).toContainEqual(["status", "warning"]);
    const shown = JSON.parse((await place.run("monitor", "show", "job", "--json")).out);
    expect(shown.unknowns).toEqual([
      {
        at: "2026-03-02T13:02:05.000Z",
        slot: "2026-03-02T13:00:00.000Z",
        slots: 1,
        runId: null,
        runStartedAt: null,
        gap: { from: "2026-03-02T12:59:00.001Z", to: "2026-03-02T13:01:05.000Z", reason: "stalled" },
      },
    ]);
  });

  test("says that it is paused and until when, and that alerts reach nobody", async () => {
    await using place = await withBackup(policyWith({ team: { name: null, destinations: [], members: [] } }));
    await place.run("monitor", "pause", "backup", "--for", "2h");
    const { out } = await place.run("monitor", "show", "backup");
    expect(cells(out)).toEqual(
      expect.arrayContaining([
        ["status", "paused"],
        ["paused", "until 2026-03-02 14:00:00 (in 2 h)"],
        ["expected", "nothing while it is paused"],
        ["alerts go to", "nobody"],
        ["", "they cannot be delivered: no destination is configured for them"],
      ]),
    );
  });

  test("R46: says of which failure its output is, and that a later one has none", async () => {
    await using place = openRunning();
    await place.service.send(ping({ kind: "fail", schedule: "0 2 * * *", message: "disk full", output: "a\nb" }));
    expect((await place.run("monitor", "show", "job")).out).toContain(
      "\n\nOutput of the last failure, 2026-03-02 12:00:00 (now):\n| a\n| b",
    );
    place.service.at(NOON + MINUTE);
    await place.service.send(ping({ kind: "fail", message: "no network" }));
    expect((await place.run("monitor", "show", "job")).out.replace("\nthe last", " the last")).toContain(
      "\n\nOutput of an earlier failure, 2026-03-02 12:00:00 (60 s ago); the last failure has none:\n| a\n| b",
    );
  });

  test("--json prints all of it; a monitor that does not exist is exit code 1", async () => {
    await using place = await withBackup();
    const shown = JSON.parse((await place.run("monitor", "show", "backup", "--json")).out);
    expect(shown).toMatchObject({ key: "backup", status: "pending", pings: [], runs: [], incident: null });
    expect(await place.run("monitor", "show", "nobody")).toEqual({
      exitCode: 1,
      out: "",
      err: 'key: there is no monitor "nobody"; `rollcall monitor list` shows all',
    });
  });

  test("what a caller wrote cannot move the reader's cursor", async () => {
    await using place = openRunning();
    await place.service.send(ping({ schedule: "0 2 * * *" }), ping({ kind: "fail", message: "\u001b[2Jgone\u202e" }));
    const { out } = await place.run("monitor", "show", "job");
    expect(out).toContain("\\u001b[2Jgone\\u202e");
    expect(out).not.toContain("\u001b");
    expect(out).not.toContain("\u202e");
  });
});
