// The keys of applications that `serve` has just created: shown once, with a line that works as it stands. Under systemd
// they go to a file, since what a service prints is kept in the journal.

import { writeFileSync } from "node:fs";
import type { Config } from "../config/config.ts";
import type { Io } from "./io.ts";

export interface FirstKey {
  readonly application: string;
  readonly key: string;
}

const FIRST_KEY_FILE = "first-key";

/** What people read about the first keys; `address` is where this machine reaches the service. */
export const firstKeyLines = (keys: readonly FirstKey[], address: string): string[] =>
  keys.flatMap(({ application, key }) => [
    `Application "${application}" was created. This is its API key; it is shown this once:`,
    "",
    `  ${key}`,
    "",
    "A first report, from this machine, of a job that runs every five minutes:",
    "",
    `  ${curlLine(address, key)}`,
    "",
  ]);

const curlLine = (address: string, key: string): string =>
  `curl -fsS -m 5 --retry 3 --retry-max-time 20 --retry-connrefused '${address}/api/v1/ping/my-first-job/${key}?schedule=*/5+*+*+*+*'`;

/** Where a client on this machine reaches the service that listens on `port`; over a proxy when it takes nothing else. */
export function localAddress({ server }: Config, port: number): string {
  const host = ANY_ADDRESS.has(server.host) ? "127.0.0.1" : server.host;
  const direct = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (server.tls !== null) return server.publicUrl ?? direct.replace("http:", "https:");
  const takesPlain = server.plainHttp === "accept" || (server.plainHttp === "loopback" && isLoopback(host));
  return takesPlain ? direct : (server.publicUrl ?? direct);
}

const ANY_ADDRESS = new Set(["0.0.0.0", "::"]);

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.");

/** Shows the keys on stdout, or writes them to a file of the data directory (0600) and answers its path. */
export function announce(lines: readonly string[], directory: string, underSystemd: boolean, io: Io): string | null {
  if (!underSystemd) {
    for (const line of lines) io.out(line);
    return null;
  }
  const file = `${directory}/${FIRST_KEY_FILE}`;
  writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600, flag: "a" });
  return file;
}
