// Signing in and out over real HTTP: sessions, cookies, forms of other sites, and too many tries.

import { describe, expect, spyOn, test } from "bun:test";
import { DAY, HOUR, MINUTE } from "../../src/domain/time.ts";
import { createSignInThrottle } from "../../src/web/account/sign-in-tries.ts";
import { NOON } from "../support/engine.ts";
import { type Browser, PASSWORD, type PeopleServer, startPeople } from "../support/people-server.ts";
import { granted } from "../support/service.ts";

const COOKIE = "rollcall-session";

const signIn = (browser: Browser, name = "Ada", password = PASSWORD, to = "/") =>
  browser.post("/sign-in", { name, password, to });

async function signedIn(server: PeopleServer, name = "Ada"): Promise<Browser> {
  const browser = server.browser();
  expect((await signIn(browser, name)).status).toBe(303);
  return browser;
}

const isIn = async (browser: Browser): Promise<boolean> => (await browser.get("/account")).status === 200;

describe("signing in", () => {
  test("begins a session with a cookie that no script reads, and leads back to where one was going", async () => {
    await using server = startPeople();
    server.person("Ada");
    const browser = server.browser();
    const led = await browser.get("/account");
    expect([led.status, led.to]).toEqual([303, "/sign-in?to=%2Faccount"]);
    const form = await browser.get(led.to!);
    expect(form.text).toContain('name="to" value="/account"');
    const answer = await signIn(browser, "ada", PASSWORD, "/account");
    expect([answer.status, answer.to]).toEqual([303, "/account"]);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^rollcall-session=[0-9A-Za-z]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^rollcall-browser=[\w.-]{60}; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/),
    ]);
    const account = await browser.get("/account");
    expect(account.status).toBe(200);
    expect(account.text).toContain("Ada.");
    expect((await browser.get("/sign-in?to=/account")).to).toBe("/account");
  });

  test("over HTTPS the cookie is one that no other host can set; the plain one counts for nothing there", async () => {
    await using server = startPeople();
    server.person("Ada");
    const browser = server.browser({ "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.7" });
    const answer = await signIn(browser);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-rollcall=\w{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure$/),
      expect.stringMatching(/^__Host-rollcall-browser=[\w.-]{60}; Path=\/; Max-Age=31536000; .*; Secure$/),
    ]);
    expect(await isIn(browser)).toBe(true);
    const token = browser.cookies.get("__Host-rollcall")!;
    browser.cookies.clear();
    browser.cookies.set(COOKIE, token);
    expect(await isIn(browser)).toBe(false);
    expect(server.service.store.sessions.ofPerson(1)).toMatchObject([{ address: "192.0.2.7" }]);
  });

  test("keeps only a hash of the token", async () => {
    await using server = startPeople();
    server.person("Ada");
    const browser = await signedIn(server);
    const token = browser.cookies.get(COOKIE)!;
    const stored = server.service.store.database.query("select hex(hash) as hash from sessions").all();
    expect(stored).toEqual([{ hash: Bun.SHA256.hash(token, "hex").toUpperCase() }]);
  });

  test.each(["//evil.example", "https://evil.example/", "/\\evil.example", "/\t/evil.example", "javascript:alert(1)"])(
    "never leads to another site: %j",
    async (to) => {
      await using server = startPeople();
      server.person("Ada");
      expect((await signIn(server.browser(), "Ada", PASSWORD, to)).to).toBe("/");
    },
  );

  test("takes no session that the browser brings along, and ends the one it had", async () => {
    await using server = startPeople();
    server.person("Ada");
    server.person("Eve");
    const chosen = "x".repeat(43);
    const browser = server.browser();
    browser.cookies.set(COOKIE, chosen);
    await signIn(browser);
    expect(browser.cookies.get(COOKIE)).not.toBe(chosen);
    const eve = await signedIn(server, "Eve");
    const before = eve.cookies.get(COOKIE)!;
    await signIn(eve, "Ada");
    const old = server.browser();
    old.cookies.set(COOKIE, before);
    expect([await isIn(eve), await isIn(old)]).toEqual([true, false]);
  });
});

