// Alerts answered from the services that show them, by the executable: what each service sends is played as it is
// recorded in its documentation, and all that is forged, stale, foreign or comes twice is refused with a sentence.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { firstKeyOf, openFolder, report, type Service, until } from "../support/executable.ts";
import { freePort } from "../support/free-port.ts";
import { type ReceivedRequest, startHttpSink } from "../support/http-sink.ts";

setDefaultTimeout(180_000);

/** A rollcall with one destination `chat` and a job that has just failed; Ada is an operator. */
async function openFailed(
  destinations: (server: string) => string,
  answer: (request: ReceivedRequest) => Response | Promise<Response>,
  names: readonly string[] = ["chat", "other"],
) {
  const sink = startHttpSink((_, request) => answer(request));
  const port = freePort();
  const server = new URL(sink.url).origin;
  const folder = openFolder({
    "rollcall.toml": `
[server]
listen = "127.0.0.1:${port}"
public_url = "http://127.0.0.1:${port}"

[team]
destinations = ${JSON.stringify(names)}
${destinations(server)}`,
  });
  const serve = () => folder.serve({ ROLLCALL_SERVER__LISTEN: `127.0.0.1:${port}` });
  const service = await serve();
  expect((await folder.run(["user", "create", "Ada", "--role", "operator", "--link"])).exitCode).toBe(0);
  const key = firstKeyOf(service);
  expect(await report(service, key, "backup", "?schedule=0+0+*+*+*")).toBe(200);
  expect(await report(service, key, "backup", "/fail?message=disk+full")).toBe(200);
  return {
    ...{ folder, service, serve, key, server, sink },
    url: `http://127.0.0.1:${port}`,
    got: (what: string, is: (request: ReceivedRequest) => boolean) =>
      until(what, () => sink.requests.findLast(is) ?? null).then(({ body }) => JSON.parse(body)),
    succeed: (running: Service) => report(running, key, "backup", ""),
    incident: () =>
      folder.rows(
        "SELECT acknowledged_by AS ackBy, closed_at IS NOT NULL AS over, closed_by AS closedBy FROM incidents",
      )[0],
    answers: () => folder.rows("SELECT action, address, details FROM audit WHERE answer IS NOT NULL ORDER BY id"),
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]();
      await sink[Symbol.asyncDispose]();
    },
  };
}

const sha256 = (secret: string, text: string): string => createHmac("sha256", secret).update(text).digest("hex");

const SLACK_SECRET = "8f742231b10e8888abcd99yyyzzz85a5";

