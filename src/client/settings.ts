// Where the client reports to, by which key, and where reports wait. Never quotes a key.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { KEY_PREFIX } from "../domain/api-key.ts";
import { CLIENT_VARIABLES } from "../domain/client-variables.ts";
import { messageOf } from "../domain/errors.ts";
import { unlessMissing } from "../domain/unless-missing.ts";
import type { ReportServer } from "./report.ts";

export interface ClientSettings {
  /** A text: why no report can be sent, and what to do. */
  readonly server: ReportServer | string;
  readonly spool: string;
}

export interface ClientSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly isRoot: boolean;
}

const SYSTEM_FILE = "/etc/rollcall/client.toml";
const NAMES = ["url", "key", "key_file", "authority_file", "spool"] as const;
type Name = (typeof NAMES)[number];
type ClientValues = Partial<Readonly<Record<Name, string>>>;

/** Reads files, and throws for none: a job must run even if no report can be sent. */
export function readSettings({ environment, home, isRoot }: ClientSurroundings): ClientSettings {
  const own = join(environment["XDG_CONFIG_HOME"] || join(home, ".config"), "rollcall", "client.toml");
  const state = environment["XDG_STATE_HOME"] || join(home, ".local", "state");
  const otherwise = isRoot ? "/var/spool/rollcall" : join(state, "rollcall", "spool");
  const files = [own, SYSTEM_FILE];
  const said = orFault(() => firstFile(files));
  const values: ClientValues = typeof said === "string" ? {} : said;
  return {
    spool: environment[CLIENT_VARIABLES.spool] || values.spool || otherwise,
    server: typeof said === "string" ? said : orFault(() => serverOf(environment, values, files)),
  };
}

function orFault<Value>(read: () => Value): Value | string {
  try {
    return read();
  } catch (error) {
    return messageOf(error);
  }
}

function firstFile(paths: readonly string[]): ClientValues {
  for (const path of paths) {
    const text = unlessMissing(() => readFileSync(path, "utf8"));
    if (text !== null) return valuesOf(text, path);
  }
  return {};
}

function valuesOf(text: string, path: string): ClientValues {
  const read = parsed(text, path);
  for (const [name, value] of Object.entries(read)) {
    if (!NAMES.some((known) => known === name))
      throw new Error(`${path}: ${name}: is no setting; there are ${NAMES.join(", ")}`);
    if (typeof value !== "string") throw new Error(`${path}: ${name}: must be a text in quotation marks`);
  }
  return read;
}

function parsed(text: string, path: string): object {
  try {
    return Bun.TOML.parse(text);
  } catch {
    // What the parser says may quote a line with a key.
    throw new Error(`${path}: is not valid TOML`);
  }
}

function serverOf(
  environment: ClientSurroundings["environment"],
  values: ClientValues,
  files: readonly string[],
): ReportServer {
  const url = environment[CLIENT_VARIABLES.url] || values.url;
  const key = environment[CLIENT_VARIABLES.key] || values.key || fromFile("key_file", values.key_file);
  const where = `set ROLLCALL_URL and ROLLCALL_KEY, or url and key in ${files.join(" or ")}`;
  if (url === undefined) throw new Error(`there is no address to report to: ${where}`);
  if (key === null) throw new Error(`there is no key to report with: ${where}`);
  if (!key.startsWith(KEY_PREFIX))
    throw new Error(`the key is not one of an application: it must begin with ${KEY_PREFIX}`);
  // No request can be made of others.
  if (!/^[\w-]+$/.test(key))
    throw new Error("the key has characters that no key has; does its file hold more than a key?");
  const authority = fromFile("authority_file", values.authority_file);
  if (authority !== null && !authority.includes("-----BEGIN "))
    throw new Error(`authority_file: ${values.authority_file} holds no certificate as PEM`);
  return { url: addressOf(url), key, authority };
}

export function addressOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Error(`url: ${JSON.stringify(url)} must be an address such as https://cron.example.org`);
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, "");
}

function fromFile(name: Name, path: string | undefined): string | null {
  if (path === undefined) return null;
  let text: string | null;
  try {
    text = unlessMissing(() => readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${name}: ${path} cannot be read: ${messageOf(error)}`);
  }
  if (text === null) throw new Error(`${name}: there is no file ${path}`);
  return text.trim();
}
