// The keys of the service itself: where it listens, where everything is kept, how much keys may send, and who hears
// that it works.

import { resolve } from "node:path";
import { ALIAS_PER_MINUTE, V1_PER_HOUR, V1_PER_MINUTE } from "../domain/limits.ts";
import { atStart, choice, decoded, into, listOf, optional, preset, secret, table, whole } from "./kinds.ts";
import type { ConfigPlace } from "./place.ts";
import type { Surroundings } from "./surroundings.ts";
import {
  BASE_ADDRESS,
  DIRECTORY,
  durationFrom,
  durationOrNever,
  FILE,
  HOST_NAME,
  LABEL,
  LISTEN,
  NETWORK,
  OWN_TOKEN,
  SAMPLE_STATUS_TOKEN,
  WEB_ADDRESS_OR_NONE,
  ZONE,
} from "./vocabulary.ts";

export const SERVER = into(
  table(
    { meaning: "Where the service listens and how it is reached." },
    {
      listen: preset(
        atStart(LISTEN),
        "127.0.0.1:8787",
        'Address and port; "[::]:8787" is every address of this machine.',
      ),
      public_url: optional(
        BASE_ADDRESS,
        "https://cron.example.org",
        "The address under which jobs and people reach it.",
      ),
      plain_http: preset(
        choice("loopback", "refuse", "accept"),
        "loopback",
        "Requests without HTTPS: loopback takes them from this machine only, refuse never, accept always.",
      ),
      trusted_proxies: preset(
        listOf(NETWORK, "addresses and networks"),
        ["127.0.0.0/8", "::1"],
        "Proxies whose X-Forwarded-* headers rollcall believes.",
      ),
      host_names: preset(
        listOf(HOST_NAME, "host names"),
        [],
        "Names by which browsers may ask for it, beside public_url's, addresses, and names that only a private network has.",
      ),
      timezone: optional(
        ZONE,
        "Europe/Berlin",
        "The zone of schedules for which nothing else names one. Left out: the machine's zone at the first start.",
      ),
      tls_cert: optional(
        atStart(FILE),
        "/etc/rollcall/tls.crt",
        "PEM file with the certificate chain, to serve HTTPS itself.",
      ),
      tls_key: optional(atStart(FILE), "/etc/rollcall/tls.key", "PEM file with its key."),
      metrics_token: secret(
        OWN_TOKEN,
        SAMPLE_STATUS_TOKEN,
        "What lets programs on other machines read /metrics; make one with: openssl rand -hex 20.",
      ),
    },
  ),
  ({ listen, tlsCert, tlsKey, ...others }, at) => ({ ...listen, ...others, tls: tlsOf(tlsCert, tlsKey, at) }),
);

/** R35: certificate and key stand or fall together. */
function tlsOf(certFile: string | null, keyFile: string | null, at: ConfigPlace) {
  if (certFile === null && keyFile === null) return null;
  if (certFile === null) at.miss(["tls_cert"], "must be given with server.tls_key");
  if (keyFile === null) at.miss(["tls_key"], "must be given with server.tls_cert");
  const certificate = certFile === null ? null : at.pem(["tls_cert"], certFile, false);
  const key = keyFile === null ? null : at.pem(["tls_key"], keyFile, true);
  return certificate === null || key === null ? null : { certificate, key };
}

export const STORAGE = into(
  table(
    { meaning: "Where everything is kept." },
    {
      directory: preset(
        atStart(decoded(DIRECTORY, absoluteDirectory)),
        "./data",
        "Holds the database and the socket. Under systemd the default is the unit's StateDirectory.",
      ),
      keep_pings: preset(
        durationFrom("7d"),
        "90d",
        "How long pings and runs are kept. The last failure and the last 20 pings of a monitor always are.",
      ),
      backup_every: preset(
        durationOrNever("1h"),
        "24h",
        "How often a copy of the database is made, proved and put into backups/ in the directory; 0 makes none.",
      ),
      backup_keep: preset(whole(1, 1_000), 7, "How many of these copies stay."),
      backup_command: optional(
        LABEL,
        'restic backup "$1"',
        "A shell runs it with each of these copies, whose path is $1. Left out: nothing is run.",
      ),
      backup_command_limit: preset(durationFrom("1s"), "15m", "After this time the command is ended, and has failed."),
    },
  ),
  ({ directory, keepPings, backupEvery, backupKeep, backupCommand, backupCommandLimit }) => ({
    directory,
    keepPings,
    backups: { every: backupEvery, keep: backupKeep },
    backupCommand: backupCommand === null ? null : { command: backupCommand, limit: backupCommandLimit },
  }),
);

/** systemd names the directory it made in $STATE_DIRECTORY, several of them separated by colons. */
const stateDirectory = ({ environment }: Surroundings): string => (environment["STATE_DIRECTORY"] ?? "").split(":")[0]!;

function absoluteDirectory(written: string, at: ConfigPlace): string {
  const made = at.isWritten([]) ? "" : stateDirectory(at.surroundings);
  return resolve(at.surroundings.cwd, made === "" ? written : made);
}

/** Whether a file or the environment says where it is. */
export const isDirectoryGiven = (whole: Pick<ConfigPlace, "isWritten" | "surroundings">): boolean =>
  whole.isWritten(["storage", "directory"]) || stateDirectory(whole.surroundings) !== "";

export const LIMITS = table(
  { meaning: "How many requests a key may send." },
  {
    v1_per_minute: preset(whole(0, 1_000_000), V1_PER_MINUTE, "Reports in a minute under /api/v1; 0 is no limit."),
    v1_per_hour: preset(whole(0, 1_000_000), V1_PER_HOUR, "Reports in an hour under /api/v1; 0 is no limit."),
    alias_per_minute: preset(whole(0, 1_000_000), ALIAS_PER_MINUTE, "Reports in a minute under /ping; 0 is no limit."),
    sync_per_minute: preset(
      whole(0, 1_000_000),
      10,
      "Bulk syncs in a minute, and as many requests of sync status; 0 is no limit.",
    ),
    admin_per_minute: preset(
      whole(0, 1_000_000),
      600,
      "Requests in a minute of an administrator's key, under /api/admin/v1; 0 is no limit.",
    ),
  },
);

export const SELF = into(
  table(
    { meaning: "What tells another monitor that this rollcall does its work, so that people hear when it does not." },
    {
      ping_url: secret(
        WEB_ADDRESS_OR_NONE,
        "https://other.example.org/ping/rollcall/KEY",
        "Asked for with GET, as a job's heartbeat: another rollcall's, or any monitor's. Left out: nobody is told.",
      ),
      every: preset(
        durationFrom("10s"),
        "1m",
        "How often, while the clock runs, something is written and messages get out.",
      ),
    },
  ),
  ({ pingUrl, every }) => (pingUrl === null || pingUrl === "" ? null : { pingUrl, every }),
);
