// R1: a refusal has the name of the field that is wrong, so that a form can say it beside that field, and no reader
// takes a message apart.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { isRefusal, type Refusal } from "../../src/domain/errors.ts";
import { DECLARED_FIELDS } from "../../src/domain/settings/settings.ts";
import { OPERATIONS, type OperationName } from "../../src/engine/operations/operations.ts";
import { NOON, openService, policyWith, type Service } from "../support/engine.ts";
import { ASKED, furnish } from "../support/furnished.ts";
import { keepersBeside } from "../support/keepers.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { granted } from "../support/service.ts";

/** What people type, and what programs send that were made for something else. */
const ODD = [
  ...["", " ", "*", "a,,b", "-", ".", "x".repeat(300), "tab\there", "half \ud800", "keeps", "prod", "spare", "nobody"],
  ...[
    "0 2 * * *",
    "99 * * * *",
    "@yearly",
    "every day",
    "Europe/Berlin",
    "Mars/Base",
    "2026-03-01 02:00",
    "2025-02-31",
  ],
  ...["90s", "1y", "+db", "-db", "DB!", "fail: broken", "ada@example.org", "/ping/1", "argon2id"],
  ...[0, 1, 59, 3_600, -1, 1.5, 99_999_999_999, true, false, null],
  ...[[], ["job"], ["*"], Array.from({ length: 300 }, () => "*"), [1], {}, { a: 1 }, ["url=x", "url=y"]],
];

/** The field with which a message begins, as operations name fields; null: it begins with none of these. */
function fieldAtStart({ message }: Refusal, known: readonly string[]): string | null {
  const begins = /^(\w+)(?: \(--[\w-]+\))?(?:, \w+(?: \(--[\w-]+\))?)*: /.exec(message);
  return begins !== null && known.includes(begins[1]!) ? begins[1]! : null;
}

/** What the operation was refused for; null: nothing. */
function refusedField(service: Service, name: OperationName, asked: object): string | null {
  const known = [...Object.keys(OPERATIONS[name].input.properties), "odd"];
  const answer = service.engine.operate(name, asked as never);
  if (!isRefusal(answer)) return null;
  const { field = null, problem = null, message } = answer;
  expect({ message, field }).toEqual({ message, field: fieldAtStart(answer, known) ?? field });
  if (field === null) return null;
  // A form has no options, so what is wrong is said without them there.
  if (problem?.includes("--") || !message.includes("--")) expect(message).toEndWith(`: ${problem}`);
  return field;
}

test("each refusal of an operation has the field that its message names, and what is wrong with it", async () => {
  const seen = new Set<string>();
  using service = openService();
  await furnish(service);
  const asked = fc.constantFrom(...(Object.keys(OPERATIONS) as OperationName[])).chain((name) => {
    const fields = fc.constantFrom("odd", ...Object.keys(OPERATIONS[name].input.properties));
    return fc.tuple(fc.constant(name), fc.array(fc.tuple(fields, fc.constantFrom(...ODD)), { maxLength: 3 }));
  });
  fc.assert(
    fc.property(asked, ([name, changes]) => {
      const field = refusedField(service, name, { ...ASKED[name], ...Object.fromEntries(changes) });
      if (field !== null) seen.add(`${name}.${field}`);
    }),
    propertyRuns(3_000),
  );
  expect(seen.size).toBeGreaterThan(100);
});

test.each([
  ["monitor create", ["key", "application", ...DECLARED_FIELDS]],
  [
    "maintenance plan",
    ["application", "from", "until", "durationSeconds", "monitors", "reason", "schedule", "timezone"],
  ],
  ["user create", ["name", "role", "passwordHash"]],
  ["status-page add", ["slug", "jobs"]],
] as const)("each field of %p is named where it alone is odd", async (name, fields) => {
  using service = openService();
  await furnish(service);
  for (const field of fields) {
    const found = ODD.map((odd) => refusedField(service, name, { ...ASKED[name], [field]: odd }));
    expect(found).toContain(field);
  }
});

const WRITTEN = '[destinations.ops]\ntype = "slack"\nurl = "https://hooks.slack.com/services/T/B/x"\n';

const KEPT = { name: "phone", settings: ["url=https://ntfy.sh", "topic=rollcall-3f9c2a7b"], untested: true };

const ROTA = { name: "oncall", type: "rota" };

const RENAMED = { name: "phone", newName: "mobile" };

test.each([
  ["destination add", { ...KEPT, type: "ntfy", name: "No Name" }, "name", "is not a name"],
  ["destination add", { ...KEPT, type: "ntfy", name: "email" }, "name", "is the mail to the team's members"],
  ["destination add", { ...KEPT, type: "ntfy", name: "ops" }, "name", "stands in the configuration"],
  ["destination add", { ...KEPT, type: "pigeon" }, "type", "must be"],
  ["destination add", { ...KEPT, type: "ntfy", settings: ["topic=a"] }, "url", "is missing"],
  ["destination add", { ...KEPT, type: "ntfy", settings: [...KEPT.settings, "severity=bad"] }, "severity", "must be"],
  ["destination add", { ...ROTA, settings: ["turns=phone,nobody", "since=2026-03-02T09:00"] }, "turns", "nobody"],
  ["destination add", { ...ROTA, settings: ["turns=phone", "since=Monday"] }, "since", "is no time"],
  ["destination set", { ...KEPT, settings: ["topic=a b"] }, "topic", "is not a topic"],
  ["destination set", { ...KEPT, settings: ["topic="] }, "topic", "is missing"],
  ["destination set", { ...KEPT, name: "nobody" }, "name", "there is no destination"],
  ["destination set", { ...KEPT, name: "ops" }, "name", "stands in the configuration"],
  ["destination rename", { ...RENAMED, newName: "No Name" }, "newName", "is not a name"],
  ["destination rename", { ...RENAMED, newName: "phone" }, "newName", "there is a destination"],
  ["destination rename", { ...RENAMED, name: "nobody" }, "name", "there is no destination"],
  ["destination remove", { name: "nobody" }, "name", "there is no destination"],
] as const)("what %p refuses of a destination has its field or its key: %j", (name, asked, field, problem) => {
  using service = openService(policyWith(), NOON, undefined, keepersBeside(WRITTEN));
  granted(service.engine.operate("destination add", { ...KEPT, type: "ntfy" } as never));
  const refused = service.engine.operate(name, asked as never) as Refusal;
  expect(refused.field).toBe(field);
  expect(refused.problem).toContain(problem);
  expect(refused.message).toEndWith(`: ${refused.problem}`);
});

test("what another url would lead elsewhere is refused by its key, where it is given from afar", () => {
  using service = openService(policyWith(), NOON, undefined, keepersBeside(WRITTEN));
  granted(service.engine.operate("destination add", { ...KEPT, type: "ntfy" } as never));
  const person = { id: 1, name: "Ada", role: "admin", applications: null } as const;
  const afar = service.engine.as({ kind: "person", person, address: "192.0.2.1" });
  const answer = afar.operate("destination set", { ...KEPT, settings: ["url=https://elsewhere.example"] } as never);
  expect(answer).toMatchObject({ field: "topic", problem: expect.stringContaining("is missing, must be given again") });
});
