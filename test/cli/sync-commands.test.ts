// `rollcall app syncs` as a person at a terminal and a program see it: the real engine behind a real socket.

import { expect, test } from "bun:test";
import type { EntryFault, Registry, RegistryEntry } from "../../src/domain/monitor/reconcile.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import { MINUTE } from "../../src/domain/time.ts";
import type { Caller } from "../../src/engine/api.ts";
import { cells, openRunning, type Running } from "../support/commands.ts";
import { NOON } from "../support/engine.ts";

const CALLER: Caller = { applicationId: 1, application: "prod", keyId: 3, scope: "sync" };

const entry = (key: string): RegistryEntry => ({
  key,
  declared: { ...NOTHING_DECLARED, schedule: "0 2 * * *" },
  metadata: null,
});

const fault = (key: string, error: string): EntryFault => ({ key, error, blocksRemoval: true });

function sync({ service }: Running, minute: number, entries: Registry["entries"], version: string | null = null): void {
  service.at(NOON + minute * MINUTE);
  service.engine.intake.sync(CALLER, { source: "worker", version, authoritative: true, entries });
}

const HEAD = ["AT (UTC)", "KEY", "SOURCE", "VERSION", "MONITORS", "WHAT IT DID"];

test("R29: says when, who, what changed, and what was withheld and why", async () => {
  await using place = openRunning();
  sync(place, 0, [entry("a"), entry("b")], "1.0");
  sync(place, 1, [entry("a"), entry("b")]);
  sync(place, 2, [entry("a"), entry("b")]);
  sync(place, 3, [entry("c"), entry("b")]);
  sync(place, 4, [fault("x", "schedule: it is nonsense"), fault("", "monitors[1].key: it is missing")]);
  const { exitCode, out, err } = await place.run("app", "syncs");
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  expect(cells(out)).toEqual([
    HEAD,
    ["2026-03-02 12:04 (now)", "3", "worker", "-", "2", "changed nothing"],
    ["", "left as it was, though not named: b, c, because of the error below"],
    ["", "error: monitors[1].key: it is missing"],
    ["", "error in x: schedule: it is nonsense"],
    ["2026-03-02 12:03 (60 s ago)", "3", "worker", "-", "2", "created c; withdrew a"],
    [
      "2026-03-02 12:02 (2 min ago)",
      "3",
      "worker",
      "-",
      "2",
      "changed nothing, 2 times since 2026-03-02 12:01 (3 min ago)",
    ],
    ["2026-03-02 12:00 (4 min ago)", "3", "worker", "1.0", "2", "created a, b"],
  ]);
});

test("--json has everything, --app and --limit narrow it, and what is left out is said on stderr", async () => {
  await using place = openRunning();
  sync(place, 0, [entry("a")], "1.0");
  sync(place, 1, [fault("x", "schedule: it is nonsense")]);
  const { out, err } = await place.run("app", "syncs", "--json", "--limit", "1", "--app", "prod");
  expect(err).toBe("these are the newest 1; there are older ones, --limit shows more");
  expect(JSON.parse(out)).toEqual([
    {
      application: "prod",
      keyId: 3,
      source: "worker",
      version: null,
      authoritative: true,
      firstAt: "2026-03-02T12:01:00.000Z",
      at: "2026-03-02T12:01:00.000Z",
      times: 1,
      total: 1,
      created: 0,
      updated: 0,
      unchanged: 0,
      removed: 0,
      errors: 1,
      withheld: 1,
      changes: [],
      errorList: [{ key: "x", error: "schedule: it is nonsense", withheldRemoval: true }],
      withheldKeys: ["a"],
    },
  ]);
  expect(await place.run("app", "syncs", "--app", "nowhere")).toMatchObject({ exitCode: 1, out: "" });
  expect(await place.run("app", "syncs", "--limit", "0")).toMatchObject({ exitCode: 2, out: "" });
});

test("an empty history is said on stderr, and is an empty list to a machine", async () => {
  await using place = openRunning();
  expect(await place.run("app", "syncs")).toEqual({ exitCode: 0, out: "", err: "there was no bulk sync" });
  expect(await place.run("app", "syncs", "--json")).toEqual({ exitCode: 0, out: "[]", err: "" });
});
