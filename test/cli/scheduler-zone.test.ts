// The zone that `rollcall run --schedule` declares: cron's, and not that of the command.

import { expect, test } from "bun:test";
import { readlinkSync } from "node:fs";
import { schedulerZone } from "../../src/cli/machine-zone.ts";
import { orElse } from "../../src/domain/unless-missing.ts";

const within = (environment: Readonly<Record<string, string>>): string | null => {
  const before = { TZ: process.env["TZ"], CRON_TZ: process.env["CRON_TZ"] };
  Object.assign(process.env, environment);
  try {
    return schedulerZone().timezone;
  } finally {
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
};

const machine = orElse(null, () => readlinkSync("/etc/localtime"));

test.if(machine !== null)("TZ above a line changes the command, and not cron's clock", () => {
  expect(within({ TZ: "Asia/Tokyo" })).toBe(within({}));
});

test("CRON_TZ is the zone of the schedule", () => {
  expect(within({ CRON_TZ: "Asia/Tokyo", TZ: "America/New_York" })).toBe("Asia/Tokyo");
});
