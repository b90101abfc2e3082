// Reports by mail in the compiled program (R47): what real senders get by SMTP, and what becomes of their mails.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport, type SendMailOptions } from "nodemailer";
import { readHealthchecks } from "../../src/import/healthchecks.ts";
import { newFolder } from "../import/files.ts";
import { createCertificate } from "../support/certificate.ts";
import { EXECUTABLE, type Folder, firstKeyOf, openFolder, type Service, until } from "../support/executable.ts";
import { freePort } from "../support/free-port.ts";
import { ask } from "../support/http-client.ts";
import { UUID } from "../support/old-addresses.ts";

setDefaultTimeout(180_000);

const DOMAIN = "jobs.example.org";
const tomlOf = (port: number, more = ""): string => `
[mail_in]
listen = "127.0.0.1:${port}"
domain = "${DOMAIN}"
${more}
[applications.prod]
keep_output = true
mask = ['customer \\d+']
[applications.prod.monitors.backup]
schedule = "0 2 * * *"
[applications.prod.monitors.vm]
schedule = "0 3 * * *"
mail_rule = "proxmox"
[applications.prod.monitors.nas]
schedule = "0 3 * * *"
mail_rule = "failure: kaputt; else: ignore"
`;

const port = freePort();
const folder = openFolder({ "rollcall.toml": tomlOf(port) });
afterAll(() => folder[Symbol.asyncDispose]());
let service: Service;
let key = "";
beforeAll(async () => {
  service = await folder.serve();
  key = firstKeyOf(service);
});

const at = (monitor: string): string => `${monitor}+${key}@${DOMAIN}`;

/** What the sender is answered: `250 …`, or the refusal. */
async function send(mail: SendMailOptions, to: number = port): Promise<string> {
  const transport = createTransport({ host: "127.0.0.1", port: to, ignoreTLS: true });
  const { response } = await transport
    .sendMail({ from: "nas@example.org", ...mail })
    .catch((error: { response?: string; code: string }) => ({ response: error.response ?? error.code }));
  transport.close();
  return response;
}

const newest = (from: Folder = folder) =>
  from.rows(
    "SELECT p.id, m.key, p.kind, p.message FROM pings p JOIN monitors m ON m.id = p.monitor_id ORDER BY p.id DESC LIMIT 1",
  )[0];
const count = (from: Folder = folder) => Number(from.rows("SELECT count(*) AS n FROM pings")[0]!["n"]);
const outputs = () =>
  folder.rows("SELECT * FROM outputs ORDER BY id DESC LIMIT 1").map((row) => JSON.stringify(row))[0];

