// Reads the checks of the other service for `rollcall import`, from a file or over its API. The key of the API is never
// printed.

import { readFileSync, statSync } from "node:fs";
import { IMPORT_KEY_VARIABLE } from "../../config/environment.ts";
import { errorMessage } from "../../domain/errors.ts";
import { lineNotUtf8, withoutUtf8Mark } from "../../domain/text.ts";
import type { RemoteApi } from "../../import/ask.ts";
import { askCronitor, cronitorIn } from "../../import/cronitor.ts";
import { readHealthchecks } from "../../import/healthchecks.ts";
import { askHealthchecks, healthchecksIn } from "../../import/healthchecks-api.ts";
import type { ImportSource } from "../../import/imported-check.ts";
import { readKuma } from "../../import/kuma.ts";
import { askSyncStatus, syncStatusIn } from "../../import/sync-status.ts";
import { beginningOfExport } from "../../import/tables.ts";
import { isJsonFields, type Progress, READ_MAX } from "../../import/values.ts";
import type { SocketCaller } from "../asking/ask-service.ts";
import { after, systemClock } from "../clock.ts";
import type { Io } from "../io.ts";
import { say } from "../screens/table.ts";

export const SERVICES = ["healthchecks", "kuma", "cronitor", "sync-status"] as const;
export type ImportedService = (typeof SERVICES)[number];
export interface ImportOptions {
  readonly app?: string;
  readonly project?: string;
  readonly prefix?: string;
  readonly timezone?: string;
  readonly paused?: boolean;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly fromKeyFile?: string;
  readonly fromAuthorityFile?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export async function readSource(
  service: ImportedService,
  from: string,
  options: ImportOptions,
  caller: SocketCaller,
): Promise<ImportSource> {
  if (options.project !== undefined && service !== "healthchecks")
    throw new Error("--project: only Healthchecks has projects");
  if (from === "-" || from === "/dev/stdin")
    throw new Error(`${from}: a file is needed: write what comes from a pipe into one, and name that`);
  const tell = patient(caller.io);
  if (/^https?:\/\//i.test(from)) {
    // This comes before anything asks for a key, which would be of no use here.
    if (service === "kuma")
      throw new Error("Uptime Kuma does not hand out its monitors over HTTP: give its database, kuma.db");
    return await asked(service, remoteApiOf(from, options, caller, tell), options, caller.io);
  }
  const progress: Progress = (part) => tell(`read ${Math.floor(part * 100)} % of ${from}`);
  switch (service) {
    case "healthchecks":
      return savedAnswer(from, options) ?? readHealthchecks(from, options.project ?? null, progress);
    case "kuma":
      return readKuma(from, progress);
    case "cronitor":
      return cronitorIn(readJsonOrYaml(from), from);
    case "sync-status": {
      const read = readJsonOrYaml(from);
      return syncStatusIn(isJsonFields(read) ? read : {}, from);
    }
    default:
      return service satisfies never;
  }
}

const ASK = { healthchecks: askHealthchecks, cronitor: askCronitor, "sync-status": askSyncStatus };

/** Asks the other service over its API. If that takes longer than a second, it prints that it is waiting. */
async function asked(service: keyof typeof ASK, api: RemoteApi, options: ImportOptions, io: Io): Promise<ImportSource> {
  if (service === "healthchecks") refuseProject(options);
  const enough = after(TELL_EVERY, () => say(io, `waiting for ${api.url}`));
  try {
    return await ASK[service](api);
  } finally {
    enough();
  }
}

function refuseProject({ project }: ImportOptions): void {
  if (project !== undefined) throw new Error("--project: a key of the API is of one project already");
}

function savedAnswer(path: string, options: ImportOptions): ImportSource | null {
  if (!/^\s*\{/.test(beginningOfExport(path))) return null;
  refuseProject(options);
  const read = readJsonOrYaml(path);
  return healthchecksIn(isJsonFields(read) ? read : {}, [], path);
}

function readJsonOrYaml(path: string): unknown {
  let text: string;
  try {
    const { size } = statSync(path);
    if (size > READ_MAX) throw new Error(`it is larger than ${READ_MAX / 2 ** 20} MiB`);
    text = withoutUtf8Mark(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${path}: cannot be read: ${errorMessage(error)}`);
  }
  if (text.trim() === "") throw new Error(`${path}: is empty`);
  const line = lineNotUtf8(text);
  if (line !== null) throw new Error(`${path}: line ${line} has bytes that are not UTF-8: save the file as UTF-8`);
  try {
    return /^\s*[[{]/.test(text) ? JSON.parse(text) : Bun.YAML.parse(text);
  } catch (error) {
    throw new Error(`${path}: is neither JSON nor YAML: ${errorMessage(error)}`);
  }
}

function remoteApiOf(
  from: string,
  options: ImportOptions,
  { environment }: SocketCaller,
  tell: (text: string) => void,
): RemoteApi {
  if (!URL.canParse(from)) throw new Error(`${from}: is no address, such as https://hc.example.org`);
  const { origin, pathname, username, password } = new URL(from);
  if (username !== "" || password !== "")
    throw new Error(
      "an address with a name or a password in it is seen by everybody on this machine: use --from-key-file",
    );
  const key = options.fromKeyFile === undefined ? environment[IMPORT_KEY_VARIABLE] : contentOf(options.fromKeyFile);
  if (key === undefined || key === "")
    throw new Error(`${origin} needs a key: set ${IMPORT_KEY_VARIABLE}, or name a file with --from-key-file`);
  if (/[^\x21-\x7e]/.test(key))
    throw new Error("the key of the other service has a space or another sign that none has");
  return {
    url: origin + pathname.replace(/\/+$/, ""),
    key,
    authority: options.fromAuthorityFile === undefined ? null : contentOf(options.fromAuthorityFile),
    environment,
    progress: tell,
  };
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new Error(`${path}: cannot be read: ${errorMessage(error)}`);
  }
}

const TELL_EVERY = 1_000;

function patient(io: Io): (text: string) => void {
  let told = systemClock.monotonic();
  return (text) => {
    if (systemClock.monotonic() - told < TELL_EVERY) return;
    told = systemClock.monotonic();
    say(io, text);
  };
}
