// R47: what bounds the SMTP server in time, and the rate limit of a key, with the time as a parameter.

import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { createMailIn } from "../../src/http/mail/mail-in.ts";
import { listenForMail } from "../../src/http/mail/smtp.ts";
import { NOON, openService, policyWith } from "../support/engine.ts";
import { freePort } from "../support/free-port.ts";
import { granted } from "../support/service.ts";

const LIMITS = { v1PerMinute: 60, v1PerHour: 1_000, aliasPerMinute: 2, syncPerMinute: 10, adminPerMinute: 600 };

function openMail() {
  const service = openService(policyWith({ monitors: { job: { schedule: "0 2 * * *" } } }));
  service.engine.operate("app create", { slug: "prod" });
  service.engine.operate("monitor create", { application: "prod", key: "job", schedule: "0 2 * * *" });
  const { key } = granted(service.engine.operate("key create", { application: "prod", scope: "all" }));
  const sync = granted(service.engine.operate("key create", { application: "prod", scope: "sync" }));
  const clock = { now: () => service.now, monotonic: () => service.now };
  const mailIn = createMailIn(service.engine, LIMITS, clock, () => {});
  const takeRaw = async (raw: Uint8Array, address = `job+${key}@jobs.example.org`) => {
    const taken = mailIn.take([address], raw, { client: "192.0.2.1", sender: "" });
    for (let turns = 0; turns < 20; turns++) {
      await Bun.sleep(0);
      service.endTurns();
    }
    return taken;
  };
  const take = (subject: string, address?: string) => takeRaw(Buffer.from(`Subject: ${subject}\n\nx`), address);
  const pings = () => granted(service.engine.operate("monitor show", { key: "job" })).pings.map(({ kind }) => kind);
  return {
    service,
    mailIn,
    take,
    takeRaw,
    pings,
    address: `job+${key}@jobs.example.org`,
    syncAddress: `job+${sync.key}@jobs.example.org`,
  };
}

test("R33: a key's mails have its rate limit, which a reload changes; what is beyond is to be sent again", async () => {
  const { service, mailIn, take } = openMail();
  using _ = service;
  expect(await take("done")).toEqual({ code: 250, text: "recorded" });
  expect(await take("done")).toMatchObject({ code: 250 });
  const refused = await take("failed");
  expect(refused).toMatchObject({
    code: 450,
    text: expect.stringContaining("2 requests in 1 minute (limits.alias_per_minute)"),
  });
  mailIn.configure({ ...LIMITS, aliasPerMinute: 10 });
  expect(await take("failed")).toMatchObject({ code: 250 });
});

const at = (instant: number): string => new Date(instant).toUTCString();
const written = (head: string, text: string): Buffer => Buffer.from(`${head}\n\n${text}`);

describe("R47: two mails are two reports", () => {
  const NAS = "Subject: NAS report\nMessage-ID: <nas@local>";
  test.each([
    ["without a Date, whose text differs", NAS, "All volumes healthy", "RAID failed"],
    ["without a Date, which are alike: it failed again after a repair", NAS, "RAID failed", "RAID failed"],
    ["with a Date that is stuck", `${NAS}\nDate: ${at(0)}`, "RAID failed", "RAID failed"],
    ["with a Date that nobody can read", `${NAS}\nDate: yesterday`, "RAID failed", "RAID failed"],
    ["with an empty Message-ID", `Subject: x\nMessage-ID: <>\nDate: ${at(NOON)}`, "RAID failed", "RAID failed"],
    ["without a Message-ID", `Subject: x\nDate: ${at(NOON)}`, "RAID failed", "RAID failed"],
    ["with one name for both, whose text differs", `${NAS}\nDate: ${at(NOON)}`, "All healthy", "RAID failed"],
  ])("%s", async (_, head, first, second) => {
    const { service, mailIn, takeRaw, pings } = openMail();
    using _service = service;
    mailIn.configure({ ...LIMITS, aliasPerMinute: 10 });
    expect(await takeRaw(written(head, first))).toEqual({ code: 250, text: "recorded" });
    expect(await takeRaw(written(head, second))).toEqual({ code: 250, text: "recorded" });
    expect(pings()).toHaveLength(2);
    expect(pings()).toContain("fail");
  });

  test("but one with its own name and a Date of now is one, however often it comes", async () => {
    const { service, mailIn, takeRaw, pings } = openMail();
    using _ = service;
    mailIn.configure({ ...LIMITS, aliasPerMinute: 10 });
    const head = `Subject: x\nMessage-ID: <4711.20260302@nas.example.org>\nDate: ${at(NOON)} (UTC)`;
    for (let times = 0; times < 3; times++) await takeRaw(written(head, "RAID failed"));
    expect(pings()).toEqual(["fail"]);
  });
});

