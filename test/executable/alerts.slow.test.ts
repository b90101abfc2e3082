// Alerts of the executable, end to end: a real mail server and a real webhook receiver, a failure, a deadline that
// passes, and a crash in the middle of telling. The two tests run beside each other, since one waits for a slot to
// close, on a clock that runs fast where there is one.

import { expect, setDefaultTimeout, test } from "bun:test";
import PostalMime from "postal-mime";
import { Webhook } from "standardwebhooks";
import { createCertificate } from "../support/certificate.ts";
import { type Folder, firstKeyOf, openFolder, report, until } from "../support/executable.ts";
import { type HttpSink, type ReceivedRequest, startHttpSink } from "../support/http-sink.ts";
import { startSmtpServer, type TestSmtpServer } from "../support/smtp-server.ts";
import { clockFrom, FAST } from "./clock-library.ts";

setDefaultTimeout(200_000);

/** A slot of `* * * * *` is at most a minute away, and closes after a minute of grace and five seconds on the way. */
const MISSED_WITHIN = 170_000;

/** A clock that goes on from this time. Where none can be had it is the machine's. */
const clockAt = (at: number): Record<string, string> =>
  clockFrom?.(new Date(at).toISOString().slice(0, 19).replace("T", " "), FAST) ?? {};

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;

const configuration = (mailPort: number, receiver: HttpSink, smtp = ""): string => `
[smtp]
host = "127.0.0.1"
port = ${mailPort}
from = "rollcall <cron@example.org>"
${smtp}

[team]
destinations = ["email", "receiver"]
members = [{ name = "Ada", email = "ada@example.org" }]

[destinations.receiver]
type = "webhook"
url = "${receiver.url}"
secret = "${SECRET}"
`;

