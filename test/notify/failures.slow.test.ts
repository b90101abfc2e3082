// What becomes of an alert in every way in which a delivery can fail, for every channel, against receivers that really
// fail so; and docs/deliveries.md, which tells it to operators: `UPDATE_DOCS=1` rewrites its tables.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SECOND } from "../../src/domain/time.ts";
import type { Channel } from "../../src/notify/channel.ts";
import { createEmailChannel } from "../../src/notify/email.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { deliveryBackoff } from "../../src/notify/retry.ts";
import { toHook } from "../support/alerts.ts";
import { createCertificate } from "../support/certificate.ts";
import { startRawSink } from "../support/http-sink.ts";
import { emailSettings, MAILED_AT, mailDelivery } from "../support/mail.ts";
import { outcomesThrough } from "./delivery-outcome.ts";
import { BROKER_ROWS, outcomesOfBrokers } from "./failing-broker.ts";
import {
  askedWaits,
  ELSEWHERE,
  goodStatus,
  HTTP_CHANNELS,
  type HttpChannel,
  type HttpRow,
  noAnswer,
  otherStatus,
  type Receives,
} from "./failing-http.ts";
import { AT_STEP, failureAt, LOGIN, type MailCase, mailRows, RECIPIENTS, SMTP_FAILURES } from "./failing-mail.ts";
import { outcomesOfPrograms, PROGRAM_ROWS } from "./failing-program.ts";
import { type Receiver, startReceiver } from "./failing-receivers.ts";
import { SMTP_STEPS } from "./smtp-script.ts";

/** The first test of a table waits for hundreds of attempts, on machines that do other things too. Milliseconds. */
setDefaultTimeout(120_000);

const DOCUMENT = join(import.meta.dir, "../../docs/deliveries.md");

const ours = createCertificate();
const elsewhere = createCertificate("DNS:elsewhere.example.org");

/** All that a destination's settings hold and nobody may read in an answer or in the log (R40). */
const SECRETS = {
  path: "T0SECRET",
  topic: "t0pic-s3cret",
  token: "tk_s3cret",
  key: "0123456789abcdef0123456789abcdef",
  user: "AC-s3cret-user",
  signing: Buffer.from("a secret of thirty-two bytes, ok").toString("base64"),
};

const OTHERS = {
  topic: SECRETS.topic,
  token: SECRETS.token,
  integrationKey: SECRETS.key,
  secret: `whsec_${SECRETS.signing}`,
  user: SECRETS.user,
  chat: "!chat",
  from: "+4930901820",
  region: "eu",
  method: "POST",
  headers: `X-Key: ${SECRETS.key}`,
  format: "json",
  body: '{"text": "{{text}}"}',
  answer: null,
};

/** Each takes what it needs of these settings. */
const create = (name: HttpChannel, url: string, timeoutMs: number): Channel =>
  (CHANNELS[name] as (settings: object, timeoutMs: number) => Channel)({ ...OTHERS, url }, timeoutMs);

/** As many as a notifier sends through at once: with more, the last would wait until the first have waited. */
const AT_ONCE = 16;

/** One alert through all of them at once, by as many notifiers as that takes. */
async function outcomesOverHttp(receives: Receives, timeoutMs: number): Promise<HttpRow["outcomes"]> {
  await using receiver =
    "origin" in receives ? nobodyAt(receives.origin) : await startReceiver(receives.serve, receives);
  const { origin } = receiver;
  const address = (name: HttpChannel): string => `${origin}/${name}/${SECRETS.path}`;
  const told = await Promise.all(
    [HTTP_CHANNELS.slice(0, AT_ONCE), HTTP_CHANNELS.slice(AT_ONCE)].map((names) =>
      outcomesThrough(
        Object.fromEntries(names.map((name) => [name, create(name, address(name), timeoutMs)])),
        names.map(toHook),
      ),
    ),
  );
  const results = told.flatMap(({ byRoute }) => [...byRoute]);
  const said = [...told.map(({ log }) => log), ...results.map(([, { answer }]) => answer)].join("\n");
  const inBase64 = Buffer.from(`${SECRETS.user}:${SECRETS.token}`).toString("base64");
  for (const secret of [...Object.values(SECRETS), inBase64, new URL(origin).hostname, ELSEWHERE]) {
    expect(said).not.toContain(secret);
  }
  // R40: redirects lead nowhere, what does not end is left, and of an endless answer little more than 64 KiB is taken.
  expect(receiver.paths).not.toContain(ELSEWHERE);
  await receiver.left();
  expect(receiver.bytesWritten()).toBeLessThan(MOST_WRITTEN);
  const outcomes = results.map(([name, { outcome }]) => [name, outcome]);
  return Object.fromEntries(outcomes);
}