test("Slack: a button acknowledges as Ada, the message says so, and only what Slack signed now is heard", async () => {
  await using opened = await openFailed(
    (server) => `
[destinations.chat]
type = "slack"
url = "${server}/services/T0/B0/chat"
signing_secret = "${SLACK_SECRET}"
answers = "Ada"

[destinations.other]
type = "slack"
url = "${server}/services/T0/B0/other"
signing_secret = "another-signing-secret-of-slack-1"
answers = "Ada"
`,
    () => new Response("ok"),
  );
  const { service, url, server, sink } = opened;
  const buttonsOf = (body: { attachments: { blocks?: { elements: Pressed[] }[] }[] }) =>
    body.attachments.flatMap(({ blocks = [] }) => blocks.flatMap(({ elements }) => elements));
  const sent = await opened.got("the alert", ({ path }) => path.endsWith("/chat"));
  const buttons = buttonsOf(sent);
  expect(buttons.map(({ text }) => text.text)).toEqual([
    "Acknowledge",
    "Pause for 1 hour",
    "Pause until tomorrow 08:00",
    "Resolve",
  ]);
  type Pressed = { action_id: string; value: string; text: { text: string } };

  /** What Slack posts for a button of an incoming webhook's message. */
  const payloadOf = ({ action_id, value, text }: Pressed, responseUrl = `${server}/actions/T0/1/x`) =>
    JSON.stringify({
      type: "block_actions",
      user: { id: "U0", username: "mallory", name: "mallory", team_id: "T0" },
      api_app_id: "A0",
      token: "deprecated",
      container: { type: "message_attachment", message_ts: "1548261231.000200", channel_id: "C0", attachment_id: 2 },
      trigger_id: "12321423423.333649436676.d8c1bb837935619ccad0f624c448ffb3",
      team: { id: "T0", domain: "example" },
      channel: { id: "C0", name: "ops" },
      message: {
        bot_id: "B0",
        type: "message",
        ts: "1548261231.000200",
        text: sent.text,
        attachments: sent.attachments,
      },
      response_url: responseUrl,
      actions: [{ type: "button", block_id: "=qXel", action_id, value, text, action_ts: "1548426417.840180" }],
    });
  async function call(payload: string, changes: { secret?: string; age?: number; signed?: string } = {}) {
    const { secret = SLACK_SECRET, age = 0 } = changes;
    const body = new URLSearchParams({ payload }).toString();
    const at = String(Math.floor(Date.now() / 1_000) - age);
    const signature = `v0=${sha256(secret, `v0:${at}:${changes.signed ?? body}`)}`;
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": at,
      "x-slack-signature": signature,
    };
    const response = await fetch(`${url}/answers/slack`, { method: "POST", headers, body });
    return { status: response.status, text: await response.text() };
  }
  const [ack, hour, , resolve] = buttons as [Pressed, Pressed, Pressed, Pressed];

  for (const changes of [{ secret: "guessed" }, { age: 301 }, { age: -301 }, { signed: "payload=another" }])
    expect(await call(payloadOf(ack), changes)).toEqual({
      status: 403,
      text: "It is signed with no signing_secret of a destination that takes answers, or came too late.\n",
    });
  for (const to of ["slack", "pigeon", "toString"])
    expect((await fetch(`${url}/answers/${to}`, { method: "POST", body: "x" })).ok).toBe(false);
  expect((await fetch(`${url}/answers/slack`)).status).toBeOneOf([404, 405]);
  expect((await call("x".repeat(70_000))).status).toBe(413);
  const ephemeral = { response_type: "ephemeral", replace_original: false };
  const refused = async (payload: string, text: unknown, changes = {}) => {
    const { status, text: answer } = await call(payload, changes);
    expect([status, JSON.parse(answer)]).toEqual([200, { ...ephemeral, text }]);
  };
  const forged = "this is no answer to a message of this rollcall, or it was changed on its way";
  await refused(payloadOf(ack), forged, { secret: "another-signing-secret-of-slack-1" });
  await refused(payloadOf({ ...ack, value: ack.value.replace(/.$/, "é") }), forged);
  await refused(payloadOf({ ...ack, action_id: "toString" }), "this is no answer to an alert");
  for (const odd of ["", "null", "[]", '{"actions":7}', '{"actions":[null],"response_url":{}}', "{"])
    await refused(odd, "this is no answer to an alert");
  expect(opened.incident()).toEqual({ ackBy: null, over: 0, closedBy: null });

  const done = JSON.parse((await call(payloadOf(ack))).text);
  expect(opened.incident()).toMatchObject({ ackBy: "Ada" });
  const shown = await opened.got(
    "the replaced message",
    ({ path, body }) => path.includes("T0/1") && body.includes("Ada"),
  );
  expect(shown).toEqual(done);
  expect(shown).toMatchObject({ replace_original: true, text: sent.text });
  expect(shown.attachments.slice(0, 2)).toEqual([
    sent.attachments[0],
    { fallback: "Ada: Acknowledge", text: "Ada: Acknowledge" },
  ]);
  expect(buttonsOf(shown).map(({ action_id: act }) => act)).toEqual(["hour", "tomorrow", "resolve"]);
  expect(opened.answers()).toEqual([
    { action: "incident ack", address: "Slack", details: expect.stringContaining("a link in a message to chat") },
  ]);

  await refused(payloadOf(ack), expect.stringContaining("Ada answered “Acknowledge” already, at "));
  await using elsewhere = startHttpSink(() => new Response("ok"));
  for (const post of [`${elsewhere.url}`, "file:///etc/passwd", `${server}@${new URL(elsewhere.url).host}/`])
    expect((await call(payloadOf(hour, post))).status).toBe(200);
  expect(JSON.parse((await call(payloadOf(resolve))).text).attachments).toHaveLength(2);
  expect(opened.incident()).toMatchObject({ over: 1, closedBy: "resolved" });
  const end = await opened.got("the end", ({ path, body }) => path.endsWith("/chat") && body.includes("#1a7f37"));
  expect(buttonsOf(end)).toEqual([]);
  expect(elsewhere.requests).toEqual([]);
  expect(sink.requests.every(({ path }) => path.startsWith("/services/") || path.startsWith("/actions/"))).toBe(true);
  for (const secret of [SLACK_SECRET, ack.value]) expect(service.err()).not.toContain(secret);
});

