// Passkeys as the engine keeps them: how many, when one may be added, when the last may go, and when all go.

import { expect, test } from "bun:test";
import { isRefusal, type Refusal } from "../../src/domain/errors.ts";
import { PASSKEYS_MAX, passkeySite } from "../../src/domain/people/sign-in.ts";
import { MINUTE } from "../../src/domain/time.ts";
import type { MadePasskey } from "../../src/engine/people/passkeys.ts";
import type { Session } from "../../src/engine/people/sessions-and-links.ts";
import { NOON, openService, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const HASH = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(43)}$${"B".repeat(43)}`;
const BROWSER = { address: "192.0.2.7", agent: "" };

const made = (credentialId: string): MadePasskey => ({
  credentialId,
  publicKey: Buffer.from("key"),
  counter: 0,
  host: "cron.example.org",
  name: "Laptop",
});

/** Somebody who has just signed in. */
function signedIn(service: Service, name: string, passwordHash: string | null): Session {
  granted(service.engine.operate("user create", { name, passwordHash }));
  const { people } = service.engine;
  return people.sessionOf(people.signIn(people.known(name)!, BROWSER)!.token)!;
}

const wordsOf = (refused: Refusal | null): string => refused?.message ?? "none";

test.each([
  ["https://cron.example.org", { id: "cron.example.org", origin: "https://cron.example.org" }],
  ["https://cron.example.org:8443/rollcall", { id: "cron.example.org", origin: "https://cron.example.org:8443" }],
  ["http://localhost:8787", { id: "localhost", origin: "http://localhost:8787" }],
  ["http://cron.example.org", "https addresses alone"],
  ["https://192.0.2.7", "a host with a name"],
  ["https://[2001:db8::1]", "a host with a name"],
  [null, "need server.public_url"],
])("passkeys at %p", (url, expected) => {
  const site = passkeySite(url);
  if (typeof expected === "string") expect(isRefusal(site) ? site.message : "none").toContain(expected);
  else expect(site).toEqual(expected);
});

test("a person has at most 20, each for themselves alone, and removes none but their own", () => {
  using service = openService();
  const { passkeys } = service.engine.people;
  const [ada, ben] = [signedIn(service, "Ada", HASH), signedIn(service, "Ben", HASH)];
  for (let number = 0; number < PASSKEYS_MAX; number++)
    expect(passkeys.add(ada, made(`a${number}`), "192.0.2.7")).toBeNull();
  expect(wordsOf(passkeys.add(ada, made("b"), "192.0.2.7"))).toContain("you have 20 passkeys");
  expect(wordsOf(passkeys.add(ben, made("a0"), "192.0.2.7"))).toContain("known here already");
  const [first] = passkeys.of(ada.person.id);
  expect(wordsOf(passkeys.remove(ben, first!.id, "192.0.2.7", false))).toContain("you have no such passkey");
  expect(passkeys.of(ada.person.id)).toHaveLength(PASSKEYS_MAX);
});

test("the last way to sign in stays: a passkey without a password, another passkey or a provider", () => {
  using service = openService();
  const { passkeys } = service.engine.people;
  const ada = signedIn(service, "Ada", null);
  expect(passkeys.add(ada, made("a"), "192.0.2.7")).toBeNull();
  const { id } = passkeys.of(ada.person.id)[0]!;
  expect(wordsOf(passkeys.remove(ada, id, "192.0.2.7", false))).toContain("the last way in which you can sign in");
  expect(passkeys.add(ada, made("b"), "192.0.2.7")).toBeNull();
  expect(passkeys.remove(ada, id, "192.0.2.7", false)).toBeNull();
  const [left] = passkeys.of(ada.person.id);
  expect(passkeys.remove(ada, left!.id, "192.0.2.7", false)).not.toBeNull();
  expect(passkeys.remove(ada, left!.id, "192.0.2.7", true)).toBeNull();
});

test("without a password to confirm with, one is added only within a quarter of an hour after signing in", () => {
  using service = openService();
  const { passkeys } = service.engine.people;
  const [ada, ben] = [signedIn(service, "Ada", null), signedIn(service, "Ben", HASH)];
  service.at(NOON + 15 * MINUTE);
  expect(wordsOf(passkeys.add(ada, made("a"), "192.0.2.7"))).toContain("sign out and in again");
  expect(passkeys.add(ben, made("b"), "192.0.2.7")).toBeNull();
});

test("a session that has ended adds none", () => {
  using service = openService();
  const { people } = service.engine;
  const ada = signedIn(service, "Ada", HASH);
  people.signOut(ada, "192.0.2.7");
  expect(wordsOf(people.passkeys.add(ada, made("a"), "192.0.2.7"))).toContain("signed out");
  expect(service.count("passkeys")).toBe(0);
});

test("a passkey that somebody else used meanwhile, with a higher counter, begins no session", () => {
  using service = openService();
  const { passkeys } = service.engine.people;
  passkeys.add(signedIn(service, "Ada", HASH), { ...made("a"), counter: 1 }, "192.0.2.7");
  const known = passkeys.find("a")!;
  expect(passkeys.signIn(known, 2, BROWSER)).not.toBeNull();
  expect(passkeys.signIn(known, 2, BROWSER)).toBeNull();
});

test("a new password by command removes them, and a deleted person has none", () => {
  using service = openService();
  const { engine } = service;
  const { passkeys } = engine.people;
  passkeys.add(signedIn(service, "Ada", HASH), made("a"), "192.0.2.7");
  passkeys.add(signedIn(service, "Ben", HASH), made("b"), "192.0.2.7");
  expect(granted(engine.operate("user list", {})).people.map(({ passkeys: count }) => count)).toEqual([1, 1]);
  expect(granted(engine.operate("user passwd", { name: "ada" }))).toMatchObject({ passkeysRemoved: 1 });
  granted(engine.operate("user delete", { name: "ben" }));
  expect(service.count("passkeys")).toBe(0);
});