describe("who does not get in", () => {
  test.each([
    ["a wrong password", "Ada", "correct horse batterz"],
    ["a short password", "Ada", "Pass-1"],
    ["an unknown name", "Mallory", PASSWORD],
    ["a person without a password", "Ben", PASSWORD],
    ["nothing", "", ""],
  ])("%s: the answer is the same", async (_what, name, password) => {
    await using server = startPeople();
    server.person("Ada");
    granted(server.service.engine.operate("user create", { name: "Ben" }));
    const browser = server.browser();
    const answer = await signIn(browser, name, password);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain("That name and password do not belong together.");
    expect(answer.text).not.toContain(password === "" ? "\0" : password);
    expect(browser.cookies.size).toBe(0);
    expect(server.service.count("sessions")).toBe(0);
    const told = JSON.stringify(server.service.logged);
    expect(told).toContain('"event":"sign_in_failed","fields":{"client":"127.0.0.1"');
    expect(told).not.toContain(PASSWORD);
  });

  test("an unknown name takes the same work as a known one: one hash of the same cost", async () => {
    await using server = startPeople();
    server.person("Ada");
    granted(server.service.engine.operate("user create", { name: "Ben" }));
    const verify = spyOn(Bun.password, "verify");
    for (const name of ["Ada", "Mallory", "Ben"]) {
      expect((await signIn(server.browser(), name, "correct horse batterz")).status).toBe(403);
    }
    const costs = verify.mock.calls.map(([, hash]) => /^\$argon2id\$[^$]+\$[^$]+/.exec(String(hash))?.[0]);
    verify.mockRestore();
    expect(costs).toEqual(Array.from({ length: 3 }, () => "$argon2id$v=19$m=19456,t=2,p=1"));
  });
});

test("a hostile name comes back as text", async () => {
  await using server = startPeople();
  server.person("Ada");
  const { text } = await signIn(server.browser(), `"><script>alert(1)</script>`, PASSWORD);
  expect(text).toContain("&lt;script&gt;");
  expect(text).not.toContain("<script>alert");
});

describe("R33: too many tries", () => {
  const at = (server: PeopleServer, address: string) =>
    server.browser({ "x-forwarded-for": address, "x-forwarded-proto": "https" });

  test.each([
    ["2001:db8:1::", "2001:db8:1:ffff::1", "2001:db8:2::1"],
    ["192.0.2.", "192.0.2.200", "192.0.3.1"],
  ])(
    "from one network (%s), with whatever names, wait: 429 with the time; a minute later one may try again",
    async (network, near, far) => {
      await using server = startPeople();
      server.person("Ada");
      for (let i = 1; i <= 10; i++)
        expect((await signIn(at(server, `${network}${i}`), `name ${i}`, "x")).status).toBe(403);
      const refused = await signIn(at(server, near));
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
      expect((await signIn(at(server, far))).status).toBe(303);
      server.service.at(NOON + MINUTE);
      expect((await signIn(at(server, near))).status).toBe(303);
    },
  );

  test("for one name from one network keep its owner out nowhere else, and not in a browser of theirs there", async () => {
    await using server = startPeople();
    server.person("Ada");
    const own = at(server, "192.0.2.7");
    expect((await signIn(own)).status).toBe(303);
    await own.post("/sign-out", {});
    for (let i = 0; i < 30; i++) await signIn(at(server, "192.0.2.8"), "Ada", "x");
    expect((await signIn(at(server, "192.0.2.9"))).status).toBe(429);
    expect((await signIn(at(server, "198.51.100.1"))).status).toBe(303);
    expect((await signIn(own)).status).toBe(303);
  });

  test("from a known browser wait by themselves; its mark is worth nothing for others, nor after another password", async () => {
    await using server = startPeople();
    server.person("Ada");
    server.person("Ben");
    const own = at(server, "192.0.2.7");
    await signIn(own);
    const mark = own.cookies.get("__Host-rollcall-browser")!;
    const marked = (value: string) => {
      const browser = at(server, "192.0.2.7");
      browser.cookies.set("__Host-rollcall-browser", value);
      return browser;
    };
    for (let i = 0; i < 10; i++) expect((await signIn(marked(mark), "Ada", "x")).status).toBe(403);
    expect((await signIn(marked(mark))).status).toBe(429);
    // Nothing of that was counted for the network or the name.
    for (let i = 0; i < 8; i++) expect((await signIn(at(server, "192.0.2.8"), "Ada", "x")).status).toBe(403);
    // In place of another's, a made-up or an old one, it is one try more from there.
    expect((await signIn(marked(mark), "Ben", "x")).status).toBe(403);
    const wrong = `${mark.slice(0, -1)}${mark.endsWith("A") ? "E" : "A"}`;
    for (const value of [wrong, "x", mark.slice(0, 17)]) expect((await signIn(marked(value))).status).toBe(429);
    granted(server.service.engine.operate("user passwd", { name: "ada" }));
    expect((await signIn(marked(mark))).status).toBe(429);
  });

  test("are answered alike whether or not there is such a person, and whether or not they are signed in", async () => {
    await using server = startPeople();
    server.person("Ada");
    server.person("Ben");
    await signIn(at(server, "192.0.2.7"));
    const answers = async (name: string): Promise<number[]> => {
      server.service.at(server.service.now + DAY);
      const statuses: number[] = [];
      for (let i = 0; i < 12; i++) statuses.push((await signIn(at(server, "192.0.2.8"), name, "x")).status);
      return statuses;
    };
    const known = await answers("Ada");
    expect(known).toEqual([...Array(10).fill(403), 429, 429]);
    expect(await answers("Ben")).toEqual(known);
    expect(await answers("nobody")).toEqual(known);
  });
});

