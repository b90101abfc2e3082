// The e-mail channel against a real SMTP server: what arrives, and what a reader sees. What refusals mean is
// smtp-verdict.test.ts.

import { expect, test } from "bun:test";
import PostalMime, { type Email } from "postal-mime";
import type { AlertData } from "../../src/domain/message/alert.ts";
import { type Verdict, withoutResponse } from "../../src/notify/channel.ts";
import { createEmailChannel } from "../../src/notify/email.ts";
import { alertOf } from "../support/alerts.ts";
import { createCertificate } from "../support/certificate.ts";
import { startRawSink } from "../support/http-sink.ts";
import { emailSettings, MAILED_AT, mailDelivery, sendThrough } from "../support/mail.ts";
import { CLOCK_NOTICE } from "../support/notices.ts";
import { startSmtpServer } from "../support/smtp-server.ts";

const certificate = createCertificate();
const TRUSTED = { certificateAuthority: certificate.certificate };

const header = (mail: Email, key: string) => mail.headers.filter((each) => each.key === key).map((each) => each.value);

test("R37: an alert arrives as one mail to one recipient, in text and in HTML", async () => {
  await using server = await startSmtpServer();
  const verdict = await createEmailChannel(emailSettings(server.port)).send(mailDelivery(), MAILED_AT);
  expect(verdict).toEqual({ verdict: "delivered", answer: "250 2.0.0 kept" });
  expect(server.mails).toMatchObject([{ from: "cron@example.org", to: ["ada@example.org"] }]);

  const mail = await PostalMime.parse(server.mails[0]!.raw);
  expect(mail.subject).toBe("Missed: Nightly backup (prod), due 03:00");
  expect(mail.from).toEqual({ name: "rollcall", address: "cron@example.org" });
  expect(mail.to).toEqual([{ name: "", address: "ada@example.org" }]);
  expect(mail.date).toBe("2026-03-01T02:01:06.000Z");
  for (const part of [mail.text, mail.html]) {
    expect(part).toContain("Nightly backup did not report.");
    expect(part).toContain("2026-03-01 03:00 Europe/Berlin (02:00 UTC)");
  }
});

test("R36: a mail's id is its delivery's, all of an incident are one thread, and no robot is to answer", async () => {
  const { mail } = await sendThrough({});
  expect(header(mail, "message-id")).toEqual(["<delivery-7-mm5x@example.org>"]);
  expect(header(mail, "in-reply-to")).toEqual(["<incident-12-mm5w@example.org>"]);
  expect(header(mail, "references")).toEqual(["<incident-12-mm5w@example.org>"]);
  expect(header(mail, "auto-submitted")).toEqual(["auto-generated"]);
  expect(header(mail, "x-auto-response-suppress")).toEqual(["All"]);
});

const HEADERS = [
  "from to subject message-id in-reply-to references date auto-submitted x-auto-response-suppress",
  "content-type mime-version",
]
  .join(" ")
  .split(" ")
  .sort();

const NAMES = {
  "line ends": "Backup\r\nBcc: mallory@example.net\r\n\r\nbody",
  "an emoji": "Backup 🗄️ of the 👩‍🚀 archive",
  "right to left": "גיבוי לילי",
  "a direction override": "safe\u202Egnp.exe\u2066",
  HTML: `<script>alert(1)</script><img src=x onerror="alert(2)">`,
  "an encoded word": "=?utf-8?q?Bcc=3A_mallory=40example=2Enet?=",
  "an encoded line end": "=?utf-8?B?YQ0KQmNjOiBtYWxsb3J5QGV4YW1wbGUubmV0?=",
  "an encoded direction override": "=?utf-8?Q?safe=E2=80=AEgnp=2Eexe?= =?utf-8?Q?=E2=81=A6?=",
  "a lone surrogate": "half \ud83d pair",
  "a long line": "very ".repeat(39),
};

