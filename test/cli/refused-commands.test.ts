// `rollcall monitor refused`, and what `monitor show` has of it, as a person at a terminal and a program see them.

import { expect, test } from "bun:test";
import { refuse } from "../../src/domain/errors.ts";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import { cells, openRunning, type Running } from "../support/commands.ts";
import { NOON, ping } from "../support/engine.ts";

const SUNDAY = refuse("INVALID_SCHEDULE", 'schedule: day of week "7" is out of range');

function reject({ service }: Running, at: number, monitorKey = "job", refusal = SUNDAY): void {
  service.look(at);
  service.engine.intake.refused({ caller: ping().caller, monitorKey, kind: "heartbeat", refusal });
  service.endTurns();
}

const FACTS = ["2026-03-02 13:00 (60 s ago)", "2", "2026-03-02 12:00 (61 min ago)", "heartbeat", "400", SUNDAY.message];

test("R33: monitor refused shows of each monitor and reason when, how often and why, newest first", async () => {
  await using place = openRunning();
  reject(place, NOON);
  reject(place, NOON + HOUR);
  reject(place, NOON + HOUR + MINUTE, "", refuse("NOT_FOUND", "there is no such path"));
  const { exitCode, out, err } = await place.run("monitor", "refused");
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  expect(cells(out)).toEqual([
    ["MONITOR", "LAST (UTC)", "TIMES", "SINCE", "REPORT", "STATUS", "WHY"],
    ["-", "2026-03-02 13:01 (now)", "1", "-", "heartbeat", "404", "there is no such path"],
    ["job", ...FACTS],
  ]);
  const json = await place.run("monitor", "refused", "--json", "--limit", "1", "--app", "prod");
  expect(json.err).toBe("these are the newest 1; there are older ones, --limit shows more");
  expect(JSON.parse(json.out)).toEqual([
    {
      application: "prod",
      monitorKey: "",
      report: "heartbeat",
      error: "NOT_FOUND",
      reason: "there is no such path",
      keyId: 1,
      status: 404,
      firstAt: "2026-03-02T13:01:00.000Z",
      at: "2026-03-02T13:01:00.000Z",
      times: 1,
      network: null,
    },
  ]);
  expect(await place.run("monitor", "refused", "--app", "nowhere")).toMatchObject({ exitCode: 1, out: "" });
});

test("R33: an empty list is said on stderr, and is an empty list to a machine", async () => {
  await using place = openRunning();
  const err = "no report was refused";
  expect(await place.run("monitor", "refused")).toEqual({ exitCode: 0, out: "", err });
  expect(await place.run("monitor", "refused", "--json")).toEqual({ exitCode: 0, out: "[]", err: "" });
});

test("R33: monitor show has the refused reports of its monitor", async () => {
  await using place = openRunning();
  await place.service.send(ping({ schedule: "0 2 * * *" }));
  reject(place, NOON, "other");
  expect((await place.run("monitor", "show", "job")).out).not.toContain("Refused");
  reject(place, NOON);
  reject(place, NOON + HOUR);
  place.service.at(NOON + HOUR + MINUTE);
  const { out } = await place.run("monitor", "show", "job");
  expect(cells(out.split("\n\n").at(-1) ?? "")).toEqual([
    ["Refused reports:"],
    ["LAST", "TIMES", "SINCE", "REPORT", "STATUS", "WHY"],
    FACTS,
  ]);
  const { refused } = JSON.parse((await place.run("monitor", "show", "job", "--json")).out);
  expect(refused).toMatchObject([{ monitorKey: "job", times: 2, status: 400 }]);
});