test("PagerDuty: what is acknowledged or resolved there is here, and what we caused ourselves does nothing", async () => {
  const secret = "pagerduty-webhook-signing-secret-1";
  await using opened = await openFailed(
    (server) => `
[destinations.chat]
type = "pagerduty"
url = "${server}/v2/enqueue"
integration_key = "${"k".repeat(32)}"
signing_secret = "${secret}"
answers = "Ada"

[destinations.other]
type = "webhook"
url = "${server}/other"
secret = "whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}"
`,
    ({ path, body }) =>
      path === "/v2/enqueue"
        ? Response.json(
            { status: "success", message: "Event processed", dedup_key: JSON.parse(body).dedup_key },
            { status: 202 },
          )
        : new Response(null, { status: 204 }),
  );
  const { service, url, sink, folder } = opened;
  const event = (action: string) =>
    opened.got(action, ({ path, body }) => path === "/v2/enqueue" && body.includes(`"event_action":"${action}"`));
  const { dedup_key: dedupKey } = await event("trigger");
  await until("the name", () => folder.rows("SELECT 1 FROM deliveries WHERE sent_as IS NOT NULL")[0] ?? null);
  /** A webhook of version 3, as PagerDuty's documentation records it. */
  const PERSON = { id: "PLH1HKV", type: "user_reference", summary: "Tenex Engineer" };
  const bodyOf = (type: string, key = dedupKey, agent: object | null = PERSON) =>
    JSON.stringify({
      event: {
        id: "01BWCT6J7V2K4Y0ZQ8",
        event_type: type,
        resource_type: "incident",
        occurred_at: new Date().toISOString(),
        agent,
        client: null,
        data: {
          ...{ id: "PGR0VU2", type: "incident", number: 2, status: type.split(".")[1], incident_key: key },
          ...{ title: "Failed: backup", urgency: "high", service: { id: "PF9KMXH", type: "service_reference" } },
        },
      },
    });
  async function call(body: string, { key = secret, before = "v1=00," } = {}) {
    const headers = {
      "content-type": "application/json",
      "x-pagerduty-signature": `${before}v1=${sha256(key, body)}`,
      "x-webhook-subscription": "PT4KHLK",
    };
    const response = await fetch(`${url}/answers/pagerduty`, { method: "POST", headers, body });
    return [response.status, await response.text()];
  }
  const did = (said: string) => [200, JSON.stringify({ said })];

  const unsigned = "It is signed with no signing_secret of a destination that takes answers, or came too late.\n";
  expect(await call(bodyOf("incident.acknowledged"), { key: "guessed" })).toEqual([403, unsigned]);
  expect(await call(bodyOf("incident.acknowledged"), { before: "v0=" })).toEqual([403, unsigned]);
  const foreign = dedupKey.replace(/.$/, (last: string) => (last === "0" ? "1" : "0"));
  const forged = "this is no answer to a message of this rollcall";
  expect(await call(bodyOf("incident.acknowledged", foreign))).toEqual(did(forged));
  const nothing = did("this is no answer to an alert");
  for (const body of ["", "[]", "{", '{"event":null}', '{"event":{"event_type":"pagey.ping","data":{}}}'])
    expect(await call(body)).toEqual(nothing);
  expect(await call(bodyOf("incident.triggered"))).toEqual(nothing);
  // What PagerDuty does by itself, such as resolving after some hours, is no answer.
  for (const agent of [null, { id: "PF9KMXH", type: "service_reference" }])
    expect(await call(bodyOf("incident.resolved", dedupKey, agent))).toEqual(nothing);
  expect(opened.incident()).toEqual({ ackBy: null, over: 0, closedBy: null });

  expect(await call(bodyOf("incident.acknowledged"))).toEqual(did("Ada: Acknowledge"));
  expect(opened.incident()).toMatchObject({ ackBy: "Ada", over: 0 });
  // We pass it on, as an acknowledgement by any other way, and hear of that again.
  await event("acknowledge");
  const [, again] = await call(bodyOf("incident.acknowledged"));
  expect(again).toMatch(/Ada (?:answered “Acknowledge”|acknowledged it) already, at /);
  expect(await call(bodyOf("incident.resolved"))).toEqual(did("Ada: Resolve"));
  expect(opened.incident()).toMatchObject({ over: 1, closedBy: "resolved" });
  await event("resolve");
  const [status, over] = await call(bodyOf("incident.resolved"));
  expect([status, over]).toEqual([200, expect.stringContaining("incident 1 is over since ")]);
  expect(opened.answers().map(({ action, address }) => [action, address])).toEqual([
    ["incident ack", "PagerDuty"],
    ["incident resolve", "PagerDuty"],
  ]);
  const actions = sink.requests.flatMap(({ path, body }) =>
    path === "/v2/enqueue" ? [JSON.parse(body).event_action] : [],
  );
  expect(actions).toEqual(["trigger", "acknowledge", "resolve"]);
  expect(service.err()).not.toContain(secret);
});