describe("R33: the counts of tries", () => {
  const ADA = { name: "Ada", personId: 1, browser: null };

  function counting() {
    let now = 0;
    const throttle = createSignInThrottle({ monotonic: () => now }, "a secret");
    return {
      ...throttle,
      pass: (span: number) => {
        now += span;
      },
    };
  }

  test("a whole /48 has no more tries than one address, however many names it makes up", () => {
    const { take, pass } = counting();
    let taken = 0;
    for (let second = 0; second < 3_600; second++) {
      for (let i = 0; i < 20; i++) {
        const address = `2001:db8:1:${((second * 20 + i) % 65_536).toString(16)}::1`;
        if (take({ address, name: `made up ${i}`, personId: null, browser: null }) === null) taken++;
      }
      pass(1_000);
    }
    expect(taken).toBe(60);
  });

  test("what was tried at a name is forgotten for no names that are made up elsewhere", () => {
    const { take, pass } = counting();
    const tryFrom = (place: number, of: typeof ADA | { name: string; personId: null; browser: null }) =>
      take({ ...of, address: `2001:db8:${place.toString(16)}::1` });
    for (const of of [ADA, { name: "nobody", personId: null, browser: null }]) {
      let taken = 0;
      for (let place = 1; taken < 300; place++) if (tryFrom(place, of) === null) taken++;
      for (let place = 0x5000; place < 0xf000; place++)
        tryFrom(place, { name: `made up ${place}`, personId: null, browser: null });
      expect(tryFrom(0xffff, of)).toBeGreaterThan(0);
      pass(HOUR);
      expect(tryFrom(0xffff, of)).toBeNull();
    }
  });

  test("one network that tries all day uses up less than half of what a name has", () => {
    const { take, pass } = counting();
    for (let minute = 0; minute < 24 * 60; minute++) {
      for (let i = 0; i < 20; i++) take({ ...ADA, address: "192.0.2.1" });
      if (minute % 10 === 0) expect(take({ ...ADA, address: `198.51.${minute / 10}.1` })).toBeNull();
      pass(MINUTE);
    }
  });
});

