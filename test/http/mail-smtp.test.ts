// R47: what bounds the SMTP server in time, and the rate limit of a key, with the time as a parameter.

import { expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { createMailIn } from "../../src/http/mail/mail-in.ts";
import { listenForMail } from "../../src/http/mail/smtp.ts";
import { openService, policyWith } from "../support/engine.ts";
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
  const take = async (subject: string, address = `job+${key}@jobs.example.org`) => {
    const taken = mailIn.take([address], Buffer.from(`Subject: ${subject}\n\nx`), { client: "192.0.2.1", sender: "" });
    for (let turns = 0; turns < 20; turns++) {
      await Bun.sleep(0);
      service.endTurns();
    }
    return taken;
  };
  return { service, mailIn, take, syncAddress: `job+${sync.key}@jobs.example.org` };
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

test("R3: a key of another scope reports nothing, and people see it", async () => {
  const { service, take, syncAddress } = openMail();
  using _ = service;
  const reply = await take("failed", syncAddress);
  expect(reply).toMatchObject({ code: 554, text: expect.stringContaining('this key has the scope "sync"') });
  const listed = granted(service.engine.operate("refused list", {}));
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
  const smtp = await listenForMail(place, mailIn, after, 100, () => {});
  const socket = connect(port, "127.0.0.1");
  await once(socket, "data");
  expect(ends.map(({ milliseconds }) => milliseconds)).toEqual([300_000]);
  ends[0]!.run();
  await once(socket, "close");
  await smtp.stop();
});
