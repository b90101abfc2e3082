// The browsers that notify a person, on their account: added, tested and removed in a real browser, whose push service
// alone is another, because none can be reached; and why a browser cannot be added.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { until } from "../support/executable.ts";
import { PASSWORD, type PeopleServer, startPeople } from "../support/people-server.ts";
import { subscriptionAt } from "../support/push-service.ts";
import { accessibilityFaults, isTooWide, openPage, PHONE, wholeBrowserCommand } from "./browser.ts";

/** A browser on a busy machine takes its time. */
setDefaultTimeout(120_000);

const SUBSCRIPTION = subscriptionAt("https://push.example.org/send/1");

/** Answers in place of a push service, and keeps what it was asked. */
const FAKE_MANAGER = `
  const made = { endpoint: "https://push.example.org/send/1", toJSON: () => (${SUBSCRIPTION.text}) };
  PushManager.prototype.getSubscription = async () => null;
  PushManager.prototype.subscribe = async (options) => { sessionStorage.asked = JSON.stringify(options); return made; };
`;

async function openAccount(server: PeopleServer, options: BrowserContextOptions = {}, script = FAKE_MANAGER) {
  const opened = await openPage(`${server.url}/sign-in`, { ...options, needsWhole: true });
  const { page } = opened;
  await page.context().addInitScript(script);
  await page.getByLabel("Name").fill("Ada");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL((url) => url.pathname === "/");
  await page.goto(`${server.url}/account`);
  return opened;
}

const button = (page: Page) => page.getByRole("button", { name: "Notify this browser" });
const section = async (page: Page) => ((await page.locator("#browsers").textContent()) ?? "").replaceAll(/\s+/g, " ");

describe.if(wholeBrowserCommand !== null)("in a browser, notifications", () => {
  for (const [where, options] of [
    ["at a desk", {}],
    ["on a phone", PHONE],
  ] as const)
    test(`are switched on by a button, tested and switched off, ${where}`, async () => {
      await using server = startPeople();
      server.person("Ada");
      await using opened = await openAccount(server, { ...options, permissions: ["notifications"] });
      const { page, complaints } = opened;
      await button(page).click();
      await page.getByRole("button", { name: /^Remove / }).waitFor();
      expect(await section(page)).toMatch(/added .*not used yet *Remove/);
      const { browsers } = server.service.engine;
      const [kept] = browsers.of("Ada");
      expect(kept).toMatchObject({ endpoint: SUBSCRIPTION.endpoint, keys: JSON.stringify(SUBSCRIPTION.keys) });
      expect(JSON.parse(await page.evaluate("sessionStorage.asked"))).toEqual({
        userVisibleOnly: true,
        applicationServerKey: JSON.parse(browsers.knownKeys()).publicKey,
      });
      expect(await isTooWide(page)).toBe(false);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole("button", { name: "Send a test" }).click();
      await page.getByText("A test was sent.").waitFor();
      expect(server.service.store.database.query("SELECT destination, recipient FROM deliveries").all()).toEqual([
        { destination: "webpush", recipient: "Ada" },
      ]);
      await page.getByRole("button", { name: "Send a test" }).click();
      await page.getByText("A test was just sent; try again in 5 seconds.").waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole("button", { name: /^Remove / }).click();
      await page.getByRole("button", { name: /^Remove / }).waitFor({ state: "detached" });
      expect(browsers.of("Ada")).toEqual([]);
      // That one answer is a refusal, with its status.
      expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
    });

  test("show what is pushed, one an incident, and a click leads to its page", async () => {
    await using server = startPeople();
    server.person("Ada");
    await using opened = await openAccount(server, { permissions: ["notifications"] });
    const { page } = opened;
    await button(page).click();
    await page.getByRole("button", { name: /^Remove / }).waitFor();
    const devtools = await page.context().newCDPSession(page);
    const registrations: string[] = [];
    devtools.on("ServiceWorker.workerRegistrationUpdated", (event) => {
      for (const { registrationId } of event.registrations) registrations.push(registrationId);
    });
    await devtools.send("ServiceWorker.enable");
    await until("the worker's registration", async () => registrations[0] ?? null);
    const push = (data: object) =>
      devtools.send("ServiceWorker.deliverPushMessage", {
        origin: server.url,
        registrationId: registrations[0]!,
        data: JSON.stringify(data),
      });
    type Shown = Readonly<Record<"title" | "body" | "tag" | "data", string>>;
    const shown = (): Promise<Shown[]> =>
      page.evaluate(`navigator.serviceWorker.ready
        .then((registration) => registration.getNotifications())
        .then((all) => all.map(({ title, body, tag, data }) => ({ title, body, tag, data })))`);
    const url = `${server.url}/incidents/1`;
    /** One after the other; the browser drops one that comes as its worker ends, so it is pushed until it is shown. */
    const pushed = (title: string, body: string, tag: string) =>
      until(title, async () => {
        await push({ title, body, tag, url });
        for (let looks = 0; looks < 20; looks++) {
          if ((await shown()).some((one) => one.title === title)) return true;
          await Bun.sleep(100);
        }
        return null;
      });
    await pushed("Failed: Backup", "disk full", "a");
    await pushed("Works again: Backup", "after 5 min", "a");
    await pushed("Failed: Other", "no", "b");
    expect((await shown()).toSorted((one, other) => one.tag.localeCompare(other.tag))).toEqual([
      { title: "Works again: Backup", body: "after 5 min", tag: "a", data: url },
      { title: "Failed: Other", body: "no", tag: "b", data: url },
    ]);
    const [worker] = page.context().serviceWorkers();
    const clicked = await worker!.evaluate(`(async () => {
      const opened = [];
      clients.openWindow = async (url) => void opened.push(url);
      const [notification] = await registration.getNotifications({ tag: "a" });
      dispatchEvent(new NotificationEvent("notificationclick", { notification }));
      return opened;
    })()`);
    expect(clicked).toEqual([url]);
    await until("one notification", async () => ((await shown()).length === 1 ? true : null));
  });

  test("say why this browser cannot have them", async () => {
    await using server = startPeople();
    server.person("Ada");
    const why: readonly (readonly [string, BrowserContextOptions, RegExp])[] = [
      ["delete window.PushManager", {}, /takes no notifications.*home screen/],
      [
        'Object.defineProperty(Notification, "permission", { value: "denied" })',
        {},
        /was told to show no notifications of this site/,
      ],
      ['Object.defineProperty(window, "isSecureContext", { value: false })', {}, /https addresses alone/],
      ["", { javaScriptEnabled: false }, /open this page with script/],
    ];
    for (const [script, options, words] of why) {
      await using opened = await openAccount(server, options, script);
      expect(await section(opened.page)).toMatch(words);
      expect(await button(opened.page).isVisible()).toBe(false);
    }
    const refuses = `${FAKE_MANAGER}; Notification.requestPermission = async () => "denied"`;
    await using opened = await openAccount(server, {}, refuses);
    await button(opened.page).click();
    await opened.page.getByText("Notifications were not allowed.").waitFor();
    expect(server.service.engine.browsers.of("Ada")).toEqual([]);
  });
});

