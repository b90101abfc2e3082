// Notifications in people's browsers: the real engine keeps them, a push service on this machine takes them, and each
// is decrypted as the browser would.

import { expect, test } from "bun:test";
import fc from "fast-check";
import webPush from "web-push";
import { digestOf } from "../../src/domain/message/digest.ts";
import type { Message } from "../../src/domain/message/message.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { contactFor } from "../../src/notify/web-push.ts";
import { ALERT_AT, alertOf } from "../support/alerts.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { freePort } from "../support/free-port.ts";
import { CLOCK_NOTICE } from "../support/notices.ts";
import { senderOf, startPushService, subscriptionAt } from "../support/push-service.ts";
import { granted } from "../support/service.ts";
import { chatDelivery } from "./chats.ts";
import { hostileMessage } from "./hostile-text.ts";

const DAILY = "0 2 * * *";

/** A person with one browser at each of these addresses. */
function addPerson(service: Service, name: string, endpoints: readonly string[], applications?: string) {
  const { engine, store } = service;
  granted(engine.operate("user create", { name, ...(applications !== undefined && { applications }) }));
  engine.browsers.keys(() => JSON.stringify(webPush.generateVAPIDKeys()));
  return endpoints.map((endpoint) => {
    const subscription = subscriptionAt(endpoint);
    expect(engine.browsers.add(store.people.named(name)!, subscription, "Firefox/140", "192.0.2.9")).toBeNull();
    return subscription;
  });
}

const send = (service: Service, message: Message, recipient = "Ada", timeoutMs = 5_000) =>
  CHANNELS.webpush({ browsers: () => service.engine.browsers, contact: "https://cron.example.org" }, timeoutMs).send(
    { ...chatDelivery(message), recipient },
    { sentAt: ALERT_AT, plain: false },
  );

const recipients = ({ store }: Service) =>
  (store.database.query("SELECT destination, recipient FROM deliveries ORDER BY id").all() as object[]).map((row) =>
    Object.values(row).join(" "),
  );

test("R37: each browser of the person is sent a title, a text, a tag and where a click leads, encrypted for it", async () => {
  await using push = startPushService();
  using service = openService();
  const browsers = addPerson(service, "Ada", [`${push.url}/a`, `${push.url}/b`]);
  const message = alertOf({
    cause: "failed",
    causes: ["failed"],
    failureMessage: "disk full",
    expectedAt: null,
    url: "https://cron.example.org/incidents/12",
    answerUrl: "https://cron.example.org/answer/secret",
  });
  expect(await send(service, message)).toEqual({ verdict: "delivered", answer: "HTTP 201 Created" });
  expect(push.pushed.map(({ path }) => path).toSorted()).toEqual(["/a", "/b"]);
  const [first] = push.pushed;
  const browser = browsers.find(({ endpoint }) => endpoint.endsWith(first!.path))!;
  expect(browser.read(first!)).toEqual({
    title: "Failed: Nightly backup (prod)",
    body: expect.stringContaining("disk full"),
    tag: expect.stringMatching(/^[\w-]{32}$/),
    url: "/incidents/12",
  });
  expect(first!.headers).toMatchObject({
    ttl: "86400",
    urgency: "high",
    topic: browser.read(first!).tag,
    "content-encoding": "aes128gcm",
    "content-type": "application/octet-stream",
  });
  const sender = senderOf(first!);
  expect(sender).toMatchObject({ isSigned: true, aud: push.url, sub: "https://cron.example.org" });
  expect(JSON.parse(service.engine.browsers.knownKeys()).publicKey).toBe(sender.key);
  expect(service.engine.browsers.of("Ada").map(({ usedAt }) => usedAt)).toEqual([ALERT_AT, ALERT_AT]);
});

test("an incident's messages have one tag, another's another; the urgency is the severity's", async () => {
  await using push = startPushService();
  using service = openService();
  const [browser] = addPerson(service, "Ada", [`${push.url}/a`]);
  const severe = (severity: "critical" | "error" | "warning" | "info") => alertOf({ severity });
  for (const message of [severe("critical"), severe("error"), severe("warning"), severe("info"), CLOCK_NOTICE])
    await send(service, message);
  await send(service, alertOf({ kind: "Recovered", severity: "critical" }));
  expect(push.pushed.map(({ headers }) => headers["urgency"])).toEqual([
    "high",
    "high",
    "normal",
    "low",
    "normal",
    "normal",
  ]);
  expect(new Set(push.pushed.map((one) => browser!.read(one).tag)).size).toBe(1);
  const channel = CHANNELS.webpush({ browsers: () => service.engine.browsers, contact: "mailto:ada@example.org" });
  const other = { ...chatDelivery(), recipient: "Ada", thread: "incident-13-mm5w" };
  await channel.send(other, { sentAt: ALERT_AT, plain: false });
  expect(browser!.read(push.pushed.at(-1)!).tag).not.toBe(browser!.read(push.pushed[0]!).tag);
});

