// When a drill is due, and what it came to.

import { describe, expect, test } from "bun:test";
import { drillDueAt, drillVerdict, isDrillDue, lastToEach } from "../../src/domain/telling/drill-rules.ts";
import { DAY, HOUR, SECOND } from "../../src/domain/time.ts";

const EVERY = (30 * DAY) / SECOND;
const CREATED = Date.UTC(2026, 2, 1);

describe("a drill is due", () => {
  test("so long after the monitor was made, then so long after the one before", () => {
    expect(drillDueAt(EVERY, CREATED, null)).toBe(CREATED + 30 * DAY);
    expect(isDrillDue(EVERY, CREATED, null, CREATED + 30 * DAY - 1)).toBe(false);
    expect(isDrillDue(EVERY, CREATED, null, CREATED + 30 * DAY)).toBe(true);
    const lastAt = CREATED + 31 * DAY;
    expect(drillDueAt(EVERY, CREATED, lastAt)).toBe(lastAt + 30 * DAY);
    expect(isDrillDue(EVERY, CREATED, lastAt, lastAt + 29 * DAY)).toBe(false);
    expect(isDrillDue(EVERY, CREATED, lastAt, lastAt + 30 * DAY)).toBe(true);
  });

  test("once, however many were missed while nobody looked", () => {
    const now = CREATED + 300 * DAY;
    expect(isDrillDue(EVERY, CREATED, null, now)).toBe(true);
    expect(isDrillDue(EVERY, CREATED, now, now)).toBe(false);
  });

  test("when the last was written by a clock that was years ahead", () => {
    expect(isDrillDue(EVERY, CREATED, CREATED + 3_650 * DAY, CREATED + DAY)).toBe(true);
    expect(isDrillDue(EVERY, CREATED, CREATED + DAY + HOUR, CREATED + DAY)).toBe(false);
  });
});

describe("a drill has come to", () => {
  const to = (destination: string, outcome: "sent" | "given_up" | null, recipient: string | null = null) => ({
    destination,
    recipient,
    outcome,
  });

  test("nothing yet while one is on its way; a failure where one was given up", () => {
    expect(drillVerdict([to("hook", "sent"), to("ops", null)])).toBeNull();
    expect(drillVerdict([to("hook", "given_up"), to("ops", null)])).toBeNull();
    expect(drillVerdict([to("hook", "sent"), to("ops", "sent")])).toBe("delivered");
    expect(drillVerdict([to("hook", "sent"), to("ops", "given_up")])).toBe("failed");
  });

  test("a failure when there was nowhere to go", () => {
    expect(drillVerdict([])).toBe("failed");
  });

  test("what the last to each address came to: one that was sent again counts", () => {
    const mail = (outcome: "sent" | "given_up", name: string) => to("email", outcome, `${name}@example.org`);
    const all = [mail("given_up", "ada"), mail("sent", "bob"), mail("sent", "ada")];
    expect(lastToEach(all)).toEqual([mail("sent", "ada"), mail("sent", "bob")]);
    expect(drillVerdict(all)).toBe("delivered");
    expect(drillVerdict([...all, mail("given_up", "bob")])).toBe("failed");
  });
});