interface Event {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The event in a request, after its signature was verified as a receiver does it. */
const verified = ({ headers, body }: ReceivedRequest): Event => new Webhook(SECRET).verify(body, headers) as Event;

const readMails = (server: TestSmtpServer) => Promise.all(server.mails.map(({ raw }) => PostalMime.parse(raw)));

/** Nothing stands in the outbox any more; so what has arrived by then is all that will. */
const allNotified = (folder: Folder) =>
  until("the end of all deliveries", () =>
    folder.rows("SELECT id FROM deliveries WHERE finished_at IS NULL").length === 0 ? true : null,
  );

test.concurrent("R36: a failure is told by mail and by webhook with the job's message, and so is the recovery, once each", async () => {
  const certificate = createCertificate();
  const login = { username: "rollcall", password: "T0PASSWORD" };
  await using mailServer = await startSmtpServer({ security: "tls", certificate, login });
  await using receiver = startHttpSink(() => new Response("ok"));
  const smtp = 'security = "tls"\nusername = "rollcall"\npassword_file = "smtp-password"';
  await using folder = openFolder({
    "rollcall.toml": configuration(mailServer.port, receiver, smtp),
    "smtp-password": `${login.password}\n`,
    "authority.pem": certificate.certificate,
  });
  const service = await folder.serve({ NODE_EXTRA_CA_CERTS: `${folder.path}/authority.pem` });
  const key = firstKeyOf(service);

  expect(await report(service, key, "backup", "/start?schedule=0%202%20*%20*%20*&name=Nightly%20backup")).toBe(200);
  expect(await report(service, key, "backup", "/fail?message=disk%20full")).toBe(200);
  await service.logged("delivery_sent", { destination: "email", type: "monitor.initial_failure" });
  await service.logged("delivery_sent", { destination: "receiver", type: "monitor.initial_failure" });
  expect(await report(service, key, "backup", "/complete")).toBe(200);
  await service.logged("delivery_sent", { destination: "email", type: "monitor.recovered" });
  await allNotified(folder);

  const [opening, recovery, ...moreEvents] = receiver.requests.map(verified);
  expect(moreEvents).toEqual([]);
  const about = { applicationId: "default", monitorKey: "backup", name: "Nightly backup", cause: "failed" };
  expect(opening).toMatchObject({ type: "monitor.initial_failure", data: { ...about, failureMessage: "disk full" } });
  expect(recovery).toMatchObject({ type: "monitor.recovered", data: about });
  expect(recovery!.data["incidentId"]).toBe(opening!.data["incidentId"]);

  expect(mailServer.mails.map(({ from, to, secure, user }) => ({ from, to, secure, user }))).toEqual(
    Array(2).fill({ from: "cron@example.org", to: ["ada@example.org"], secure: true, user: "rollcall" }),
  );
  const [failed, recovered] = await readMails(mailServer);
  expect([failed?.subject, recovered?.subject]).toEqual([
    "Failed: Nightly backup",
    expect.stringContaining("Recovered: Nightly backup"),
  ]);
  for (const part of [failed?.text, failed?.html]) expect(part).toContain("disk full");

  for (const secret of ["T0SECRET", "T0PASSWORD", SECRET]) expect(service.err()).not.toContain(secret);
});

test.concurrent("R36: a missed slot is told; killed while telling it, the next start tells it under the same id and nothing twice", async () => {
  await using mailServer = await startSmtpServer();
  // The first request is taken and never answered.
  await using receiver = startHttpSink((count) => (count === 0 ? new Promise(() => {}) : new Response("ok")));
  await using folder = openFolder({ "rollcall.toml": configuration(mailServer.port, receiver) });
  // Shortly before a slot, and near to the receiver's time, which refuses what was signed long ago or far ahead.
  const first = await folder.serve(clockAt(Math.floor(Date.now() / 60_000) * 60_000 + 50_000));
  const key = firstKeyOf(first);
  expect(await report(first, key, "pulse", "?schedule=*%20*%20*%20*%20*")).toBe(200);

  const { at: sentAt } = await first.logged("delivery_sent", { destination: "email" }, MISSED_WITHIN);
  await until("the webhook's request", () => receiver.requests[0] ?? null);
  const toldAt = Date.parse(String(sentAt));
  expect(await first.end("SIGKILL")).toBe(137);
  expect(first.facts("delivery_failed")).toEqual([]);
  expect(
    folder.rows("SELECT destination FROM deliveries WHERE claimed_at IS NOT NULL AND finished_at IS NULL"),
  ).toEqual([{ destination: "receiver" }]);

  const second = await folder.serve(clockAt(toldAt + 2_000));
  await second.logged("delivery_sent", { destination: "receiver", type: "monitor.initial_failure" });
  expect(await report(second, key, "pulse")).toBe(200);
  await second.logged("delivery_sent", { destination: "receiver", type: "monitor.recovered" });
  await allNotified(folder);

  const [opening, repeated, recovery, ...moreEvents] = receiver.requests.map(verified);
  expect(moreEvents).toEqual([]);
  expect(opening).toMatchObject({
    type: "monitor.initial_failure",
    data: { monitorKey: "pulse", cause: "missed", schedule: "* * * * *" },
  });
  // R20: the slot closes after its grace and five seconds, and is told then and not before.
  const closesAt = Date.parse(String(opening!.data["expectedAt"])) + 65_000;
  expect(Date.parse(opening!.timestamp)).toBe(closesAt);
  expect(toldAt).toBeGreaterThanOrEqual(closesAt);
  expect(repeated).toEqual(opening!);
  expect(recovery).toMatchObject({ type: "monitor.recovered", data: { monitorKey: "pulse", cause: "missed" } });
  const [openingId, repeatedId, recoveryId] = receiver.requests.map(({ headers }) => headers["webhook-id"]);
  expect(repeatedId).toBe(openingId!);
  expect(recoveryId).not.toBe(openingId!);

  const subjects = (await readMails(mailServer)).map(({ subject }) => subject);
  expect(subjects).toEqual([
    expect.stringMatching(/^Missed: Pulse, due /),
    expect.stringContaining("Recovered: Pulse"),
  ]);
});