test("R47: a failure that comes again after a success counts again, and the success of a repeat does not", async () => {
  const { service, mailIn, takeRaw, take, pings } = openMail();
  using _ = service;
  mailIn.configure({ ...LIMITS, aliasPerMinute: 20 });
  const named = (subject: string) => `Subject: ${subject}\nMessage-ID: <nas@local>\nDate: ${at(NOON)}`;
  await takeRaw(written(named("x"), "RAID failed"));
  await takeRaw(written(named("x"), "RAID failed"));
  expect(pings()).toEqual(["fail"]);
  await take("RAID is ok");
  await takeRaw(written(named("x"), "RAID failed"));
  expect(pings()).toEqual(["fail", "heartbeat", "fail"]);
  await takeRaw(written(named("y"), "RAID ok"));
  await take("RAID failed");
  await takeRaw(written(named("y"), "RAID ok"));
  expect(pings()).toEqual(["fail", "heartbeat", "fail", "heartbeat", "fail"]);
});

test("R47: of a mail that breaks off only a failure counts that its subject says", async () => {
  const { service, mailIn, address, pings } = openMail();
  using _ = service;
  mailIn.configure({ ...LIMITS, aliasPerMinute: 20 });
  const breaksOff = async (raw: string) => {
    const taken = mailIn.take([address], Buffer.from(raw), { client: "192.0.2.1", sender: "" }, "brokenOff");
    for (let turns = 0; turns < 20; turns++) {
      await Bun.sleep(0);
      service.endTurns();
    }
    await taken;
  };
  await breaksOff("Subject: Backup failed\r\n\r\nhalf a");
  expect(pings()).toEqual(["fail"]);
  for (const raw of ["Subject: Backup done\r\n\r\nhalf a", "Subject: x\r\n\r\nFailed", "Subject: x", "Subject: Failed"])
    await breaksOff(raw);
  expect(pings()).toEqual(["fail"]);
});

test("R47: each turn of the event loop reads one mail, so that reports and health have theirs", async () => {
  const { service, mailIn, address } = openMail();
  using _ = service;
  let turn = 0;
  const readIn: number[] = [];
  class Watched extends Uint8Array<ArrayBuffer> {
    override get buffer() {
      readIn.push(turn);
      return super.buffer;
    }
  }
  const origin = { client: "192.0.2.1", sender: "" };
  const taken = Array.from({ length: 18 }, () => mailIn.take([address], Watched.from(Buffer.from("x: y")), origin));
  while (readIn.length < 18) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    service.endTurns();
    turn++;
  }
  expect(new Set(readIn).size).toBe(18);
  service.endTurns();
  await Promise.all(taken);
});

test.each(["@relay.example.org:", "@one.example.org,@[IPv6:2001:db8::1]:", "@[192.0.2.1]:"])(
  "R47: a source route %s before an address names no other job",
  async (route) => {
    const { service, take, address, pings } = openMail();
    using _ = service;
    expect(await take("Backup failed", route + address)).toEqual({ code: 250, text: "recorded" });
    expect(pings()).toEqual(["fail"]);
  },
);

test("R47: a mail that says neither is kept and told by the first, and closes no incident", async () => {
  const { service, mailIn, take, pings } = openMail();
  using _ = service;
  mailIn.configure({ ...LIMITS, aliasPerMinute: 10 });
  expect(await take("Backup failed")).toMatchObject({ code: 250 });
  for (let times = 0; times < 3; times++)
    expect(await take("Package updates available")).toEqual({ code: 250, text: "recorded" });
  expect(pings()).toEqual(["log", "log", "log", "fail"]);
  expect(granted(service.engine.operate("incident list", { open: true }))).toMatchObject({ incidents: [{}] });
  const reason =
    'mail_rule: no word of the mail "Package updates available" says success or failure, so it counted as a log';
  expect(granted(service.engine.operate("monitor refused", {}))).toMatchObject({ refused: [{ reason, times: 3 }] });
  for (let seconds = 0; seconds < 130; seconds++) service.look(service.now + 1_000);
  expect(JSON.stringify(service.notices())).toContain("Package updates available");
});