test("Telegram: one message shows how its incident stands, and its end replies to it", async () => {
  let count = 70;
  await using opened = await openFailed(
    (server) => `
[destinations.chat]
type = "telegram"
url = "${server}"
token = "1234567890:replacethiswithatokenofabot"
chat = "5"
answers = "Ada"

[destinations.other]
type = "telegram"
url = "${server}"
token = "1234567890:replacethiswithatokenofabot"
chat = "6"
`,
    async ({ path, body }) => {
      if (path.endsWith("/editMessageText") && body.includes('"6"'))
        return Response.json(
          { ok: false, error_code: 400, description: "Bad Request: message can't be edited" },
          { status: 400 },
        );
      if (path.endsWith("/getUpdates")) await Bun.sleep(100);
      if (!path.endsWith("/sendMessage")) return Response.json({ ok: true, result: [] });
      const { chat_id: id, text } = JSON.parse(body);
      return Response.json({ ok: true, result: { message_id: ++count, date: 1, chat: { id: Number(id) }, text } });
    },
  );
  const { folder, service, sink } = opened;
  const edited = (words: string) =>
    opened.got(
      `the edit: ${words}`,
      ({ path, body }) => path.endsWith("/editMessageText") && body.includes(`"5"`) && body.includes(words),
    );
  const sent = () =>
    sink.requests.flatMap(({ path, body }) => (path.endsWith("/sendMessage") ? [JSON.parse(body)] : []));
  await until(
    "both messages",
    () =>
      folder.rows("SELECT count(*) AS n FROM deliveries WHERE sent_as IS NOT NULL").find(({ n }) => n === 2) ?? null,
  );
  const first = sent().find(({ chat_id: id }) => id === "5");
  expect((await folder.run(["incident", "ack", "1"])).exitCode).toBe(0);
  const acknowledged = await edited("acknowledged");
  expect(acknowledged).toMatchObject({ chat_id: "5", message_id: expect.any(Number) });
  expect(acknowledged.text).toContain("Since then it was acknowledged");
  expect(acknowledged.reply_markup.inline_keyboard.map(([{ text }]: [{ text: string }]) => text)).toEqual([
    "Pause for 1 hour",
    "Pause until tomorrow 08:00",
    "Resolve",
  ]);
  expect(await opened.succeed(service)).toBe(200);
  const over = await edited("recovered");
  expect(over).toMatchObject({
    chat_id: "5",
    message_id: acknowledged.message_id,
    reply_markup: { inline_keyboard: [] },
  });
  const end = await opened.got(
    "the end",
    ({ path, body }) => path.endsWith("/sendMessage") && /"5".*Recovered/.test(body),
  );
  expect(end.reply_parameters).toEqual({ message_id: acknowledged.message_id, allow_sending_without_reply: true });
  expect(first.reply_parameters).toBeUndefined();
  // One that cannot be edited is said in one line of the log, and its messages come all the same, each once.
  await until("all four", () => (sent().length === 4 ? true : null));
  const isOfOther = ({ path, body }: ReceivedRequest) => path.endsWith("/editMessageText") && body.includes('"6"');
  await until("the edits", () => (sink.requests.filter(isOfOther).length >= 2 ? true : null));
  expect(service.err().match(/message_not_edited/g)).toHaveLength(1);
  expect(service.err()).not.toContain("replacethiswith");
});