for (const [what, name] of Object.entries(NAMES)) {
  test(`R36: a name with ${what} adds no header, no recipient and no markup`, async () => {
    await using server = await startSmtpServer();
    const data: Partial<AlertData> = { name, failureMessage: name, monitorKey: name, runId: name, owner: name };
    const message = alertOf({ ...data, links: { [name]: "https://example.org/?q=<b>" } });
    await createEmailChannel(emailSettings(server.port)).send(mailDelivery({ message }), MAILED_AT);

    const mail = await PostalMime.parse(server.mails[0]!.raw);
    expect(server.mails[0]!.to).toEqual(["ada@example.org"]);
    expect(mail.headers.map(({ key }) => key).sort()).toEqual(HEADERS);
    // A lenient reader decodes also what stands inside a word that was encoded.
    expect(server.mails[0]!.raw.match(/^Subject: .*(?:\r\n[ \t].*)*/m)![0]).not.toMatch(
      /=\?utf-8\?[^?]\?(?:safe|YQ0K|Bcc)/i,
    );
    expect(mail.subject).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    expect(mail.html).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/u);
    const elements = mail.html!.match(/(?<=<\/?)[a-z!][^\s>]*/gi)!.filter((element) => element !== "bdi");
    expect([...new Set(elements)].sort()).toEqual(
      "!doctype a body br code div head html meta p pre span table td th title tr".split(" "),
    );
    // The server's own lines ends are the only ones before the blank line.
    expect(server.mails[0]!.raw.split("\r\n\r\n")[0]).not.toMatch(/(?<!\r)\n|\r(?!\n)/);
  });
}

test("emoji and other scripts are read as they were written, and cannot turn what stands beside them", async () => {
  const name = "Backup 🗄️ גיבוי";
  const { mail } = await sendThrough({ delivery: { message: alertOf({ name, failureMessage: "größer als 3 €" }) } });
  expect(mail.text).toStartWith("Backup 🗄️ \u2068גיבוי\u2069 did not report.");
  expect(mail.html).toContain(">Backup 🗄️ <bdi>גיבוי</bdi> did not report. Check that");
  expect(mail.subject).toBe(`Missed: ${name} (prod), due 03:00`);
  expect(mail.text).toContain("größer als 3 €");
  expect(mail.html).toContain("größer als 3 €");
});

test("R36: a recipient that is no plain address is refused before any server hears of it", async () => {
  await using server = await startRawSink();
  const channel = createEmailChannel(emailSettings(server.port));
  const injected = [
    "ada@example.org, mallory@example.net",
    "ada@example.org\r\nRCPT TO:<mallory@example.net>",
    "<ada@example.org>",
    `"ada"@example.org`,
    "ada@example.org>",
    "",
    null,
  ];
  for (const recipient of injected) {
    expect(await channel.send(mailDelivery({ recipient }), MAILED_AT)).toMatchObject({ verdict: "hopeless" });
  }
  expect(server.connections()).toBe(0);
});

test("a mail names the application and ends with the team it was sent for, in both parts", async () => {
  const named = alertOf({ applicationName: "Production", teamName: "Home & <b>garden</b>" });
  const { mail } = await sendThrough({ delivery: { message: named } });
  expect(mail.text).toMatch(/^Application +prod \(Production\)$/m);
  expect(mail.text).toContain("\n\n-- \nSent by rollcall for Home & <b>garden</b>, which watches this job.\n");
  expect(mail.html).toContain("prod (Production)");
  expect(mail.html).toContain("Sent by rollcall for Home &amp; &lt;b&gt;garden&lt;/b&gt;, which watches this job.");
  const { mail: nameless } = await sendThrough({});
  expect(nameless.text).toContain("-- \nSent by rollcall, which watches this job.\n");
});

test("R38: a mail says why it came and where that can be changed, in both parts", async () => {
  const { mail } = await sendThrough({ delivery: { destination: "night-watch" } });
  expect(mail.text).toContain(
    'which watches this job.\nIt came to ada@example.org through the destination "night-watch", as InitialFailure.\n' +
      "The people who run rollcall can change that in its configuration: team.members and their events, and destinations.\n",
  );
  expect(mail.html).toContain(
    "through the destination &quot;night-watch&quot;, as InitialFailure.<br>The people who run",
  );

  // A notice goes to all members, whatever events they chose.
  const notice = await sendThrough({ delivery: { message: CLOCK_NOTICE } });
  expect(notice.mail.text).toContain(
    'It came to ada@example.org through the destination "email".\n' +
      "The people who run rollcall can change that in its configuration: team.members, and destinations.\n",
  );
});

test("the commands that bring quiet stand in both parts, apart from the sentences", async () => {
  const { mail } = await sendThrough({});
  expect(mail.text).toContain("Stop the reminders, on rollcall's computer:\n    rollcall incident ack 12\n");
  const commands = mail.html!.match(/<code.*?<\/code>/g)!.map((code) => code.replaceAll(/<.*?>/g, ""));
  expect(commands).toEqual(["rollcall incident ack 12", "rollcall monitor pause nightly-backup --app prod --for 2h"]);
});

