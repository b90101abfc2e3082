// Keys that a job has put into its own words do not leave with an alert, through whichever channel.

import { expect, test } from "bun:test";
import { createChannel } from "../../src/notify/registry.ts";
import { ALERT_AT, alertOf } from "../support/alerts.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { chatDelivery } from "./chats.ts";

const SECRET = "Xl6rmyiJniyjGCUvOKUQenleAFfAlBmP";
const KEY = `ck_app_prod_${SECRET}`;

test("R36: a key in a name, a message or a run's id is masked in every alert", async () => {
  await using sink = startHttpSink(() => new Response(null, { status: 200 }));
  const message = alertOf({
    name: `Backup ${KEY}`,
    failureMessage: `curl: (22) https://cron.example.org/api/v1/ping/job/${KEY}?a=b: 404, ${encodeURIComponent(KEY)}`,
    runId: KEY,
  });
  const { url } = sink;
  for (const channel of [
    createChannel({ type: "webhook", url, secret: `whsec_${"a".repeat(32)}` }),
    createChannel({ type: "slack", url }),
    createChannel({ type: "discord", url }),
    createChannel({ type: "teams", url }),
    createChannel({ type: "ntfy", url, topic: "jobs", token: null }),
  ]) {
    for (const plain of [false, true]) await channel.send(chatDelivery(message), { sentAt: ALERT_AT, plain });
  }
  expect(sink.requests).toHaveLength(10);
  expect(sink.requests.filter(({ body, headers }) => (body + JSON.stringify(headers)).includes(SECRET))).toEqual([]);
  expect(JSON.parse(sink.requests[0]!.body).data).toMatchObject({ name: "Backup ck_app_***", runId: "ck_app_***" });
});
