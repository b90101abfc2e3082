// Test messages and drills: the webhook's fields, and words that nobody takes for an alarm.

import { describe, expect, test } from "bun:test";
import { drillMessage, testMessage } from "../../src/domain/message/test-message.ts";
import { HOUR, toIso } from "../../src/domain/time.ts";
import type { Wording } from "../../src/domain/wording/types.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { ALERT_AT } from "../support/alerts.ts";
import { CLOCK_NOTICE, noticeOf } from "../support/notices.ts";

const HOUSE = {
  from: "https://cron.example.org",
  teamName: "Home",
  timezone: "UTC",
  onlyApplication: true,
  commandUser: "rollcall",
  commandLine: null,
};
const TEST = testMessage("ops", ALERT_AT, HOUSE);
const DRILL = drillMessage(
  {
    applicationId: "prod",
    monitorKey: "nightly-backup",
    name: "Nightly backup",
    timezone: "Europe/Berlin",
    schedule: "0 3 * * *",
    presentation: {
      applicationName: null,
      teamName: "Home",
      owner: "ada",
      severity: "critical",
      environment: "production",
      links: { runbook: "https://wiki.example.org" },
      note: null,
      labels: [],
    },
    everySeconds: 2_592_000,
    destinations: ["ops", "email"],
  },
  ALERT_AT,
  HOUSE,
);

const textOf = ({ subject, story, toDo, advice, facts }: Wording): string =>
  [subject, ...story, toDo, ...advice, ...facts.map(({ label, value }) => `${label}: ${value}`)].join("\n");

describe("R37: destination.test", () => {
  test("has the fields of a notice's data, null where they do not apply, and its own beside them", () => {
    const { notice: _notice, ...fields } = CLOCK_NOTICE.data;
    for (const { type, data } of [TEST, DRILL]) {
      expect(type).toBe("destination.test");
      expect(Object.keys(data).sort()).toEqual([...Object.keys(fields), "test"].sort());
    }
    const { teamName, timezone, links, onlyApplication, commandUser, test: details, ...rest } = TEST.data;
    expect({ teamName, timezone, links }).toEqual({ teamName: "Home", timezone: "UTC", links: {} });
    expect({ onlyApplication, commandUser }).toEqual({ onlyApplication: true, commandUser: "rollcall" });
    expect(new Set(Object.values(rest))).toEqual(new Set([null]));
    expect(details).toEqual({ kind: "test", from: HOUSE.from, destinations: ["ops"], everySeconds: null });
  });

  test("a drill names the monitor whose alerts would go there", () => {
    expect(DRILL.data).toMatchObject({
      applicationId: "prod",
      monitorKey: "nightly-backup",
      name: "Nightly backup",
      severity: "critical",
      environment: "production",
      owner: "ada",
      schedule: "0 3 * * *",
      timezone: "Europe/Berlin",
      links: { runbook: "https://wiki.example.org" },
      kind: null,
      status: null,
      incidentId: null,
      test: { kind: "drill", from: HOUSE.from, destinations: ["ops", "email"], everySeconds: 2_592_000 },
    });
  });
});

describe("its words", () => {
  test("say that it is a test, from where, through what, and that nothing is wrong", () => {
    const wording = wordingOf(TEST, ALERT_AT);
    expect(wording.subject).toBe("Test message from rollcall at https://cron.example.org");
    expect(textOf(wording)).toContain("Nothing is wrong");
    expect(textOf(wording)).toContain("Destination: ops");
    expect(wording.signature).toContain("for Home");
    expect(wording.tone).toBe("neutral");
  });

  test("of a drill name the job and how often one comes", () => {
    const wording = wordingOf(DRILL, ALERT_AT);
    expect(wording.subject).toBe("Drill, nothing is wrong: Nightly backup");
    expect(textOf(wording)).toContain("every 30 days");
    expect(textOf(wording)).toContain("Destinations: ops, email");
    expect(textOf(wording)).toContain("Sent by: https://cron.example.org");
    expect(wording.tone).toBe("neutral");
  });

  test("are none of an alarm's", () => {
    for (const message of [TEST, DRILL])
      expect(textOf(wordingOf(message, ALERT_AT))).not.toMatch(/fail|miss|incident|critical/i);
  });

  test("R36: say that they are late", () => {
    expect(wordingOf(DRILL, ALERT_AT + HOUR).subject).toEndWith(", sent 1 hour late");
    expect(wordingOf(TEST, ALERT_AT + HOUR).story[1]).toStartWith("This message is 1 hour late.");
  });
});

describe("a drill that failed is a notice", () => {
  const monitor = { applicationId: "prod", monitorKey: "backup", name: "Backup", timezone: "UTC" };
  const lost = { destination: "ops", recipient: null, delivered: false, answer: "HTTP 404 Not Found" };
  const arrived = { destination: "email", recipient: "ada@example.org", delivered: true, answer: "250 ok" };
  const drilledAt = toIso(ALERT_AT);

  test("that names where it was lost, what was said there, and how to check it", () => {
    const message = noticeOf({ kind: "drill", monitor, drilledAt, addresses: [lost, arrived] });
    const wording = wordingOf(message, message.at);
    expect(wording.subject).toBe("Drill failed: alerts of Backup (prod) do not arrive everywhere");
    expect(wording.items).toEqual([{ name: "ops", details: ["HTTP 404 Not Found"], quote: null }]);
    expect(wording.commands.map(({ value }) => value)).toContain("rollcall notify test ops");
    expect(wording.facts).toEqual([{ label: "Arrived at", value: "ada@example.org (email)" }]);
  });

  test("that says so when there was nowhere to go", () => {
    const message = noticeOf({ kind: "drill", monitor, drilledAt, addresses: [] });
    const wording = wordingOf(message, message.at);
    expect(wording.subject).toBe("Drill failed: alerts of Backup (prod) go nowhere");
    expect(wording.story.join(" ")).toContain("nobody would hear of a failure");
  });
});
