// People who may sign in: names, passwords, how long a session lasts, and what each role may do.

import { describe, expect, test } from "bun:test";
import {
  type Actor,
  checkPersonName,
  foldedPersonName,
  type Person,
  ROLES,
  type Role,
  refuseActor,
} from "../../src/domain/people/person.ts";
import {
  checkPassword,
  checkPasswordHash,
  isSessionLive,
  isSignInToken,
  newSignInToken,
  sessionEnd,
} from "../../src/domain/people/sign-in.ts";
import { DAY } from "../../src/domain/time.ts";

const actor = (role: Role, applications: Person["applications"] = null): Actor => ({
  kind: "person",
  person: { id: 1, name: "Ada", role, applications },
  address: "192.0.2.1",
});

/** What any edge may ask. */
const PLAIN = { acts: true, hostOnly: false };

describe("who may do what", () => {
  test.each([
    ["viewer", { viewer: true, operator: false, admin: false }],
    ["operator", { viewer: true, operator: true, admin: false }],
    ["admin", { viewer: true, operator: true, admin: true }],
  ] as const)("a %s may do what takes its own role or one before it", (role, expected) => {
    const may = ROLES.map((needed) => [
      needed,
      refuseActor(actor(role), { role: needed, application: null, ...PLAIN }) === null,
    ]);
    expect(Object.fromEntries(may)).toEqual(expected);
  });

  test.each([
    [null, "prod", true],
    [null, null, true],
    [["prod"], "prod", true],
    [["prod"], "test", false],
    [["prod"], null, false],
    [[], "prod", false],
  ] as const)("of the applications %j, one may do what is about %j: %p", (own, application, may) => {
    expect(refuseActor(actor("admin", own), { role: "viewer", application, ...PLAIN }) === null).toBe(may);
  });

  test("a key that may only look gets no secret", () => {
    const asks = (scope: "read" | "admin", tellsSecret: boolean) =>
      refuseActor({ kind: "key", key: { id: 1, scope, label: null }, address: "192.0.2.1" } as Actor, {
        role: "viewer",
        application: null,
        acts: false,
        hostOnly: false,
        tellsSecret,
      })?.refusal;
    expect([asks("read", false), asks("read", true), asks("admin", true)]).toEqual([
      undefined,
      "ACCESS_DENIED",
      undefined,
    ]);
  });

  test("the user of the commands may do everything", () => {
    expect(
      refuseActor({ kind: "system", name: null }, { role: "admin", application: null, acts: true, hostOnly: true }),
    ).toBeNull();
  });

  test("a refusal is the same for an application that is there and one that is not", () => {
    const asked = (application: string) =>
      refuseActor(actor("admin", ["prod"]), { role: "viewer", application, ...PLAIN });
    expect(asked("test")).toEqual(asked("nowhere"));
    expect(asked("test")).toMatchObject({
      refusal: "ACCESS_DENIED",
      message: "Ada may do this in some applications only: prod",
    });
  });
});

describe("a name", () => {
  test.each(["Ada", "ada@example.org", "Jean-Luc d'Arc", "Zoë Müller", "李雷", "a", "x".repeat(64), "Dr. No."])(
    "%s is taken",
    (name) => expect(checkPersonName(name)).toBeNull(),
  );

  test.each(["", " Ada", "Ada ", "<b>Ada</b>", "Ada\u202e", "a\nb", "x".repeat(65), "*bold*", "-rf"])(
    "%j is refused",
    (name) => expect(checkPersonName(name)?.message).toStartWith("name: "),
  );

  test("is the same in upper and lower case, and however an accent is written", () => {
    expect(foldedPersonName("ZOË")).toBe(foldedPersonName("zoe\u0308"));
    expect(foldedPersonName("Ada")).not.toBe(foldedPersonName("Ade"));
  });
});

describe("a password", () => {
  test.each([
    ["x".repeat(11), "too short"],
    ["🔑".repeat(11), "too short"],
    ["x".repeat(257), "too long"],
    [`${"x".repeat(20)}\ud800`, "not Unicode"],
  ])("%j is refused", (password, why) => expect(checkPassword(password)?.message).toContain(why));

  test.each(["            ", "🔑".repeat(12), "x".repeat(256), "correct horse"])(
    "%j has the length it needs",
    (password) => expect(checkPassword(password)).toBeNull(),
  );

  test("its hash is argon2id of a bounded cost, or refused", () => {
    const parts = (m: number, kind = "argon2id") => `$${kind}$v=19$m=${m},t=2,p=1$${"A".repeat(43)}$${"B".repeat(43)}`;
    expect(checkPasswordHash(parts(19_456))).toBeNull();
    for (const wrong of [parts(19_455), parts(999_999), parts(19_456, "argon2i"), "", `${parts(19_456)} `, "secret"])
      expect(checkPasswordHash(wrong)).toMatchObject({ refusal: "INVALID_REQUEST" });
  });
});

describe("a session", () => {
  test.each([
    [0, 0, 14 * DAY],
    [0, 10 * DAY, 24 * DAY],
    [0, 80 * DAY, 90 * DAY],
  ])("begun at %d and used at %d, ends at %d", (createdAt, usedAt, end) => {
    const session = { createdAt, usedAt };
    expect(sessionEnd(session)).toBe(end);
    expect([isSessionLive(session, end - 1), isSessionLive(session, end)]).toEqual([true, false]);
  });

  test("has a token of 256 bits", () => {
    let made = 0;
    const token = newSignInToken(() => "abcdefgh"[made++]!.repeat(32));
    expect(token).toBe(`${"a".repeat(32)}${"b".repeat(11)}`);
    expect(Math.log2(62) * token.length).toBeGreaterThan(256);
    expect([isSignInToken(token), isSignInToken(`${token}a`), isSignInToken(token.replace("a", "-"))]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