test("a subscription that leads elsewhere, or has no keys, is refused", async () => {
  await using server = startPeople();
  server.person("Ada");
  const ada = server.browser();
  await ada.post("/sign-in", { name: "Ada", password: PASSWORD });
  const add = (subscription: object | string) =>
    ada.post("/account/browsers", {
      answer: typeof subscription === "string" ? subscription : JSON.stringify(subscription),
    });
  const good = { endpoint: SUBSCRIPTION.endpoint, keys: SUBSCRIPTION.keys };
  expect((await add(good)).text).toContain("none has asked for our key yet");
  const question = await ada.post("/account/browsers/question", {});
  expect(JSON.parse(question.text)).toEqual({ publicKey: expect.stringMatching(/^[\w-]{87}$/) });
  const { keys } = SUBSCRIPTION;
  const refused = [
    "",
    "null",
    "[]",
    "{",
    {},
    { ...good, endpoint: undefined },
    { ...good, endpoint: ["https://push.example.org/"] },
    { ...good, endpoint: "http://push.example.org/" },
    { ...good, endpoint: "https://10.0.0.1/" },
    { ...good, endpoint: "https://[::1]/" },
    { ...good, endpoint: "https://localhost/" },
    { ...good, endpoint: "http://localhost/" },
    { ...good, endpoint: "https://router/" },
    { ...good, endpoint: "https://ada:secret@push.example.org/" },
    { ...good, endpoint: "file:///etc/passwd" },
    { ...good, endpoint: `https://push.example.org/${"x".repeat(2_000)}` },
    { ...good, keys: null },
    { ...good, keys: { ...keys, auth: "short" } },
    { ...good, keys: { ...keys, p256dh: keys.auth } },
    { ...good, keys: { ...keys, p256dh: Buffer.alloc(65, 4).toString("base64url") } },
    { ...good, keys: { p256dh: 1, auth: 2 } },
  ];
  for (const one of refused) {
    const { status, text } = await add(one);
    expect([JSON.stringify(one).slice(0, 200), status]).toEqual([JSON.stringify(one).slice(0, 200), 400]);
    expect(text).toContain("It must have an https address with a host&#39;s name");
  }
  expect(server.service.engine.browsers.of("Ada")).toEqual([]);
  expect((await add(good)).to).toBe("/account#browsers");
  expect((await add({ ...good, endpoint: "http://127.0.0.1:1/x" })).to).toBe("/account#browsers");
  const eve = server.browser();
  expect((await eve.post("/account/browsers", { answer: JSON.stringify(good) })).status).toBe(401);
  const elsewhere = await ada.post("/account/browsers/test", {}, { "sec-fetch-site": "cross-site" });
  expect(elsewhere.status).toBe(403);
});
