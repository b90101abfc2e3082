// The keys of applications that `serve` has just created, and the link for the first person: shown once, with a line
// that works as it stands. Without a person at the terminal they go to a file, because the journal or a container's log
// keeps what a service prints.

import type { Config, ServerSettings } from "../../config/keys.ts";
import { firstReportLine } from "../../domain/wording/report-line.ts";
import type { NewLink } from "../../engine/people/links.ts";
import type { Io } from "../io.ts";
import type { FirstKeyFile } from "./first-key-file.ts";

export interface FirstKey {
  readonly application: string;
  readonly key: string;
}

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
          `  ${firstReportLine(address, key)}`,
        ]),
    "",
  ]);

/** `address`: the dashboard's, null: not known. */
export const firstLinkLines = ({ path }: NewLink, address: string | null): string[] => [
  address === null
    ? "Open this path at the dashboard's address, once and within a day, to become its first administrator:"
    : "Open this once, within a day, to become the first administrator of the dashboard:",
  "",
  `  ${address ?? ""}${path}`,
  "",
];

const NO_ADDRESS =
  'Reports are taken over HTTPS alone here. Set server.public_url to the https address by which jobs reach this service; for a first try on this machine, listen on 127.0.0.1 with server.plain_http = "loopback".';

/**
 * Where a client on this machine reaches the service on `port`: directly, or at its public address when it takes
 * nothing else. Null without such an address; with our own TLS only the certificate knows its name.
 */
export function localAddress(server: ServerSettings, port: number, at = server.host): string | null {
  const host = ANY_ADDRESS.has(at) ? "127.0.0.1" : at;
  const direct = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const takesPlain = server.plainHttp === "accept" || (server.plainHttp === "loopback" && isLoopback(host));
  return server.tls === null && takesPlain ? direct : server.publicUrl;
}

/** Where everybody reaches the dashboard; null: nowhere, or its address is not known. */
export const publicPages = ({ server, web }: Pick<Config, "server" | "web">): string | null =>
  web !== null && web.listen === null ? server.publicUrl : null;

/** The same from this machine. `url`: where the dashboard listens. */
export function dashboardAddress({ server, web }: Config, url: string | null): string | null {
  if (url === null || web === null) return null;
  return publicPages({ server, web }) ?? localAddress(server, Number(new URL(url).port || 80), web.listen?.host);
}

const ANY_ADDRESS = new Set(["0.0.0.0", "::"]);

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.");

/**
 * Shows keys and link on stdout or, where a log keeps that, writes them to a file of the data directory (0600) and
 * returns its path.
 */
export function announce(lines: readonly string[], file: FirstKeyFile, isKept: boolean, io: Io): string | null {
  if (isKept) return file.add(lines);
  for (const line of lines) io.out(line);
  return null;
}
