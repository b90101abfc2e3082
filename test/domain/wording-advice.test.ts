// What alerts tell people to do: in quiet commands they can type, and whether anybody will tell them again.

import { expect, test } from "bun:test";
import { type AlertData, alertMessage } from "../../src/domain/message/alert.ts";
import { newMonitor } from "../../src/domain/monitor/monitor.ts";
import { transition } from "../../src/domain/monitor/transition.ts";
import { DAY, HOUR } from "../../src/domain/time.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { ALERT_AT, ANY_SUBJECT, alertOf } from "../support/alerts.ts";
import { DEFAULT_WATCH, fail, instantOf } from "../support/timeline-table.ts";

const worded = (changes: Partial<AlertData> = {}) => wordingOf(alertOf(changes), ALERT_AT);

test("an alert names the commands that bring quiet, with all they need", () => {
  expect(worded().commands).toEqual([
    { label: "Stop the reminders, on rollcall's computer", value: "rollcall incident ack 12" },
    {
      label: "Silence it for two hours, on rollcall's computer",
      value: "rollcall monitor pause nightly-backup --app prod --for 2h",
    },
  ]);
  expect(worded({ kind: "Recovered", reason: "success" }).commands).toEqual([]);
});

test("R23: where no reminder comes there is none to stop", () => {
  const quiet = worded({ nextReminderAt: null });
  expect(quiet.commands.map(({ label }) => label)).toEqual(["Silence it for two hours, on rollcall's computer"]);
  expect(quiet.advice.at(-1)).toBe(
    "No reminders follow. You will hear when it recovers, or when it fails in a new way.",
  );
});

test("R23: a new cause in an acknowledged incident says why no reminders come", () => {
  const { advice, commands } = worded({
    kind: "ContinuedFailure",
    reason: "new_cause",
    acknowledgedAt: "2026-03-01T01:30:00.000Z",
    nextReminderAt: null,
  });
  expect(advice.at(-1)).toBe(
    "It was acknowledged at 02:30, so no reminders come. You will hear when it recovers, or when it fails in a new way.",
  );
  expect(commands.map(({ value }) => value)).not.toContain("rollcall incident ack 12");
});

test("R23: messages name the person who acknowledged it; older alerts and commands name nobody", () => {
  const by = (acknowledgedBy: string | null | undefined, more: Partial<AlertData> = {}) =>
    worded({ acknowledgedAt: "2026-03-01T01:30:00.000Z", acknowledgedBy, ...more } as Partial<AlertData>);
  expect(by("Ada").advice.at(-1)).toStartWith("It was acknowledged by Ada at 02:30, so no reminders come.");
  for (const nobody of [null, undefined, "\u200b"])
    expect(by(nobody).advice.at(-1)).toStartWith("It was acknowledged at 02:30, so no reminders come.");
  const told = { kind: "Acknowledged", reason: "acknowledged" } as const;
  expect(by("Ada", told).story[0]).toBe("Ada acknowledged the incident of Nightly backup; it is still open.");
  expect(by("Ada", told).toDo).toBe("There is nothing to do while Ada looks after it.");
  expect(by(undefined, told).toDo).toBe("There is nothing to do while somebody looks after it.");
});

test("a key that a shell could read as something else is in no command", () => {
  const keys = [
    "a b",
    "$(reboot)",
    "a;reboot",
    "`reboot`",
    "-rf",
    "a'b",
    'a"b',
    "a\nb",
    "a|b",
    "a>b",
    "é",
    "*",
    "~",
    "",
  ];
  for (const monitorKey of keys) expect(worded({ monitorKey }).commands).toHaveLength(1);
  expect(worded({ monitorKey: "a.b_c-1" }).commands[1]?.value).toBe(
    "rollcall monitor pause a.b_c-1 --app prod --for 2h",
  );
});

test("R23: each alert of an incident says what follows it, until the last reminder", () => {
  const reminders = { after: [HOUR, 6 * HOUR], every: DAY, max: 2 };
  const monitor = newMonitor({ ...DEFAULT_WATCH, timezone: "UTC", reminders }, instantOf("10:00:00"));
  const failed = transition(monitor, fail(), instantOf("10:30:00"), []);
  const later = transition(failed.monitor, { kind: "wake" }, instantOf("20:00:00"), []);
  const told = [...failed.alerts, ...later.alerts]
    .filter(({ cause }) => cause === "failed")
    .map((alert) => alertMessage(alert, later.monitor, ANY_SUBJECT));
  expect(
    told.map((message) =>
      wordingOf(message, message.at)
        .advice.at(-1)
        ?.replace(/\d{4}-\d\d-\d\d /, ""),
    ),
  ).toEqual([
    "If it goes on, a reminder comes at 11:30.",
    "This is reminder 1 of at most 2; the next comes at 16:30.",
    "This is reminder 2, the last of this incident. You will hear when it recovers, or when it fails in a new way.",
  ]);
});

