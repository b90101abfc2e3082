// `rollcall notify …` as a person at a terminal sees it: the real engine behind a real socket, and real receivers that
// the real notifier delivers to.

import { describe, expect, test } from "bun:test";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import type { Channel } from "../../src/notify/channel.ts";
import { createEmailChannel } from "../../src/notify/email.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { cells, openRunning, type Running } from "../support/commands.ts";
import { MESSAGES, TEAM_MAIL } from "../support/destinations.ts";
import { NOON, ping, policyWith } from "../support/engine.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { until } from "../support/manual-time.ts";
import { startSmtpServer } from "../support/smtp-server.ts";
import { deliver } from "./delivering.ts";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;

const hookTo = (url: string): Channel => CHANNELS.webhook({ url, secret: SECRET });

const mailThrough = (port: number): Channel =>
  createEmailChannel({
    type: "email",
    smtp: {
      host: "127.0.0.1",
      port,
      security: "none",
      login: null,
      from: { name: "rollcall", address: "cron@example.org" },
    },
  });

const MEMBERS = ["ada", "bob"].map((name) => ({ name, email: `${name}@example.org`, events: [] }));

const POLICY = policyWith({
  team: { name: null, destinations: ["hook"], members: MEMBERS },
  destinations: new Map([
    ["hook", MESSAGES],
    ["email", TEAM_MAIL],
  ]),
});

/** Runs a test and delivers what it has written. */
async function testing(place: Running, destination: string, channel: Channel): ReturnType<Running["run"]> {
  const before = place.service.count("deliveries");
  const ran = place.run("notify", "test", destination);
  await until(() => place.service.count("deliveries") > before);
  await deliver(place.service, { [destination]: channel });
  return ran;
}

describe("notify test", () => {
  test("prints what the receiver answers", async () => {
    await using sink = startHttpSink(() => new Response(null, { status: 204 }));
    await using place = openRunning(POLICY);
    expect(await testing(place, "hook", hookTo(sink.url))).toEqual({
      exitCode: 0,
      out: "delivered to hook: HTTP 204 No Content",
      err: "",
    });
    expect(JSON.parse(sink.requests[0]!.body)).toMatchObject({
      type: "destination.test",
      timestamp: "2026-03-02T12:00:00.000Z",
      data: { monitorKey: null, test: { kind: "test", from: "https://cron.example.org", destinations: ["hook"] } },
    });
  });

  test("of mail goes to each member, and one refusal is exit code 1", async () => {
    await using server = await startSmtpServer({
      recipient: (address) => (address.startsWith("bob") ? { code: 550, text: "5.1.1 no such mailbox" } : null),
    });
    await using place = openRunning(POLICY);
    expect(await testing(place, "email", mailThrough(server.port))).toEqual({
      exitCode: 1,
      out: "delivered to ada@example.org (email): 250 2.0.0 kept",
      err: [
        "not delivered to bob@example.org (email): 550 5.1.1 no such mailbox",
        "the mail server refused it: check its log, the sender under [smtp] and the recipient",
      ].join("\n"),
    });
    expect(server.mails.map(({ to }) => to)).toEqual([["ada@example.org"]]);
    expect(server.mails[0]!.raw).toContain("Subject: Test message from rollcall at https://cron.example.org");
  });

  test.each([
    [401, "check its secret, key or token"],
    [404, "check it (`rollcall destination list` says where it is set)"],
    [422, "check that the type of the destination is right"],
    [503, "try again"],
  ])("that is answered %d is tried no more, exit code 1, and says what to do", async (status, advice) => {
    await using sink = startHttpSink(() => new Response(null, { status }));
    await using place = openRunning(POLICY);
    const { exitCode, out, err } = await testing(place, "hook", hookTo(sink.url));
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(err).toStartWith(`not delivered to hook: HTTP ${status} `);
    expect(err).toContain(advice);
    expect(place.service.engine.operate("notify show", { id: 1 })).toMatchObject({ state: "given_up", attempts: 1 });
  });

  test("of a destination that is not configured is refused, and names those that are", async () => {
    await using place = openRunning(POLICY);
    const { exitCode, out, err } = await place.run("notify", "test", "hok");
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(err).toContain('"hok" is not configured; these are: hook, email');
  });
});

/** A service whose alerts of `job` were refused, then delivered, and whose last one waits. */
async function withHistory(): Promise<Running> {
  const place = openRunning(POLICY);
  const { service } = place;
  const answers = [404, 204, 503];
  await using sink = startHttpSink(() => new Response(null, { status: answers.shift()! }));
  const report = (...changes: Parameters<typeof ping>) => service.send(ping(...changes));
  await report({ schedule: "0 0 29 2 *" });
  await testing(place, "hook", hookTo(sink.url));
  await report({ kind: "fail" });
  await deliver(service, { hook: hookTo(sink.url) });
  service.at(NOON + MINUTE);
  await report();
  await deliver(service, { hook: hookTo(sink.url) });
  await report({ kind: "fail" });
  return place;
}

