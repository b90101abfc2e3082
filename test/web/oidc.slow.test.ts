// Sign-on by an OpenID provider over real HTTP: off unless configured, and only for people who are known here.

import { describe, expect, test } from "bun:test";
import type { OidcSettings } from "../../src/domain/settings/oidc-settings.ts";
import { MINUTE } from "../../src/domain/time.ts";
import { createOidc } from "../../src/web/account/oidc.ts";
import { NOON } from "../support/engine.ts";
import { type OidcProvider, settingsFor, startProvider } from "../support/oidc-provider.ts";
import { type PeopleServer, startPeople } from "../support/people-server.ts";
import { granted } from "../support/service.ts";

let now = NOON;
const clock = { monotonic: () => now };

const startWith = (settings: OidcSettings): PeopleServer => startPeople({}, null, createOidc(settings, clock, {}));

const HTTPS = { "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.7" };

/** Sends a browser off, lets it in there, and brings it back. */
async function signOn(server: PeopleServer, provider: OidcProvider, browser = server.browser(HTTPS)) {
  const sent = await browser.get("/sign-in/oidc?to=/account");
  expect(sent.status).toBe(303);
  return { browser, back: await browser.get(provider.signIn(sent.to!)) };
}

describe("sign-on by a provider", () => {
  test("begins a session for the person of that name, and leads on to where they were going", async () => {
    await using provider = await startProvider();
    await using server = startWith(settingsFor(provider));
    server.person("Ada", { role: "operator" });
    provider.claims = { preferred_username: "Ada" };
    expect((await server.browser(HTTPS).get("/sign-in")).text).toContain("Sign in by Keycloak");
    const { browser, back } = await signOn(server, provider);
    expect([back.status, back.to]).toEqual([303, "/account"]);
    expect([...browser.cookies.keys()]).toEqual(["__Host-rollcall", "__Host-rollcall-browser"]);
    expect((await browser.get("/account")).text).toContain("the role operator");
    const { entries } = granted(server.service.engine.operate("audit", { limit: 1 }));
    const details = {
      claim: "preferred_username",
      claimed: "Ada",
      issuer: provider.issuer,
      subject: "42",
      bound: true,
    };
    expect(entries).toMatchObject([{ name: "Ada", action: "sign in", address: "192.0.2.7", details }]);
  });

  test.each(["ａｄａ", "ada", "ADA", " Ada", "Ada ", "Аda", "Ada\u200b", "A\u0064a\u0301"])(
    "compares names letter by letter: %j is not Ada",
    async (name) => {
      await using provider = await startProvider();
      await using server = startWith(settingsFor(provider));
      server.person("Ada", { role: "admin" });
      provider.claims = { preferred_username: name };
      const { browser, back } = await signOn(server, provider);
      expect([back.status, back.text.includes("Nobody here is called exactly")]).toEqual([403, true]);
      expect([...browser.cookies.keys()]).not.toContain("__Host-rollcall");
      expect(server.service.store.people.named("Ada")!.account).toBeNull();
    },
  );

  test("binds the person to the account of the first sign-in: no other account there becomes them, whatever it is called", async () => {
    await using provider = await startProvider();
    await using server = startWith(settingsFor(provider));
    server.person("Ada", { role: "admin" });
    server.person("Ben");
    const signOnAs = async (sub: string, name: string) => {
      provider.claims = { preferred_username: name, sub };
      return (await signOn(server, provider)).back;
    };
    expect((await signOnAs("42", "Ada")).status).toBe(303);
    const taken = await signOnAs("43", "Ada");
    expect([taken.status, taken.text.includes("Ada signs in by another account of a provider")]).toEqual([403, true]);
    // The account stays Ada's when its name changes there, and becomes nobody else.
    expect((await signOnAs("42", "Ada Lovelace")).status).toBe(303);
    const { entries } = granted(server.service.engine.operate("audit", { limit: 1 }));
    expect(entries).toMatchObject([{ name: "Ada", details: { claimed: "Ada Lovelace", subject: "42" } }]);
    const other = await signOnAs("42", "Ben");
    expect([other.status, other.text.includes("your account there signs in Ada")]).toEqual([403, true]);
    expect(server.service.store.people.named("Ben")!.account).toBeNull();
    expect((await signOnAs("44", "Ben")).status).toBe(303);
  });

  test("an administrator unbinds a person, who is signed out; the next account of that name is bound", async () => {
    await using provider = await startProvider();
    await using server = startWith(settingsFor(provider));
    const { engine } = server.service;
    server.person("Ada");
    provider.claims = { preferred_username: "Ada", sub: "42" };
    const { browser } = await signOn(server, provider);
    const account = { issuer: provider.issuer, subject: "42" };
    expect(granted(engine.operate("user list", {})).people).toMatchObject([{ name: "Ada", account }]);
    expect(granted(engine.operate("user unbind", { name: "Ada" }))).toEqual({ name: "Ada", account });
    expect((await browser.get("/account")).status).toBe(303);
    provider.claims = { preferred_username: "Ada", sub: "43" };
    expect((await signOn(server, provider)).back.status).toBe(303);
    expect(granted(engine.operate("user list", {})).people).toMatchObject([{ account: { subject: "43" } }]);
    expect(granted(engine.operate("audit", { kind: "user" })).entries).toMatchObject([
      { action: "user unbind", details: { name: "Ada" } },
      { action: "user create" },
    ]);
  });

  test("asks the provider's user info where the token has no name", async () => {
    await using provider = await startProvider();
    await using server = startWith(settingsFor(provider));
    server.person("Ada");
    provider.userInfo = { preferred_username: "Ada" };
    expect((await signOn(server, provider)).back.to).toBe("/account");
  });

  test.each([
    ["somebody who is no person here", "preferred_username", { preferred_username: "Eve" }],
    ["nobody at all", "preferred_username", {}],
    ["a name that is no text", "preferred_username", { preferred_username: ["Ada"] }],
    ["an address that is not verified", "email", { email: "ada@example.org", email_verified: false }],
    ["an address that may be verified or not", "email", { email: "ada@example.org" }],
  ])("lets in nobody where it names %s", async (_whom, claim, claims) => {
    await using provider = await startProvider();
    await using server = startWith(settingsFor(provider, claim));
    server.person("Ada");
    server.person("ada@example.org");
    provider.claims = claims;
    const { browser, back } = await signOn(server, provider);
    expect(back.status).toBe(403);
    expect([...browser.cookies.keys()]).not.toContain("__Host-rollcall");
    expect(server.service.count("sessions")).toBe(0);
  });

  test("takes a verified address for a name", async () => {
    await using provider = await startProvider();
    await using server = startWith(settingsFor(provider, "email"));
    server.person("ada@example.org");
    provider.claims = { email: "ada@example.org", email_verified: true };
    expect((await signOn(server, provider)).back.to).toBe("/account");
  });

  test("brings back only the browser that was sent off, once, and within ten minutes", async () => {
    await using provider = await startProvider();
    await using server = startWith(settingsFor(provider));
    server.person("Ada");
    provider.claims = { preferred_username: "Ada" };
    const [victim, thief] = [server.browser(HTTPS), server.browser(HTTPS)];
    const sent = await thief.get("/sign-in/oidc");
    // A link that would sign the victim in as the thief (login CSRF).
    const link = provider.signIn(sent.to!);
    expect((await victim.get(link)).status).toBe(403);
    await victim.get("/sign-in/oidc");
    expect((await victim.get(link)).status).toBe(403);
    expect((await thief.get(link)).to).toBe("/");
    const again = server.browser(HTTPS);
    for (const [name, value] of thief.cookies) again.cookies.set(name, value);
    expect((await again.get(link)).status).toBe(403);
    const late = server.browser(HTTPS);
    const journey = await late.get("/sign-in/oidc");
    now += 10 * MINUTE;
    expect((await late.get(provider.signIn(journey.to!))).status).toBe(403);
  });

  test.each([
    ["a token of another client", { aud: "other" }],
    ["a token that is over", { exp: 1 }],
    ["a token of another provider", { iss: "https://evil.example" }],
    ["a token for another visit", { nonce: "other" }],
  ])("refuses %s, and logs why without what was sent", async (_which, claims) => {
    await using provider = await startProvider();
    await using server = startWith(settingsFor(provider));
    server.person("Ada");
    provider.claims = { preferred_username: "Ada", ...claims };
    const { back } = await signOn(server, provider);
    expect(back.status).toBe(500);
    expect(back.text).toContain("its answer was wrong");
    expect(server.service.logged).toContainEqual(expect.objectContaining({ level: "warn", event: "oidc_failed" }));
    expect(JSON.stringify(server.service.logged)).not.toMatch(/eyJ|a secret of the client/);
    expect(server.service.count("sessions")).toBe(0);
  });

  test.each([
    ["the person has cancelled there", (state: string) => `error=access_denied&state=${state}`],
    ["the code is made up", (state: string) => `code=made-up&state=${state}`],
    ["the code is empty", (state: string) => `code=&state=${state}`],
    ["there are two codes", (state: string) => `code=a&code=b&state=${state}`],
    ["the state is another", () => "code=a&state=other"],
    ["another provider has let somebody in", (state: string) => `code=a&state=${state}&iss=https://evil.example`],
    ["it brings a token", (state: string) => `code=a&state=${state}&id_token=x`],
    ["it brings nothing", () => ""],
  ])("is refused, and is no fault of ours, where %s", async (_why, query) => {
    await using provider = await startProvider();
    await using server = startWith(settingsFor(provider));
    server.person("Ada");
    const browser = server.browser(HTTPS);
    const sent = await browser.get("/sign-in/oidc");
    const back = await browser.get(`/sign-in/oidc/callback?${query(new URL(sent.to!).searchParams.get("state")!)}`);
    expect([back.status, back.text.includes("sign in again")]).toEqual([403, true]);
    expect(server.service.logged).not.toContainEqual(expect.objectContaining({ event: "oidc_failed" }));
    expect(server.service.count("sessions")).toBe(0);
  });

  test("takes an issuer with a slash too many at its end, and names both addresses where they differ otherwise", async () => {
    await using provider = await startProvider();
    const { issuer } = provider;
    await using server = startWith({ ...settingsFor(provider), issuer: `${issuer}/` });
    server.person("Ada", { role: "operator" });
    provider.claims = { preferred_username: "Ada" };
    const { back } = await signOn(server, provider);
    expect([back.status, back.to]).toEqual([303, "/account"]);
    const asked = issuer.replace("127.0.0.1", "localhost");
    await using other = startWith({ ...settingsFor(provider), issuer: asked });
    expect((await other.browser(HTTPS).get("/sign-in/oidc")).status).toBe(500);
    const line = other.service.logged.find(({ event }) => event === "oidc_failed");
    expect(line?.fields?.["message"]).toBe(
      `web.oidc.issuer is "${asked}", and the provider there calls itself "${issuer}": set that`,
    );
  });

  test("says so when the provider cannot be reached, and asks again later; a password works meanwhile", async () => {
    await using provider = await startProvider();
    const { issuer } = provider;
    await using server = startWith({ ...settingsFor(provider), issuer: "http://127.0.0.1:1" });
    expect((await server.browser(HTTPS).get("/sign-in/oidc")).status).toBe(500);
    expect((await server.browser(HTTPS).get("/sign-in/oidc")).text).toContain("A password works as before");
    expect(issuer).not.toBe("");
  });
});

