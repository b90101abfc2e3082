// What messages say of a monitor that must report at least every so often (R44).

import { expect, test } from "bun:test";
import type { AlertData } from "../../src/domain/message/alert.ts";
import { intervalInWords } from "../../src/domain/wording/spoken-time.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { ALERT_AT, alertOf } from "../support/alerts.ts";

const AT_INTERVALS = { schedule: null, everySeconds: 90_000 } as const;

const worded = (changes: Partial<AlertData>) => wordingOf(alertOf({ ...AT_INTERVALS, ...changes }), ALERT_AT);

test("R44: an interval is said in the one unit that it fills", () => {
  const said = [10, 60, 90, 3_600, 86_400, 90_000, 604_800].map(intervalInWords);
  expect(said).toEqual([
    "every 10 seconds",
    "every minute",
    "every 90 seconds",
    "every hour",
    "every day",
    "every 25 hours",
    "every 7 days",
  ]);
});

test("R44: a miss says how often it must report, and by when its report was due", () => {
  const { story, facts } = worded({ graceSeconds: 3_600 });
  expect(story[1]).toMatch(
    /^A report was due at least every 25 hours, so by .*, and could be up to 1 hour late; nothing came\.$/,
  );
  expect(facts).toContainEqual({ label: "Schedule", value: "at least every 25 hours" });
});

test("R44: what was missed are due reports and no scheduled runs", () => {
  const over = { kind: "Recovered", reason: "success", recoveredAt: new Date(ALERT_AT).toISOString() } as const;
  expect(worded({ ...over, missedSlots: 3 }).story.join(" ")).toContain("3 due reports were missed.");
  expect(worded({ ...over, missedSlots: 1 }).story.join(" ")).toContain("1 due report was missed;");
  const before = wordingOf(alertOf({ ...over, missedSlots: 3 }), ALERT_AT);
  expect(before.story.join(" ")).toContain("3 scheduled runs were missed.");
});
