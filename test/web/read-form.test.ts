// A form is read by the fields of its operation: what was written becomes what the operation takes, or is refused by
// the field's name.

import { expect, test } from "bun:test";
import { optionalText, text } from "../../src/engine/operations/fields.ts";
import { type FormOf, readForm } from "../../src/web/read-form.ts";

const PLAN = {
  operation: "maintenance plan",
  fields: ["application", "monitors", "until", "durationSeconds", "reason"],
  hidden: ["timezone"],
} satisfies FormOf<"maintenance plan">;

const read = (text: string) => readForm(PLAN, new URLSearchParams(text));

test("lines are a list, durations are seconds, and what is empty is left out unless it must be given", () => {
  expect(read("monitors=a%0D%0A+b+%0A%0A&durationSeconds=2h&reason=+new+disk+&timezone=UTC&application=")).toEqual({
    ...{ monitors: ["a", "b"], durationSeconds: 7_200, reason: "new disk", timezone: "UTC" },
  });
  expect(read("")).toEqual({ reason: "" });
});

test("jobs are all, or those that are ticked and a line for each pattern, and at least one", () => {
  expect(read("monitors=*&monitors=a&reason=x")).toEqual({ monitors: [], reason: "x" });
  expect(read("monitors=&monitors=a&monitors=b-*%0D%0Aa&reason=x")).toEqual({ monitors: ["a", "b-*"], reason: "x" });
  expect(read("monitors=&monitors=+&reason=x")).toMatchObject({ field: "monitors", refusal: "INVALID_REQUEST" });
});

test("what a field cannot be is refused by its name, in the words of its rule", () => {
  const problem = "it must be a duration such as 90s, 15m, 2h or 7d, from 1m to 90d";
  const message = `durationSeconds: ${problem}`;
  const refused = { refusal: "INVALID_REQUEST", field: "durationSeconds", problem, message } as const;
  for (const typed of ["soon", "1s", "91d", "-2h"]) expect(read(`durationSeconds=${typed}`)).toEqual(refused);
  const count = readForm(
    { operation: "monitor set", fields: ["alertAfterMisses"] },
    new URLSearchParams("alertAfterMisses=x"),
  );
  expect(count).toMatchObject({ field: "alertAfterMisses", problem: "it must be a whole number from 1 to 1000" });
});

test("what a form does not ask for is not read, and a prefix keeps it apart from others", () => {
  const form = new URLSearchParams("schedule=0+2+*+*+*&until=2026-03-01T02:00&plan-until=2026-03-02T02:00");
  expect(readForm(PLAN, form)).toEqual({ reason: "", until: "2026-03-01T02:00" });
  expect(readForm({ ...PLAN, prefix: "plan-" }, form)).toEqual({ reason: "", until: "2026-03-02T02:00" });
});

test("a box that is ticked is true, and boxes of a list are what was chosen", () => {
  const page = { operation: "status-page add", fields: ["messages"] } satisfies FormOf<"status-page add">;
  expect([readForm(page, new URLSearchParams("messages=yes")), readForm(page, new URLSearchParams())]).toEqual([
    { messages: true },
    { messages: false },
  ]);
});

test("keys of a destination's type are the settings of its operation, but for what is left empty", () => {
  const keys = { url: text({ description: "" }), topic: optionalText({ description: "" }) };
  const add = { operation: "destination add", fields: ["name"], keys } satisfies FormOf<"destination add">;
  expect(readForm(add, new URLSearchParams("name=phone&url=+https://ntfy.sh&topic=&other=1"))).toEqual({
    name: "phone",
    settings: ["url=https://ntfy.sh"],
  });
});

test("of keys that stand there only what differs is asked for, and a secret is taken back by its tick alone", () => {
  const keys = {
    url: text({ description: "" }),
    topic: optionalText({ description: "" }),
    token: optionalText({ description: "" }),
  };
  const was = { url: "https://ntfy.sh", topic: "old" };
  const set = { operation: "destination set", fields: [], keys, was } satisfies FormOf<"destination set">;
  const settings = (form: string) => readForm(set, new URLSearchParams(form));
  expect(settings("url=https://ntfy.sh&topic=old&token=")).toEqual({ settings: [] });
  expect(settings("url=https://ntfy.sh&topic=&token=new")).toEqual({ settings: ["topic=", "token=new"] });
  expect(settings("url=https://ntfy.sh&topic=old&token=&without=token")).toEqual({ settings: ["token="] });
});
