// `rollcall user …` and `rollcall audit` as a person at a terminal meets them: over the real socket, with a real hash.

import { describe, expect, test } from "bun:test";
import { isPassword } from "../../src/web/account/passwords.ts";
import { rollcall, typing } from "../support/command-line.ts";
import { cells, openRunning, type Running } from "../support/commands.ts";

const PASSWORD = "correct horse battery";

/** Runs a command while these lines are typed at the terminal, or come from a script. */
const runTyping = (place: Running, isTerminal: boolean, lines: readonly string[], ...args: string[]) =>
  rollcall(args, { ROLLCALL_CONFIG: place.config }, null, typing(isTerminal, ...lines));

const hashOf = ({ service }: Running, name: string) => service.store.people.named(name)?.passwordHash ?? "";

describe("user create", () => {
  test("asks twice at the terminal and keeps only an argon2id hash", async () => {
    await using place = openRunning();
    const ran = await runTyping(place, true, [PASSWORD, PASSWORD], "user", "create", "Ada", "--role", "admin");
    expect(ran).toMatchObject({ exitCode: 0, out: "created Ada, admin" });
    expect(ran.err).not.toContain(PASSWORD);
    expect(hashOf(place, "ada")).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
    expect(await isPassword(PASSWORD, hashOf(place, "ada"))).toBe(true);
    expect(await isPassword("correct horse batterz", hashOf(place, "ada"))).toBe(false);
  });

  test("takes the first line of stdin where that is no terminal", async () => {
    await using place = openRunning();
    expect(await runTyping(place, false, [PASSWORD], "user", "create", "Ada")).toMatchObject({ exitCode: 0, err: "" });
    expect(await isPassword(PASSWORD, hashOf(place, "Ada"))).toBe(true);
  });

  test.each([
    [true, [PASSWORD, `${PASSWORD}.`], "not the same"],
    [true, ["short"], "too short"],
    [true, [], "none was given"],
    [false, [], "none was given"],
  ])("makes nobody when the terminal (%p) gives %j", async (isTerminal, lines, why) => {
    await using place = openRunning();
    const ran = await runTyping(place, isTerminal, lines, "user", "create", "Ada");
    expect(ran).toMatchObject({ exitCode: 1, out: "", err: expect.stringContaining(why) });
    expect(place.service.count("people")).toBe(0);
  });

  test("--link prints a link alone on stdout, so that a script can take it", async () => {
    await using place = openRunning();
    const { exitCode, out, err } = await place.run("user", "create", "Ada", "--link");
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: expect.stringMatching(/^\/sign-in\/link\/\w{43}$/) });
    expect(err).toBe(
      "created Ada, viewer; the link sets a password once, until 2026-03-03 12:00:00 UTC (in 24 h); put the dashboard's address in front of it",
    );
  });
});

test("user passwd and user delete say that the person is signed out", async () => {
  await using place = openRunning();
  await place.run("user", "create", "Ada", "--link");
  expect((await runTyping(place, false, [PASSWORD], "user", "passwd", "ada")).out).toBe(
    "set the password of Ada, who is signed out everywhere",
  );
  expect((await place.run("user", "delete", "ada")).out).toBe("deleted Ada, who is signed out everywhere");
  expect(await place.run("user", "delete", "ada")).toMatchObject({ exitCode: 1, err: expect.stringContaining("no") });
});

test("user list shows who may sign in, and how to make the first", async () => {
  await using place = openRunning();
  expect((await place.run("user", "list")).err).toContain("rollcall user create NAME --role admin");
  await place.run("user", "create", "Ada", "--link", "--role", "admin");
  await runTyping(place, false, [PASSWORD], "user", "create", "ben", "--app", "prod");
  expect(cells((await place.run("user", "list")).out)).toEqual([
    ["NAME", "ROLE", "APPLICATIONS", "CREATED (UTC)", "SIGNED IN", "PASSWORD", "PASSKEYS", "PROVIDER", "SESSIONS"],
    [
      "Ada",
      "admin",
      "all applications",
      "2026-03-02 12:00 (now)",
      "never",
      "none yet, its link ends 2026-03-03 12:00 (in 24 h)",
      "-",
      "-",
      "-",
    ],
    ["ben", "viewer", "prod", "2026-03-02 12:00 (now)", "never", "set", "-", "-", "-"],
  ]);
});

test("audit lists what commands did, by the user they run as", async () => {
  await using place = openRunning();
  expect((await place.run("audit")).err).toBe("nobody has done anything yet");
  await place.run("monitor", "create", "backup", "--schedule", "0 2 * * *");
  await place.run("monitor", "pause", "backup", "--for", "2h");
  const { out } = await place.run("audit");
  expect(cells(out)).toEqual([
    ["ID", "AT (UTC)", "WHO", "FROM", "DID", "ABOUT", "ASKED"],
    ["2", "2026-03-02 12:00 (now)", "rollcall by command", "this machine", "paused a job", "backup", "duration 2h"],
    [
      "1",
      "2026-03-02 12:00 (now)",
      "rollcall by command",
      "this machine",
      "created a job",
      "backup",
      "schedule 0 2 * * *",
    ],
  ]);
  expect(JSON.parse((await place.run("audit", "--limit", "1", "--json")).out)).toMatchObject([{ by: "system", id: 2 }]);
});
