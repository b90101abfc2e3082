// Makes the configuration from the values that passed, and finds faults between keys: what one key needs from another.
// check.ts has already checked each single key.

import { resolve } from "node:path";
import type { OidcSettings } from "../domain/people/oidc-settings.ts";
import type { StatusPageSettings } from "../domain/people/status-page-settings.ts";
import { RAISE_LIMIT, tooSmall, versionOneLimits } from "../domain/rate-limit.ts";
import type { Member } from "../domain/settings/policy.ts";
import { milliseconds } from "../domain/time.ts";
import { isLoopbackHost, parseListen, parseNetwork } from "./addresses.ts";
import { assembleApplications, assembleLabels } from "./assemble-applications.ts";
import { assembleDestinations, checkReferences, warnOfUnused } from "./assemble-destinations.ts";
import { assembleSmtp } from "./assemble-smtp.ts";
import type { Config, ServerSettings, WebSettings } from "./config.ts";
import { type ConfigDraft, complain, complainMissing, isWritten, readPem, warn } from "./draft.ts";
import { nodeAt } from "./tree.ts";
import { millisecondsOrNever } from "./vocabulary.ts";

/** The configuration. When the draft holds any fault afterwards, it must not be used. */
export function assembleConfig(draft: ConfigDraft): Config {
  const { team, limits } = draft.values;
  const smtp = assembleSmtp(draft);
  const members = assembleMembers(draft);
  const destinations = assembleDestinations(draft);
  checkReferences(draft, ["team", "destinations"]);
  warnOfUnused(draft);
  const applications = assembleApplications(draft);
  warnOfSmallLimits(draft, applications);
  return {
    server: assembleServer(draft),
    web: assembleWeb(draft),
    storage: assembleStorage(draft),
    limits: {
      v1PerMinute: limits.v1_per_minute,
      v1PerHour: limits.v1_per_hour,
      aliasPerMinute: limits.alias_per_minute,
      syncPerMinute: limits.sync_per_minute,
      adminPerMinute: limits.admin_per_minute,
    },
    smtp,
    // Without [smtp] the default names a destination that does not exist; then alerts have nowhere to go (R36).
    team: {
      name: team.name ?? null,
      destinations: team.destinations.filter((name) => destinations.has(name)),
      members,
      ...assembleLabels(team),
    },
    alerts: assembleAlerts(draft),
    destinations,
    applications,
    statusPages: assembleStatusPages(draft),
    self: assembleSelf(draft),
    secrets: draft.secrets,
  };
}

/** R33: what is named here alone may call for more than a key may send. */
function warnOfSmallLimits(draft: ConfigDraft, applications: Config["applications"]): void {
  const { v1_per_minute, v1_per_hour } = draft.values.limits;
  for (const [slug, { monitors }] of applications) {
    const rhythms = [...monitors.values()].map(({ schedule = null, everySeconds = null }) => ({
      schedule,
      everySeconds,
      monitors: 1,
    }));
    const small = tooSmall(versionOneLimits(v1_per_minute, v1_per_hour), rhythms);
    if (small !== null)
      warn(draft, small.setting.split("."), `is too small for application "${slug}": ${small.words}`, RAISE_LIMIT);
  }
}

function assembleServer(draft: ConfigDraft): ServerSettings {
  const { server } = draft.values;
  const listen = parseListen(server.listen) ?? { host: "", port: 0 };
  return {
    ...listen,
    publicUrl: server.public_url?.replace(/\/+$/, "") ?? null,
    plainHttp: server.plain_http,
    trustedProxies: server.trusted_proxies.flatMap((text) => parseNetwork(text) ?? []),
    hostNames: server.host_names,
    timezone: server.timezone ?? null,
    tls: assembleTls(draft),
    metricsToken: server.metrics_token ?? null,
  };
}

/** R35: certificate and key stand or fall together. */
function assembleTls(draft: ConfigDraft): ServerSettings["tls"] {
  const { tls_cert: certificateFile, tls_key: keyFile } = draft.values.server;
  if (certificateFile === undefined && keyFile === undefined) return null;
  if (certificateFile === undefined)
    complainMissing(draft, ["server", "tls_cert"], "must be given with server.tls_key");
  if (keyFile === undefined) complainMissing(draft, ["server", "tls_key"], "must be given with server.tls_cert");
  const certificate = certificateFile === undefined ? null : readPem(draft, ["server", "tls_cert"], certificateFile);
  const key = keyFile === undefined ? null : readPem(draft, ["server", "tls_key"], keyFile);
  if (key !== null) draft.secrets.add(key);
  return certificate === null || key === null ? null : { certificate, key };
}

function assembleSelf(draft: ConfigDraft): Config["self"] {
  const { ping_url: pingUrl = "", every } = draft.values.self;
  return pingUrl === "" ? null : { pingUrl, every: milliseconds(every) };
}

function assembleStorage(draft: ConfigDraft): Config["storage"] {
  const { keep_pings, backup_every, backup_keep, backup_command, backup_command_limit } = draft.values.storage;
  return {
    directory: directoryOf(draft),
    keepPings: milliseconds(keep_pings),
    backups: { every: millisecondsOrNever(backup_every), keep: backup_keep },
    backupCommand:
      backup_command === undefined ? null : { command: backup_command, limit: milliseconds(backup_command_limit) },
  };
}

