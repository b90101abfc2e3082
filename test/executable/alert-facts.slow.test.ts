// What an alert spares a person: `rollcall run` on a job that discover has declared, through the program as users get
// it, to a webhook, a chat and a mail.

import { expect, test } from "bun:test";
import { hostname } from "node:os";
import { firstKeyOf, openFolder, until } from "../support/executable.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { startSmtpServer } from "../support/smtp-server.ts";

const HOST = hostname().split(".")[0]!;
/** Of the user by number: `USER` may say another. */
const USER = Bun.spawnSync(["id", "-un"]).stdout.toString().trim();
/** As discover has said it; the job itself says as whom it ran. */
const DECLARED = { host: HOST, user: "another", where: "backup.timer", unit: "backup.service" };
const RUNS_ON = { ...DECLARED, user: USER };
/** What a job may write, on purpose or not. */
const SCRIPT = `printf 'dump of \\033[31morders\\033[0m\\nkey %s\\npostgres://ada:hunter2@db\\n<b>& *all*</b>\\n' "$ROLLCALL_KEY" >&2; kill -9 $$`;

/** Without the soft breaks and escapes of quoted-printable. */
const readable = (raw: string): string => raw.replaceAll("=\r\n", "").replaceAll("=3D", "=");

test("R29, R46: a failing job's alert has machine, user, unit, meaning of its end and last lines, and no secret", async () => {
  await using mail = await startSmtpServer();
  await using hook = startHttpSink(() => new Response("ok"));
  await using chat = startHttpSink(() => new Response("ok"));
  await using folder = openFolder({
    "rollcall.toml": `[smtp]
host = "127.0.0.1"
port = ${mail.port}
security = "none"
from = "cron@example.org"
[team]
destinations = ["email", "hook", "chat"]
members = [{ email = "ada@example.org" }]
[destinations.hook]
type = "webhook"
url = "${hook.url}"
secret = "whsec_${btoa("a secret of thirty-two bytes, ok")}"
[destinations.chat]
type = "slack"
url = "${chat.url}"
[applications.default]
keep_output = true
`,
  });
  const service = await folder.serve();
  const key = firstKeyOf(service);
  const declared = await fetch(`${service.url}/api/v1/sync`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, "content-type": "application/json" },
    body: JSON.stringify({
      source: "discover/web1",
      monitors: [{ key: "backup", schedule: "0 3 * * *", metadata: DECLARED }],
    }),
  });
  expect(declared.status).toBe(200);
  const ran = await folder.run(["run", "backup", "--output-from-stderr", "--", "sh", "-c", SCRIPT], {
    ROLLCALL_URL: service.url,
    ROLLCALL_KEY: key,
    ROLLCALL_SPOOL: `${folder.path}/spool`,
  });
  expect(ran.err).toContain("hunter2");
  const arrived = () => (hook.requests.length > 0 && chat.requests.length > 0 && mail.mails.length > 0 ? true : null);
  await until("the alert", arrived);

  const { data } = JSON.parse(hook.requests[0]!.body);
  expect(data).toMatchObject({ cause: "failed", failureMessage: "ended by SIGKILL", runsOn: RUNS_ON });
  expect(data.output.split("\n")).toEqual(["dump of orders", "key ck_app_***", "postgres://***@db", "<b>& *all*</b>"]);
  const mailed = readable(mail.mails[0]!.raw);
  for (const text of [
    "SIGKILL means that it was killed, often because memory ran out.",
    `It runs on ${HOST} as user ${USER} (backup.timer).`,
    "journalctl -n 50 -u backup.service",
    "0 3 * * *",
    "at 03:00, every day",
    "dump of orders",
  ])
    expect(mailed).toContain(text);
  const chatted = chat.requests[0]!.body;
  expect(chatted).toContain("Check whether its machine ran out of memory.");
  expect(chatted).toContain(`It runs on ${HOST} as user ${USER} (backup.timer).`);
  // Who reads a chat is not known.
  expect(chatted).not.toContain("dump of");
  for (const text of [hook.requests[0]!.body, mail.mails[0]!.raw, chatted, service.out(), service.err()]) {
    expect(text).not.toContain("hunter2");
    expect(text).not.toContain(key);
    expect(text).not.toContain("\u001b");
  }
});