describe("R47: a mail reports", () => {
  test.each([
    ["backup", "Backup done", "heartbeat", null],
    ["backup", "Backup failed", "fail", "Backup failed"],
    ["backup", "Backup started", "start", null],
    ["vm", "vzdump backup status (pve1): backup successful", "heartbeat", null],
    ["vm", "vzdump backup status (pve1): backup failed", "fail", "vzdump backup status (pve1): backup failed"],
    ["nas", "Festplatte 3 ist KAPUTT", "fail", "Festplatte 3 ist KAPUTT"],
    ["nas", "Guten Tag", "log", null],
  ] as const)("%s: %s", async (monitor, subject, kind, message) => {
    expect(await send({ to: at(monitor), subject, text: "x" })).toBe("250 recorded");
    expect(newest()).toMatchObject({ key: monitor, kind, message });
  });

  test("at the UUID of an address of Healthchecks, in any case of its letters", async () => {
    expect(await folder.run(["address", "add", UUID, "vm"])).toMatchObject({ exitCode: 0 });
    for (const local of [UUID, UUID.toUpperCase()]) {
      expect(await send({ to: `${local}@${DOMAIN.toUpperCase()}`, subject: "backup failed", text: local })).toBe(
        "250 recorded",
      );
      expect(newest()).toMatchObject({ key: "vm", kind: "fail" });
    }
  });

  test("by the rule that a person set, and the command says which are none", async () => {
    expect(await folder.run(["monitor", "set", "backup", "--mail-rule", "cron"])).toMatchObject({ exitCode: 0 });
    expect(await send({ to: at("backup"), subject: "Cron <root@nas> backup", text: "anything" })).toBe("250 recorded");
    expect(newest()).toMatchObject({ key: "backup", kind: "fail" });
    const wrong = await folder.run(["monitor", "set", "backup", "--mail-rule", "qnapp"]);
    expect(wrong).toMatchObject({ exitCode: 1, err: expect.stringContaining("is no rule for mails, write usual, ") });
    expect(await folder.run(["monitor", "set", "backup", "--unset", "mail-rule"])).toMatchObject({ exitCode: 0 });
  });

  test("once, however often it is delivered", async () => {
    const now = new Date();
    const mail = { to: at("backup"), subject: "Backup failed", text: "x", messageId: "<1@nas>", date: now };
    const before = count();
    for (let times = 0; times < 3; times++) expect(await send(mail)).toBe("250 recorded");
    expect(count()).toBe(before + 1);
    // Some devices give all their mails one Message-ID.
    expect(await send({ ...mail, date: new Date(now.getTime() - 60_000) })).toBe("250 recorded");
    expect(count()).toBe(before + 2);
  });

  test("R46: and its text is the output of a failure, without secrets and without tags", async () => {
    const text = "customer 4711\npassword=hunter2\nno space left on device";
    expect(await send({ to: at("backup"), subject: "Backup failed for customer 12", text })).toBe("250 recorded");
    expect(newest()).toMatchObject({ message: "Backup failed for ***" });
    expect(outputs()).toContain("no space left on device");
    expect(outputs()).not.toMatch(/4711|hunter2/);
    const html = "<html><style>b{}</style><b>Volume&nbsp;1</b> is <i>degraded</i><script>x()</script></html>";
    expect(await send({ to: at("backup"), subject: "Report", html })).toBe("250 recorded");
    expect(newest()).toMatchObject({ kind: "fail", message: "Report" });
    expect(outputs()).toMatch(/Volume.1 is degraded/);
    expect(outputs()).not.toContain("<b>");
  });

  test("of any size, of which the beginning is read", async () => {
    const attachments = [{ filename: "x", content: randomBytes(3_000_000) }];
    expect(await send({ to: at("backup"), subject: "Backup done", text: "RAID", attachments })).toBe("250 recorded");
    expect(await send({ to: at("backup"), subject: "Backup failed", text: "RAID", attachments })).toBe("250 recorded");
    expect(newest()).toMatchObject({ kind: "fail", message: "Backup failed" });
    expect(outputs()).toContain("RAID");
  });

  test("however many headers and parts it has, and however deep they stand", async () => {
    const headers = Object.fromEntries(Array.from({ length: 9_000 }, (_, number) => [`X-${number}`, "y"]));
    expect(await send({ to: at("backup"), subject: "Backup failed", text: "x", headers })).toBe("250 recorded");
    const nested = Array.from(
      { length: 1_500 },
      (_, depth) => `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n`,
    );
    for (const mail of [nested.join(""), `${nested[0]}${"\r\n\r\n--b0\r\n".repeat(9_000)}`]) {
      const lines = `${HELLO}RCPT TO:<${at("backup")}>\r\nDATA\r\nSubject: broken: failed\r\n${mail}\r\n.\r\nQUIT\r\n`;
      expect(await talk([lines])).toContain("250 recorded");
      expect(newest()).toMatchObject({ kind: "fail", message: "broken: failed" });
    }
  });

  test("with subjects and texts in other letters, and attachments", async () => {
    const attachments = [{ filename: "log.bin", content: randomBytes(500_000) }];
    const subject = "Sicherung – größer als üblich: failed 🙂";
    expect(await send({ to: at("backup"), subject, text: "größer", attachments })).toBe("250 recorded");
    expect(newest()).toMatchObject({ kind: "fail", message: subject });
    expect(outputs()).toContain("größer");
  });
});