test("Matrix: a reply or a reaction in the room answers, the message says so, and nothing else is heard", async () => {
  const room = "!ops:matrix.example.org";
  const token = "syt_replacethiswithanaccesstoken";
  const queue: object[] = [];
  let batch = 0;
  await using opened = await openFailed(
    (server) => `
[destinations.chat]
type = "matrix"
url = "${server}"
token = "${token}"
chat = "${room}"
answers = "Ada"

[destinations.other]
type = "matrix"
url = "${server}"
token = "${token}"
chat = "!other:matrix.example.org"
answers = "Nobody"
`,
    async ({ path, headers }) => {
      if (headers["authorization"] !== `Bearer ${token}`)
        return Response.json({ errcode: "M_UNKNOWN_TOKEN" }, { status: 401 });
      if (path.includes("/send/")) return Response.json({ event_id: `$${path.split("/").at(-1)}` });
      await Bun.sleep(50);
      const events = queue.splice(0);
      const join = events.length === 0 ? {} : { [room]: { timeline: { events, limited: false, prev_batch: "p" } } };
      return Response.json({ next_batch: `s${++batch}`, rooms: { join } });
    },
  );
  const { folder, service, sink } = opened;
  const inRoom = (is: (content: MatrixContent) => boolean) =>
    opened.got("a message", ({ path, body }) => path.includes(encodeURIComponent(room)) && is(JSON.parse(body)));
  type MatrixContent = { body: string; "m.relates_to"?: { rel_type?: string; "m.in_reply_to"?: { event_id: string } } };
  const alert = await inRoom(({ body }) => body.includes("disk full"));
  expect(alert.body).toEndWith("\n\nReply with “ack”, “pause 1h”, “pause tomorrow”, “resolve”.");
  const named = () =>
    folder.rows("SELECT sent_as AS name FROM deliveries WHERE destination = 'chat' AND sent_as IS NOT NULL");
  const { name } = await until("the event", () => named()[0] ?? null);
  let sent = 0;
  const say = (content: object, more: object = {}) => {
    const type = "body" in content ? "m.room.message" : "m.reaction";
    queue.push({
      type,
      event_id: `$e${++sent}`,
      sender: "@mallory:matrix.example.org",
      origin_server_ts: Date.now(),
      content,
      ...more,
    });
  };
  const reply = (body: string, to = name) => ({
    msgtype: "m.text",
    body,
    "m.relates_to": { "m.in_reply_to": { event_id: to } },
  });
  const settled = async () => {
    await until("it to be heard", () => (queue.length === 0 ? true : null));
    const heard = batch;
    await until("the next question", () => (batch > heard + 1 ? true : null));
  };
  // Until it listens, what was written before is over.
  await until("the poll", () => (batch > 1 ? true : null));
  say(reply("ack"), { unsigned: { transaction_id: "ours" } });
  say(reply("ack", "$another"));
  say({ msgtype: "m.text", body: "ack" });
  say(reply("please ack"));
  say({ "m.relates_to": { rel_type: "m.annotation", event_id: name, key: "🎉" } });
  for (const content of [
    { body: null },
    { body: {}, "m.relates_to": 7 },
    { "m.relates_to": { event_id: [], key: "👍" } },
  ])
    say(content);
  queue.push(null as never, [] as never, { type: "m.reaction" });
  await settled();
  expect(opened.incident()).toEqual({ ackBy: null, over: 0, closedBy: null });
  expect(sink.requests.filter(({ path }) => path.includes("/send/"))).toHaveLength(2);

  say({ "m.relates_to": { rel_type: "m.annotation", event_id: name, key: "👍🏽" } });
  const acknowledged = await inRoom(({ "m.relates_to": relation }) => relation?.rel_type === "m.replace");
  expect(opened.incident()).toMatchObject({ ackBy: "Ada" });
  expect(acknowledged["m.relates_to"]).toEqual({ rel_type: "m.replace", event_id: name });
  expect(acknowledged["m.new_content"].body).toMatch(
    /Since then it was acknowledged by Ada at .+\n\nAda: Acknowledge$/s,
  );
  say(reply("> <@rollcall:matrix.example.org> Failed: backup\n> disk full\n\nACK"));
  const refused = await inRoom(({ body }) => body.startsWith("Ada answered “Acknowledge” already, at "));
  expect(refused["m.relates_to"]).toEqual({ "m.in_reply_to": { event_id: `$e${sent}` } });
  say(reply("pause 1h"));
  await inRoom(({ body }) => body.endsWith("Ada: Acknowledge\n\nAda: Pause for 1 hour"));
  expect(await opened.succeed(service)).toBe(200);
  const end = await inRoom((content) => content["m.relates_to"]?.["m.in_reply_to"]?.event_id === name);
  expect(end.body).toStartWith("Recovered");
  await inRoom(({ body }) => /recovered since/.test(body));
  expect(opened.answers().map(({ action, address }) => [action, address])).toEqual([
    ["incident ack", "Matrix"],
    ["monitor pause", "Matrix"],
  ]);
  expect(service.err()).not.toContain(token);
});