test("whatever a job writes, what is encrypted stays below 3 KB", async () => {
  await using push = startPushService();
  using service = openService();
  const [browser] = addPerson(service, "Ada", [`${push.url}/a`]);
  const long = alertOf({ failureMessage: "\u{1f4a5}".repeat(2_000), name: "N".repeat(2_000) });
  for (const message of [long, ...fc.sample(hostileMessage, { numRuns: 20, seed: 1 })]) {
    expect(await send(service, message)).toMatchObject({ verdict: "delivered" });
    const { body } = push.pushed.at(-1)!;
    expect(body.length).toBeLessThan(3_200);
    expect(browser!.read(push.pushed.at(-1)!).title.length).toBeLessThanOrEqual(200);
  }
});

for (const status of [404, 410])
  test(`a browser whose push service answers ${status} is removed, and the person with the last hears no more`, async () => {
    await using push = startPushService((path) => new Response(null, { status: path === "/gone" ? status : 201 }));
    using service = openService();
    addPerson(service, "Ada", [`${push.url}/gone`, `${push.url}/stays`]);
    addPerson(service, "Ben", [`${push.url}/gone`.replace("gone", "x/../gone")]);
    expect(await send(service, alertOf())).toMatchObject({ verdict: "delivered" });
    expect(service.engine.browsers.of("Ada").map(({ endpoint }) => endpoint)).toEqual([`${push.url}/stays`]);
    expect(service.logged).toContainEqual({
      level: "info",
      event: "push_subscription_gone",
      fields: { person: "Ada", browser: "Firefox/140" },
    });
    expect(await send(service, alertOf(), "Ben")).toMatchObject({ verdict: "hopeless" });
    await service.send(ping({ schedule: DAILY, kind: "fail" }));
    expect(recipients(service)).toEqual(expect.arrayContaining(["webpush Ada"]));
    expect(recipients(service)).not.toContain("webpush Ben");
  });

test("R36: what passes is tried again for this person alone, and what does not is not", async () => {
  let status = 500;
  let headers = {};
  await using push = startPushService(() => new Response(null, { status, headers }));
  using service = openService();
  addPerson(service, "Ada", [`${push.url}/a`]);
  const answers = async () => send(service, alertOf());
  expect(await answers()).toEqual({ verdict: "retry", answer: "HTTP 500 Internal Server Error", recipientOnly: true });
  [status, headers] = [429, { "retry-after": "120" }];
  expect(await answers()).toEqual({
    verdict: "retry",
    answer: "HTTP 429 Too Many Requests",
    afterMs: 120_000,
    recipientOnly: true,
  });
  [status, headers] = [413, {}];
  expect(await answers()).toEqual({ verdict: "rejected", answer: "HTTP 413 Payload Too Large" });
  status = 403;
  expect(await answers()).toEqual({ verdict: "blocked", answer: "HTTP 403 Forbidden", recipientOnly: true });
  status = 302;
  expect(await answers()).toMatchObject({ verdict: "blocked" });
  expect(service.engine.browsers.of("Ada")).toHaveLength(1);
  addPerson(service, "Ben", [`http://127.0.0.1:${freePort()}/a`]);
  expect(await send(service, alertOf(), "Ben")).toEqual({
    verdict: "retry",
    answer: "connection refused",
    recipientOnly: true,
  });
});

test.each([
  ["https://cron.example.org", "cron@example.org", "https://cron.example.org"],
  ["https://nas.local", "ada@example.org", "mailto:ada@example.org"],
  ["https://192.168.1.5:8443", "ada@example.org", "mailto:ada@example.org"],
  ["https://nas", "root@nas", "https://nas"],
  ["http://cron.example.org", "root@nas", "mailto:root@nas"],
  [null, "cron@example.org", "mailto:cron@example.org"],
  ["https://nas.lan", null, "https://nas.lan"],
  [null, null, "mailto:rollcall@localhost"],
])(
  "the contact at %s with mail from %s is one that Apple takes, if there is one: %s",
  (publicUrl, address, contact) => {
    const smtp = address === null ? null : { from: { address } };
    expect(contactFor({ server: { publicUrl }, smtp })).toBe(contact);
  },
);

test("Apple's refusal of the contact says what to set", async () => {
  await using push = startPushService(() => Response.json({ reason: "BadJwtToken" }, { status: 403 }));
  using service = openService();
  addPerson(service, "Ada", [`${push.url}/a`]);
  expect(await send(service, alertOf())).toEqual({
    verdict: "blocked",
    answer: "HTTP 403 Forbidden, no server.public_url or smtp.from is known outside, or the clock is wrong",
    recipientOnly: true,
  });
});

