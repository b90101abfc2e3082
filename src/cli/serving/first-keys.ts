// Shows the first secrets once: keys of new applications, and the link for the first administrator. Without a person at
// the terminal they go to a file, because a journal would keep what the service prints.

import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { syncSpoolDirectory, writeSpoolFile } from "../../client/spool-files.ts";
import type { Config, ServerSettings } from "../../config/all-keys.ts";
import { dashboardUrl } from "../../config/read-policy.ts";
import { KEY_PREFIX } from "../../domain/api-key.ts";
import { isRefusal } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { OURSELVES } from "../../domain/people/person.ts";
import { orElse } from "../../domain/unless-missing.ts";
import { firstReportLine } from "../../domain/wording/job-lines.ts";
import type { RunningEngine } from "../../engine/engine.ts";
import { LINK_PATH, type NewLink } from "../../engine/people/sessions-and-links.ts";
import type { Io } from "../io.ts";
import { isRootOrSelf, ownUser } from "../own-user.ts";
import { homeZoneSentence } from "./home-zone.ts";
import type { Listening } from "./servers.ts";

/**
 * Returns the lines that say how to set the service up. `command` is how commands for this service begin. `user` is the
 * user of the system who must type them; `null` when that is the reader.
 */
const setupLines = (command: string, user: string | null): string[] => [
  `To set it up, in another terminal${user === null ? "" : `, as user ${user}`} (it asks for the zone, where alerts go, and what to watch):`,
  "",
  `  ${command} setup`,
  "",
];

/**
 * Returns lines with each application's first key and a first report. `address` is where a job on this machine reaches
 * the service; `null` when no address is known.
 */
export const firstKeyLines = (
  keys: readonly { readonly application: string; readonly key: string }[],
  address: string | null,
): string[] =>
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

/**
 * Returns lines with the link by which a person becomes the first administrator. `address` is the dashboard's address;
 * `null` when it is not known. `near` is its address for other computers of this network; `null` when they cannot reach
 * it.
 */
export const firstLinkLines = ({ path }: NewLink, address: string | null, near: string | null = null): string[] => [
  address === null
    ? "Open this path at the dashboard's address, once and within a day, to become its first administrator:"
    : "Open this once, within a day, to become the first administrator of the dashboard:",
  "",
  `  ${address ?? ""}${path}`,
  "",
  ...(address === null ? [] : elsewhere(address, near === null ? null : near + path)),
];

/** Returns lines that say how a browser on another computer opens an address that only this machine can open. */
function elsewhere(address: string, near: string | null): string[] {
  const [, host, port] = /^http:\/\/(127[.\d]+|\[::1\]|localhost):(\d+)$/.exec(address) ?? [];
  if (port === undefined) return [];
  if (near !== null) return ["From another computer of this network:", "", `  ${near}`, ""];
  const how = "From another computer it opens while this runs there, with this machine's name in the place of HOST:";
  return [how, "", `  ssh -NL ${port}:${host}:${port} HOST`, ""];
}

/**
 * Returns the dashboard's plain HTTP address for computers of this network; `null` when they cannot reach it, or only
 * under a name that rollcall does not know.
 */
function nearAddress({ server, web }: Config, url: string | null): string | null {
  const takesAll =
    server.plainHttp === "accept" && server.tls === null && ANY_ADDRESS.has(web?.listen?.host ?? server.host);
  // The variable `container` is set in a container. The address of a container is not one of the network.
  const isContained = process.env["container"] !== undefined;
  const all = takesAll && url !== null && !isContained ? Object.values(networkInterfaces()).flat() : [];
  const own = all.find((one) => one?.family === "IPv4" && !one.internal);
  return own === undefined ? null : `http://${own.address}:${new URL(url!).port || 80}`;
}

export const NO_ADDRESS =
  'Reports are taken over HTTPS alone here. Set server.public_url to the https address by which jobs reach this service; for a first try on this machine, listen on 127.0.0.1 with server.plain_http = "loopback".';

/**
 * Returns where a job on this machine reaches the service: directly on `port` if plain HTTP is allowed from this
 * machine, otherwise at the public address. With our own TLS it is the public address, because the certificate has only
 * that name. Returns `null` when a public address is needed and not configured.
 */
export function localServiceAddress(server: ServerSettings, port: number, at = server.host): string | null {
  const host = ANY_ADDRESS.has(at) ? "127.0.0.1" : at;
  const direct = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const takesPlain = server.plainHttp === "accept" || (server.plainHttp === "loopback" && isLoopback(host));
  return server.tls === null && takesPlain ? direct : server.publicUrl;
}

/**
 * Returns the dashboard's address for a browser on this machine; `null` when the dashboard is off, or when no address
 * of it is known. `url` is where its server listens.
 */