test("R33: a page of another site begins no sign-in by a provider, and so uses up nobody's tries", async () => {
  await using provider = await startProvider();
  await using server = startWith(settingsFor(provider));
  server.person("Ada");
  provider.claims = { preferred_username: "Ada" };
  const host = { ...HTTPS, host: "localhost" };
  for (const foreign of [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { referer: "https://evil.example/" },
  ]) {
    for (let i = 0; i < 30; i++) {
      const led = await server
        .browser({ ...host, ...foreign } as Record<string, string>)
        .get("/sign-in/oidc?to=/account");
      expect([led.status, led.to]).toEqual([303, "/sign-in?to=%2Faccount"]);
    }
  }
  const ours = { ...host, "sec-fetch-site": "same-origin" };
  for (const asked of [ours, { ...host, "sec-fetch-site": "none" }, { ...host, referer: "https://localhost/sign-in" }])
    expect((await server.browser(asked).get("/sign-in/oidc")).to).toStartWith(provider.issuer);
  // What says nothing of itself is counted apart.
  for (let i = 0; i < 20; i++) expect((await server.browser(host).get("/sign-in/oidc")).status).toBe(303);
  expect((await server.browser(host).get("/sign-in/oidc")).status).toBe(429);
  expect((await signOn(server, provider, server.browser(ours))).back.status).toBe(303);
});

test("without a provider there is no such page", async () => {
  await using server = startPeople();
  expect((await server.browser().get("/sign-in/oidc")).status).toBe(404);
  expect((await server.browser().get("/sign-in")).text).not.toContain("Sign in by");
});