describe("R47: a mail is refused", () => {
  test.each([
    [
      "with another key",
      () => `backup+${key.slice(0, -1)}${key.endsWith("x") ? "y" : "x"}@${DOMAIN}`,
      "550 no such address",
    ],
    ["with its key in small letters", () => at("backup").toLowerCase(), "550 no such address"],
    ["without a key", () => `backup@${DOMAIN}`, "550 no such address"],
    ["at an unknown UUID", () => `0b6f3a1c-0000-4c3b-9f4e-6a7b8c9d0e1f@${DOMAIN}`, "550 no such address"],
    ["for others", () => "ada@example.com", `550 no mail is passed on, only reports at ${DOMAIN} are taken`],
    ["for others behind a percent sign", () => `ada%example.com@${DOMAIN}`, "550 no such address"],
  ])("%s", async (_, to, answer) => {
    const before = count();
    expect(await send({ to: to(), subject: "x", text: "x" })).toStartWith(answer);
    expect(count()).toBe(before);
  });

  test("in the sentence of HTTP, and people see it: a monitor that is not there", async () => {
    const message = 'monitor "nobody" does not exist in application "prod"';
    expect(await send({ to: at("nobody"), subject: "failed", text: "x" })).toStartWith(`554 ${message}`);
    const { out } = await folder.run(["monitor", "refused", "--json"]);
    expect(out).toContain('"nobody"');
  });

  test("with a revoked key, and people are told", async () => {
    const made = await folder.run(["key", "create", "--app", "prod", "--json"]);
    const { key: other, id } = JSON.parse(made.out);
    expect(await send({ to: `backup+${other}@${DOMAIN}`, subject: "ok", text: "x" })).toBe("250 recorded");
    await folder.run(["key", "revoke", String(id), "--yes"]);
    expect(await send({ to: `backup+${other}@${DOMAIN}`, subject: "ok", text: "x" })).toStartWith(
      "550 no such address",
    );
    expect((await folder.run(["monitor", "refused"])).out).toContain("was revoked");
  });

  test("for another domain, and people see it if it has a key", async () => {
    const wrong = `backup+${key}@nas.local`;
    expect(await send({ to: wrong, subject: "failed", text: "x" })).toStartWith("550 no mail is passed on");
    expect((await folder.run(["monitor", "refused"])).out).toContain(`only reports at ${DOMAIN} are taken`);
  });

  test("where it has a thousand recipients, of which the first twenty are taken", async () => {
    const before = count();
    const transport = createTransport({ host: "127.0.0.1", port, ignoreTLS: true });
    const to = Array.from({ length: 1_000 }, (_, number) => at(`job-${number}`).replace("job-0+", "backup+"));
    const sent = await transport
      .sendMail({ from: "nas@example.org", envelope: { from: "nas@example.org", to }, text: "x" })
      .catch((error) => error);
    expect(String(sent.response ?? sent.message)).toStartWith("554 ");
    expect(count()).toBe(before + 1);
    expect((await folder.run(["monitor", "refused"])).out).toContain("a mail may have 20 recipients");
  });
});

/** Says this line by line; answers all that came until the other side closed, or nothing more is said. */
function talk(lines: readonly (string | Buffer)[], to = port): Promise<string> {
  return new Promise((resolve) => {
    let heard = "";
    const socket = connect(to, "127.0.0.1");
    socket.on("data", (piece) => {
      heard += piece;
    });
    socket.on("error", () => resolve(heard));
    socket.on("close", () => resolve(heard));
    // Who speaks before the greeting is turned away.
    socket.once("data", () => {
      for (const line of lines) socket.write(line);
    });
  });
}

const HELLO = "EHLO nas\r\nMAIL FROM:<nas@example.org>\r\n";