/** Buffers of the system on both ends are filled before a receiver notices that nobody reads. Bytes. */
const MOST_WRITTEN = 64_000_000;

const nobodyAt = (origin: string): Receiver => ({
  origin,
  paths: [],
  left: async () => {},
  bytesWritten: () => 0,
  [Symbol.asyncDispose]: async () => {},
});

/** The outcome of one mail to each of this many members. */
async function outcomesOfMail({ start, settings, options, timeoutMs = 10_000 }: MailCase, members: number) {
  await using server = start === null ? { port: 1, [Symbol.asyncDispose]: async () => {} } : await start();
  const email = createEmailChannel(emailSettings(server.port, settings), { ...options, timeoutMs });
  const recipients = RECIPIENTS.slice(0, members);
  const routes = recipients.map((recipient) => ({ destination: "email", recipient }));
  const { byRoute, log } = await outcomesThrough({ email }, routes);
  const said = [log, ...[...byRoute.values()].map(({ answer }) => answer)].join("\n");
  for (const secret of secretsOfLogin(LOGIN)) expect(said).not.toContain(secret);
  return recipients.map((recipient) => byRoute.get(`email ${recipient}`)?.outcome);
}

/** What of a login goes over the wire. */
const secretsOfLogin = ({ username, password }: typeof LOGIN): string[] => [
  "T0SECRET",
  ...[password, `\0${username}\0${password}`].map((text) => Buffer.from(text).toString("base64").replace(/=+$/, "")),
];

/** A table: its rows are measured all at once when the first of them is asked for, since they mostly wait. */
function tableOf<Row, Result>(rows: readonly Row[], measure: (row: Row) => Promise<Result>) {
  let started: Map<Row, Promise<Result>> | null = null;
  function measured(row: Row): Promise<Result> {
    started ??= new Map(rows.map((each) => [each, measure(each)]));
    // Each is awaited by a test of its own; until then its failure is nobody's.
    for (const result of started.values()) result.catch(() => {});
    return started.get(row)!;
  }
  return { rows, measured };
}

const overHttp = (rows: readonly HttpRow[]) =>
  tableOf(rows, ({ receivers, timeoutMs }) =>
    Promise.all(receivers.map((receives) => outcomesOverHttp(receives, timeoutMs))),
  );

/** By their names in the document, each with the words above its situations. */
const HTTP_TABLES = {
  "no answer": { head: "The receiver", ...overHttp(noAnswer(ours)) },
  "a good status": { head: "The receiver answers", ...overHttp(goodStatus) },
  "another status": { head: "The receiver answers", ...overHttp(otherStatus) },
  "a wish to wait": { head: "The receiver answers", ...overHttp(askedWaits) },
};

const MAIL_STEPS = tableOf(SMTP_STEPS, (step) =>
  Promise.all(SMTP_FAILURES.map(async (failure) => (await outcomesOfMail(failureAt(step, failure), 1))[0]!)),
);

const MAIL = tableOf(mailRows({ ours, elsewhere }), ({ cases, outcomes }) =>
  Promise.all(cases.map((each) => outcomesOfMail(each, outcomes.length))),
);

const PROGRAMS = tableOf(PROGRAM_ROWS, outcomesOfPrograms);

const BROKERS = tableOf(BROKER_ROWS, outcomesOfBrokers);

for (const [name, { rows, measured }] of Object.entries(HTTP_TABLES)) {
  describe(`R36, R40: what becomes of an alert after ${name}:`, () => {
    for (const row of rows) {
      test(row.situation, async () => {
        expect(await measured(row)).toEqual(row.receivers.map(() => row.outcomes));
      });
    }
  });
}

describe("R36: what becomes of a mail at each step of the conversation:", () => {
  for (const step of MAIL_STEPS.rows) {
    test(`${step} ends with 421, 450, 550, silence or a cut connection`, async () => {
      expect(await MAIL_STEPS.measured(step)).toEqual([...AT_STEP[step]]);
    });
  }
});

describe("R36: what becomes of a mail:", () => {
  for (const row of MAIL.rows) {
    test(row.situation, async () => {
      expect(await MAIL.measured(row)).toEqual(row.cases.map(() => [...row.outcomes]));
    });
  }
});

describe("R36: what becomes of an alert to a program that", () => {
  for (const row of PROGRAMS.rows) {
    test(row.situation, async () => {
      expect(await PROGRAMS.measured(row)).toEqual(row.programs.map(() => row.outcome));
    });
  }
});

