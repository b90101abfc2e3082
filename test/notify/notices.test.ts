// Notices on their way: from the outbox through both channels to real servers, in full, plain and without an incident.

import { expect, test } from "bun:test";
import PostalMime from "postal-mime";
import type { LogFields } from "../../src/domain/log.ts";
import type { Message } from "../../src/domain/message/message.ts";
import type { ClaimedDelivery } from "../../src/engine/api.ts";
import type { Channel } from "../../src/notify/channel.ts";
import { createEmailChannel } from "../../src/notify/email.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { openTestOutbox, toHook } from "../support/alerts.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { manualTime, steadyBy, until } from "../support/manual-time.ts";
import { CLOCK_NOTICE, GAP_FROM, NOTICE_AT, refusalsOf, refusedOf, unheardOf, unknownOf } from "../support/notices.ts";
import { startSmtpServer } from "../support/smtp-server.ts";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;

const delivery = (message: Message): ClaimedDelivery => ({
  id: 7,
  destination: "anywhere",
  recipient: "ada@example.org",
  reference: "delivery-7-mm5x",
  thread: "notice-3-mm5w",
  createdAt: NOTICE_AT,
  attempts: 0,
  message,
});

async function mailed(message: Message, plain = false) {
  await using server = await startSmtpServer();
  const from = { name: "rollcall", address: "cron@example.org" };
  const smtp = { host: "127.0.0.1", port: server.port, security: "none", login: null, from } as const;
  const channel = createEmailChannel({ type: "email", smtp });
  const verdict = await channel.send(delivery(message), { sentAt: NOTICE_AT, plain });
  expect(verdict).toMatchObject({ verdict: "delivered" });
  return PostalMime.parse(server.mails[0]!.raw);
}

async function posted(message: Message, plain = false) {
  await using sink = startHttpSink(() => new Response("ok"));
  const channel = CHANNELS.webhook({ url: sink.url, secret: SECRET });
  await channel.send(delivery(message), { sentAt: NOTICE_AT, plain });
  return JSON.parse(sink.requests[0]!.body);
}

const FAILING = refusalsOf([
  refusedOf({ key: "a", name: "Archive <b>" }),
  refusedOf({ fails: [{ at: GAP_FROM, message: "dump failed:\n  no space <left>" }] }),
]);

test("R26: a notice arrives by mail in text and in HTML, as a thread of its own", async () => {
  const mail = await mailed(unheardOf());
  expect(mail.subject).toBe("Did it run? Backup (prod): rollcall was down for at most 2 hours");
  expect(mail.headers.find(({ key }) => key === "references")?.value).toBe("<notice-3-mm5w@example.org>");
  expect(mail.text).toContain(
    "\n\n- Backup (prod, nightly-backup)\n" +
      "  a report was due at 2026-03-01 03:30 Europe/Berlin (02:30 UTC)\n" +
      "  next report due at 2026-03-02 03:30\n\n",
  );
  expect(mail.html).toContain(">Backup (prod, nightly-backup)</strong><br>a report was due at 2026-03-01 03:30 Europe");
});

test("a notice is neither green nor red", async () => {
  for (const message of [unheardOf(), FAILING, CLOCK_NOTICE]) {
    const { html } = await mailed(message);
    expect(html).toContain("border-top:4px solid #44546f");
    expect(html).not.toMatch(/#1a7f37|#b42318/);
  }
});

test("R33: a refused failure stands before anything else in a mail, with its message as it was written", async () => {
  const { text, html } = await mailed(FAILING);
  expect(text).toContain(
    "- Backup (prod, nightly-backup)\n      dump failed:\n        no space <left>\n" +
      "  failure of 2026-03-01 03:00 Europe/Berlin (02:00 UTC) refused: " +
      "limits.v1_per_minute: more came than it allows\n- Archive <b> (prod, a)\n",
  );
  expect(text).toStartWith("Backup (prod) reported a failure, but the report was refused.");
  expect(html).toContain("dump failed:\n  no space &lt;left&gt;</pre>");
  expect(html).toContain("Archive &lt;b&gt; (prod, a)");
});

test("R36: a notice's plain mail is text alone and still names the failure, without what the job said", async () => {
  const { text, html } = await mailed(FAILING, true);
  expect(html).toBeUndefined();
  expect(text).toContain("- Backup (prod, nightly-backup)\n  failure of 2026-03-01 03:00 Europe");
  expect(text).not.toContain("no space");
});

test("R37: a notice arrives at a webhook as service.notice with the data as it was stored", async () => {
  for (const message of [unheardOf(), FAILING, CLOCK_NOTICE]) {
    expect(await posted(message)).toEqual({
      type: "service.notice",
      timestamp: "2026-03-01T04:01:00.000Z",
      title: expect.any(String),
      lead: expect.any(String),
      data: JSON.parse(JSON.stringify(message.data)),
    });
  }
});

test("R36: a notice's plain form has the same shape without what callers wrote, and short lists", async () => {
  const { data } = await posted(FAILING, true);
  expect(Object.keys(data)).toEqual(Object.keys(FAILING.data));
  expect(data.notice).toMatchObject({
    kind: "refused",
    monitors: [
      {
        name: "nightly-backup",
        refused: [{ at: "2026-03-01T02:00:00.000Z", reason: "RATE_LIMIT_EXCEEDED", message: null }],
      },
      { name: "a", refused: [{ report: "heartbeat" }] },
    ],
  });
  expect(JSON.stringify(data)).not.toMatch(/no space|Archive/);

  const keys = Array.from({ length: 1_000 }, (_, index) => `job-${index}`);
  const long = (await posted(unheardOf(keys.map((key) => unknownOf({ key }))), true)).data.notice;
  expect(long).toMatchObject({ monitorsTotal: 1_000, monitors: { length: 50 } });
  expect(long.monitors[0]).toMatchObject({ monitorKey: "job-0", name: "job-0" });
  expect((await posted(CLOCK_NOTICE, true)).data).toEqual(JSON.parse(JSON.stringify(CLOCK_NOTICE.data)));
});

test("R36: a notice goes from the outbox to its receiver, and the log says which kind it was", async () => {
  await using sink = startHttpSink(() => new Response(null, { status: 204 }));
  const { outbox, enqueue } = openTestOutbox();
  const time = manualTime(NOTICE_AT);
  const lines: [string, LogFields][] = [];
  const hook: Channel = CHANNELS.webhook({ url: sink.url, secret: SECRET });
  const notifier = createNotifier({
    steadySince: steadyBy(time.clock),
    outbox,
    channels: new Map([["hook", hook]]),
    clock: time.clock,
    after: time.after,
    random: () => 0.5,
    log: (_, event, fields = {}) => lines.push([event, fields]),
  });
  enqueue(null, [toHook("hook")], NOTICE_AT, CLOCK_NOTICE);
  notifier.start();
  await until(() => lines.length > 0);
  await notifier.stop();
  expect(JSON.parse(sink.requests[0]!.body).data.notice.kind).toBe("clock");
  expect(lines).toMatchObject([["delivery_sent", { destination: "hook", type: "service.notice", notice: "clock" }]]);
  expect(lines[0]![1]).not.toContainAnyKeys(["application", "monitor"]);
});