describe("R47: what is no proper mail does no harm:", () => {
  test("broken MIME is read as far as it goes", async () => {
    const mail =
      "Subject: =?utf-8?B?QmFja3Vw?= failed\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/html; charset=nonsense\r\nContent-Transfer-Encoding: base64\r\n\r\n%%%\r\n--y";
    expect(await talk([`${HELLO}RCPT TO:<${at("backup")}>\r\nDATA\r\n${mail}\r\n.\r\nQUIT\r\n`])).toContain(
      "250 recorded",
    );
    expect(newest()).toMatchObject({ kind: "fail", message: "Backup failed" });
  });

  test("no header of a mail adds a line to a message, an answer or the log", async () => {
    const injected = "Subject: =?utf-8?Q?failed=0D=0ABcc:_ada=40example.com=0D=0A250_ok?=\r\n\r\nx";
    const heard = await talk([`${HELLO}RCPT TO:<${at("backup")}>\r\nDATA\r\n${injected}\r\n.\r\nQUIT\r\n`]);
    expect(heard).toContain("250 recorded");
    expect(newest()!["message"]).toMatch(
      /^failed Bcc: ?_?.ada@example.com 250_?.ok$|^failed Bcc: ada@example.com 250 ok$/,
    );
  });

  test("random bytes, before and within a mail", async () => {
    const pid = service.pid;
    for (let times = 0; times < 150; times++) {
      const noise = randomBytes(1 + Math.floor(Math.random() * 4_000));
      const start = [
        Buffer.from(`${HELLO}RCPT TO:<${at("backup")}>\r\nDATA\r\n`),
        noise,
        Buffer.from("\r\n.\r\nQUIT\r\n"),
      ];
      const heard = await talk(times % 2 === 0 ? start : [noise, Buffer.from("\r\nQUIT\r\n")]);
      if (times % 2 === 0) expect(heard).toContain("250 recorded");
    }
    expect(service.pid).toBe(pid);
    expect(service.facts("unexpected_error")).toEqual([]);
    expect(await send({ to: at("backup"), subject: "done", text: "x" })).toBe("250 recorded");
  });

  test.each([
    ["a success", "Subject: done", 0],
    ["a failure that its subject says", "Subject: Backup FAILED", 1],
  ])("a sender that stops in the middle of %s", async (_, head, reports) => {
    const before = count();
    const socket = connect(port, "127.0.0.1");
    socket.once("data", () => socket.write(`${HELLO}RCPT TO:<${at("backup")}>\r\nDATA\r\n${head}\r\n\r\nhalf a`));
    let heard = "";
    socket.on("data", (piece) => {
      heard += piece;
    });
    await until("the word to begin", () => (heard.includes("354 ") ? true : null));
    socket.destroy();
    await until("what counts of it", () => (count() === before + reports ? true : null));
    if (reports > 0) expect(newest()).toMatchObject({ kind: "fail", message: "Backup FAILED" });
    expect(await send({ to: at("backup"), subject: "done", text: "x" })).toBe("250 recorded");
    expect(count()).toBe(before + reports + 1);
  });

  test("a line that does not end, and sign-in, are refused", async () => {
    expect(await talk(["x".repeat(2_000)])).toMatch(/too long|421|500/);
    expect(await talk(["EHLO nas\r\nAUTH PLAIN AGEAYg==\r\nSTARTTLS\r\nQUIT\r\n"])).not.toMatch(/^235|^220 .*TLS/m);
  });

  test("more connections from one computer than it may have wait until others have gone", async () => {
    const greeted: Socket[] = [];
    const open = Array.from({ length: 25 }, () => connect(port, "127.0.0.1"));
    for (const socket of open)
      socket.once("data", (line) => {
        expect(String(line)).toStartWith("220 ");
        greeted.push(socket);
      });
    await until("the first twenty", () => (greeted.length === 20 ? true : null));
    // One more could be greeted only by mistake; mail from elsewhere than this machine is not held up.
    const sent = send({ to: at("backup"), subject: "done", text: "x" });
    greeted[0]!.destroy();
    await until("one more", () => (greeted.length === 21 ? true : null));
    for (const socket of open) socket.destroy();
    expect(await sent).toBe("250 recorded");
  });
});

test("R47: with a certificate, mail comes encrypted", async () => {
  const { key: tlsKey, certificate } = createCertificate();
  const own = freePort();
  const files = { "tls.key": tlsKey, "tls.crt": certificate };
  await using place = openFolder({
    ...files,
    "rollcall.toml": tomlOf(own, 'tls_cert = "tls.crt"\ntls_key = "tls.key"'),
  });
  const running = await place.serve();
  const transport = createTransport({ host: "localhost", port: own, requireTLS: true, tls: { ca: certificate } });
  const to = `backup+${firstKeyOf(running)}@${DOMAIN}`;
  for (let times = 0; times < 3; times++)
    expect(await transport.sendMail({ from: "nas@example.org", to, text: "failed" })).toMatchObject({
      response: "250 recorded",
    });
  expect(newest(place)).toMatchObject({ kind: "fail" });
  expect(running.facts("listening_for_mail")).toMatchObject([{ port: own, starttls: true }]);
});