describe("notify list", () => {
  test("R37: has the newest first, with what it was about in words, how it stands and what was answered", async () => {
    await using place = await withHistory();
    place.service.failing.set("hook", "HTTP 503 Service Unavailable");
    const { exitCode, out, err } = await place.run("notify", "list");
    expect({ exitCode, err }).toEqual({
      exitCode: 0,
      err: "hook has taken no messages since 2026-03-02 12:00:00 UTC (60 s ago): HTTP 503 Service Unavailable",
    });
    const retried = "waits, next try in 5 s";
    expect(cells(out)).toEqual([
      ["ID", "CREATED (UTC)", "TO", "WHAT", "STATE", "ATTEMPTS", "ANSWER"],
      ["4", "2026-03-02 12:01 (now)", "hook", "Trouble began: job", "waits for an earlier one", "0", "-"],
      ["3", "2026-03-02 12:01 (now)", "hook", "Trouble ended: job", retried, "1", "HTTP 503 Service Unavailable"],
      [
        "2",
        "2026-03-02 12:00 (60 s ago)",
        "hook",
        "Trouble began: job",
        "arrived 60 s ago",
        "1",
        "HTTP 204 No Content",
      ],
      ["1", "2026-03-02 12:00 (60 s ago)", "hook", "Test", "given up 60 s ago", "1", "HTTP 404 Not Found"],
    ]);
  });

  test("R39: says of one that went out in a digest in which", async () => {
    await using place = await withHistory();
    place.service.store.database.run("UPDATE deliveries SET digest_id = 2 WHERE id = 2");
    expect((await place.run("notify", "list", "--sent")).out).toContain("arrived 60 s ago, in digest 2 ");
  });

  test("shows the states asked for, bounded, and says when there are more", async () => {
    await using place = await withHistory();
    const ids = async (...options: string[]) =>
      JSON.parse((await place.run("notify", "list", "--json", ...options)).out).map(({ id }: { id: number }) => id);
    expect(await ids()).toEqual([4, 3, 2, 1]);
    expect(await ids("--waiting")).toEqual([4, 3]);
    expect(await ids("--given-up")).toEqual([1]);
    expect(await ids("--sent", "--given-up")).toEqual([2, 1]);
    const { out, err } = await place.run("notify", "list", "--waiting", "--limit", "1");
    expect(out.split("\n")).toHaveLength(2);
    expect(err).toBe("there are older ones that wait; --limit shows more");
    expect(await place.run("notify", "list", "--limit", "0")).toMatchObject({ exitCode: 2, out: "" });
  });

  test("an empty one is said on stderr, and is an empty list to a machine", async () => {
    await using place = openRunning(POLICY);
    expect(await place.run("notify", "list")).toEqual({
      exitCode: 0,
      out: "",
      err: "nothing has been sent yet, and nothing waits",
    });
    expect(await place.run("notify", "list", "--json")).toEqual({ exitCode: 0, out: "[]", err: "" });
  });
});

describe("notify resend", () => {
  test("sends a copy of what was given up, and tries now what still waits", async () => {
    await using place = await withHistory();
    expect(await place.run("notify", "resend", "1")).toEqual({
      exitCode: 0,
      out: "delivery 1 goes out again, as 5, to hook",
      err: "",
    });
    expect((await place.run("notify", "resend", "3")).out).toBe(
      "delivery 3 was still waiting: it is tried now, at hook",
    );
    await using sink = startHttpSink(() => new Response(null, { status: 204 }));
    await deliver(place.service, { hook: hookTo(sink.url) });
    expect(sink.requests.map(({ body }) => JSON.parse(body).type).sort()).toEqual([
      "destination.test",
      "monitor.initial_failure",
      "monitor.recovered",
    ]);
    const { out } = await place.run("notify", "list", "--waiting");
    expect(out).toBe("");
  });

  test("what waits for an earlier one has that one tried", async () => {
    await using place = openRunning(POLICY);
    await place.service.send(ping({ schedule: "0 0 29 2 *" }), ping({ kind: "fail" }), ping());
    expect((await place.run("notify", "resend", "2")).out).toBe(
      "delivery 2 waits for delivery 1, which is tried now, at hook",
    );
  });

  test("one that does not exist is exit code 1, no number is wrong usage", async () => {
    await using place = openRunning(POLICY);
    expect(await place.run("notify", "resend", "7")).toEqual({
      exitCode: 1,
      out: "",
      err: "id: there is no delivery 7; `rollcall notify list` shows them",
    });
    expect(await place.run("notify", "resend", "x")).toMatchObject({ exitCode: 2 });
  });
});

test("monitor show tells how often its alerts are drilled, and how the last drill ended where", async () => {
  const monitors = {
    job: { schedule: "0 0 29 2 *", drillEverySeconds: HOUR / 1_000, destinations: ["hook", "email"] },
  };
  const members = [{ name: "Ada", email: "ada@example.org", events: ["InitialFailure"] as const }];
  const { destinations } = POLICY;
  const team = { name: null, destinations: [], members };
  await using place = openRunning(policyWith({ team, destinations, monitors }));
  const before = await place.run("monitor", "show", "job");
  expect(before.out).toContain("every 1 h, the next at 2026-03-02 13:00:00 (in 60 min)");
  expect(before.out).not.toContain("last drill");
  place.service.look(NOON + HOUR);
  await using sink = startHttpSink(() => new Response(null, { status: 204 }));
  await using server = await startSmtpServer();
  await deliver(place.service, { hook: hookTo(sink.url), email: mailThrough(server.port) });
  const { out } = await place.run("monitor", "show", "job");
  expect(out).toContain("every 1 h, the next at 2026-03-02 14:00:00 (in 60 min)");
  expect(out).toContain("2026-03-02 13:00:00 (now), delivered");
  expect(out).toContain("hook: arrived 2026-03-02 13:00:00 (now)");
  expect(out).toContain("ada@example.org (email): arrived 2026-03-02 13:00:00 (now)");
  const { drill } = JSON.parse((await place.run("monitor", "show", "job", "--json")).out);
  expect(drill).toMatchObject({ everySeconds: 3_600, last: { outcome: "delivered", deliveries: [{}, {}] } });
});