/** systemd names the directory it made in $STATE_DIRECTORY, several of them separated by colons. */
export function directoryOf(draft: ConfigDraft): string {
  const isDefault = !isWritten(draft, ["storage", "directory"]);
  const stateDirectory = isDefault ? stateDirectoryOf(draft) : "";
  return resolve(draft.surroundings.cwd, stateDirectory === "" ? draft.values.storage.directory : stateDirectory);
}

/** Whether a file or the environment says where it is. */
export const isDirectoryGiven = (draft: ConfigDraft): boolean =>
  isWritten(draft, ["storage", "directory"]) || stateDirectoryOf(draft) !== "";

const stateDirectoryOf = ({ surroundings }: ConfigDraft): string =>
  (surroundings.environment["STATE_DIRECTORY"] ?? "").split(":")[0]!;

function assembleMembers(draft: ConfigDraft): Member[] {
  const seen = new Set<string>();
  return draft.values.team.members.flatMap(({ name, email, events }, place) => {
    const path = ["team", "members", place, "email"];
    if (email === undefined) {
      complainMissing(draft, path, "must be given for every member");
      return [];
    }
    if (seen.has(email.toLowerCase()))
      complain(draft, path, `${JSON.stringify(email)} is given twice`, "must be another member's");
    seen.add(email.toLowerCase());
    return [{ name: name ?? email, email, events }];
  });
}

function assembleAlerts(draft: ConfigDraft): Config["alerts"] {
  const { continued_after, continued_every, continued_max } = draft.values.alerts;
  const continuedAfter = continued_after.map(milliseconds);
  const isAscending = continuedAfter.every((delay, place) => delay > (continuedAfter[place - 1] ?? 0));
  if (!isAscending) {
    complain(
      draft,
      ["alerts", "continued_after"],
      "is not ascending",
      "must be durations each longer than the one before",
    );
  }
  return { continuedAfter, continuedEvery: milliseconds(continued_every), continuedMax: continued_max };
}

// Makes the settings of status pages; knows which of their keys need each other.

/** One for each application that has a token for it. */
function assembleStatusPages(draft: ConfigDraft): StatusPageSettings[] {
  const owners = new Map<string, string>();
  return Object.entries(draft.values.applications).flatMap(([application, { status_page: page }]) => {
    const { token, title, jobs, messages } = page;
    const path = ["applications", application, "status_page"];
    if (token === undefined) {
      if (jobs.length > 0) complainMissing(draft, [...path, "token"], "must be given, or nobody can see the page");
      return [];
    }
    if (jobs.length === 0) complainMissing(draft, [...path, "jobs"], 'must name the jobs to show; ["*"] is all');
    const owner = owners.get(token);
    if (owner !== undefined)
      complain(draft, [...path, "token"], `is that of the application "${owner}"`, "must be another");
    owners.set(token, application);
    return [{ application, token, title: title ?? null, jobs, messages }];
  });
}

// Makes the dashboard's settings; knows which of them need each other.

/** Null: there is no dashboard. */
function assembleWeb(draft: ConfigDraft): WebSettings | null {
  const { enabled, listen, trusted_user_header: trustedUserHeader = null } = draft.values.web;
  const { trusted_user_secret: trustedUserSecret = null } = draft.values.web;
  if (trustedUserSecret !== null && trustedUserHeader === null)
    complainMissing(draft, ["web", "trusted_user_header"], "must be given beside web.trusted_user_secret");
  const oidc = assembleOidc(draft);
  if (!enabled) return null;
  return { listen: listen === undefined ? null : parseListen(listen), trustedUserHeader, trustedUserSecret, oidc };
}

/** Whether anything of [web.oidc] was written; a credential alone is not enough. */
function wantsOidc(draft: ConfigDraft): boolean {
  const node = nodeAt(draft.tree, ["web", "oidc"]);
  return node !== undefined && (node.kind !== "table" || node.entries.size > 0);
}

/** Null without [web.oidc], and after a fault. */
function assembleOidc(draft: ConfigDraft): OidcSettings | null {
  if (!wantsOidc(draft)) return null;
  const {
    issuer,
    client_id: clientId,
    client_secret: clientSecret,
    name_claim: nameClaim,
    label,
  } = draft.values.web.oidc;
  const publicUrl = draft.values.server.public_url;
  const rule = "must be given for sign-on by OpenID Connect";
  if (issuer === undefined) complainMissing(draft, ["web", "oidc", "issuer"], rule);
  if (clientId === undefined) complainMissing(draft, ["web", "oidc", "client_id"], rule);
  if (clientSecret === undefined)
    complainMissing(draft, ["web", "oidc", "client_secret"], `${rule}, as client_secret or client_secret_file`);
  if (publicUrl === undefined)
    complainMissing(draft, ["server", "public_url"], `${rule}, because the provider leads back to it`);
  if (issuer === undefined || clientId === undefined || clientSecret === undefined || publicUrl === undefined)
    return null;
  const { protocol, hostname } = new URL(issuer);
  if (protocol === "http:" && !isLoopbackHost(hostname.replace(/^\[|\]$/g, "")))
    complain(
      draft,
      ["web", "oidc", "issuer"],
      "is plain HTTP",
      "must begin with https://, unless it is on this machine",
    );
  return { issuer, clientId, clientSecret, nameClaim, label, publicUrl: publicUrl.replace(/\/+$/, "") };
}