test("R47: what was answered with 250 is there after a kill", async () => {
  const own = freePort();
  await using place = openFolder({ "rollcall.toml": tomlOf(own) });
  const running = await place.serve();
  const to = `backup+${firstKeyOf(running)}@${DOMAIN}`;
  let taken = 0;
  const sending = Array.from({ length: 8 }, async () => {
    while ((await send({ to, subject: "done", text: "x" }, own)) === "250 recorded") taken++;
  });
  await until("some mails", () => (taken >= 40 ? true : null));
  await running.end("SIGKILL");
  await Promise.all(sending);
  expect(count(place)).toBeGreaterThanOrEqual(taken);
  expect(taken).toBeGreaterThanOrEqual(40);
});

test("R47: a port that cannot be had stops the start, with a word on what to do", async () => {
  await using place = openFolder({ "rollcall.toml": tomlOf(port) });
  const launched = place.launch();
  await until("the end", () => (launched.facts("start_failed").length > 0 ? true : null));
  const [{ error }] = launched.facts("start_failed") as unknown as [{ error: string }];
  expect(error).toBe(
    `mail_in.listen: 127.0.0.1:${port} cannot be had (EADDRINUSE); choose an address of this machine, and a free port above 1023`,
  );
});

describe("R47: `rollcall mail-in`", () => {
  const mail = "Subject: Backup failed\n\n.a line with a dot\nthe last\n";
  async function handIn(message: string, environment: Record<string, string>, ...args: readonly string[]) {
    const env = { PATH: process.env["PATH"]!, ...environment };
    const child = Bun.spawn([EXECUTABLE, "mail-in", "--at", `127.0.0.1:${port}`, ...args], {
      env,
      stdin: Buffer.from(message),
      stderr: "pipe",
    });
    const err = await new Response(child.stderr).text();
    return [await child.exited, err.trim()] as const;
  }

  test.each<readonly [string, () => Record<string, string>, () => string]>([
    ["$ORIGINAL_RECIPIENT", () => ({ ORIGINAL_RECIPIENT: at("vm"), RECIPIENT: "rollcall@nas" }), () => ""],
    ["$RECIPIENT", () => ({ RECIPIENT: at("vm") }), () => ""],
    [
      "what stands behind a user's name",
      () => ({ ORIGINAL_RECIPIENT: `rollcall+${at("vm")}`, EXTENSION: `vm+${key}`.toLowerCase(), USER: "rollcall" }),
      () => "",
    ],
    [
      "what an alias of Postfix stands for",
      () => ({ ORIGINAL_RECIPIENT: "root@nas", RECIPIENT: `jobs+${at("vm")}`, EXTENSION: `vm+${key}`.toLowerCase() }),
      () => "To: root@nas\n",
    ],
    [
      "Exim, which writes it in small letters",
      () => ({
        RECIPIENT: `jobs+${at("vm")}`.toLowerCase(),
        LOCAL_PART: "jobs",
        LOCAL_PART_SUFFIX: `+vm+${key}`.toLowerCase(),
      }),
      () => `Received: from nas by mail.example.org\n\tfor jobs+${at("vm")}; today\nTo: root@nas\n`,
    ],
    [
      "OpenSMTPD, which names no extension",
      () => ({ RECIPIENT: `jobs+${at("vm")}`, LOCAL: `jobs+vm+${key}` }),
      () => "",
    ],
    ["a folded header of sendmail", () => ({ AGENT: "sendmail" }), () => `To: Ada <ada@nas>,\n jobs+${at("vm")}\n`],
    ["Delivered-To", () => ({}), () => `Delivered-To: <${at("vm")}>\nTo: ada@example.com\n`],
    ["To", () => ({}), () => `From: nas@example.com\nTo: "A job, of ours" <${at("vm")}>\n`],
  ])("takes its recipient from %s", async (_, environment, head) => {
    const before = count();
    expect(await handIn(head() + mail, environment())).toEqual([0, ""]);
    expect(count()).toBe(before + 1);
    expect(newest()).toMatchObject({ key: "vm", kind: "fail", message: "Backup failed" });
    expect(outputs()).toContain(".a line with a dot");
  });

  test("ends as mail servers understand it", async () => {
    expect(await handIn(mail, {}, "--to", at("backup"))).toEqual([0, ""]);
    expect(await handIn(mail, {}, "--to", `nobody@${DOMAIN}`)).toEqual([
      67,
      expect.stringContaining("no such address"),
    ]);
    expect(await handIn(mail, {})).toEqual([67, "no recipient is known: name it with --to"]);
    expect(await handIn(mail, {}, "--to", at("not-there"))).toEqual([65, expect.stringContaining("does not exist")]);
    const large = `${mail}${"x\n".repeat(600_000)}`;
    expect(await handIn(large, {}, "--to", at("backup"))).toEqual([0, ""]);
    const nowhere = await handIn(mail, {}, "--to", at("backup"), "--at", `127.0.0.1:${freePort()}`);
    expect(nowhere).toEqual([75, expect.stringContaining("is rollcall running")]);
  });
});