describe("a form of another site", () => {
  const HEADERS: readonly [string, Record<string, string>, boolean][] = [
    ["our own page", { "sec-fetch-site": "same-origin" }, true],
    ["another site", { "sec-fetch-site": "cross-site" }, false],
    ["a neighbouring host", { "sec-fetch-site": "same-site" }, false],
    ["an address bar", { "sec-fetch-site": "none" }, false],
    ["another site that also says it is ours", { "sec-fetch-site": "cross-site", origin: "OWN" }, false],
    ["our own page over plain HTTP", { origin: "OWN" }, true],
    ["another site over plain HTTP", { origin: "http://evil.example" }, false],
    ["a page of this host that did not come the same way", { origin: "OVER HTTPS" }, false],
    ["a page without an origin", { origin: "null" }, false],
    ["a program that says nothing", {}, false],
  ];

  test.each(HEADERS)("signs nobody in or out and changes nothing: %s", async (_from, given, isTaken) => {
    await using server = startPeople();
    server.person("Ada");
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        value.replace("OWN", server.url).replace("OVER HTTPS", server.url.replace("http:", "https:")),
      ]),
    );
    const other = server.browser();
    const forced = await other.post("/sign-in", { name: "Ada", password: PASSWORD }, headers);
    expect([forced.status, other.cookies.size]).toEqual(isTaken ? [303, 2] : [403, 0]);
    const browser = await signedIn(server);
    for (const path of ["/account/sessions", "/account/password", "/sign-out"]) {
      const answer = await browser.post(path, { session: "others" }, headers);
      expect(answer.status === 403).toBe(!isTaken);
    }
    expect(await isIn(browser)).toBe(!isTaken);
  });

  test("a link is not used up by it either", async () => {
    await using server = startPeople();
    const { link } = granted(server.service.engine.operate("user create", { name: "Ada" }));
    const fields = { password: PASSWORD, again: PASSWORD };
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await server.browser().post(link!.path, fields, headers)).status).toBe(403);
    expect(server.service.store.people.named("Ada")!.passwordHash).toBeNull();
  });
});

describe("where nobody has been let in", () => {
  test("the door and a first link that is too old say how to make the first person's link", async () => {
    await using server = startPeople();
    const { service } = server;
    const { path } = service.engine.people.firstLink()!;
    const command = "rollcall user create NAME --role admin --link";
    const { text } = await server.browser().get("/sign-in");
    expect(text).toContain(command);
    expect(text).toContain("first-key");
    // No form could let anybody in.
    expect(text).not.toContain('action="/sign-in"');
    expect(text).not.toContain('name="password"');
    service.at(NOON + DAY);
    const late = await server.browser().get(path);
    expect([late.status, late.text.includes(command)]).toEqual([404, true]);
    const { link } = granted(service.engine.operate("user create", { name: "Ada" }));
    expect((await server.browser().get("/sign-in")).text).toContain("rollcall user passwd NAME --link");
    service.at(NOON + 2 * DAY);
    expect((await server.browser().get(link!.path)).text).toContain("rollcall user passwd NAME --link");
  });
});

