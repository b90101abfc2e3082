// One-time links over real HTTP: the first person, a new person, a forgotten password.

import { describe, expect, test } from "bun:test";
import { DAY, HOUR, SECOND } from "../../src/domain/time.ts";
import { NOON } from "../support/engine.ts";
import { PASSWORD, startPeople } from "../support/people-server.ts";
import { granted } from "../support/service.ts";

const FIELDS = { password: PASSWORD, again: PASSWORD };

describe("the first link", () => {
  test("makes the first administrator, who chooses a name and is signed in; then it is used up", async () => {
    await using server = startPeople();
    const { path } = server.service.engine.people.firstLink()!;
    const browser = server.browser();
    expect((await browser.get(path)).text).toContain("You are the first");
    expect((await browser.post(path, { ...FIELDS, name: "<b>" })).status).toBe(400);
    expect((await browser.post(path, { ...FIELDS, name: "Ada", again: "x" })).text).toContain('value="Ada"');
    const made = await browser.post(path, { ...FIELDS, name: "Ada" });
    expect([made.status, made.to]).toEqual([303, "/"]);
    const account = await browser.get("/account");
    expect(account.text).toContain("the role admin, for all applications");
    expect((await browser.get(path)).status).toBe(404);
    expect((await browser.post(path, { ...FIELDS, name: "Eve" })).status).toBe(404);
    expect(granted(server.service.engine.operate("user list", {})).people).toMatchObject([{ name: "Ada" }]);
  });

  test("is made once, and not at all once there are people", async () => {
    await using server = startPeople();
    const { people } = server.service.engine;
    expect(people.firstLink()).not.toBeNull();
    expect(people.firstLink()).toBeNull();
    await using other = startPeople();
    other.person("Ada");
    expect(other.service.engine.people.firstLink()).toBeNull();
  });

  test("does nothing any more once somebody was made by command, or after a day", async () => {
    await using server = startPeople();
    const { path } = server.service.engine.people.firstLink()!;
    server.person("Ada", { role: "admin" });
    expect((await server.browser().post(path, { ...FIELDS, name: "Eve" })).status).toBe(404);
    await using late = startPeople();
    const link = late.service.engine.people.firstLink()!;
    late.service.at(NOON + DAY - 1);
    expect((await late.browser().get(link.path)).status).toBe(200);
    late.service.at(NOON + DAY);
    expect((await late.browser().post(link.path, { ...FIELDS, name: "Eve" })).status).toBe(404);
    expect(late.service.count("people")).toBe(0);
  });

  test("R26: works for its day after the network has told a machine the time that began long ago", async () => {
    for (const how of ["running", "restart"]) {
      await using server = startPeople();
      const { service } = server;
      const { path } = service.engine.people.firstLink()!;
      service.look(NOON + HOUR);
      if (how === "restart") service.kill();
      service.stepClock(20_000 * DAY);
      if (how === "restart") service.start();
      service.look(service.now);
      expect(service.store.people.linkOf(null)!.expiresAt).toBe(service.now + 23 * HOUR);
      // The pages here are those of the first process.
      if (how === "restart") continue;
      service.at(service.now + 23 * HOUR - SECOND);
      expect((await server.browser().get(path)).status).toBe(200);
      service.at(service.now + SECOND);
      expect((await server.browser().post(path, { ...FIELDS, name: "Ada" })).status).toBe(404);
    }
  });

  test("R26: lasts no longer than a day once a clock that was ahead is right", async () => {
    await using server = startPeople();
    const { service } = server;
    const { path } = service.engine.people.firstLink()!;
    service.stepClock(800 * DAY);
    service.look(service.now);
    service.stepClock(-800 * DAY);
    service.look(service.now);
    service.at(NOON + DAY - SECOND);
    expect((await server.browser().get(path)).status).toBe(200);
    service.at(NOON + DAY);
    expect((await server.browser().get(path)).status).toBe(404);
  });
});

test("a person's link sets their password once; looking at it does not use it up", async () => {
  await using server = startPeople();
  const { link } = granted(server.service.engine.operate("user create", { name: "Ada", role: "operator" }));
  const { path } = link!;
  const browser = server.browser();
  for (let i = 0; i < 2; i++) expect((await browser.get(path)).text).toContain("Welcome, Ada.");
  // The name is the link's, whatever the form says.
  expect((await browser.post(path, { ...FIELDS, name: "Eve" })).to).toBe("/");
  expect((await browser.get("/account")).text).toContain("Ada.");
  expect((await server.browser().post("/sign-in", { name: "ada", password: PASSWORD })).status).toBe(303);
  const used = await server.browser().post(path, FIELDS);
  expect(used.status).toBe(404);
  expect(used.text).toContain("The link has been used");
  const { entries } = granted(server.service.engine.operate("audit", {}));
  expect(entries.map(({ name, action }) => [name, action])).toContainEqual(["Ada", "use link"]);
  expect(JSON.stringify([entries, server.service.logged])).not.toContain(path.split("/").at(-1)!);
});

test("a new link for a forgotten password signs the person out and makes the old password worthless", async () => {
  await using server = startPeople();
  server.person("Ada");
  const browser = server.browser();
  await browser.post("/sign-in", { name: "Ada", password: PASSWORD });
  const { link } = granted(server.service.engine.operate("user passwd", { name: "Ada" }));
  expect((await browser.get("/account")).status).toBe(303);
  expect((await browser.post("/sign-in", { name: "Ada", password: PASSWORD })).status).toBe(403);
  expect((await browser.post(link!.path, FIELDS)).status).toBe(303);
});

test.each(["x", "a".repeat(43), "%00", `${"a".repeat(42)}'`])(
  "a token that is none, %s, says only that it does nothing",
  async (token) => {
    await using server = startPeople();
    expect((await server.browser().get(`/sign-in/link/${token}`)).status).toBe(404);
  },
);
