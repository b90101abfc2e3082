// Every way in which a broker of MQTT may not take an alert, and what becomes of the alert then.

import type { Socket } from "node:net";
import { CHANNELS } from "../../src/notify/registry.ts";
import { toHook } from "../support/alerts.ts";
import { startRawSink } from "../support/http-sink.ts";
import { AGAIN, HOURLY, outcomesThrough, PERHAPS_TAKEN, SENT } from "./delivery-outcome.ts";

type Play = (socket: Socket) => void;

export interface BrokerRow {
  readonly situation: string;
  /** How it behaves; or the address at which nothing is. All must come to the same. */
  readonly brokers: readonly (Play | string)[];
  readonly outcome: string;
  /** Milliseconds: short where it is what ends the attempt. */
  readonly timeoutMs?: number;
}

const CONNECT = 1;
const PUBLISH = 3;

/** Answers what comes, a packet at a time; null: with nothing. */
const answering =
  (answers: Readonly<Record<number, (packet: Buffer) => readonly number[] | null>>): Play =>
  (socket) => {
    let rest = Buffer.alloc(0);
    socket.on("data", (piece: Buffer) => {
      rest = Buffer.concat([rest, piece]);
      for (let packet = firstIn(rest); packet !== null; packet = firstIn(rest)) {
        rest = rest.subarray(packet.length);
        const answer = answers[packet[0]! >> 4]?.(packet) ?? null;
        if (answer !== null) socket.write(Buffer.from(answer));
      }
    });
  };

/** The first whole packet; null: it has not all come. */
function firstIn(bytes: Buffer): Buffer | null {
  let length = 0;
  for (let place = 1; place < bytes.length; place++) {
    length += (bytes[place]! & 0x7f) << (7 * (place - 1));
    if (bytes[place]! < 0x80) return bytes.length < place + 1 + length ? null : bytes.subarray(0, place + 1 + length);
  }
  return null;
}

const connack = (reason: number) => [0x20, 3, 0, reason, 0];

function puback(packet: Buffer, reason: number): readonly number[] {
  const topicAt = packet.findIndex((byte, place) => place > 0 && byte < 0x80) + 1;
  const idAt = topicAt + 2 + packet.readUInt16BE(topicAt);
  return [0x40, 3, packet[idAt]!, packet[idAt + 1]!, reason];
}

const refusing = (...reasons: number[]): Play[] =>
  reasons.map((reason) => answering({ [CONNECT]: () => connack(reason) }));

const puttingOff = (...reasons: number[]): Play[] =>
  reasons.map((reason) => answering({ [CONNECT]: () => connack(0), [PUBLISH]: (packet) => puback(packet, reason) }));

const UNANSWERED = 2_000;

export const BROKER_ROWS: readonly BrokerRow[] = [
  { situation: "has taken the message", brokers: puttingOff(0, 0x10), outcome: SENT },
  {
    situation: "is not there, or its host name is not found",
    brokers: ["127.0.0.1:1", "broker.invalid"],
    outcome: AGAIN,
  },
  {
    situation: "says nothing",
    brokers: [() => {}],
    outcome: AGAIN,
    timeoutMs: UNANSWERED,
  },
  {
    situation: "says nothing to the message",
    brokers: [answering({ [CONNECT]: () => connack(0) })],
    outcome: PERHAPS_TAKEN,
    timeoutMs: UNANSWERED,
  },
  {
    situation: "hangs up, or is no broker",
    brokers: [(socket) => void socket.end(), (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")],
    outcome: AGAIN,
  },
  {
    situation: "does not take the login, the client or the version (0x84, 0x85, 0x86, 0x87, 0x8A, 0x8C, 0x9D; 1)",
    // A broker that knows no version 5 answers as in version 3.
    brokers: [...refusing(0x84, 0x85, 0x86, 0x87, 0x8a, 0x8c, 0x9d), answering({ [CONNECT]: () => [0x20, 2, 0, 1] })],
    outcome: HOURLY,
  },
  { situation: "lets the login not write there (0x87, 0x90)", brokers: puttingOff(0x87, 0x90), outcome: HOURLY },
  {
    situation: "does not take this message (0x99)",
    brokers: puttingOff(0x99),
    outcome: HOURLY,
  },
  {
    situation: "is busy or full, or gives any other reason",
    brokers: [...refusing(0x80, 0x83, 0x88, 0x89, 0x97, 0x9f), ...puttingOff(0x80, 0x83, 0x91, 0x97)],
    outcome: AGAIN,
  },
];

/** One alert to each of the brokers. */
export const outcomesOfBrokers = ({ brokers, timeoutMs = 10_000 }: BrokerRow): Promise<string[]> =>
  Promise.all(
    brokers.map(async (broker) => {
      if (typeof broker === "string") return outcomeAt(`mqtt://${broker}`, timeoutMs);
      await using sink = await startRawSink(broker);
      return await outcomeAt(`mqtt://127.0.0.1:${sink.port}`, timeoutMs);
    }),
  );

async function outcomeAt(url: string, timeoutMs: number): Promise<string> {
  const settings = { url, username: "ada", password: "T0SECRET", topic: "rollcall" };
  const { byRoute, log } = await outcomesThrough({ home: CHANNELS.mqtt(settings, timeoutMs) }, [toHook("home")]);
  const { outcome, answer } = byRoute.get("home")!;
  return log.includes("T0SECRET") || answer.includes("T0SECRET") ? "told the password" : outcome;
}
