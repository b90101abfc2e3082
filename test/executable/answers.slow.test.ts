// Alerts answered from where they are read, by the executable: a mail, a phone and a webhook with their links, the page
// behind them in a real browser, and what a crash and a restore leave of it.

import { expect, setDefaultTimeout, test } from "bun:test";
import PostalMime from "postal-mime";
import { firstKeyOf, openFolder, report, type Service, until } from "../support/executable.ts";
import { freePort } from "../support/free-port.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { startSmtpServer } from "../support/smtp-server.ts";
import { accessibilityFaults, browserCommand, isTooWide, openPage, PHONE } from "../web/browser.ts";

setDefaultTimeout(180_000);

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;

async function openAnswered(more = "", web = "", alsoTo = "silent") {
  const mail = await startSmtpServer();
  const sink = startHttpSink((_, { path }) =>
    path.startsWith("/hooks") ? new Response(null, { status: 204 }) : Response.json({ id: "x", event: "message" }),
  );
  const port = freePort();
  const folder = openFolder({
    "rollcall.toml": `
[server]
listen = "127.0.0.1:${port}"
public_url = "http://127.0.0.1:${port}"
${web}
[smtp]
host = "127.0.0.1"
port = ${mail.port}
from = "rollcall <cron@example.org>"

[team]
destinations = ["email", "phone", "receiver", "${alsoTo}"]
members = [{ name = "Ada", email = "ada@example.org", answers = "Ada" }, { email = "ben@example.org" }]

[destinations.phone]
type = "ntfy"
url = "${new URL(sink.url).origin}"
topic = "cron"
answers = "Ada"

[destinations.receiver]
type = "webhook"
url = "${sink.url}"
secret = "${SECRET}"
answers = "Ada"

[destinations.silent]
type = "webhook"
url = "${sink.url}/silent"
secret = "${SECRET}"
${more}`,
  });
  const serve = () => folder.serve({ ROLLCALL_SERVER__LISTEN: `127.0.0.1:${port}` });
  const bodyAt = (end: string, about = "failure") =>
    until(`a message at ${end}`, () => {
      const found = sink.requests.findLast(({ path, body }) => path.endsWith(end) && body.includes(about));
      return found === undefined ? null : JSON.parse(found.body);
    });
  const mailTo = (address: string) =>
    until(`a mail to ${address}`, async () => {
      const found = mail.mails.find(({ to }) => to.includes(address));
      return found === undefined ? null : PostalMime.parse(found.raw);
    });
  return {
    ...{ folder, serve, bodyAt, mailTo, url: `http://127.0.0.1:${port}` },
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]();
      await Promise.all([mail[Symbol.asyncDispose](), sink[Symbol.asyncDispose]()]);
    },
  };
}

async function fail(service: Service, key = firstKeyOf(service)): Promise<string> {
  expect(await report(service, key, "backup", "?schedule=0+0+*+*+*")).toBe(200);
  expect(await report(service, key, "backup", "/fail?message=disk+full")).toBe(200);
  return key;
}

const curl = async (...args: string[]): Promise<string> => {
  const { stdout } = Bun.spawn(["curl", "-s", "-w", "\n%{http_code}", ...args], { stderr: "ignore" });
  return new Response(stdout).text();
};