export function dashboardAddress({ server, web }: Config, url: string | null): string | null {
  if (url === null || web === null) return null;
  return (
    dashboardUrl({ server, web }) ?? localServiceAddress(server, Number(new URL(url).port || 80), web.listen?.host)
  );
}

const ANY_ADDRESS = new Set(["0.0.0.0", "::"]);

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.");

/**
 * Prints keys and link on stdout, and returns `null`. If a log would keep them, it writes them to a file instead (mode
 * 0600) and returns its path.
 */
export function announce(
  lines: readonly string[],
  file: Pick<FirstKeyFile, "add">,
  isLogged: boolean,
  io: Io,
): string | null {
  if (isLogged) return file.add(lines);
  for (const line of lines) io.out(line);
  return null;
}

// Keeps the file `first-key` in the data directory, with keys and a link that are shown once. Each is a part of the
// file with a sentence about it. A part is removed when its secret is not needed any more, and the file with its last
// part (R2).

const NAME = "first-key";

interface Spent {
  key(key: string): boolean;
  link(token: string): boolean;
}

export type FirstKeyFile = ReturnType<typeof createFirstKeyFile>;

const KEY = new RegExp(`${KEY_PREFIX}[\\w-]+`);
const TOKEN = new RegExp(`${LINK_PATH}(\\w+)`);
const PART = /^(?=Application "|Open th)/m;

export function createFirstKeyFile(directory: string, spent: Spent) {
  const path = join(directory, NAME);
  let parts = partsIn(path);

  /**
   * Writes a new file and renames it to `first-key`. Whatever had that name, such as a link to another file, is
   * replaced and not written to.
   */
  function put(next: readonly string[]): void {
    if (next.length === 0) rmSync(path, { force: true });
    else {
      const fresh = `${path}.new`;
      rmSync(fresh, { force: true });
      writeSpoolFile(fresh, next.join(""), "wx");
      renameSync(fresh, path);
    }
    syncSpoolDirectory(directory);
    parts = next;
  }

  function isSpent(part: string): boolean {
    const [key] = KEY.exec(part) ?? [];
    if (key !== undefined) return spent.key(key);
    const [, token] = TOKEN.exec(part) ?? [];
    return token !== undefined && spent.link(token);
  }

  return {
    /** Adds these lines to the file, and returns its path once they are on disk. */
    add: (lines: readonly string[]): string => {
      put([...parts, ...`${lines.join("\n")}\n`.split(PART)]);
      return path;
    },
    /**
     * Removes from the file each part whose key or link is not needed any more. Called once a second. When there is no
     * file `first-key`, it reads nothing.
     */
    sweep: (): void => {
      try {
        const left = parts.filter((part) => !isSpent(part));
        if (left.length < parts.length) put(left.some((part) => KEY.test(part) || TOKEN.test(part)) ? left : []);
      } catch {
        // After an error, such as a full disk, the next second tries again.
      }
    },
  };
}

function partsIn(path: string): readonly string[] {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = orElse(null, () => openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  if (file === null) return [];
  try {
    const facts = fstatSync(file);
    return facts.isFile() && isRootOrSelf(facts.uid) ? readFileSync(file, "utf8").split(PART) : [];
  } finally {
    closeSync(file);
  }
}

/**
 * Makes and shows the first secrets. `keyless` are the applications that have no key yet. No person reads our output
 * at a reload, so the secrets are then written to a file.
 */
export function showFirstSecrets(
  { engine, serving, firstKeys, commandLine, log, io }: Welcoming,
  config: Config,
  keyless: readonly string[],
  isReload: boolean,
): void {
  const link = config.web === null ? null : engine.people.firstLink();
  if (keyless.length === 0 && link === null) return;
  const keys = keyless.flatMap((application) => {
    const made = engine.as(OURSELVES).operate("key create", { application });
    return isRefusal(made) ? [] : [{ application, key: made.key }];
  });
  const isLogged = isReload || process.env["JOURNAL_STREAM"] !== undefined || !process.stdout.isTTY;
  const jobs = localServiceAddress(config.server, serving.server.port);
  const pages = serving.pagesUrl();
  const zone = homeZoneSentence(engine.views.viewContext().timezone);
  const user = isLogged ? ownUser() : null;
  const lines = [
    ...(isReload ? [] : setupLines(commandLine, user)),
    ...(keys.length === 0 ? [] : [...firstKeyLines(keys, jobs), zone, ""]),
    ...(link === null ? [] : firstLinkLines(link, dashboardAddress(config, pages), nearAddress(config, pages))),
  ];
  const file = announce(lines, firstKeys, isLogged, io);
  if (file !== null)
    log("info", "first_key_written", {
      file,
      applications: keyless,
      link: link !== null,
      setup: `${commandLine} setup`,
    });
}

type Welcoming = Readonly<{
  engine: RunningEngine;
  serving: Listening;
  firstKeys: FirstKeyFile;
  commandLine: string;
  log: Log;
  io: Io;
}>;