test("R33: what is beyond the limit is not read, but its subject says whether a failure is lost", async () => {
  const { service, take, takeRaw } = openMail();
  using _ = service;
  await take("done");
  await take("done");
  const parts = "--b\n\n\n".repeat(9_000);
  const flood = written("Subject: RAID failed\nContent-Type: multipart/mixed; boundary=b", parts);
  expect(await takeRaw(flood)).toMatchObject({ code: 450 });
  const listed = granted(service.engine.operate("monitor refused", {}));
  expect(listed).toMatchObject({ refused: [{ report: "fail", monitorKey: "job" }] });
});

test("R3: a key of another scope reports nothing, and people see it", async () => {
  const { service, take, syncAddress } = openMail();
  using _ = service;
  const reply = await take("failed", syncAddress);
  expect(reply).toMatchObject({ code: 554, text: expect.stringContaining('this key has the scope "sync"') });
  const listed = granted(service.engine.operate("monitor refused", {}));
  expect(JSON.stringify(listed)).toContain("this key has the scope");
});

test("a connection lasts five minutes, whatever it brings", async () => {
  const { service, mailIn } = openMail();
  using _ = service;
  const ends: { readonly milliseconds: number; readonly run: () => void }[] = [];
  const after = (milliseconds: number, run: () => void): (() => void) => {
    ends.push({ milliseconds, run });
    return () => {};
  };
  const port = freePort();
  const place = { host: "127.0.0.1", port, domain: "jobs.example.org", tls: null };
  const smtp = await listenForMail(place, mailIn, after, 100, { now: () => 0, monotonic: () => 0 }, () => {});
  const socket = connect(port, "127.0.0.1");
  await once(socket, "data");
  expect(ends.map(({ milliseconds }) => milliseconds)).toEqual([300_000]);
  ends[0]!.run();
  await once(socket, "close");
  await smtp.stop();
});

test("R47: no sender, no missing bracket and no length loses a failure", async () => {
  const { service, mailIn, address, pings } = openMail();
  using _ = service;
  mailIn.configure({ ...LIMITS, aliasPerMinute: 100 });
  const port = freePort();
  const place = { host: "127.0.0.1", port, domain: "jobs.example.org", tls: null };
  const clock = { now: () => service.now, monotonic: () => service.now };
  const smtp = await listenForMail(
    place,
    mailIn,
    () => () => {},
    100,
    clock,
    () => {},
  );
  const told = async (from: string, to: string, text: string): Promise<string> => {
    const socket = connect(port, "127.0.0.1");
    const heard = async () => String((await once(socket, "data"))[0]);
    await heard();
    for (const line of ["HELO nas", `MAIL FROM:${from}`, `RCPT TO:${to}`, "DATA"]) {
      socket.write(`${line}\r\n`);
      const answer = await heard();
      if (!/^[23]/.test(answer)) return answer;
    }
    socket.write(`${text}\r\n.\r\n`);
    const answered = heard();
    let isAnswered = false;
    void answered.then(() => {
      isAnswered = true;
    });
    while (!isAnswered) {
      await Bun.sleep(0);
      service.endTurns();
    }
    socket.destroy();
    return await answered;
  };
  for (const from of ["<root>", "<My NAS>", "nas@example.org", "", "<a@b@c>"])
    expect([from, await told(from, `<${address}>`, "Subject: failed\r\n\r\nx")]).toEqual([from, "250 recorded\r\n"]);
  expect(await told("<>", address, "Subject: failed\r\n\r\nx")).toBe("250 recorded\r\n");
  expect(pings()).toEqual(Array(6).fill("fail"));
  // What is said behind the 64 KiB that are read may be a failure.
  const log = `one is ok\r\n${"a line of a log\r\n".repeat(6_000)}two has failed`;
  await told("<>", `<${address}>`, `Subject: nightly\r\n\r\n${log}`);
  await told("<>", `<${address}>`, `Subject: all ok\r\n\r\n${log}`);
  expect(pings().slice(0, 2)).toEqual(["heartbeat", "log"]);
  await smtp.stop();
});