test("R37: a command stands last, is one line of the text however long it is, and no option of it is broken", async () => {
  const data = {
    monitorKey: "a-very-long-key-of-a-monitor-that-a-person-has-to-type".repeat(2),
    applicationId: "production",
  };
  for (const plain of [false, true]) {
    const { mail } = await sendThrough({ plain, delivery: { message: alertOf(data) } });
    const command = `rollcall monitor pause ${data.monitorKey} --app production --for 2h`;
    expect(mail.text).toContain(`:\n    ${command}\n\n-- \n`);
    if (plain) continue;
    expect(mail.html).toContain(
      'nowrap">--app production</span> <span style="white-space:nowrap">--for 2h</span></code>',
    );
    expect(mail.html!.indexOf("</table>")).toBeLessThan(mail.html!.indexOf("<code"));
  }
});

test("R36: the plain form is text alone, without what the job said", async () => {
  const message = alertOf({ failureMessage: "BUY NOW" });
  const { mail } = await sendThrough({ plain: true, delivery: { message } });
  expect(mail.html).toBeUndefined();
  expect(mail.text).toContain("Nightly backup did not report.");
  expect(mail.text).not.toContain("BUY NOW");
});

test("with TLS and with STARTTLS a mail travels encrypted, and with a login under it", async () => {
  const login = { username: "rollcall", password: "p4ss" };
  for (const security of ["tls", "starttls"] as const) {
    await using server = await startSmtpServer({ security, certificate, login });
    const channel = createEmailChannel(emailSettings(server.port, { security, login }), TRUSTED);
    expect(await channel.send(mailDelivery(), MAILED_AT)).toMatchObject({ verdict: "delivered" });
    expect(server.mails).toMatchObject([{ secure: true, user: "rollcall" }]);
  }
});

test("a server that takes connections and says nothing is left after the timeout, at every stage", async () => {
  const stages = {
    greeting: () => {},
    "the first command": (line: string) => (line === "" ? "220 hello\r\n" : null),
    data: (line: string) => {
      if (line === "") return "220 hello\r\n";
      if (/^(EHLO|MAIL|RCPT)/.test(line)) return "250 ok\r\n";
      return line.startsWith("DATA") ? "354 go on\r\n" : null;
    },
  };
  for (const [stage, answer] of Object.entries(stages)) {
    await using server = await startRawSink((socket) => {
      socket.write(answer("") ?? "");
      socket.on("data", (chunk) => socket.write(answer(chunk.toString()) ?? ""));
    });
    const channel = createEmailChannel(emailSettings(server.port), { timeoutMs: 500 });
    const verdict: Verdict = stage === "data" ? withoutResponse(500) : { verdict: "retry", answer: "timed out" };
    expect(await channel.send(mailDelivery(), MAILED_AT)).toEqual(verdict);
    await server.closed;
  }
});

test("a computer whose name no mail server takes greets by address", async () => {
  const greetings: string[] = [];
  for (const hostname of ["my_shop.internal", "nas.example.org", "büro.lan", "-nas.lan"]) {
    await using server = await startRawSink((socket) => {
      socket.write("220 hello\r\n");
      socket.on("data", (chunk) => {
        greetings.push(chunk.toString().trim());
        socket.end("421 later\r\n");
      });
    });
    await createEmailChannel(emailSettings(server.port), { hostname }).send(mailDelivery(), MAILED_AT);
  }
  expect(greetings).toEqual(["EHLO [127.0.0.1]", "EHLO nas.example.org", "EHLO [127.0.0.1]", "EHLO [127.0.0.1]"]);
});

test("a server that drips its answer is left after the timeout too", async () => {
  await using server = await startRawSink((socket) => {
    socket.write("220 hello\r\n");
    const timer = setInterval(() => socket.write("250-still here\r\n"), 20);
    socket.on("close", () => clearInterval(timer));
  });
  const channel = createEmailChannel(emailSettings(server.port), { timeoutMs: 150 });
  expect(await channel.send(mailDelivery(), MAILED_AT)).toEqual({ verdict: "retry", answer: "timed out" });
});

test("a sender that is no plain address is refused when the channel is made", () => {
  const from = { name: null, address: "cron@example.org\r\nBcc: mallory@example.net" };
  expect(() => createEmailChannel(emailSettings(25, { from }))).toThrow(
    "the sender of mail must be a plain mail address",
  );
});
