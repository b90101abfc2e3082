// Destinations of MQTT against a real mosquitto: alerts, each with what its failures mean; and how the jobs stand, kept
// at the broker over its restarts and ours.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { after, systemClock } from "../../src/cli/clock.ts";
import { deliveryAdvice } from "../../src/cli/screens/delivery-screens.ts";
import { createBrokerStates } from "../../src/notify/broker-states.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { ALERT_AT, alertOf, bodyThrough } from "../support/alerts.ts";
import { type Broker, HAS_BROKER, LOGIN, startBroker } from "../support/broker.ts";
import { createCertificate } from "../support/certificate.ts";
import { until } from "../support/executable.ts";
import { freePort } from "../support/free-port.ts";
import { startRawSink } from "../support/http-sink.ts";
import { chatDelivery } from "./chats.ts";

setDefaultTimeout(60_000);

const settingsAt = ({ port }: Pick<Broker, "port">) => ({
  url: `mqtt://127.0.0.1:${port}`,
  ...LOGIN,
  topic: "rollcall",
});

const ALERT = alertOf({ failureMessage: "disk full" });

const send = (settings: Parameters<typeof CHANNELS.mqtt>[0], message = ALERT, timeoutMs = 5_000) =>
  CHANNELS.mqtt(settings, timeoutMs).send(chatDelivery(message), { sentAt: ALERT_AT, plain: false });

describe.skipIf(!HAS_BROKER)("an alert by MQTT", () => {
  test("R37: is what a webhook gets, and counts as delivered when the broker has it", async () => {
    await using broker = await startBroker();
    const heard = broker.hear("rollcall/alerts");
    const webhook = CHANNELS.webhook({ url: "http://127.0.0.1:1", secret: `whsec_${"A".repeat(32)}` });
    await until("an alert", async () => {
      expect(await send(settingsAt(broker))).toEqual({ verdict: "delivered", answer: "the broker has it" });
      return heard.lines()[0] ?? null;
    });
    expect(heard.lines()[0]).toBe(`rollcall/alerts ${bodyThrough(webhook, ALERT)}`);
    expect([...(await broker.kept("rollcall/#")).keys()]).toEqual([]);
  });

  test("R36: a wrong password, or a login that may not write there, waits for a person", async () => {
    await using broker = await startBroker({ may: ["readwrite elsewhere/#"] });
    expect(await send({ ...settingsAt(broker), password: "wrong" })).toEqual({
      verdict: "blocked",
      answer: "Connection refused: Not authorized",
    });
    expect(await send({ ...settingsAt(broker), username: null, password: null })).toMatchObject({ verdict: "blocked" });
    expect(await send(settingsAt(broker))).toEqual({
      verdict: "blocked",
      answer: "Publish error: Not authorized",
    });
  });

  test("R36: a broker without MQTT 5 waits for a person, who is told that", async () => {
    // Mosquitto before 1.6 and RabbitMQ before 3.13 answer so.
    await using old = await startRawSink((socket) => void socket.write(Buffer.from([0x20, 2, 0, 1])));
    const answer = "the broker does not speak MQTT 5";
    expect(await send(settingsAt({ port: old.port }))).toEqual({ verdict: "blocked", answer });
    expect(deliveryAdvice(answer, false)).toStartWith("take a newer broker");
  });

  test("R36: a broker that is away, silent, or none at all is tried again", async () => {
    const at = (port: number) => settingsAt({ port });
    expect(await send(at(freePort()))).toEqual({ verdict: "retry", answer: "connection refused" });
    expect(await send({ ...at(1), url: "mqtt://broker.invalid" })).toEqual({
      verdict: "retry",
      answer: "host name not found",
    });
    await using silent = await startRawSink();
    expect(await send(at(silent.port), ALERT, 200)).toEqual({
      verdict: "retry",
      answer: "timed out",
    });
    await silent.closed;
    await using hasty = await startRawSink((socket) => void socket.end());
    expect(await send(at(hasty.port))).toEqual({ verdict: "retry", answer: "the connection failed" });
    await using other = await startRawSink((socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    expect(await send(at(other.port))).toEqual({
      verdict: "retry",
      answer: "the connection failed",
    });
  });

  test("R40: of a broker that says too much 64 KiB are read", async () => {
    await using endless = await startRawSink((socket) => {
      // The head of a packet of 256 MB.
      socket.write(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]));
      const more = () => {
        while (socket.writable && socket.write("x".repeat(0x4000)));
      };
      socket.on("drain", more);
      more();
    });
    expect(await send(settingsAt({ port: endless.port }))).toMatchObject({ verdict: "retry" });
    await endless.closed;
  });

  test("R40: speaks TLS where mqtts:// says so, and trusts no unknown certificate", async () => {
    await using broker = await startBroker({ certificate: createCertificate() });
    expect(await send({ ...settingsAt(broker), url: `mqtts://127.0.0.1:${broker.port}` })).toEqual({
      verdict: "retry",
      answer: "TLS failure (DEPTH_ZERO_SELF_SIGNED_CERT)",
    });
  });
});

interface Job {
  readonly application: string;
  readonly key: string;
  readonly name: string;
  readonly status: string;
}

const job = (key: string, status = "healthy", name = key): Job => ({ application: "prod", key, name, status });

/** Jobs that a test may change. */
function statesAt(broker: Broker, ...first: Job[]) {
  const now = { jobs: first };
  const log: unknown[] = [];
  const { wake, stop, leave } = createBrokerStates(settingsAt(broker), {
    destination: "home",
    jobs: async () => now.jobs,
    statesOf: (jobs) => jobs,
    clock: systemClock,
    after,
    log: (_level, event, fields) => void log.push([event, fields]),
  });
  const change = (...jobs: Job[]): void => {
    now.jobs = jobs;
    wake();
  };
  return { change, stop, leave, log, [Symbol.asyncDispose]: stop };
}

