// Sends alerts to an MQTT broker (version 5). Each alert is one message on `TOPIC/alerts` that is not retained.

import { connect as connectPlainly, isIP } from "node:net";
import { connect as connectByTls } from "node:tls";
import { type IClientOptions, type IClientPublishOptions, MqttClient } from "mqtt";
import { connectionFailure } from "../domain/connection-failure.ts";
import { codeOf } from "../domain/unless-missing.ts";
import { type ShownChannel, type Verdict, withoutResponse } from "./channel.ts";
import { webhookBody } from "./hooks.ts";
import { createSendLimit, RESPONSE_TIMES, SEND_TIMEOUT } from "./post.ts";

export interface MqttSettings {
  readonly url: string;
  readonly username: string | null;
  readonly password: string | null;
  /** The first part of all topics, such as `rollcall`. */
  readonly topic: string;
}

/** How many bytes we read at most from the broker while we publish an alert. */
const HEARD_OF_AN_ALERT = 64 * 1024;

export interface Connecting extends Pick<IClientOptions, "will"> {
  readonly heardMost: number;
  /**
   * Called with the error when the connection is over; `null` when it was closed without one. Of several calls, only
   * the first tells the right reason.
   */
  readonly failed: (error: unknown) => void;
}

/** Connects to the broker. A connection that fails is not tried again. */
export function connectTo({ url, username, password }: MqttSettings, connecting: Connecting): MqttClient {
  const { heardMost, failed, will } = connecting;
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const open = () => {
    const socket =
      protocol === "mqtts:"
        ? connectByTls({ host, port: Number(port || 8883), servername: isIP(host) === 0 ? host : "" })
        : connectPlainly({ host, port: Number(port || 1883) });
    let left = heardMost;
    socket.on("error", failed);
    socket.on("data", ({ length }) => {
      left -= length;
      if (left < 0) socket.destroy(new Error("too much"));
    });
    return socket;
  };
  const login = { ...(username !== null && { username }), ...(password !== null && { password }) };
  const once = { protocolVersion: 5, clean: true, reconnectPeriod: 0 } as const;
  const client = new MqttClient(open, { ...login, ...once, ...(will && { will }) });
  client.on("error", failed);
  client.on("close", () => failed(null));
  return client;
}

/** Publishes a message; resolves when the broker has confirmed it. */
export const toBroker = (client: MqttClient, topic: string, payload: string, options: IClientPublishOptions = {}) =>
  new Promise<void>((resolve, reject) => {
    client.publish(topic, payload, { qos: 1, ...options }, (error) => (error ? reject(error) : resolve()));
  });

/**
 * Reason codes of MQTT that say that our settings or the broker's are wrong. `ABOUT_THE_MESSAGE` says that the message
 * is wrong. Failures with any other code pass by themselves, so the delivery is tried again.
 */
const ABOUT_THE_SETTINGS: ReadonlySet<unknown> = new Set([0x85, 0x86, 0x87, 0x8a, 0x8c, 0x90, 0x9d]);
const ABOUT_THE_MESSAGE = 0x99;

/** The codes by which a broker refuses our version of MQTT. A broker that knows no version 5 says 1. */
const ABOUT_THE_VERSION: ReadonlySet<unknown> = new Set([0x01, 0x84]);

export function verdictOnBroker(error: unknown): Verdict {
  const { code, message } = Object(error);
  if (typeof code !== "number")
    return { verdict: "retry", answer: connectionFailure(codeOf(error) ?? "") ?? "the connection failed" };
  if (ABOUT_THE_VERSION.has(code)) return { verdict: "blocked", answer: "the broker does not speak MQTT 5" };
  const answer = String(message);
  if (code === ABOUT_THE_MESSAGE) return { verdict: "rejected", answer };
  return { verdict: ABOUT_THE_SETTINGS.has(code) ? "blocked" : "retry", answer };
}

export function createMqttChannel(settings: MqttSettings, timeoutMs = SEND_TIMEOUT): ShownChannel {
  const topic = `${settings.topic}/alerts`;
  return {
    takesOutput: true,
    preview: (delivery, context) => `${topic}\n\n${webhookBody(delivery, context)}`,
    send: async (delivery, context) => {
      const { promise, resolve } = Promise.withResolvers<Verdict>();
      const failed = (error: unknown): void => resolve(verdictOnBroker(error));
      const client = connectTo(settings, { heardMost: HEARD_OF_AN_ALERT, failed });
      const limit = createSendLimit(timeoutMs);
      const responseMs = RESPONSE_TIMES * timeoutMs;
      limit.signal.addEventListener("abort", () =>
        resolve(limit.isExtended() ? withoutResponse(responseMs) : { verdict: "retry", answer: "timed out" }),
      );
      client.on("connect", () => {
        limit.extend(responseMs);
        const properties = { contentType: "application/json", userProperties: { "webhook-id": delivery.reference } };
        toBroker(client, topic, webhookBody(delivery, context), { properties }).then(
          () => resolve({ verdict: "delivered", answer: "the broker has it" }),
          failed,
        );
        context.written?.();
      });
      return promise.finally(() => {
        limit.end();
        client.end(true);
      });
    },
  };
}
