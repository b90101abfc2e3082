// Alerts in a person's browser, end to end: the executable, its page, a push service on this machine, and a restart.

import { expect, setDefaultTimeout, test } from "bun:test";
import { firstKeyOf, openFolder, report, until } from "../support/executable.ts";
import { senderOf, startPushService, subscriptionAt } from "../support/push-service.ts";

setDefaultTimeout(120_000);

const PASSWORD = "correct horse battery";

test("a browser that a person adds shows alerts, also after a restart, until its push service knows it no more", async () => {
  let status = 201;
  await using push = startPushService(() => new Response(null, { status }));
  await using folder = openFolder({
    "rollcall.toml": '[web]\n[smtp]\nhost = "127.0.0.1"\nfrom = "cron@example.org"\n',
  });
  let service = await folder.serve();
  const key = firstKeyOf(service);
  const made = await folder.run(["user", "create", "ada", "--role", "viewer", "--link", "--json"]);
  const { link } = JSON.parse(made.out);
  const ask = async (path: string, fields: Record<string, string>, cookie = "") =>
    fetch(`${service.url}${path}`, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { "sec-fetch-site": "same-origin", cookie },
      redirect: "manual",
    });
  const signedIn = await ask(link.path, { password: PASSWORD, again: PASSWORD });
  const cookie = signedIn.headers.getSetCookie()[0]!.split(";")[0]!;
  const { publicKey } = (await (await ask("/account/browsers/question", {}, cookie)).json()) as { publicKey: string };
  const browser = subscriptionAt(`${push.url}/send/1`);
  const added = await ask("/account/browsers", { answer: browser.text }, cookie);
  expect(added.headers.get("location")).toBe("/account#browsers");

  await ask("/account/browsers/test", {}, cookie);
  const pushed = async (count: number) => until("a message", () => push.pushed[count - 1] ?? null);
  const first = await pushed(1);
  expect(browser.read(first)).toMatchObject({ title: expect.stringContaining("Test message"), url: "/" });
  expect(senderOf(first)).toMatchObject({ isSigned: true, key: publicKey, sub: "mailto:cron@example.org" });

  await report(service, key, "backup", "?schedule=0%202%20*%20*%20*&name=Backup");
  await report(service, key, "backup", "/fail?message=disk%20full");
  const failed = browser.read(await pushed(2));
  expect(failed).toMatchObject({
    title: "Failed: Backup",
    url: "/incidents/1",
    body: expect.stringContaining("disk full"),
  });

  await service.end("SIGTERM");
  service = await folder.serve();
  await report(service, key, "backup");
  const recovered = await pushed(3);
  expect(browser.read(recovered)).toMatchObject({ title: expect.stringContaining("Backup"), tag: failed.tag });
  expect(senderOf(recovered).key).toBe(publicKey);

  status = 410;
  await report(service, key, "backup", "/fail?message=again");
  await service.logged("push_subscription_gone", { person: "ada" });
  const list = await folder.run(["notify", "list", "--given-up"]);
  expect(list.out).toContain("no browser of theirs takes messages any more");
  expect(folder.rows("SELECT count(*) AS count FROM browsers")).toEqual([{ count: 0 }]);
  const everything = service.out() + service.err() + list.out;
  for (const secret of [browser.endpoint, browser.keys.auth, "privateKey"]) expect(everything).not.toContain(secret);
});