describe("a session ends", () => {
  test("when it is not used for two weeks; a use keeps it, also over a restart", async () => {
    await using server = startPeople();
    server.person("Ada");
    const browser = await signedIn(server);
    server.service.at(NOON + 13 * DAY);
    expect(await isIn(browser)).toBe(true);
    server.service.engine.people.saveUses();
    expect(server.service.store.sessions.ofPerson(1)[0]!.usedAt).toBe(NOON + 13 * DAY);
    server.service.at(NOON + 27 * DAY - 1);
    expect(await isIn(browser)).toBe(true);
    server.service.at(NOON + 41 * DAY);
    expect(await isIn(browser)).toBe(false);
    server.service.look(NOON + 41 * DAY + HOUR);
    expect(server.service.count("sessions")).toBe(0);
  });

  test("after 90 days, however much it is used", async () => {
    await using server = startPeople();
    server.person("Ada");
    const browser = await signedIn(server);
    for (let day = 10; day < 90; day += 10) {
      server.service.at(NOON + day * DAY);
      expect(await isIn(browser)).toBe(true);
    }
    server.service.at(NOON + 90 * DAY);
    expect(await isIn(browser)).toBe(false);
  });

  test("when the person signs out: the token is worth nothing any more", async () => {
    await using server = startPeople();
    server.person("Ada");
    const browser = await signedIn(server);
    const token = browser.cookies.get(COOKIE)!;
    const answer = await browser.post("/sign-out", {});
    expect([answer.status, answer.to, browser.cookies.size]).toEqual([303, "/sign-in", 1]);
    browser.cookies.set(COOKIE, token);
    expect(await isIn(browser)).toBe(false);
  });

  test("when the person ends it from another browser, one or all others, and never somebody else's", async () => {
    await using server = startPeople();
    server.person("Ada");
    server.person("Ben");
    const [one, two, three, ben] = [
      await signedIn(server),
      await signedIn(server),
      await signedIn(server),
      await signedIn(server, "Ben"),
    ];
    expect((await one.get("/account")).text.match(/ name="session" value="\d+"/g)).toHaveLength(2);
    await one.post("/account/sessions", { session: "2" });
    expect([await isIn(one), await isIn(two), await isIn(three)]).toEqual([true, false, true]);
    await one.post("/account/sessions", { session: "4" });
    await one.post("/account/sessions", { session: "NaN" });
    expect([await isIn(three), await isIn(ben)]).toEqual([true, true]);
    await one.post("/account/sessions", { session: "others" });
    expect([await isIn(one), await isIn(three), await isIn(ben)]).toEqual([true, false, true]);
  });

  test("everywhere else when the password is changed, with a new token here", async () => {
    await using server = startPeople();
    server.person("Ada");
    const [here, there] = [await signedIn(server), await signedIn(server)];
    const before = here.cookies.get(COOKIE);
    const fields = { current: PASSWORD, password: "another long one", again: "another long one" };
    expect((await here.post("/account/password", { ...fields, current: "correct horse batterz" })).text).toContain(
      "present password",
    );
    expect((await here.post("/account/password", { ...fields, again: "not the same one" })).text).toContain(
      "not the same",
    );
    expect((await here.post("/account/password", { ...fields, password: "short", again: "short" })).text).toContain(
      "too short",
    );
    expect(await isIn(there)).toBe(true);
    expect((await here.post("/account/password", fields)).to).toBe("/account");
    expect(here.cookies.get(COOKIE)).not.toBe(before);
    expect([await isIn(here), await isIn(there)]).toEqual([true, false]);
    expect((await signIn(server.browser())).status).toBe(403);
    expect((await signIn(server.browser(), "Ada", "another long one")).status).toBe(303);
  });

  test("at once when the person is deleted, or gets a new password by command", async () => {
    await using server = startPeople();
    server.person("Ada");
    server.person("Ben");
    const [ada, ben] = [await signedIn(server), await signedIn(server, "Ben")];
    granted(server.service.engine.operate("user delete", { name: "ada" }));
    granted(server.service.engine.operate("user passwd", { name: "ben" }));
    expect([await isIn(ada), await isIn(ben)]).toEqual([false, false]);
  });

  test("when the person begins more than 20: the oldest", async () => {
    await using server = startPeople();
    server.person("Ada");
    const first = await signedIn(server);
    const { people } = server.service.engine;
    for (let i = 0; i < 20; i++) people.signIn(people.known("ada")!, { address: "::1", agent: "" });
    expect([await isIn(first), server.service.count("sessions")]).toEqual([false, 20]);
  });
});

test("the present password cannot be guessed at an open screen, nor its change be held up by others", async () => {
  await using server = startPeople();
  server.person("Ada");
  const browser = await signedIn(server);
  for (let i = 0; i < 10; i++) await signIn(server.browser(), "Ada", "x");
  server.service.at(NOON + MINUTE);
  const fields = { password: "another long one", again: "another long one" };
  for (let i = 0; i < 10; i++) {
    const wrong = await browser.post("/account/password", { ...fields, current: `wrong password ${i}` });
    expect(wrong.text).toContain("The present password is another.");
  }
  server.service.at(NOON + 2 * MINUTE);
  const held = await browser.post("/account/password", { ...fields, current: PASSWORD });
  expect(held.text).toContain("Too many tries");
  server.service.at(NOON + 11 * MINUTE);
  expect((await browser.post("/account/password", { ...fields, current: PASSWORD })).to).toBe("/account");
});

test("what people do with sessions and passwords stands in the audit, with the address", async () => {
  await using server = startPeople();
  server.person("Ada");
  const browser = await signedIn(server);
  await signedIn(server);
  await browser.post("/account/sessions", { session: "2" });
  await browser.post("/account/password", { current: PASSWORD, password: `${PASSWORD}.`, again: `${PASSWORD}.` });
  await browser.post("/sign-out", {});
  const { entries } = granted(server.service.engine.operate("audit", {}));
  expect(entries.map(({ name, address, action }) => [name, address, action]).toReversed()).toEqual([
    ["rollcall", null, "user create"],
    ["Ada", "127.0.0.1", "sign in"],
    ["Ada", "127.0.0.1", "sign in"],
    ["Ada", "127.0.0.1", "end session"],
    ["Ada", "127.0.0.1", "change password"],
    ["Ada", "127.0.0.1", "sign out"],
  ]);
});
