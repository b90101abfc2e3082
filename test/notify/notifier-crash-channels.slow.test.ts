// Processes that die while they send through every channel there is, to real receivers: each is told every alert, and
// nothing comes more often than deaths have found it on its way.

import { expect, test } from "bun:test";
import PostalMime from "postal-mime";
import { MINUTE } from "../../src/domain/time.ts";
import type { Channel } from "../../src/notify/channel.ts";
import { createEmailChannel } from "../../src/notify/email.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { ALERT_AT, alertOf, openTestOutbox, toHook } from "../support/alerts.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { emailSettings } from "../support/mail.ts";
import { startSmtpServer } from "../support/smtp-server.ts";
import { textsIn } from "./chats.ts";
import { live, underWay, unfinished } from "./mortal-notifier.ts";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;
const KEY = "0123456789abcdef0123456789abcdef";

/** Through each way of sending, where it goes to what address and what is answered there. */
const OVER_HTTP: Record<string, readonly [(url: string) => Channel, () => Response]> = {
  slack: [(url) => CHANNELS.slack({ url }), () => new Response("ok")],
  discord: [(url) => CHANNELS.discord({ url }), () => Response.json({ id: "1" })],
  teams: [(url) => CHANNELS.teams({ url }), () => new Response(null, { status: 202 })],
  ntfy: [(url) => CHANNELS.ntfy({ url, topic: "alerts", token: null }), () => Response.json({ id: "1" })],
  pagerduty: [
    (url) => CHANNELS.pagerduty({ integrationKey: KEY, region: "us", url }),
    () => Response.json({ status: "success" }, { status: 202 }),
  ],
  webhook: [(url) => CHANNELS.webhook({ url, secret: SECRET }), () => new Response(null, { status: 204 })],
};

const DEATHS = Number(process.env["PROPERTY_RUNS"] ?? 50);
/** Of one world; another follows until there were deaths enough. */
const LIVES = 25;
const INCIDENTS = 24;

const nameOf = (incident: number): string => `job-${String(incident).padStart(4, "0")}`;

test("R36, R39: through every channel, however often the process dies, each alert arrives, and comes twice only if it was on its way", async () => {
  await using stack = new AsyncDisposableStack();
  const smtp = stack.use(await startSmtpServer());
  const channels = new Map<string, Channel>([["email", createEmailChannel(emailSettings(smtp.port))]]);
  const sinks = new Map(
    Object.entries(OVER_HTTP).map(([name, [create, answer]]) => {
      const sink = stack.use(startHttpSink(answer));
      channels.set(name, create(sink.url));
      return [name, sink] as const;
    }),
  );
  const countAt = (name: string): number => sinks.get(name)?.requests.length ?? smtp.mails.length;
  /** What has come to a destination after this many messages, one text each. */
  async function textsAt(name: string, after: number): Promise<string[]> {
    const requests = sinks.get(name)?.requests.slice(after);
    if (requests !== undefined) return requests.map(({ body }) => textsIn(JSON.parse(body)).join("\n"));
    const mails = await Promise.all(smtp.mails.slice(after).map(({ raw }) => PostalMime.parse(raw)));
    return mails.map(({ text }) => text ?? "");
  }

  let deaths = 0;
  let digests = 0;
  while (deaths < DEATHS) {
    const before = new Map([...channels.keys()].map((name) => [name, countAt(name)] as const));
    const box = openTestOutbox();
    const routes = [...channels.keys()].map((name) =>
      name === "email" ? { ...toHook(name), recipient: "ada@example.org" } : toHook(name),
    );
    for (let incident = 1; incident <= INCIDENTS; incident++) {
      const named = { monitorKey: nameOf(incident), name: nameOf(incident) };
      box.enqueue(incident, routes, ALERT_AT, alertOf(named));
    }
    /** How often each may come. */
    const allowed = new Map(Array.from({ length: INCIDENTS * routes.length }, (_, index) => [index + 1, 1]));
    let left = 0;
    const dies = (): boolean => {
      left -= 1;
      if (left > 0) return false;
      deaths += 1;
      for (const id of underWay(box)) allowed.set(id, allowed.get(id)! + 1);
      return true;
    };
    let isDead = true;
    for (let lives = 0; isDead; lives++) {
      // At another place each time, further on in each world.
      left = lives < LIVES ? 1 + ((lives * 7 + deaths) % 23) : Number.POSITIVE_INFINITY;
      isDead = await live({ box, channels, dies }, ALERT_AT + lives * MINUTE);
    }
    expect(unfinished(box)).toBe(0);
    digests += box.database
      .query<{ count: number }, []>("select count(digest_id) as count from deliveries")
      .get()!.count;

    for (const [place, { destination }] of routes.entries()) {
      const texts = await textsAt(destination, before.get(destination)!);
      for (let incident = 1; incident <= INCIDENTS; incident++) {
        const times = texts.filter((text) => text.includes(nameOf(incident))).length;
        const most = allowed.get((incident - 1) * routes.length + place + 1)!;
        expect([destination, incident, times >= 1, times <= most]).toEqual([destination, incident, true, true]);
      }
    }
  }
  expect(digests).toBeGreaterThan(0);
}, 600_000);