test("what a destination that is taken out has left is taken back, and it hears of what stands once it is back", async () => {
  const table = (server: string) => `
[destinations.chat]
type = "telegram"
token = "123456:AAabcdefghijklmnopqrstuvwxyz0123456"
chat = "42"
url = "${server}/telegram"
answers = "Ada"

[destinations.other]
type = "pagerduty"
integration_key = "${"a".repeat(32)}"
url = "${server}/pagerduty"

[destinations.genie]
type = "opsgenie"
token = "0a1b2c3d-0000-4000-8000-000000000000"
url = "${server}/opsgenie"
`;
  await using opened = await openFailed(
    table,
    async ({ path }) => {
      if (path.endsWith("/getUpdates")) await Bun.sleep(50);
      if (path.startsWith("/telegram"))
        return Response.json({
          ok: true,
          result: path.endsWith("/getUpdates") ? [] : { message_id: 7, chat: { id: 42 } },
        });
      if (path.startsWith("/opsgenie"))
        return Response.json({
          result: "Request will be processed",
          requestId: "43a29c5c-3dbf-4fa4-9c26-f4f71023e120",
        });
      return Response.json({ status: "success", dedup_key: "k" }, { status: 202 });
    },
    ["chat", "other", "genie"],
  );
  const { folder, service, server, got, sink } = opened;
  const to = (name: string, end: string) => (request: ReceivedRequest) =>
    request.path.startsWith(`/${name}`) && (request.path + request.body).includes(end);
  const page = await got("the page", to("pagerduty", '"trigger"'));
  const alert = await got("the alert at Opsgenie", to("opsgenie", '"alias"'));
  expect(await got("the chat's buttons", to("telegram", "sendMessage"))).toMatchObject({
    reply_markup: expect.anything(),
  });
  await until("all are known as sent", () =>
    folder.rows("SELECT 1 FROM deliveries WHERE outcome = 'sent' AND sent_as IS NOT NULL").length === 3 ? true : null,
  );
  const whole = readFileSync(join(folder.path, "rollcall.toml"), "utf8");
  writeFileSync(join(folder.path, "rollcall.toml"), `${whole.slice(0, whole.indexOf("[team]"))}`);
  expect((await folder.run(["reload"])).exitCode).toBe(0);
  expect(await got("the end of the page", to("pagerduty", '"resolve"'))).toMatchObject({ dedup_key: page.dedup_key });
  await got("the end at Opsgenie", to("opsgenie", `${alert.alias}/close`));
  const edited = await got("the chat without buttons", to("telegram", "editMessageText"));
  expect(edited.reply_markup.inline_keyboard).toEqual([]);
  await until("it is noted", () =>
    folder.rows("SELECT 1 FROM deliveries WHERE answer LIKE 'taken back%'").length === 2 ? true : null,
  );
  // The incident stands, and so it opens again where it was ended.
  const before = sink.requests.length;
  writeFileSync(join(folder.path, "rollcall.toml"), whole);
  expect((await folder.run(["reload"])).exitCode).toBe(0);
  await until("the page again", () => sink.requests.slice(before).find(to("pagerduty", '"trigger"')) ?? null);
  await until("the alert again", () => sink.requests.slice(before).find(to("opsgenie", '"alias"')) ?? null);
  expect(sink.requests.slice(before).some(to("telegram", "sendMessage"))).toBe(false);
  expect(service.facts("unexpected_error")).toEqual([]);
  expect(server).toStartWith("http://");
});
