// The one table of keys: path, kind, default or example, meaning. The reader, the environment's names and the file from
// `rollcall init` all follow from it.

import type Type from "typebox";
import { ALIAS_PER_MINUTE, V1_PER_HOUR, V1_PER_MINUTE } from "../domain/limits.ts";
import { CHANNEL_KEYS, CHANNEL_TYPE, CHANNEL_TYPES, CHANNELS, type ChannelEntry } from "./channels.ts";
import { atStart, BOOLEAN, choice, listOf, named, optional, preset, secret, table, whole } from "./kinds.ts";
import { LINKS, MONITOR, PRESENTATION, ROUTING } from "./monitor-keys.ts";
import {
  BASE_ADDRESS,
  DESTINATION_LIST,
  DIRECTORY,
  durationFrom,
  durationOrNever,
  EVENT,
  FILE,
  HOST,
  HOST_NAME,
  JOB_PATTERN,
  LABEL,
  LISTEN,
  MAIL_ADDRESS,
  MAILBOX,
  MONITOR_NAMES,
  NETWORK,
  OUTPUT_PATTERN,
  OWN_TOKEN,
  PASSWORD,
  SAMPLE_STATUS_TOKEN,
  SLUG_NAMES,
  STATUS_TOKEN,
  WEB_ADDRESS_OR_NONE,
  ZONE,
} from "./vocabulary.ts";
import { WEB } from "./web-keys.ts";

const SERVER = table(
  { meaning: "Where the service listens and how it is reached." },
  {
    listen: preset(
      atStart(LISTEN),
      "127.0.0.1:8787",
      'Address and port; "[::]:8787" is every address of this machine.',
    ),
    public_url: optional(BASE_ADDRESS, "https://cron.example.org", "The address under which jobs and people reach it."),
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
);

const STORAGE = table(
  { meaning: "Where everything is kept." },
  {
    directory: preset(
      atStart(DIRECTORY),
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
);

const LIMITS = table(
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

const SMTP = table(
  { meaning: "The server that takes our mail. Without it no mail is sent." },
  {
    host: optional(HOST, "mail.example.org", "Name or address, without a port."),
    port: optional(whole(1, 65_535), 465, "Left out: 465 for tls, 587 for starttls, 25 for none."),
    security: optional(
      choice("tls", "starttls", "none"),
      "tls",
      "Left out: tls, or none when the host is this machine.",
    ),
    username: optional(LABEL, "rollcall", "The name to log in with. Left out: no login."),
    password: secret(PASSWORD, "secret", "The username's password."),
    from: optional(MAILBOX, "rollcall <cron@example.org>", "The sender of our mail."),
  },
);

const MEMBER = table(
  {},
  {
    name: optional(LABEL, "Ada", "Left out: the address."),
    email: optional(MAIL_ADDRESS, "ada@example.org", "Needed."),
    events: preset(
      listOf(EVENT, "events"),
      ["InitialFailure", "NeverExecuted", "ContinuedFailure", "Recovered"],
      "What they want mail about.",
    ),
  },
);

const TEAM = table(
  { meaning: "Who is told, and what messages say where no application and no monitor says otherwise." },
  {
    name: optional(LABEL, "Home", "The team's name; mail says that it was sent for this team."),
    destinations: preset(
      DESTINATION_LIST,
      ["email"],
      "Where alerts go, unless their monitor or application has destinations of its own.",
    ),
    members: listOf(() => MEMBER, "tables")({ meaning: "Who gets the mail of the destination email." }),
    ...PRESENTATION,
    links: LINKS,
  },
);

const ALERTS = table(
  { meaning: "When an incident that stays open is told again." },
  {
    continued_after: preset(
      listOf(durationFrom("1m"), "durations"),
      ["1h", "6h", "24h"],
      "How long after the opening reminders come, each longer than the one before.",
    ),
    continued_every: preset(durationFrom("1m"), "24h", "How often they come after that."),
    continued_max: preset(whole(0, 1000), 30, "The largest number of reminders for one incident; 0 sends none."),
  },
);

const STATUS_PAGE = table(
  { meaning: "A page for everybody who knows its address, which needs no sign-in. Without a token there is none." },
  {
    token: secret(
      STATUS_TOKEN,
      SAMPLE_STATUS_TOKEN,
      "The page is at /status/ followed by this; make one with: openssl rand -hex 20.",
    ),
    title: optional(LABEL, "Our backups", "What stands on top of it. Left out: the application's name."),
    jobs: listOf(
      JOB_PATTERN,
      "keys of jobs",
    )({
      meaning: "Needed with a token: the keys of the jobs that it shows; * stands for any characters.",
      example: ["nightly-*", "certificates"],
    }),
    messages: preset(BOOLEAN, false, "Whether it says what jobs reported about their failures."),
  },
);

const APPLICATION = table(
  {},
  {
    name: optional(LABEL, "Production", "Shown in messages, beside the name in the key."),
    timezone: optional(ZONE, "Europe/Berlin", "The zone of its schedules; left out: the server's."),
    max_active_monitors: preset(
      whole(0, 1_000_000),
      0,
      "How many of its monitors may be active at once; 0 is no limit. Monitors paused without an end do not count.",
    ),
    keep_output: preset(
      BOOLEAN,
      false,
      "Whether a failure may bring up to 10 kB of its job's last lines, for incidents, mail and webhooks.",
    ),
    mask: preset(
      listOf(OUTPUT_PATTERN, "regular expressions"),
      [],
      "What these match is hidden in failures' messages and output, beside keys and passwords that we know by their form.",
    ),
    ...ROUTING,
    links: LINKS,
    status_page: STATUS_PAGE,
    monitors: named(
      {
        meaning: "One monitor. What is set here wins over what the job or its registry declares.",
        names: MONITOR_NAMES,
        inEnvironment: false,
        samples: [
          { name: "nightly-backup", without: ["every"] },
          { name: "queue-worker", only: ["every", "grace"], without: ["maintenance", "links", "outcomes"] },
        ],
      },
      MONITOR,
    ),
  },
);

const DESTINATION = table(
  {},
  { type: optional(CHANNEL_TYPE, "webhook", `How it sends: ${CHANNEL_TYPES}.`), ...CHANNEL_KEYS },
);

const SELF = table(
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
);

export const KEYS = table(
  {},
  {
    server: SERVER,
    web: WEB,
    storage: STORAGE,
    limits: LIMITS,
    smtp: SMTP,
    team: TEAM,
    alerts: ALERTS,
    destinations: named(
      {
        meaning: 'A destination, to be named in the lists "destinations". "email" exists by itself.',
        names: SLUG_NAMES,
        inEnvironment: true,
        samples: Object.entries<ChannelEntry>(CHANNELS).map(([type, { sample, keys, examples }]) => ({
          name: sample,
          only: Object.keys(keys),
          values: { ...examples, type },
        })),
      },
      DESTINATION,
    ),
    applications: named(
      {
        meaning: "An application, created at start if it is missing.",
        names: SLUG_NAMES,
        inEnvironment: true,
        samples: [{ name: "prod" }],
      },
      APPLICATION,
    ),
    self: SELF,
  },
);

/** The configuration as written, with defaults, every value of the right kind. */
export type Values = Type.Static<typeof KEYS>;
