// Answers to alerts by a link: whose they are, what they do and how often, and what is refused with a sentence.

import { describe, expect, test } from "bun:test";
import type { AlertMessage } from "../../src/domain/message/alert.ts";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import { REPLIES_TAKEN_FOR } from "../../src/domain/people/reply.ts";
import { secondsUntilTomorrowMorning } from "../../src/domain/schedule/midnights.ts";
import type { Policy } from "../../src/domain/settings/policy.ts";
import { HOUR, toIso } from "../../src/domain/time.ts";
import { replyPath } from "../../src/web/paths.ts";
import { mailTo, TEAM_MAIL } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";

const DESTINATIONS: Policy["destinations"] = new Map([
  ["hook", { takes: "messages", answers: "ada" }],
  ["other", { takes: "messages", answers: "Ada" }],
  ["cat", { takes: "messages", answers: "Cat" }],
  ["none", { takes: "messages" }],
  ["email", TEAM_MAIL],
  ["office", { ...mailTo("office@example.org"), answers: "Ada" }],
]);

const POLICY = policyWith({
  destinations: DESTINATIONS,
  team: {
    name: null,
    destinations: ["hook"],
    members: [
      { name: "A", email: "ada@example.org", events: [], answers: "Ada" },
      { name: "B", email: "ben@example.org", events: [] },
    ],
  },
});

async function openFailing(): Promise<Service> {
  const service = openService(POLICY);
  granted(service.engine.operate("user create", { name: "Ada", role: "operator" }));
  granted(service.engine.operate("user create", { name: "Cat", role: "viewer" }));
  await service.send(ping({ kind: "fail", schedule: "0 * * * *", timezone: "Europe/Berlin" }));
  return service;
}

function messageOf(service: Service, place = 0): AlertMessage {
  const row = service.store.recent.alerts([1]).at(place)!;
  return { ...row, data: alertDataFrom(row.data)! } as unknown as AlertMessage;
}

const tokenFor = (service: Service, destination = "hook", recipient: string | null = null) =>
  service.engine.replies.tokenFor({ message: messageOf(service), destination, recipient });

async function openAsked() {
  const service = await openFailing();
  const clock = { now: () => service.now, monotonic: () => service.now };
  const pages = startPages(service.engine, { viewer: null, clock });
  const path = replyPath("hook", tokenFor(service)!);
  const ask = async (to: string, init: RequestInit = {}) => {
    const answer = await fetch(pages.url + to, { redirect: "manual", ...init });
    const html = await answer.text();
    return { status: answer.status, headers: answer.headers, html, text: html.replaceAll(/<[^>]*>/g, "") };
  };
  return {
    service,
    path,
    url: pages.url,
    ask,
    answer: (act: string, to = path, headers: Record<string, string> = { "sec-fetch-site": "same-origin" }) =>
      ask(to, { method: "POST", headers, body: new URLSearchParams({ do: act }) }),
    incident: () => granted(service.engine.operate("incident show", { id: 1 })).incident,
    [Symbol.asyncDispose]: async () => {
      await pages.stop(0);
      service[Symbol.dispose]();
    },
  };
}

describe("R38: a message can be answered", () => {
  test("where its destination, or the member who gets the mail, names a person who may act", async () => {
    using service = await openFailing();
    expect(tokenFor(service)).toMatch(/^[0-9a-z-]+-[\w-]{22}$/);
    expect(tokenFor(service)).toBe(tokenFor(service));
    expect(tokenFor(service, "other")).not.toBe(tokenFor(service));
    expect(tokenFor(service, "email", "ada@example.org")).not.toBeNull();
    expect(tokenFor(service, "email", "ben@example.org")).toBeNull();
    expect(tokenFor(service, "office", "office@example.org")).not.toBeNull();
    expect(tokenFor(service, "none")).toBeNull();
    expect(tokenFor(service, "cat")).toBeNull();
    expect(tokenFor(service, "gone")).toBeNull();
    granted(service.engine.operate("incident resolve", { id: 1 }));
    expect(tokenFor(service)).toBeNull();
    expect(
      service.engine.replies.tokenFor({ message: messageOf(service, -1), destination: "hook", recipient: null }),
    ).toBe(null);
  });

  test("with a token that fits a button of Telegram, whatever the numbers", async () => {
    using service = await openFailing();
    service.store.database.run("PRAGMA foreign_keys = OFF");
    service.store.database.run("UPDATE incidents SET id = 99999999");
    service.store.database.run("UPDATE people SET id = 99999 WHERE name = 'Ada'");
    const { type, at, data } = messageOf(service);
    const message = { type, at, data: { ...data, incidentId: "99999999" } } as AlertMessage;
    const token = service.engine.replies.tokenFor({ message, destination: "hook", recipient: null })!;
    expect(`t:${token}`.length).toBeLessThanOrEqual(64);
  });
});