test("R47: a check of Healthchecks moves in with its words, and mails go on to its UUID", async () => {
  const own = freePort();
  using files = newFolder();
  await using place = openFolder({ "rollcall.toml": tomlOf(own) });
  await place.serve();
  const imported = await place.run(["import", "healthchecks", files.made("healthchecks.sqlite"), "--yes"]);
  expect(imported.out + imported.err).toContain("they count once [mail_in] names a domain");
  const plan = readHealthchecks(files.made("healthchecks.sqlite"), null, () => {});
  const uuidOf = (stem: string) =>
    plan.checks.find((check) => check.stem === stem)!.addresses[0]!.slice("/ping/".length);
  for (const [stem, subject, kind] of [
    ["mail", "Job: SUCCESS", "heartbeat"],
    ["mail", "Job: ERROR", "fail"],
    ["mail", "nothing of it", "log"],
    ["weekly-report", "FAILED", "heartbeat"],
  ] as const) {
    expect(await send({ to: `${uuidOf(stem)}@${DOMAIN}`, subject, text: "x" }, own)).toBe("250 recorded");
    expect(newest(place)).toMatchObject({ kind });
  }
});

test("R45: who tries many wrong addresses is told nothing more, and who has reported from there goes on", async () => {
  const wrong = Array.from({ length: 320 }, (_, number) => `RCPT TO:<backup+ck_app_prod_${number}@${DOMAIN}>\r\n`);
  const heard = await talk([
    HELLO,
    ...wrong,
    `RCPT TO:<${at("backup")}>\r\nDATA\r\nSubject: done\r\n\r\nx\r\n.\r\nQUIT\r\n`,
  ]);
  expect(heard).toContain("550 no such address");
  expect(heard).toContain(
    "450 this network may send 300 requests in 1 minute (wrong addresses from a network in a minute)",
  );
  expect(heard).toContain("250 recorded");
  expect(service.facts("authentication_failed").at(-1)).toMatchObject({ client: "127.0.0.1" });
});

const disk = mkdtempSync(join(tmpdir(), "rollcall-mail-disk-"));
const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], { stderr: "ignore" }).success;
afterAll(() => {
  if (mounted) Bun.spawnSync(["umount", "-l", disk]);
  rmSync(disk, { recursive: true });
});

test.skipIf(!mounted)("R47: while the disk is full a mail is to be sent again, and then it counts", async () => {
  const own = freePort();
  const toml = `${tomlOf(own)}[storage]\ndirectory = "${disk}/data"\n`;
  await using place = openFolder({ "rollcall.toml": toml });
  const running = await place.serve();
  const to = `backup+${firstKeyOf(running)}@${DOMAIN}`;
  const file = join(disk, "full");
  for (let bytes = 4 * 1024 * 1024; bytes >= 512; bytes /= 2)
    try {
      for (;;) writeFileSync(file, "x".repeat(bytes), { flag: "a" });
    } catch {
      // A smaller piece may still fit.
    }
  await until("a mail that cannot be stored", async () =>
    (await send({ to, subject: "failed", text: "x" }, own)).startsWith("451 ") ? true : null,
  );
  expect((await ask(`${running.url}/readyz`)).status).toBe(503);
  unlinkSync(file);
  await until("a mail that can", async () =>
    (await send({ to, subject: "failed", text: "x" }, own)) === "250 recorded" ? true : null,
  );
});
