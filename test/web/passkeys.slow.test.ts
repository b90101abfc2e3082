// Passkeys in a real browser, whose device is a virtual one: added, used, removed; and every answer that is not true.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { MINUTE } from "../../src/domain/time.ts";
import { NOON } from "../support/engine.ts";
import { PASSWORD, type PeopleServer, startPeople } from "../support/people-server.ts";
import { granted } from "../support/service.ts";
import { accessibilityFaults, browserCommand, isTooWide, openPage, PHONE } from "./browser.ts";

/** A browser on a busy machine takes its time. */
setDefaultTimeout(120_000);

/** Passkeys need a host with a name. */
const named = (url: string): string => url.replace("127.0.0.1", "localhost");

const startAt = (origin = (url: string) => named(url)): PeopleServer =>
  startPeople({}, null, null, null, (url) => ({
    id: "localhost",
    get origin() {
      return origin(url());
    },
  }));

/** A page with a device that verifies its person and answers at once. */
async function openDevice(server: PeopleServer, options = {}) {
  const opened = await openPage(`${named(server.url)}/sign-in`, options);
  const device = await opened.page.context().newCDPSession(opened.page);
  await device.send("WebAuthn.enable");
  const { authenticatorId } = await device.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { ...opened, device, authenticatorId };
}

async function signIn(page: Page, name = "Ada"): Promise<void> {
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL((url) => url.pathname === "/");
}

/** Fills in the form and sends it off; its script goes on alone. */
async function tryToAdd(page: Page, called: string, password = PASSWORD): Promise<void> {
  await page.goto(new URL("/account", page.url()).href);
  await page.getByLabel("Call it").fill(called);
  await page.getByLabel("Your password, to confirm").fill(password);
  await page.getByRole("button", { name: "Add a passkey" }).click();
}

async function addPasskey(page: Page, called = "Ada's laptop"): Promise<void> {
  await tryToAdd(page, called);
  await page.getByRole("button", { name: "Remove" }).waitFor();
}

/** The page is left first: one that stands open loads itself again as soon as it hears that its session is gone. */
async function signOut(page: Page): Promise<void> {
  const { href } = new URL("/sign-in", page.url());
  await page.goto("about:blank");
  await page.context().clearCookies();
  await page.goto(href);
}

/** What the device answers to the question of the page; `change`: made to the question before. */
const answerOf = (page: Page, change = ""): Promise<string> =>
  page.evaluate(`(async () => {
    const asked = await (await fetch("/sign-in/passkey/question", { method: "POST" })).json();
    ${change}
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(asked);
    return JSON.stringify(await navigator.credentials.get({ publicKey }));
  })()`);

/** Whether it signs somebody in. */
const isTaken = async (page: Page, answer: string): Promise<boolean> => {
  const type = await page.evaluate(async (text) => {
    const body = new URLSearchParams({ answer: text, to: "/" });
    const { status, type } = await fetch("/sign-in/passkey", { method: "POST", body, redirect: "manual" });
    return `${type} ${status}`;
  }, answer);
  expect(["opaqueredirect 0", "basic 403"]).toContain(type);
  return type === "opaqueredirect 0";
};

const listed = ({ service }: PeopleServer) => granted(service.engine.operate("user list", {})).people;

