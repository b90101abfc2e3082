// A real MQTT broker, mosquitto, on 127.0.0.1, and what a client sees that connects later.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestCertificate } from "./certificate.ts";
import { isInstalled } from "./clients.ts";
import { until } from "./executable.ts";
import { freePort } from "./free-port.ts";

/** `isInstalled` searches the directories in which users have programs. */
export const HAS_BROKER = isInstalled("mosquitto_sub");

export const LOGIN = { username: "ada", password: "hunter22!" } as const;

export interface Broker extends AsyncDisposable {
  readonly port: number;
  /** The messages that the broker keeps, by topic; with `#`, of all topics below. */
  kept(topic: string): Promise<ReadonlyMap<string, string>>;
  /** Publishes a kept message as another program would. */
  keep(topic: string, payload: string): Promise<void>;
  /** All messages from now on, each as `TOPIC PAYLOAD`. */
  hear(topic: string): { readonly lines: () => readonly string[] };
  stop(): Promise<void>;
  start(): Promise<void>;
}

interface BrokerRules {
  readonly certificate?: TestCertificate;
  /** The topics that the login may write; absent when it may write all. */
  readonly may?: readonly string[];
}

export async function startBroker({ certificate, may }: BrokerRules = {}): Promise<Broker> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-broker-"));
  const file = (name: string): string => join(folder, name);
  const port = freePort();
  run(["mosquitto_passwd", "-b", "-c", file("passwords"), LOGIN.username, LOGIN.password]);
  run(["mosquitto_passwd", "-b", file("passwords"), "other", LOGIN.password]);
  writeFileSync(
    file("rights"),
    [
      "user other",
      "topic readwrite #",
      `user ${LOGIN.username}`,
      ...(may ?? ["readwrite #"]).map((line) => `topic ${line}`),
    ]
      .join("\n")
      .concat("\n"),
  );
  const tls = certificate === undefined ? [] : [`certfile ${file("cert.pem")}`, `keyfile ${file("key.pem")}`];
  if (certificate !== undefined) {
    writeFileSync(file("cert.pem"), certificate.certificate);
    writeFileSync(file("key.pem"), certificate.key);
  }
  writeFileSync(
    file("mosquitto.conf"),
    [
      `listener ${port} 127.0.0.1`,
      ...tls,
      "allow_anonymous false",
      `password_file ${file("passwords")}`,
      `acl_file ${file("rights")}`,
      "persistence false",
      ...(process.getuid?.() === 0 ? ["user root"] : []),
    ].join("\n"),
  );
  const open = () =>
    Bun.spawn(["/usr/sbin/mosquitto", "-c", file("mosquitto.conf")], { stdout: "ignore", stderr: "ignore" });
  let process_ = open();
  await until("the broker", () => isOpen(port));
  const heard: Bun.Subprocess[] = [];
  const login = ["-h", "127.0.0.1", "-p", String(port), "-u", "other", "-P", LOGIN.password, "-V", "mqttv5"];
  return {
    port,
    kept: async (topic) => {
      const asked = Bun.spawn(["mosquitto_sub", ...login, "-t", topic, "--retained-only", "-W", "1", "-F", "%t %p"], {
        stdout: "pipe",
        stderr: "ignore",
      });
      const lines = (await new Response(asked.stdout).text()).split("\n").filter((line) => line !== "");
      return new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]));
    },
    keep: async (topic, payload) => run(["mosquitto_pub", ...login, "-t", topic, "-m", payload, "-r", "-q", "1"]),
    hear: (topic) => {
      let text = "";
      const listener = Bun.spawn(["mosquitto_sub", ...login, "-t", topic, "-q", "1", "-F", "%t %p"], {
        stdout: "pipe",
        stderr: "ignore",
      });
      heard.push(listener);
      void (async () => {
        for await (const piece of listener.stdout) text += new TextDecoder().decode(piece);
      })();
      return { lines: () => text.split("\n").filter((line) => line !== "") };
    },
    stop: async () => {
      process_.kill("SIGKILL");
      await process_.exited;
    },
    start: async () => {
      process_ = open();
      await until("the broker", () => isOpen(port));
    },
    [Symbol.asyncDispose]: async () => {
      for (const each of [...heard, process_]) each.kill("SIGKILL");
      await process_.exited;
      rmSync(folder, { recursive: true });
    },
  };
}

function run(command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command[0]}: ${stderr}`);
}

const isOpen = (port: number): Promise<true | null> =>
  new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(null));
  });
