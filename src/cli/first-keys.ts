// The keys of applications that `serve` has just created: shown once, with a line that works as it stands. Without a
// person at the terminal they go to a file, because the journal or a container's log keeps what a service prints.

import { writeFileSync } from "node:fs";
import type { Config } from "../config/config.ts";
import type { Io } from "./io.ts";

export interface FirstKey {
  readonly application: string;
  readonly key: string;
}

const FIRST_KEY_FILE = "first-key";

/** What people read about the first keys; `address`: where this machine reaches the service, null: not known yet. */
export const firstKeyLines = (keys: readonly FirstKey[], address: string | null): string[] =>
  keys.flatMap(({ application, key }) => [
    `Application "${application}" was created. This is its API key; it is shown this once:`,
    "",
    `  ${key}`,
    "",
    ...(address === null
      ? [NO_ADDRESS]
      : [
          "A first report, from this machine, of a job that runs every five minutes:",
          "",
          `  ${curlLine(address, key)}`,
        ]),
    "",
  ]);

const NO_ADDRESS =
  'Reports are taken over HTTPS alone here. Set server.public_url to the https address by which jobs reach this service; for a first try on this machine, listen on 127.0.0.1 with server.plain_http = "loopback".';

const curlLine = (address: string, key: string): string =>
  `curl -fsS -m 2 --retry 1 --retry-max-time 3 --retry-connrefused '${address}/api/v1/ping/my-first-job/${key}?schedule=*/5+*+*+*+*'`;

/**
 * Where a client on this machine reaches the service on `port`: directly, or at its public address when it takes
 * nothing else. Null without such an address; with our own TLS only the certificate knows its name.
 */
export function localAddress({ server }: Config, port: number): string | null {
  const host = ANY_ADDRESS.has(server.host) ? "127.0.0.1" : server.host;
  const direct = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const takesPlain = server.plainHttp === "accept" || (server.plainHttp === "loopback" && isLoopback(host));
  return server.tls === null && takesPlain ? direct : server.publicUrl;
}

const ANY_ADDRESS = new Set(["0.0.0.0", "::"]);

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.");

/**
 * Shows the keys on stdout or, where a log keeps that, writes them to a file of the data directory (0600) and returns
 * its path.
 */
export function announce(lines: readonly string[], directory: string, isKept: boolean, io: Io): string | null {
  if (!isKept) {
    for (const line of lines) io.out(line);
    return null;
  }
  const file = `${directory}/${FIRST_KEY_FILE}`;
  writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600, flag: "a" });
  return file;
}