describe("R36: what becomes of an alert at a broker that", () => {
  for (const row of BROKERS.rows) {
    test(row.situation, async () => {
      expect(await BROKERS.measured(row)).toEqual(row.brokers.map(() => row.outcome));
    });
  }
});

test("R40: a mail server that repeats a line with the password does not bring it into an answer", async () => {
  await using server = await startRawSink((socket) => {
    const replies = ["250-mail.example.org\r\n250 AUTH LOGIN", "334 VXNlcm5hbWU6", "334 UGFzc3dvcmQ6"];
    let line = "";
    socket.write("220 hello\r\n");
    socket.on("data", (chunk) => {
      line += chunk.toString();
      if (!line.endsWith("\r\n")) return;
      socket.write(`${replies.shift() ?? `500 5.5.2 unknown: ${line.trim()} ${LOGIN.password}`}\r\n`);
      line = "";
    });
  });
  const channel = createEmailChannel(emailSettings(server.port, { login: LOGIN }));
  const verdict = await channel.send(mailDelivery(), MAILED_AT);
  expect(verdict).toEqual({ verdict: "blocked", answer: "no login offered: 500 5.5.2 unknown: *** ***" });
});

test("R40: what goes wrong on the way is said in our own words", async () => {
  const answerOf = async (start: string) => {
    await using server = await startRawSink((socket) => void socket.write(start));
    return (await createEmailChannel(emailSettings(server.port)).send(mailDelivery(), MAILED_AT)).answer;
  };
  expect(await answerOf(`220-${"x".repeat(5_000_000)}`)).toBe("the answer is not a mail server's");
  expect(await answerOf("SSH-2.0-OpenSSH\r\n")).toBe("the answer is not a mail server's");
});

/** One outcome where all agree, else the others by name. */
function inOneCell(outcomes: HttpRow["outcomes"]): string {
  const named = Map.groupBy(HTTP_CHANNELS, (channel) => outcomes[channel]);
  const [most, ...others] = [...named].sort(([, a], [, b]) => b.length - a.length);
  return [most![0], ...others.map(([outcome, channels]) => `${channels.join(", ")}: ${outcome}`)].join("; ");
}

const markdown = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")
    .replaceAll(" --- ", "---");

/** After the first attempt the waits before the next ones, without what chance adds and takes. */
function waitsInWords(): string {
  const waits = Array.from({ length: 9 }, (_, attempts) => deliveryBackoff(attempts, () => 0.5) / SECOND);
  const words = waits.map((seconds) => (seconds < 60 ? `${seconds} s` : `${seconds / 60} min`));
  return markdown(
    ["Attempt", "Wait before it"],
    [["1", "none"], ...words.map((wait, index) => [String(index + 2), wait])],
  );
}

/** The tables as they were measured, by the names they have in the document. */
async function measuredTables(): Promise<Map<string, string>> {
  const tables = new Map([["waits", waitsInWords()]]);
  for (const [name, { head, rows, measured }] of Object.entries(HTTP_TABLES)) {
    const cells = [];
    for (const row of rows) cells.push([row.situation, inOneCell((await measured(row))[0]!)]);
    tables.set(name, markdown([head, "What becomes of the message"], cells));
  }
  const steps = [];
  for (const step of MAIL_STEPS.rows) steps.push([step, ...(await MAIL_STEPS.measured(step))]);
  tables.set("mail by step", markdown(["Step of the conversation", ...SMTP_FAILURES], steps));
  const others = [];
  for (const row of MAIL.rows) others.push([row.situation, (await MAIL.measured(row))[0]!.join("; ")]);
  tables.set("mail", markdown(["The mail server", "What becomes of the mail"], others));
  const programs = [];
  for (const row of PROGRAMS.rows) programs.push([row.situation, (await PROGRAMS.measured(row))[0]!]);
  const brokers = [];
  for (const row of BROKERS.rows) brokers.push([row.situation, (await BROKERS.measured(row))[0]!]);
  tables.set("brokers", markdown(["The broker", "What becomes of the message"], brokers));
  tables.set("programs", markdown(["The program", "What becomes of the message"], programs));
  return tables;
}

test("R36: docs/deliveries.md tells what was measured", async () => {
  const written = readFileSync(DOCUMENT, "utf8");
  const tables = await measuredTables();
  const told = written.replace(
    /(?<=<!-- measured: (.+) -->\n\n)\|[\s\S]*?(?=\n\n)/g,
    (_table, name: string) => tables.get(name) ?? "",
  );
  for (const name of tables.keys()) expect(written).toContain(`<!-- measured: ${name} -->\n\n|`);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(DOCUMENT, told);
  else expect(written).toBe(told);
});