/** Waits until the broker keeps these of `rollcall/+/+/state`, each with its status. */
const stands = (broker: Broker, expected: Readonly<Record<string, string>>) =>
  until(`the states ${JSON.stringify(expected)}`, async () => {
    const kept = [...(await broker.kept("rollcall/+/+/state"))].map(([topic, text]) => [
      topic,
      JSON.parse(text).status,
    ]);
    return Bun.deepEquals(Object.fromEntries(kept), expected) || null;
  });

describe.skipIf(!HAS_BROKER)("how jobs stand, at a broker", () => {
  test("is kept there, changes with the jobs, and goes with them", async () => {
    await using broker = await startBroker();
    await using states = statesAt(broker, job("backup"), job("a/b+#%$\u00e4"));
    const odd = "rollcall/prod/a%2Fb%2B%23%25%24\u00e4/state";
    await stands(broker, { "rollcall/prod/backup/state": "healthy", [odd]: "healthy" });
    expect((await broker.kept("rollcall/status")).get("rollcall/status")).toBe("online");
    states.change(job("backup", "critical"));
    await stands(broker, { "rollcall/prod/backup/state": "critical" });
    await states.stop();
    expect((await broker.kept("rollcall/status")).get("rollcall/status")).toBe("offline");
    await stands(broker, { "rollcall/prod/backup/state": "critical" });
  });

  test("is announced to Home Assistant once for each job, under its name, and taken back with it", async () => {
    await using broker = await startBroker();
    const configs = async () =>
      [...(await broker.kept("homeassistant/#"))].map(([topic, text]) => ({ topic, ...JSON.parse(text) }));
    await using states = statesAt(broker, job("backup", "healthy", "Backup"), job("gone"));
    await until("two configs", async () => ((await configs()).length === 2 ? true : null));
    const [config] = (await configs()).filter(({ name }) => name === "Backup");
    expect(config).toEqual({
      topic: `homeassistant/binary_sensor/${config.unique_id}/config`,
      name: "Backup",
      unique_id: expect.stringMatching(/^rollcall_[0-9a-f]{16}$/),
      device_class: "problem",
      state_topic: "rollcall/prod/backup/state",
      value_template: "{{ 'ON' if value_json.status == 'critical' else 'OFF' }}",
      json_attributes_topic: "rollcall/prod/backup/state",
      availability_topic: "rollcall/status",
      device: { identifiers: ["rollcall_rollcall"], name: "rollcall" },
    });
    states.change(job("backup", "healthy", "Nightly backup"));
    await until("the new name alone", async () => {
      const names = (await configs()).map(({ name }) => name);
      return Bun.deepEquals(names, ["Nightly backup"]) || null;
    });
  });

  test("R37: a destination that is gone leaves no job, no sensor and no state of ours at its broker", async () => {
    await using broker = await startBroker();
    await using states = statesAt(broker, job("backup"), job("nightly"));
    await stands(broker, { "rollcall/prod/backup/state": "healthy", "rollcall/prod/nightly/state": "healthy" });
    await states.leave();
    expect([...(await broker.kept("#")).keys()]).toEqual([]);
    expect(states.log).toEqual([]);
  });

  test("R37: where its broker is away by then, the log says that it keeps them", async () => {
    const broker = await startBroker();
    await using states = statesAt(broker, job("backup"));
    await stands(broker, { "rollcall/prod/backup/state": "healthy" });
    await broker[Symbol.asyncDispose]();
    await until("the loss in the log", () => states.log[0] ?? null);
    await states.leave();
    expect(states.log.at(-1)).toEqual([
      "job_states_left",
      { destination: "home", rule: expect.stringContaining("take away the retained messages") },
    ]);
  });

  test("of jobs that went while rollcall was away is taken away at the next start", async () => {
    await using broker = await startBroker();
    const first = statesAt(broker, job("backup"), job("gone"));
    await stands(broker, { "rollcall/prod/backup/state": "healthy", "rollcall/prod/gone/state": "healthy" });
    await first.stop();
    await broker.keep("rollcall/other", "not ours to take away");
    await using _second = statesAt(broker, job("backup", "critical"));
    await stands(broker, { "rollcall/prod/backup/state": "critical" });
    await until("one config", async () => ((await broker.kept("homeassistant/#")).size === 1 ? true : null));
    expect([...(await broker.kept("rollcall/+")).keys()].sort()).toEqual(["rollcall/other", "rollcall/status"]);
  });

  test("comes back whole after the broker has lost all, and a log of it says so once", async () => {
    await using broker = await startBroker();
    const many = Array.from({ length: 500 }, (_, place) => job(`job-${place}`));
    await using states = statesAt(broker, ...many);
    const count = async (wanted: number) =>
      until(`${wanted} states`, async () => ((await broker.kept("rollcall/+/+/state")).size === wanted ? true : null));
    await count(500);
    await broker.stop();
    await until("the loss in the log", () => states.log[0] ?? null);
    states.change(...many.slice(1));
    await broker.start();
    await count(499);
    await until("the end in the log", () => states.log[1] ?? null);
    expect(states.log).toEqual([
      ["job_states_failed", { destination: "home", answer: expect.any(String) }],
      ["job_states_told", { destination: "home" }],
    ]);
  });

  test("waits where the broker refuses us, and a stop does not", async () => {
    await using broker = await startBroker({ may: ["read rollcall/#"] });
    const states = statesAt(broker, job("backup"));
    await until("the refusal in the log", () => states.log[0] ?? null);
    expect(states.log).toEqual([
      ["job_states_failed", { destination: "home", answer: "Publish error: Not authorized" }],
    ]);
    await states.stop();
  });
});