describe("the page behind the link", () => {
  test("shows the incident and its buttons, and neither GET nor HEAD does anything", async () => {
    await using asked = await openAsked();
    const before = asked.service.count("audit");
    for (const method of ["GET", "HEAD", "GET"]) {
      const { status, headers } = await asked.ask(asked.path, { method, headers: { "sec-purpose": "prefetch" } });
      expect(status).toBe(200);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-robots-tag")).toBe("noindex, nofollow");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("set-cookie")).toBeNull();
    }
    const { text } = await asked.ask(asked.path);
    for (const said of ["Job failed", "Acknowledge", "Pause for 1 hour", "Pause until tomorrow 08:00", "Resolve"])
      expect(text).toContain(said);
    expect(text).toContain("You answer as Ada, by a message to hook.");
    expect(asked.service.count("audit")).toBe(before);
    expect(asked.incident().acknowledgedAt).toBeNull();
  });

  test("R23: acknowledges as the person, which the audit and every pager tell, and once only", async () => {
    await using asked = await openAsked();
    const done = await asked.answer("ack");
    expect(done.status).toBe(200);
    expect(done.text).toContain("Ada: Acknowledge.");
    expect(done.text).toContain("acknowledged by Ada");
    expect(done.html).not.toContain('value="ack"');
    expect(done.html).toContain('value="hour"');
    expect(asked.incident().acknowledgedBy).toBe("Ada");
    const [entry] = granted(asked.service.engine.operate("audit", {})).entries;
    expect(entry).toMatchObject({
      name: "Ada",
      by: "person",
      action: "incident ack",
      monitorKey: "job",
      details: { id: 1, by: "a link in a message to hook" },
    });
    expect(JSON.stringify(entry)).not.toContain(asked.path.split("/").at(-1)!);
    const before = asked.service.count("audit");
    const again = await asked.answer("ack");
    expect([again.status, again.text]).toEqual([
      400,
      expect.stringContaining("Ada answered “Acknowledge” already, at "),
    ]);
    const other = await asked.answer("ack", replyPath("other", tokenFor(asked.service, "other")!));
    expect([other.status, other.text]).toEqual([400, expect.stringContaining("Ada acknowledged it already, at ")]);
    expect(asked.service.count("audit")).toBe(before);
  });

  test("acts at once where a phone posts to the address of an act: no page, no cookie, and once", async () => {
    await using asked = await openAsked();
    const before = asked.service.count("audit");
    for (const method of ["GET", "HEAD", "OPTIONS", "PUT"]) {
      const headers = { "sec-purpose": "prefetch" };
      expect((await asked.ask(`${asked.path}/ack`, { method, headers })).status).toBeOneOf([404, 405]);
    }
    expect(asked.service.count("audit")).toBe(before);
    const post = async (path: string, headers: Record<string, string> = {}) => {
      const { status, text, headers: had } = await asked.ask(path, { method: "POST", headers });
      expect([had.get("content-type"), had.get("cache-control")]).toEqual(["text/plain; charset=utf-8", "no-store"]);
      return [status, text];
    };
    expect(await post(`${asked.path}/ack`)).toEqual([200, "Ada: Acknowledge.\n"]);
    expect(asked.incident().acknowledgedBy).toBe("Ada");
    const origin = "https://ntfy.example.org";
    expect(await post(`${asked.path}/hour`, { origin, "sec-fetch-site": "cross-site" })).toEqual([
      200,
      "Ada: Pause for 1 hour.\n",
    ]);
    expect(await post(`${asked.path}/hour`)).toEqual([
      409,
      expect.stringContaining("Ada answered “Pause for 1 hour” al"),
    ]);
    expect((await asked.ask(`${asked.path}/nothing`, { method: "POST" })).status).toBe(404);
    const forged = replyPath("other", tokenFor(asked.service)!);
    for (let tries = 0; tries < 20; tries++)
      expect(await post(`${forged}/resolve`)).toEqual([403, expect.stringContaining("This is no answer to a message")]);
    expect(await post(`${forged}/resolve`)).toEqual([429, expect.stringContaining("Too many tries")]);
    expect(asked.incident().closedAt).toBeNull();
  });

  test("pauses for an hour, or until eight in the morning of the job's zone, each once", async () => {
    await using asked = await openAsked();
    const until = () => asked.service.monitor().pauses.manual?.until;
    expect((await asked.answer("hour")).status).toBe(200);
    expect(until()).toBe(NOON + HOUR);
    granted(asked.service.engine.operate("monitor resume", { key: "job" }));
    expect((await asked.answer("hour")).status).toBe(400);
    expect(asked.service.monitor().pauses.manual).toBeNull();
    expect((await asked.answer("tomorrow")).text).toContain("Ada: Pause until tomorrow 08:00.");
    expect(until()).toBe(Date.UTC(2026, 2, 3, 7));
  });

  test("resolves, and then says that the incident is over", async () => {
    await using asked = await openAsked();
    const done = await asked.answer("resolve");
    expect([done.status, done.html.includes('<button type="submit" name="do"')]).toEqual([200, false]);
    expect(asked.incident().closedBy).toBe("resolved");
    for (const { status, text } of [await asked.ask(asked.path), await asked.answer("ack")])
      expect([status, text]).toEqual([400, expect.stringContaining(`Incident 1 is over since ${toIso(NOON)}.`)]);
  });

  test("takes no form of another site, and no act that it does not know", async () => {
    await using asked = await openAsked();
    const before = asked.service.count("audit");
    const forged = [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example.org" }, { origin: "null" }];
    for (const headers of forged) expect((await asked.answer("ack", asked.path, headers)).status).toBe(403);
    expect((await asked.answer("delete")).status).toBe(400);
    expect((await asked.answer("ack", asked.path, { origin: asked.url })).status).toBe(200);
    expect(asked.service.count("audit")).toBe(before + 1);
  });

  test("refuses what was forged, and the message to another destination", async () => {
    await using asked = await openAsked();
    const token = tokenFor(asked.service)!;
    const parts = token.split("-");
    const forged = [
      replyPath("other", token),
      replyPath("hook", `${token}x`),
      replyPath("hook", `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`),
      replyPath("hook", ["2", ...parts.slice(1)].join("-")),
      replyPath("hook", [...parts.slice(0, 2), "2", ...parts.slice(3)].join("-")),
      replyPath("hook", "%00"),
      replyPath("hook", "x".repeat(5_000)),
    ];
    for (const path of forged) {
      const { status, text } = await asked.ask(path);
      expect([path, status]).toEqual([path, 403]);
      expect(text).toContain("This is no answer to a message of this rollcall");
      expect((await asked.answer("ack", path)).status).toBe(403);
    }
    expect(asked.incident().acknowledgedAt).toBeNull();
  });

  test("slows those down who guess, and no one else", async () => {
    await using asked = await openAsked();
    const wrong = replyPath("hook", tokenFor(asked.service, "other")!);
    for (let tries = 0; tries < 20; tries++) expect((await asked.ask(wrong)).status).toBe(403);
    expect((await asked.ask(wrong)).status).toBe(429);
    expect((await asked.ask(asked.path)).status).toBe(200);
  });

  test("refuses when the message is old, the person is gone or may not, and answers are not taken from there", async () => {
    await using asked = await openAsked();
    const { service } = asked;
    const refusal = async () => {
      const [seen, done] = [await asked.ask(asked.path), await asked.answer("ack")];
      expect([seen.status, done.status]).toEqual([403, 403]);
      expect(done.text).toContain(/<p>([^<]+)<\/p>/.exec(seen.html)![1]!);
      return /<p>([^<]+)<\/p>/.exec(seen.html)![1]!;
    };
    granted(service.engine.operate("user change", { name: "Ada", role: "viewer" }));
    expect(await refusal()).toBe("This takes the role operator, and Ada has the role viewer.");
    granted(service.engine.operate("app create", { slug: "staging" }));
    granted(service.engine.operate("user change", { name: "Ada", role: "operator", applications: "staging" }));
    expect(await refusal()).toBe("Ada may do this in some applications only: staging.");
    granted(service.engine.operate("user change", { name: "Ada", allApplications: true }));
    service.reload(policyWith());
    expect(await refusal()).toBe("Answers from hook are not taken as Ada any more.");
    service.reload(POLICY);
    service.at(NOON + REPLIES_TAKEN_FOR - 1);
    expect((await asked.ask(asked.path)).status).toBe(200);
    service.at(NOON + REPLIES_TAKEN_FOR);
    expect(await refusal()).toBe("The message is more than 7 days old; answer to a newer one, or in the dashboard.");
    service.at(NOON);
    granted(service.engine.operate("user delete", { name: "Ada" }));
    expect(await refusal()).toBe("The person as whom it answers was deleted.");
  });

  test("is kept over a crash: what was answered stays answered, and other links go on", async () => {
    using service = await openFailing();
    const from = { destination: "hook", token: tokenFor(service)!, address: "192.0.2.1" };
    service.engine.replies.take(from, "hour");
    service.restart();
    expect(tokenFor(service)).toBe(from.token);
    expect(service.engine.replies.take(from, "hour")).toMatchObject({ refusal: "INVALID_REQUEST" });
    expect(service.engine.replies.take(from, "ack")).toMatchObject({ allowed: ["tomorrow", "resolve"] });
  });

  test("R26: after a restore a number that means another incident is not answered by an old message", async () => {
    using service = await openFailing();
    const from = { destination: "hook", token: tokenFor(service)!, address: "192.0.2.1" };
    service.store.database.run("UPDATE incidents SET opened_at = opened_at + 1");
    expect(service.engine.replies.look(from)).toMatchObject({
      message: "the incident is not known here any more",
    });
  });
});

test("tomorrow begins at midnight of the zone, also where clocks change that night", () => {
  const seconds = (at: string, zone: string) => secondsUntilTomorrowMorning(Date.parse(at), zone);
  expect(seconds("2026-03-02T12:00:00Z", "UTC")).toBe(20 * 3_600);
  expect(seconds("2026-03-02T23:30:00Z", "Europe/Berlin")).toBe(31.5 * 3_600);
  expect(seconds("2026-03-28T12:00:00Z", "Europe/Berlin")).toBe(18 * 3_600);
  expect(seconds("2026-10-24T12:00:00Z", "Europe/Berlin")).toBe(19 * 3_600);
});