describe.if(browserCommand !== null)("in a browser, a passkey", () => {
  test("is added with the password, signs in without a name, says when it was used, and can be removed", async () => {
    await using server = startAt();
    server.person("Ada");
    await using opened = await openDevice(server);
    const { page, complaints } = opened;
    await signIn(page);
    await addPasskey(page);
    expect(await page.locator("#passkeys").textContent()).toMatch(/Ada's laptop.*not used yet/);
    expect(await accessibilityFaults(page)).toEqual([]);
    await tryToAdd(page, "twice");
    await page.getByText("This device has a passkey of yours already.").waitFor();
    await signOut(page);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL((url) => url.pathname === "/");
    await page.goto(`${named(server.url)}/account`);
    expect(await page.locator("#passkeys").textContent()).toMatch(/Ada's laptop.*last used/);
    expect(listed(server)).toMatchObject([{ name: "Ada", passkeys: 1, sessions: 2 }]);
    await page.getByRole("button", { name: "Remove Ada's laptop" }).click();
    await page.waitForLoadState();
    expect(await page.getByRole("button", { name: /^Remove/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
    const { entries } = granted(server.service.engine.operate("audit", {}));
    expect(entries.map(({ name, action, details }) => [name, action, details]).slice(0, 3)).toEqual([
      ["Ada", "remove passkey", { passkey: "Ada's laptop" }],
      ["Ada", "sign in", { passkey: "Ada's laptop" }],
      ["Ada", "add passkey", { passkey: "Ada's laptop" }],
    ]);
  });

  test("is not added with a wrong password, and the device is not asked for one", async () => {
    await using server = startAt();
    server.person("Ada");
    await using opened = await openDevice(server);
    const { page, device, authenticatorId } = opened;
    await signIn(page);
    await tryToAdd(page, "laptop", "another one that is wrong");
    await page.getByText("The present password is another.").waitFor();
    expect(await device.send("WebAuthn.getCredentials", { authenticatorId })).toEqual({ credentials: [] });
    expect(listed(server)).toMatchObject([{ passkeys: 0 }]);
  });

  test("does not sign in twice with one answer, nor too late, nor when it is removed or another's", async () => {
    await using server = startAt();
    server.person("Ada");
    server.person("Ben");
    await using opened = await openDevice(server);
    const { page } = opened;
    await signIn(page);
    await addPasskey(page);
    await signOut(page);
    const answer = await answerOf(page);
    expect(await isTaken(page, answer)).toBe(true);
    expect(await isTaken(page, answer)).toBe(false);
    const late = await answerOf(page);
    server.service.at(NOON + 5 * MINUTE);
    expect(await isTaken(page, late)).toBe(false);
    const { database } = server.service.store;
    // As if the device had made it for Ben: it says for whom it signs.
    database.run("UPDATE passkeys SET person_id = 2");
    expect(await isTaken(page, await answerOf(page))).toBe(false);
    database.run("UPDATE passkeys SET person_id = 1");
    expect(await isTaken(page, await answerOf(page))).toBe(true);
    database.run("DELETE FROM passkeys");
    expect(await isTaken(page, await answerOf(page))).toBe(false);
    const told = server.service.logged.filter(({ event }) => event === "sign_in_failed");
    expect(told.length).toBeGreaterThan(0);
  });

  test("does not sign in where its counter went back, its person was not verified, or its answer was changed", async () => {
    await using server = startAt();
    server.person("Ada");
    await using opened = await openDevice(server);
    const { page, device, authenticatorId } = opened;
    await signIn(page);
    await addPasskey(page);
    await signOut(page);
    /** The answer to a new question, with these values instead of its own. */
    const changed = async (own: object, ofResponse: object = {}): Promise<string> => {
      const read = JSON.parse(await answerOf(page)) as { readonly response: object };
      return JSON.stringify({ ...read, ...own, response: { ...read.response, ...ofResponse } });
    };
    const wrongs = [
      await changed({}, { signature: "AAAA" }),
      await changed({}, { userHandle: undefined }),
      await changed({ id: "AAAA" }),
      await changed({ type: "password" }),
      "{}",
      "not JSON",
      JSON.stringify({ id: 1, response: { clientDataJSON: 2 } }),
    ];
    for (const wrong of wrongs) expect(await isTaken(page, wrong)).toBe(false);
    server.service.at(NOON + MINUTE);
    await device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    expect(await isTaken(page, await answerOf(page, 'asked.userVerification = "discouraged";'))).toBe(false);
    await device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
    expect(await isTaken(page, await answerOf(page))).toBe(true);
    server.service.store.database.run("UPDATE passkeys SET counter = 1000");
    expect(await isTaken(page, await answerOf(page))).toBe(false);
  });

  test("of another origin signs nobody in, and its page says where passkeys work", async () => {
    let isElsewhere = false;
    await using server = startAt((url) => (isElsewhere ? "http://localhost:1" : named(url)));
    server.person("Ada");
    await using opened = await openDevice(server);
    const { page } = opened;
    await signIn(page);
    await addPasskey(page);
    isElsewhere = true;
    await signOut(page);
    expect(await isTaken(page, await answerOf(page))).toBe(false);
    expect(await page.getByRole("button", { name: "passkey" }).count()).toBe(0);
    expect(await page.getByText("Passkeys work at http://localhost:1 alone.").isVisible()).toBe(true);
  });

  test("of a name with markup is text, and the pages are accessible with script and without", async () => {
    await using server = startAt();
    server.person("Ada");
    const hostile = `<script>document.title="owned"</script>"'&\u202e 😀`;
    for (const options of [{ ...PHONE, colorScheme: "dark" }, { javaScriptEnabled: false }] as const) {
      await using opened = await openDevice(server, options);
      const { page } = opened;
      const hasScript = !("javaScriptEnabled" in options);
      expect(await page.getByRole("button", { name: "passkey" }).count()).toBe(hasScript ? 1 : 0);
      if (hasScript) expect(await accessibilityFaults(page)).toEqual([]);
      await signIn(page);
      if (hasScript) await addPasskey(page, hostile);
      else await page.goto(`${named(server.url)}/account`);
      expect(await page.locator("#passkeys").textContent()).toContain('<script>document.title="owned"');
      expect(await page.getByText("in a browser that knows passkeys").isVisible()).toBe(!hasScript);
      expect(await isTooWide(page)).toBe(false);
      if (hasScript) expect(await accessibilityFaults(page)).toEqual([]);
      else await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Remove" }).click()]);
    }
    expect(listed(server)).toMatchObject([{ passkeys: 0 }]);
  });
});