test("R38: an alert goes to who may see its application, unless it goes to no destination at all", async () => {
  using service = openService(policyWith({ monitors: { silent: { destinations: [] } } }));
  await service.send(ping({ schedule: DAILY, kind: "fail" }));
  const before = recipients(service);
  addPerson(service, "Ada", ["https://push.example.org/ada"]);
  addPerson(service, "Ben", ["https://push.example.org/ben"], "prod");
  granted(service.engine.operate("app create", { slug: "staging" }));
  addPerson(service, "Cat", ["https://push.example.org/cat"], "staging");
  // Both hear of what stands, and so of what follows.
  service.endTurns();
  const told = () =>
    recipients(service)
      .slice(before.length)
      .filter((one) => one.startsWith("webpush"));
  expect(told()).toEqual(["webpush Ada", "webpush Ben"]);
  await service.send(ping({ monitorKey: "other", schedule: DAILY, kind: "fail" }));
  expect(told()).toEqual(["webpush Ada", "webpush Ben", "webpush Ada", "webpush Ben"]);
  expect(granted(service.engine.operate("notify explain", { application: "prod", key: "other" })).addresses).toEqual(
    expect.arrayContaining([expect.objectContaining({ destination: "webpush", recipient: "Ben", hears: true })]),
  );
  const unheard = recipients(service).length;
  await service.send(ping({ monitorKey: "silent", schedule: DAILY, kind: "fail" }));
  expect(recipients(service)).toHaveLength(unheard);
});

test("R38: a person's rights, deletion, a new password and a restart count at once", async () => {
  using service = openService();
  granted(service.engine.operate("user create", { name: "Root", role: "admin" }));
  addPerson(service, "Ada", ["https://push.example.org/ada"]);
  addPerson(service, "Ben", ["https://push.example.org/ben"]);
  addPerson(service, "Cat", ["https://push.example.org/cat"]);
  const key = service.engine.browsers.knownKeys();
  let count = 0;
  const heardOf = async (): Promise<string[]> => {
    const before = recipients(service).length;
    await service.send(ping({ monitorKey: `job-${count++}`, schedule: DAILY, kind: "fail" }));
    return recipients(service)
      .slice(before)
      .flatMap((one) => (one.startsWith("webpush ") ? [one.slice(8)] : []));
  };
  expect(await heardOf()).toEqual(["Ada", "Ben", "Cat"]);
  granted(service.engine.operate("app create", { slug: "staging" }));
  granted(service.engine.operate("user change", { name: "Ben", applications: "staging" }));
  expect(await heardOf()).toEqual(["Ada", "Cat"]);
  // What was written before, and waits.
  const about = (applicationId: string) => alertOf({ applicationId });
  expect(await send(service, about("prod"), "Ben")).toEqual({
    verdict: "rejected",
    answer: "the person may not see that application any more",
  });
  const digest = digestOf("opened", [about("staging"), about("prod")]);
  expect(await send(service, digest, "Ben")).toMatchObject({ verdict: "rejected" });
  granted(service.engine.operate("user delete", { name: "Cat" }));
  expect(service.count("browsers")).toBe(2);
  expect(await heardOf()).toEqual(["Ada"]);
  service.restart();
  expect(await heardOf()).toEqual(["Ada"]);
  expect(service.engine.browsers.keys(() => "other")).toBe(key);
  granted(service.engine.operate("user passwd", { name: "Ada" }));
  expect(await heardOf()).toEqual([]);
  expect(service.engine.browsers.of("Ada")).toEqual([]);
});

test("a person has 10 browsers at most, a browser one person, and a test goes to its own person alone", async () => {
  using service = openService();
  const { engine, store } = service;
  addPerson(
    service,
    "Ada",
    Array.from({ length: 10 }, (_, at) => `https://push.example.org/${at}`),
  );
  const ada = store.people.named("Ada")!;
  expect(engine.browsers.add(ada, subscriptionAt("https://push.example.org/11"), "", "192.0.2.9")).toMatchObject({
    message: "you have 10 browsers here; remove one before you add another",
  });
  expect(engine.browsers.add(ada, subscriptionAt("https://push.example.org/3"), "", "192.0.2.9")).toBeNull();
  expect(engine.browsers.of("Ada")).toHaveLength(10);
  addPerson(service, "Cleo", ["https://push.example.org/12"]);
  // A refusal takes nothing from the person who has this browser.
  expect(engine.browsers.add(ada, subscriptionAt("https://push.example.org/12"), "", "192.0.2.9")).not.toBeNull();
  expect(engine.browsers.of("Cleo")).toHaveLength(1);
  addPerson(service, "Ben", ["https://push.example.org/3"]);
  expect(engine.browsers.of("Ada")).toHaveLength(9);
  const [own] = engine.browsers.of("Ben");
  expect(engine.browsers.remove(ada, own!.id, "192.0.2.9")).toMatchObject({ refusal: "NOT_FOUND" });
  expect(engine.browsers.test(ada)).toBeNull();
  expect(recipients(service)).toEqual(["webpush Ada"]);
  expect(engine.browsers.test(ada)).toMatchObject({ refusal: "RATE_LIMIT_EXCEEDED" });
  service.at(NOON + 6_000);
  expect(engine.browsers.test(ada)).toBeNull();
  const { entries } = granted(engine.operate("audit", { limit: 1 }));
  expect(entries[0]).toMatchObject({ name: "Ben", action: "add browser", details: { browser: "Firefox/140" } });
});
