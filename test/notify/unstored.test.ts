// R36: what cannot be stored goes straight to its receivers, and is tried until it arrives, is given up, or is
// overtaken.

import { expect, test } from "bun:test";
import type { LogFields } from "../../src/domain/log.ts";
import type { NoticeMessage } from "../../src/domain/message/notice.ts";
import { DAY, SECOND, toIso } from "../../src/domain/time.ts";
import type { Channel, Verdict } from "../../src/notify/channel.ts";
import { createUnstored } from "../../src/notify/unstored.ts";
import { manualTime, steadyBy } from "../support/manual-time.ts";
import { NOTICE_AT, noticeOf } from "../support/notices.ts";

const TROUBLE = {
  kind: "storage",
  fault: "full",
  since: toIso(NOTICE_AT),
  database: "/data/rollcall.db",
  failingTotal: 0,
  monitors: [],
} as const;
const FULL = noticeOf({ ...TROUBLE, until: null });
const OVER = noticeOf({ ...TROUBLE, until: toIso(NOTICE_AT + DAY) }, NOTICE_AT + DAY);
const ROUTES = [
  { destination: "ops", recipient: null },
  { destination: "email", recipient: "ada@example.org" },
];

function start(verdicts: (destination: string, plain: boolean) => Verdict) {
  const time = manualTime(NOTICE_AT);
  const sent: unknown[] = [];
  const lines: [string, LogFields][] = [];
  const channelOf = (name: string): Channel => ({
    send: async ({ recipient, attempts, message, reference }, { plain }) => {
      const { notice } = (message as NoticeMessage).data;
      const what = notice.kind === "storage" && notice.until === null ? "full" : "over";
      sent.push([time.clock.now() - NOTICE_AT, name, recipient, attempts, what, plain]);
      expect(reference).toStartWith("unstored-");
      return verdicts(name, plain);
    },
  });
  const tell = createUnstored({
    steadySince: steadyBy(time.clock),
    channels: new Map(["ops", "email"].map((name) => [name, channelOf(name)])),
    ...time,
    random: () => 0.5,
    log: (_, event, fields = {}) => lines.push([event, fields]),
  });
  return { tell, time, sent, lines };
}

test("R36: an unstored notice goes to every receiver at once, and again to those that did not take it", async () => {
  let works = false;
  const { tell, time, sent, lines } = start((name) =>
    name === "ops" || works ? { verdict: "delivered", answer: "ok" } : { verdict: "retry", answer: "timed out" },
  );
  tell(FULL, ROUTES);
  await time.advance(0);
  expect(sent).toEqual([
    [0, "ops", null, 0, "full", false],
    [0, "email", "ada@example.org", 0, "full", false],
  ]);
  works = true;
  await time.advance(5 * SECOND);
  expect(sent.slice(2)).toEqual([[5 * SECOND, "email", "ada@example.org", 1, "full", false]]);
  expect(time.waits()).toEqual([]);
  expect(lines).toMatchObject([
    ["notice", { notice: "storage", deliveries: 2, stored: false }],
    ["unstored_notice", { destination: "ops", ended: "sent" }],
    ["unstored_notice", { destination: "email", ended: "retry", answer: "timed out" }],
    ["unstored_notice", { destination: "email", ended: "sent" }],
  ]);
});

test("R36: that it is over calls off what still waits", async () => {
  const { tell, time, sent } = start(() => ({ verdict: "retry", answer: "connection refused" }));
  tell(FULL, ROUTES.slice(0, 1));
  await time.advance(SECOND);
  tell(OVER, ROUTES.slice(0, 1));
  await time.advance(10 * SECOND);
  expect(sent.map((one) => (one as unknown[])[4])).toEqual(["full", "over", "over"]);
});

test("R26: nothing calls off a notice that names failures which could not be stored", async () => {
  const naming = noticeOf({ ...TROUBLE, failingTotal: 1, until: toIso(NOTICE_AT) });
  const { tell, time, sent } = start(() => ({ verdict: "retry", answer: "connection refused" }));
  tell(naming, ROUTES.slice(0, 1));
  await time.advance(SECOND);
  tell(FULL, ROUTES.slice(0, 1));
  await time.advance(10 * SECOND);
  expect(sent.map((one) => (one as unknown[])[4])).toEqual(["over", "full", "over", "full"]);
});

test("R36: one that is rejected is sent plainly, and what a channel throws is tried again", async () => {
  const rejecting = start((_, plain) =>
    plain ? { verdict: "delivered", answer: "ok" } : { verdict: "rejected", answer: "no" },
  );
  rejecting.tell(FULL, ROUTES.slice(0, 1));
  await rejecting.time.advance(0);
  expect(rejecting.sent).toMatchObject([
    [0, "ops", null, 0, "full", false],
    [0, "ops", null, 0, "full", true],
  ]);
  const throwing = start(() => {
    throw new Error("defect");
  });
  throwing.tell(FULL, ROUTES.slice(0, 1));
  await throwing.time.advance(5 * SECOND);
  expect(throwing.sent).toHaveLength(2);
  expect(throwing.lines.map(([event]) => event)).toContain("channel_threw");
});
