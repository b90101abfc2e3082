// The keys of the service itself ([server], [storage], [limits], [mail_in], [self]) and of the dashboard ([web]).

import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { ALIAS_PER_MINUTE, V1_PER_HOUR, V1_PER_MINUTE } from "../domain/limits.ts";
import { orElse } from "../domain/unless-missing.ts";
import {
  atStart,
  BOOLEAN,
  choice,
  decodedKind,
  into,
  listKind,
  optional,
  preset,
  secret,
  table,
  whole,
} from "./kinds.ts";
import { isLoopbackHost } from "./network-addresses.ts";
import type { ConfigPlace, Surroundings } from "./place.ts";
import {
  BASE_ADDRESS,
  DIRECTORY,
  durationFrom,
  durationOrNever,
  FILE,
  HEADER,
  HOST_NAME,
  LABEL,
  LISTEN,
  NETWORK,
  OWN_TOKEN,
  PASSWORD,
  SAMPLE_STATUS_TOKEN,
  WEB_ADDRESS,
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
        listKind(NETWORK, "addresses and networks"),
        ["127.0.0.0/8", "::1"],
        "Proxies whose X-Forwarded-* headers rollcall believes.",
      ),
      host_names: preset(
        listKind(HOST_NAME, "host names"),
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

/** Reads the files of the certificate and its key. If only one is named, the other is reported as missing (R35). */
function tlsOf(certFile: string | null, keyFile: string | null, at: ConfigPlace, table = "server") {
  if (certFile === null && keyFile === null) return null;
  if (certFile === null) at.miss(["tls_cert"], `must be given with ${table}.tls_key`);
  if (keyFile === null) at.miss(["tls_key"], `must be given with ${table}.tls_cert`);
  const certificate = certFile === null ? null : at.pem(["tls_cert"], certFile, false);
  const key = keyFile === null ? null : at.pem(["tls_key"], keyFile, true);
  if (certificate === null || key === null) return null;
  // A certificate that was renewed without its key would otherwise be found at the next start, which then fails.
  if (orElse(null, () => createSecureContext({ cert: certificate, key })) === null) {
    const rule = "must be the private key of that certificate, without a passphrase";
    at.complain(["tls_key"], `cannot be used with ${table}.tls_cert`, rule);
  }
  return { certificate, key };
}

export const STORAGE = into(
  table(
    { meaning: "Where everything is kept." },
    {
      directory: preset(
        atStart(decodedKind(DIRECTORY, absoluteDirectory)),
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

/** The data directory that systemd names in $STATE_DIRECTORY, the first if there are several; "" if there is none. */
const stateDirectory = ({ environment }: Surroundings): string => (environment["STATE_DIRECTORY"] ?? "").split(":")[0]!;

function absoluteDirectory(written: string, at: ConfigPlace): string {
  const made = at.isWritten([]) ? "" : stateDirectory(at.surroundings);
  return resolve(at.surroundings.cwd, made === "" ? written : made);
}

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

/** The value is `null` when no reports are taken by mail (R47). */
export const MAIL_IN = into(
  table(
    { meaning: "Where mail reports jobs, from devices that can send nothing else. Left out: nowhere." },
    {
      listen: optional(atStart(LISTEN), "127.0.0.1:2525", "Address and port for SMTP."),
      domain: optional(atStart(HOST_NAME), "jobs.example.org", "What stands behind the @ of jobs' addresses."),
      tls_cert: optional(atStart(FILE), "/etc/rollcall/tls.crt", "PEM file with the certificate chain, for STARTTLS."),
      tls_key: optional(atStart(FILE), "/etc/rollcall/tls.key", "PEM file with its key."),
    },
  ),
  ({ listen, domain, tlsCert, tlsKey }, at) => {
    const tls = tlsOf(tlsCert, tlsKey, at, "mail_in");
    if (listen !== null && domain === null) at.miss(["domain"], "must be given with mail_in.listen");
    return listen === null || domain === null ? null : { ...listen, domain: domain.toLowerCase(), tls };
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

const OIDC = into(
  table(
    {},
    {
      issuer: optional(WEB_ADDRESS, "https://login.example.org", "Sign-on by OpenID Connect: the provider's address."),
      client_id: optional(LABEL, "rollcall", "The name under which the provider knows rollcall."),
      client_secret: secret(PASSWORD, "secret", "What it knows rollcall by."),
      name_claim: preset(
        LABEL,
        "preferred_username",
        "The claim that has a person's name here; people must not be able to change it themselves. An email must be verified.",
      ),
      label: preset(LABEL, "single sign-on", "What the page for signing in calls the provider."),
    },
  ),
  ({ issuer, clientId, clientSecret, ...others }, at) => {
    if (at.names([])?.length === 0) return null;
    const rule = "must be given for sign-on by OpenID Connect";
    if (issuer === null) at.miss(["issuer"], rule);
    if (clientId === null) at.miss(["client_id"], rule);
    if (clientSecret === null) at.miss(["client_secret"], `${rule}, as client_secret or client_secret_file`);
    if (!at.whole.isWritten(["server", "public_url"]))
      at.whole.miss(["server", "public_url"], `${rule}, because the provider leads back to it`);
    if (issuer === null || clientId === null || clientSecret === null) return null;
    const { protocol, hostname } = new URL(issuer);
    if (protocol === "http:" && !isLoopbackHost(hostname.replace(/^\[|\]$/g, "")))
      at.complain(["issuer"], "is plain HTTP", "must begin with https://, unless it is on this machine");
    return { issuer, clientId, clientSecret, ...others };
  },
);

/** The value is `null` when the dashboard is off. */
export const WEB = into(
  table(
    { meaning: "The dashboard: pages for people." },
    {
      enabled: preset(BOOLEAN, true, "Whether there is one."),
      listen: optional(
        atStart(LISTEN),
        "127.0.0.1:8788",
        "An address and port of its own, with the certificate and proxies of the server. Left out: the server's.",
      ),
      trusted_user_header: optional(
        HEADER,
        "Remote-User",
        "The header in which a trusted proxy says who has signed in there. Left out: nobody comes in that way.",
      ),
      trusted_user_secret: secret(
        OWN_TOKEN,
        SAMPLE_STATUS_TOKEN,
        "What that proxy sends as the header Rollcall-Proxy-Secret to be believed. Left out: its address is enough.",
      ),
      oidc: OIDC,
    },
  ),
  ({ enabled, ...web }, at) => {
    if (web.trustedUserSecret !== null && web.trustedUserHeader === null)
      at.miss(["trusted_user_header"], "must be given beside web.trusted_user_secret");
    return enabled ? web : null;
  },
);