test("R37: commands name the application only where there is another, and as whom they are typed where that is known", () => {
  const { commands, subject, facts } = worded({ onlyApplication: true, commandUser: "rollcall" });
  expect(commands).toEqual([
    { label: "Stop the reminders, on rollcall's computer as user rollcall", value: "rollcall incident ack 12" },
    {
      label: "Silence it for two hours, on rollcall's computer as user rollcall",
      value: "rollcall monitor pause nightly-backup --for 2h",
    },
  ]);
  expect(subject).toBe("Missed: Nightly backup, due 03:00");
  expect(facts.map(({ label }) => label)).not.toContain("Application");
  const among = worded({ onlyApplication: false });
  expect([among.subject, among.commands[1]!.value]).toEqual([
    "Missed: Nightly backup (prod), due 03:00",
    "rollcall monitor pause nightly-backup --app prod --for 2h",
  ]);
  expect(among.facts).toContainEqual({ label: "Application", value: "prod" });
});

test("R24: nothing is promised of a monitor that is paused", () => {
  const { advice, commands } = worded({
    cause: "failed",
    causes: ["failed"],
    pausedBy: ["plan"],
    nextReminderAt: null,
  });
  expect(advice).toEqual([
    "It is paused until max_active_monitors leaves room for it; before that no report is expected and no reminder comes. A " +
      "success closes the incident.",
  ]);
  expect(commands).toEqual([]);
  const recovered = worded({
    kind: "Recovered",
    reason: "success",
    pausedBy: ["manual"],
    nextExpectedAt: null,
  });
  expect(recovered.advice).toEqual(["It is paused until somebody resumes it; before that no report is expected."]);
});

test("an exit status with a common meaning is explained, and its first advice fits; no other is", () => {
  const said = (failureMessage: string) => {
    const { story, toDo } = wordingOf(alertOf({ cause: "failed", failureMessage }), ALERT_AT);
    return [...story.slice(2), toDo];
  };
  const outOfMemory = "Check whether its machine ran out of memory.";
  expect(said("exit status 137: pg_dump")).toEqual([
    "Exit status 137 (SIGKILL) usually means that it was killed, often because memory ran out.",
    outOfMemory,
  ]);
  expect(said("ended by SIGKILL")).toEqual([
    "SIGKILL means that it was killed, often because memory ran out.",
    outOfMemory,
  ]);
  expect(said("exit status 127")[0]).toBe(
    "Exit status 127 usually means that its command, or one inside it, was not found.",
  );
  expect(said("exit status 143")).toHaveLength(2);
  for (const other of [
    "exit status 1",
    "exit status 1377",
    "stopped at its longest runtime: ended by SIGTERM",
    "SIGKILL",
  ])
    expect(said(other)).toEqual(["Read its log."]);
});

test("a schedule is said as it is written and in words; where words mislead, as it is written alone", () => {
  const scheduleOf = (schedule: string) => worded({ schedule }).facts.find(({ label }) => label === "Schedule")?.value;
  expect(scheduleOf("0 3 * * *")).toBe("0 3 * * *: at 03:00, every day");
  expect(scheduleOf("0 3 1 * 1")).toBe("0 3 1 * 1");
});

test("R29: where a job runs is on one line whatever its registry says, and only a plain unit is in a command", () => {
  const said = (runsOn: AlertData["runsOn"]) => {
    const { story, toDo, commands } = worded({ runsOn });
    return [story.at(-1), toDo, commands.find(({ label }) => label.startsWith("See its log"))];
  };
  const odd = { host: "web1\n\u001b[31mAll is well.", user: null, where: null, unit: "a.service; reboot" };
  expect(said(odd)).toEqual([
    "It runs on web1 [31mAll is well..",
    "Check that web1 [31mAll is well. and its scheduler are up.",
    undefined,
  ]);
  const plain = { host: "web1", user: "root", where: "/etc/cron.d/backup", unit: "backup@db.service" };
  expect(said(plain)).toEqual([
    "It runs on web1 as user root (/etc/cron.d/backup).",
    "Check that web1 and its scheduler are up.",
    { label: "See its log, on web1", value: "journalctl -n 50 -u backup@db.service" },
  ]);
});