const LINK = /http:\/\/[^\s"<]+\/answer\/[\w-]+\/[\w-]+/;

test("mail of a member, phone and webhook have the link, and only they; looking at it does nothing", async () => {
  await using opened = await openAnswered();
  const { folder, bodyAt, mailTo } = opened;
  const service = await opened.serve();
  expect((await folder.run(["user", "create", "Ada", "--role", "operator", "--link"])).exitCode).toBe(0);
  await fail(service);
  const mail = await mailTo("ada@example.org");
  const inMail = LINK.exec(mail.text!)![0];
  expect(mail.html).toContain(inMail);
  expect(mail.text).toMatch(/Acknowledge:\s+http/);
  expect((await mailTo("ben@example.org")).text).not.toMatch(LINK);
  const phone = await bodyAt("/");
  const posted = { action: "http", label: "Acknowledge", method: "POST", clear: true };
  expect(phone.actions[0]).toEqual({ ...posted, url: expect.stringMatching(/\/answer\/phone\/[\w-]+\/ack$/) });
  const webhook = await bodyAt("T0SECRET");
  expect(webhook.data.answerUrl).toMatch(LINK);
  expect((await bodyAt("silent")).data).not.toHaveProperty("answerUrl");
  expect(new Set([inMail, LINK.exec(phone.actions[0].url)![0], webhook.data.answerUrl]).size).toBe(3);

  expect(await curl(inMail)).toEndWith("\n200");
  expect(await curl("-I", inMail)).toEndWith("\n200");
  expect(await curl("-H", "Sec-Purpose: prefetch", inMail)).toEndWith("\n200");
  for (const header of ["Sec-Fetch-Site: cross-site", "Origin: https://evil.example.org", "X-Nothing: else"])
    expect(await curl("-H", header, "-d", "do=ack", inMail)).toEndWith("\n403");
  expect(folder.rows("SELECT acknowledged_at AS at FROM incidents")).toEqual([{ at: null }]);

  expect(await curl("-H", `Origin: ${opened.url}`, "-d", "do=ack", inMail)).toEndWith("\n200");
  expect((await folder.run(["incident", "list"])).out).toContain("Ada");
  expect((await folder.run(["audit"])).out).toContain("a link in a message to email");
  expect(folder.rows("SELECT count(*) AS rows FROM audit WHERE answer IS NOT NULL")).toEqual([{ rows: 1 }]);
  expect(service.err()).not.toContain(inMail.split("/").at(-1)!);
});

test("a button of ntfy posts the answer straight to us: as Ada, once, and by no other method", async () => {
  await using opened = await openAnswered();
  const { folder, bodyAt } = opened;
  const service = await opened.serve();
  expect((await folder.run(["user", "create", "Ada", "--role", "operator", "--link"])).exitCode).toBe(0);
  await fail(service);
  const [{ url }, , { url: resolve }] = (await bodyAt("/")).actions;
  for (const args of [[], ["-I"], ["-X", "OPTIONS"]]) expect(await curl(...args, url)).not.toEndWith("\n200");
  expect(folder.rows("SELECT acknowledged_at AS at FROM incidents")).toEqual([{ at: null }]);
  expect(await curl("-X", "POST", url.replace("/phone/", "/receiver/"))).toEndWith("\n403");
  expect(await curl("-X", "POST", url)).toBe("Ada: Acknowledge.\n\n200");
  expect(await curl("-X", "POST", url)).toEndWith("\n409");
  expect(folder.rows("SELECT acknowledged_by AS name FROM incidents")).toEqual([{ name: "Ada" }]);
  expect((await folder.run(["audit"])).out).toContain("a link in a message to phone");
  expect(await curl("-X", "POST", resolve)).toBe("Ada: Resolve.\n\n200");
  expect((await bodyAt("/", "white_check_mark")).actions ?? []).not.toContainEqual(
    expect.objectContaining({ action: "http" }),
  );
  expect(service.err()).not.toContain(LINK.exec(url)![0].split("/").at(-1)!);
});

test("a button in Telegram comes back without any address of ours, and a restart repeats nothing", async () => {
  const data = { pressed: "", offset: 0 };
  await using bot = startHttpSink(async (_, { path, body }) => {
    const asked = JSON.parse(body);
    if (path.endsWith("/sendMessage")) data.pressed ||= asked.reply_markup?.inline_keyboard[0][0].callback_data ?? "";
    if (!path.endsWith("/getUpdates")) return Response.json({ ok: true, result: true });
    // As the Bot API holds a question back, for less long.
    await until("a moment", () => true);
    data.offset = asked.offset;
    const message = { message_id: 7, chat: { id: 5 }, text: "Failed" };
    const query = { id: "q", from: { id: 1 }, data: data.pressed, message };
    const isThere = data.pressed !== "" && asked.offset <= 9;
    return Response.json({ ok: true, result: isThere ? [{ update_id: 9, callback_query: query }] : [] });
  });
  await using opened = await openAnswered(
    `[destinations.chat]
type = "telegram"
url = "${new URL(bot.url).origin}"
token = "1234567890:replacethiswithatokenofabot"
chat = "5"
answers = "Ada"
`,
    `[web]\nlisten = "127.0.0.1:${freePort()}"`,
    "chat",
  );
  const { folder } = opened;
  const service = await opened.serve();
  expect((await folder.run(["user", "create", "Ada", "--role", "operator", "--link"])).exitCode).toBe(0);
  await fail(service);
  await until("the offset", () => (data.offset === 10 ? true : null));
  expect(folder.rows("SELECT acknowledged_by AS name FROM incidents")).toEqual([{ name: "Ada" }]);
  const toasts = () => bot.requests.filter(({ path }) => path.endsWith("/answerCallbackQuery"));
  expect(toasts().map(({ body }) => JSON.parse(body).text)).toEqual(["Ada: Acknowledge"]);
  await service.end("SIGKILL");
  // The bot says it again, as if it had not heard how far we are.
  data.offset = 0;
  await opened.serve();
  await until("the offset", () => (data.offset === 10 ? true : null));
  expect(JSON.parse(toasts().at(-1)!.body).text).toContain("already, at ");
  expect(folder.rows("SELECT count(*) AS rows FROM audit WHERE answer IS NOT NULL")).toEqual([{ rows: 1 }]);
  expect(service.err()).not.toContain("replacethiswith");
});

test("killed, it knows what was answered; restored to before that, the link answers again what is not over", async () => {
  await using opened = await openAnswered();
  const { folder, bodyAt } = opened;
  const service = await opened.serve();
  expect((await folder.run(["user", "create", "Ada", "--role", "operator", "--link"])).exitCode).toBe(0);
  await fail(service);
  const link = (await bodyAt("T0SECRET")).data.answerUrl;
  const act = (what: string) => curl("-H", `Origin: ${opened.url}`, "-d", `do=${what}`, link);
  expect((await folder.run(["backup", "copy.db"])).exitCode).toBe(0);
  expect(await act("hour")).toEndWith("\n200");
  await service.end("SIGKILL");
  const next = await opened.serve();
  expect(await act("hour")).toContain("already, at ");
  await next.end("SIGTERM");
  expect((await folder.run(["restore", "copy.db"])).exitCode).toBe(0);
  const restored = await opened.serve();
  expect(await act("ack")).toEndWith("\n200");
  expect(await act("hour")).toEndWith("\n200");
  expect(await act("resolve")).toEndWith("\n200");
  expect(await curl(link)).toContain("is over since");
  await restored.end("SIGTERM");
  expect((await folder.run(["restore", "copy.db"])).exitCode).toBe(0);
  await opened.serve();
  expect(await curl(link)).toContain("is over since");
});

test("without a person who may act, or without pages that everybody reaches, messages have no link", async () => {
  await using elsewhere = await openAnswered("", `[web]\nlisten = "127.0.0.1:${freePort()}"`);
  const service = await elsewhere.serve();
  expect((await elsewhere.folder.run(["user", "create", "Ada", "--role", "admin", "--link"])).exitCode).toBe(0);
  await fail(service);
  expect((await elsewhere.bodyAt("T0SECRET")).data).not.toHaveProperty("answerUrl");
  await using stranger = await openAnswered();
  const other = await stranger.serve();
  expect((await stranger.folder.run(["user", "create", "Ada", "--link"])).exitCode).toBe(0);
  await fail(other);
  expect((await stranger.bodyAt("T0SECRET")).data).not.toHaveProperty("answerUrl");
});

test.if(browserCommand !== null)(
  "the page is accessible on a desk and on a phone, and acts without script",
  async () => {
    await using opened = await openAnswered();
    const service = await opened.serve();
    expect((await opened.folder.run(["user", "create", "Ada", "--role", "operator", "--link"])).exitCode).toBe(0);
    await fail(service);
    const link = (await opened.bodyAt("T0SECRET")).data.answerUrl;
    for (const options of [{}, { ...PHONE, colorScheme: "dark" }] as const) {
      await using shown = await openPage(link, options);
      expect(await accessibilityFaults(shown.page)).toEqual([]);
      expect(await isTooWide(shown.page)).toBe(false);
      expect(shown.complaints).toEqual([]);
    }
    await using shown = await openPage(link, { ...PHONE, javaScriptEnabled: false });
    await shown.page.getByRole("button", { name: "Acknowledge" }).click();
    await shown.page.getByText("acknowledged by Ada").waitFor();
    await shown.page.getByRole("button", { name: "Resolve" }).click();
    await shown.page.getByText("Ada: Resolve.").waitFor();
    await using after = await openPage(link, PHONE);
    expect(await accessibilityFaults(after.page)).toEqual([]);
    expect(await after.page.locator("main").textContent()).toContain("is over since");
  },
);
