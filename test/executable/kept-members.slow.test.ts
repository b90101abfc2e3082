// Members of the team that commands add (R31), end to end: they get mail, over a crash, beneath the configuration file.

import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { firstKeyOf, openFolder, report, until } from "../support/executable.ts";
import { startSmtpServer } from "../support/smtp-server.ts";

setDefaultTimeout(120_000);

test("R31: a member is added, gets the mail they chose, is the file's once that names them, and is removed", async () => {
  await using mail = await startSmtpServer();
  await using folder = openFolder({});
  const file = join(folder.path, "rollcall.toml");
  const smtp = `[smtp]\nhost = "127.0.0.1"\nport = ${mail.port}\nsecurity = "none"\nfrom = "rollcall@example.org"\n`;
  let service = await folder.serve();
  const key = firstKeyOf(service);
  const member = (...words: string[]) => folder.run(["member", ...words]);
  expect(await member("list")).toMatchObject({ exitCode: 0, err: expect.stringContaining("there are no members") });
  for (const [words, err] of [
    [["add", "Ada", "ada"], /email: "?.*is not/],
    [["add", "Ada\t", "ada@example.org"], /name: /],
    [["add", "Ada", "ada@example.org", "Fail"], /events\[0\]: /],
    [["set", "ada@example.org", "--name", "Ada"], /email: there is no member "ada@example.org" that a command added/],
    [["remove", "ada@example.org"], /email: there is no member/],
  ] as [string[], RegExp][])
    expect(await member(...words)).toMatchObject({ exitCode: 1, out: "", err: expect.stringMatching(err) });
  expect(await member("add", "Ada", "Ada@example.org")).toMatchObject({
    exitCode: 0,
    out: "added member Ada@example.org\n",
    err: expect.stringMatching(/^nobody gets mail yet: .*\[smtp\]/),
  });
  expect((await member("add", "Ben", "ben@example.org", "Recovered")).exitCode).toBe(0);
  await service.end("SIGKILL");

  writeFileSync(file, smtp);
  service = await folder.serve();
  expect((await member("list")).err).toContain("they get the mail of email");
  await report(service, key, "backup", "/fail?schedule=0%202%20*%20*%20*");
  await until("Ada's mail", () => mail.mails[0] ?? null);
  await report(service, key, "backup", "");
  await until("both mails", () => mail.mails[2] ?? null);
  expect(mail.mails.map(({ to }) => to).toSorted()).toEqual([
    ["Ada@example.org"],
    ["Ada@example.org"],
    ["ben@example.org"],
  ]);

  const set = (...words: string[]) => member("set", "ADA@example.org", ...words);
  expect(await set("InitialFailure", "--name", "Ada L.", "--answers", "ada")).toMatchObject({ exitCode: 0 });
  await until("the change", async () => ((await member("list")).out.includes("Ada L.") ? true : null));
  expect((await member("list")).out).toMatch(/^Ada L\. +Ada@example\.org +InitialFailure +ada +rollcall member add/m);
  const untaken = "Ada@example.org answers alerts as ada, there is no such person";
  expect((await folder.run(["advise"])).out).toContain(untaken);
  await service.logged("replies_not_taken", { says: untaken });
  expect(await set("--answers", "")).toMatchObject({ exitCode: 0 });
  await until("the end of it", async () => ((await folder.run(["advise"])).out.includes(untaken) ? null : true));

  writeFileSync(file, `${smtp}[team]\nmembers = [{ name = "A.", email = "ada@example.org" }]\n`);
  expect(await folder.run(["reload"])).toMatchObject({ exitCode: 0 });
  expect((await member("list")).out).toMatch(
    /^A\. +ada@example\.org .*rollcall\.toml:7 +what a command added is not in force: .*\(rollcall\.toml:7\)/m,
  );
  expect(await member("add", "Ada", "ada@example.org")).toMatchObject({
    exitCode: 1,
    err: expect.stringMatching(
      /email: "ada@example\.org" stands in the configuration \(rollcall\.toml:7\), and that wins/,
    ),
  });
  writeFileSync(file, smtp);
  expect(await folder.run(["reload"])).toMatchObject({ exitCode: 0 });
  expect((await member("remove", "ben@example.org")).exitCode).toBe(0);
  expect(await member("remove", "ada@example.org", "--yes")).toMatchObject({
    exitCode: 0,
    out: "removed member ada@example.org\n",
    err: "nobody gets the mail of email now\n",
  });
  expect((await folder.run(["audit"])).out).toContain("removed a member");
});
