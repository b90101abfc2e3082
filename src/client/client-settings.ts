// Finds where `rollcall run` reports to, with which key, and in which directory reports wait. It never quotes a key.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { KEY_PREFIX } from "../domain/api-key.ts";
import { CLIENT_VARIABLES } from "../domain/client-variables.ts";
import { errorMessage } from "../domain/errors.ts";
import { codeOf, orElse, unlessMissing } from "../domain/unless-missing.ts";
import type { ReportServer } from "./client-report.ts";

export interface ClientSettings {
  /** The server to report to; a text when no report can be sent, which says why and what to do. */
  readonly server: ReportServer | string;
  readonly spool: string;
  /** Settings files that this user may not read, so that the next file was read instead. */
  readonly passedOver: readonly string[];
}

export interface ClientSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** `null` when this system has no user ids. */
  readonly uid: number | null;
}

const SYSTEM_FILE = "/etc/rollcall/client.toml";
const NAMES = ["url", "key", "key_file", "authority_file", "spool"] as const;
type Name = (typeof NAMES)[number];
type ClientValues = Partial<Readonly<Record<Name, string>>>;

/**
 * Reads the settings from the environment and from files. It never throws: a job must run even if no report can be
 * sent.
 */
export function readClientSettings({ environment, home, uid }: ClientSurroundings): ClientSettings {
  const own = join(environment["XDG_CONFIG_HOME"] || join(home, ".config"), "rollcall", "client.toml");
  const files = [own, SYSTEM_FILE];
  const passedOver: string[] = [];
  const said = orFault(() => firstFile(files, passedOver));
  const values: ClientValues = typeof said === "string" ? {} : said;
  const server = typeof said === "string" ? said : orFault(() => serverOf(environment, values, files));
  const shut = passedOver.length === 0 ? "" : `; this user may not read ${passedOver.join(" and ")}`;
  return {
    spool: environment[CLIENT_VARIABLES.spool] || values.spool || ownSpool(environment, home, uid),
    server: typeof server === "string" ? server + shut : server,
    passedOver: typeof server === "string" ? [] : passedOver,
  };
}

const SHARED_SPOOL = "/var/spool/rollcall";
const STICKY_AND_OPEN = 0o1003;

/**
 * The directory in which this user's reports wait. For root it is below `SHARED_SPOOL`, which the package makes. For
 * another user it is below XDG_STATE_HOME when that is set; otherwise below `SHARED_SPOOL` when all may write there, as
 * in /tmp; otherwise in the user's home.
 */
function ownSpool(environment: ClientSurroundings["environment"], home: string, uid: number | null): string {
  const state = environment["XDG_STATE_HOME"];
  const isShared = (): boolean => (statSync(SHARED_SPOOL).mode & STICKY_AND_OPEN) === STICKY_AND_OPEN;
  if (uid === 0 || (!state && orElse(false, isShared))) return join(SHARED_SPOOL, `${uid}`);
  return join(state || join(home, ".local", "state"), "rollcall", "spool");
}

function orFault<Value>(read: () => Value): Value | string {
  try {
    return read();
  } catch (error) {
    return errorMessage(error);
  }
}

/**
 * The settings of the first file that exists. A file that this user may not read is passed over, because `su -p` and
 * `sudo -E` keep the HOME of another user.
 */
function firstFile(paths: readonly string[], passedOver: string[]): ClientValues {
  for (const path of paths) {
    const text = orPassedOver(
      () => unlessMissing(() => readFileSync(path, "utf8")),
      () => passedOver.push(path),
    );
    if (text !== null) return clientValuesIn(text, path);
  }
  return {};
}

function orPassedOver(read: () => string | null, onShut: () => void): string | null {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) !== "EACCES") throw error;
    onShut();
    return null;
  }
}

function clientValuesIn(text: string, path: string): ClientValues {
  const read = parsedToml(text, path);
  for (const [name, value] of Object.entries(read)) {
    if (!NAMES.some((known) => known === name))
      throw new Error(`${path}: ${name}: is no setting; there are ${NAMES.join(", ")}`);
    if (typeof value !== "string") throw new Error(`${path}: ${name}: must be a text in quotation marks`);
  }
  return read;
}

function parsedToml(text: string, path: string): object {
  try {
    return Bun.TOML.parse(text);
  } catch {
    // The parser's message may quote a line with a key.
    throw new Error(
      `${path}: is not valid TOML; write each setting on a line of its own, as url = "https://cron.example.org"`,
    );
  }
}

function serverOf(
  environment: ClientSurroundings["environment"],
  values: ClientValues,
  files: readonly string[],
): ReportServer {
  const url = environment[CLIENT_VARIABLES.url] || values.url;
  const key = environment[CLIENT_VARIABLES.key] || values.key || valueFromFile("key_file", values.key_file);
  const where = `set ROLLCALL_URL and ROLLCALL_KEY, or url and key in ${files.join(" or ")}`;
  if (url === undefined) throw new Error(`there is no address to report to: ${where}`);
  if (key === null) throw new Error(`there is no key to report with: ${where}`);
  if (!key.startsWith(KEY_PREFIX))
    throw new Error(`the key is not one of an application: it must begin with ${KEY_PREFIX}`);
  // Any other character cannot be sent in a request.
  if (!/^[\w-]+$/.test(key))
    throw new Error("the key has characters that no key has; does its file hold more than a key?");
  const authority = valueFromFile("authority_file", values.authority_file);
  if (authority !== null && !authority.includes("-----BEGIN "))
    throw new Error(`authority_file: ${values.authority_file} holds no certificate as PEM`);
  return { url: checkedReportUrl(url), key, authority };
}

export function checkedReportUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Error(`url: ${JSON.stringify(url)} must be an address such as https://cron.example.org`);
  const { origin, pathname } = new URL(url);
  if (/\/api\/v1\b/.test(pathname)) throw new Error(`url: ${JSON.stringify(url)} must end before /api/v1`);
  return origin + pathname.replace(/\/+$/, "");
}

function valueFromFile(name: Name, path: string | undefined): string | null {
  if (path === undefined) return null;
  let text: string | null;
  try {
    text = unlessMissing(() => readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${name}: ${path} cannot be read: ${errorMessage(error)}`);
  }
  if (text === null) throw new Error(`${name}: there is no file ${path}`);
  return text.trim();
}
