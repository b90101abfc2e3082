// Reads the whole configuration: the TOML file, and the environment over it. It returns all faults at once.

import { isAbsolute, resolve } from "node:path";
import type { KeptText } from "../domain/settings/kept.ts";
import { lineNotUtf8 } from "../domain/text.ts";
import { type Config, KEYS } from "./all-keys.ts";
import { decodeAll, draftOf, placeAt } from "./config-draft.ts";
import { type EffectiveSetting, effectiveSettings } from "./effective.ts";
import { CONFIG_VARIABLE, isRollcallVariable, parseEnvFile, readEnvironment, type Variable } from "./environment.ts";
import { type Fault, type FaultOrigin, faultAt, NOT_UTF8 } from "./fault.ts";
import { addKeptSections } from "./kept-toml.ts";
import { readConfigText, type Surroundings, type Text, UntrustedFile } from "./place.ts";
import { policyOfConfig, warnOfHalfMail, warnOfUnheard } from "./read-policy.ts";
import { isDirectoryGiven } from "./server-keys.ts";
import { originByLine, readToml } from "./toml.ts";
import { emptyTable, mergeTables, plantNode, type TableNode } from "./tree.ts";

export type ConfigFlags = Readonly<{ config?: string; envFile?: string }>;

/**
 * What the configuration is read from. `kept` are the sections that operations have stored. A section that the file or
 * the environment also sets is ignored (R31).
 */
export type Inputs = Surroundings & Readonly<{ flags: ConfigFlags; kept?: readonly KeptText[] }>;

/**
 * A configuration without faults. `sources` names the files, variables and credentials that were read. `warnings` are
 * about values that are allowed but hardly meant. `settings` holds no secret; `tree` holds everything, with secrets.
 */
export interface LoadedConfig {
  readonly config: Config;
  readonly sources: readonly string[];
  readonly warnings: readonly Fault[];
  readonly settings: readonly EffectiveSetting[];
  readonly tree: TableNode;
}

export type Loaded = LoadedConfig | { readonly faults: readonly Fault[] };

/** The absolute path of the data directory, and whether it was configured; or the faults that leave it unknown. */
export type LoadedDirectory =
  | { readonly directory: string; readonly isGiven: boolean }
  | { readonly faults: readonly Fault[] };

const USUAL_FILES = ["rollcall.toml", "/etc/rollcall/rollcall.toml"];

/**
 * Loads the configuration. A value comes from the first of these that has it: the environment, `--env-file`, the file,
 * what is stored, the default.
 */
export function loadConfig({ flags, kept = [], ...given }: Inputs): Loaded {
  const environment = readVariables(flags, given);
  const surroundings = { ...given, environment: environment.all };
  const file = readFile(flags, surroundings);
  const overlay = readEnvironment(environment.ours);
  const tree = mergeTables(file.tree ?? emptyTable({ file: "", line: null }), overlay.tree, KEYS);
  const keptFaults = addKeptSections(tree, kept);
  const draft = draftOf(tree, surroundings);
  // If the file is no TOML, rules about several keys are not checked: its keys would be reported as missing.
  const config = file.faults.length === 0 ? { ...decodeAll(draft, KEYS), secrets: draft.secrets } : null;
  const written = [...file.faults, ...environment.faults, ...overlay.faults];
  const faults = [...written, ...keptFaults, ...draft.faults];
  if (config === null || faults.length > 0) return { faults: faultsInOrder(faults) };
  warnOfHalfMail(config, placeAt(draft, []));
  warnOfUnheard(policyOfConfig(config), placeAt(draft, []));
  const variables = environment.ours.map((variable) => variable.name);
  const credentials = draft.credentials.map((name) => `credential ${name}`);
  const sources = [...(file.name === null ? [] : [file.name]), ...variables, ...credentials];
  return {
    config,
    sources,
    warnings: faultsInOrder([...environment.warnings, ...draft.warnings]),
    settings: effectiveSettings(draft, config.storage.directory),
    tree,
  };
}

/**
 * Reads only which directory is the data directory, for commands that need nothing else. They may not be allowed to
 * read the service's secrets, and faults of other keys must not stop the operator.
 */
export function loadDirectory({ flags, ...given }: Inputs): LoadedDirectory {
  const environment = readVariables(flags, given);
  const surroundings = { ...given, environment: environment.all };
  const file = readFile(flags, surroundings);
  const overlay = readEnvironment(environment.ours.filter(({ name }) => DIRECTORY_VARIABLES.includes(name)));
  const tree = onlyDirectory(mergeTables(file.tree ?? emptyTable({ file: "", line: null }), overlay.tree, KEYS));
  // The environment is empty while the keys are checked, so that no credential is read.
  const draft = { ...draftOf(tree, { ...surroundings, environment: {} }), surroundings };
  const faults = [...file.faults, ...environment.faults, ...overlay.faults, ...draft.faults];
  return faults.length > 0
    ? { faults: faultsInOrder(faults) }
    : { directory: decodeAll(draft, KEYS).storage.directory, isGiven: isDirectoryGiven(placeAt(draft, [])) };
}

/** The variables that can set the data directory: one for the key itself, and one for its table as JSON. */
const DIRECTORY_VARIABLES = ["ROLLCALL_STORAGE__DIRECTORY", "ROLLCALL_STORAGE"];

function onlyDirectory(tree: TableNode): TableNode {
  const only = emptyTable(tree.origin);
  const storage = tree.entries.get("storage");
  if (storage === undefined) return only;
  const directory = storage.kind === "table" ? storage.entries.get("directory") : undefined;
  if (storage.kind !== "table") plantNode(only, ["storage"], storage);
  else if (directory !== undefined) plantNode(only, ["storage", "directory"], directory);
  return only;
}

/**
 * Reads the variables of the process and of `--env-file`; those of the process win. `all` has every variable, because
 * by some of them systemd says where its credentials are. `ours` has only rollcall's own.
 */
function readVariables(flags: ConfigFlags, surroundings: Surroundings) {
  const real = Object.entries(surroundings.environment).filter(([, text]) => text !== undefined);
  const variables = new Map<string, Variable>();
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  if (flags.envFile !== undefined) {
    const file = flags.envFile;
    const read = readConfigText(surroundings, file);
    if ("code" in read) faults.push(unreadable("--env-file", file, read.code, surroundings));
    else {
      const parsed = parseEnvFile(read.text, file);
      faults.push(...notUtf8(read.text, file, "variable"), ...parsed.faults);
      for (const variable of parsed.variables) {
        const earlier = variables.get(variable.name);
        if (earlier !== undefined) warnings.push(givenTwice(variable, earlier));
        variables.set(variable.name, variable);
      }
    }
  }
  for (const [name, text = ""] of real) variables.set(name, { name, text, origin: { file: name, line: null } });
  const all = Object.fromEntries([...variables.values()].map(({ name, text }) => [name, text]));
  return { all, ours: [...variables.values()].filter(({ name }) => isRollcallVariable(name)), faults, warnings };
}

/** The last one counts, as it does for systemd. */
function givenTwice({ name, origin }: Variable, { origin: { line } }: Variable): Fault {
  return faultAt(
    origin,
    ["variable"],
    `gives ${name} again; line ${line} has it too`,
    "must be given once: the last one counts",
  );
}

interface ConfigFile {
  /** What the file holds; `null` when there is no file, or when it has a fault. */
  readonly tree: TableNode | null;
  readonly name: string | null;
  readonly faults: readonly Fault[];
}

/** Reads the configuration file. A file that was named must exist; the files in the usual places may be absent. */
function readFile(flags: ConfigFlags, surroundings: Surroundings): ConfigFile {
  const variable = surroundings.environment[CONFIG_VARIABLE];
  if (flags.config !== undefined) return readNamedFile(flags.config, "--config", surroundings);
  if (variable !== undefined && variable !== "") return readNamedFile(variable, CONFIG_VARIABLE, surroundings);
  const { cwd, readFound } = surroundings;
  for (const file of USUAL_FILES) {
    let read: Text;
    try {
      read = readConfigText({ cwd, readFile: readFound }, file);
    } catch (error) {
      if (error instanceof UntrustedFile) return { tree: null, name: file, faults: [distrusted(file, error.message)] };
      throw error;
    }
    const isAbsent =
      "code" in read &&
      (read.code === "ENOENT" || (read.code === "EACCES" && !isAbsolute(file) && isClosed(surroundings)));
    if (!isAbsent) return asFile(read, file, file, surroundings);
  }
  return { tree: null, name: null, faults: [] };
}

const distrusted = (file: string, why: string): Fault =>
  faultAt(
    { file, line: null },
    ["file"],
    `is not read, because ${why}`,
    "a file that nobody names must be root's or yours, and writable by no other: change that, or name it by --config",
  );

/**
 * Whether this user may not read the working directory. It happens when a person types `sudo -u rollcall …` in a home
 * directory that is closed to other users. Then no configuration is looked for there.
 */
function isClosed(surroundings: Surroundings): boolean {
  const read = readConfigText(surroundings, ".");
  return "code" in read && read.code === "EACCES";
}

const readNamedFile = (file: string, namedBy: string, surroundings: Surroundings): ConfigFile =>
  asFile(readConfigText(surroundings, file), file, namedBy, surroundings);

function asFile(read: Text, file: string, namedBy: string, surroundings: Surroundings): ConfigFile {
  if ("code" in read) return { tree: null, name: file, faults: [unreadable(namedBy, file, read.code, surroundings)] };
  const [fault] = notUtf8(read.text, file, "TOML");
  const tree = fault ?? readToml(read.text, originByLine(file));
  return "kind" in tree ? { tree, name: file, faults: [] } : { tree: null, name: file, faults: [tree] };
}

/** The fault of a file with bytes that are not UTF-8, as an editor leaves them that writes another encoding. */
function notUtf8(text: string, file: string, what: string): readonly Fault[] {
  const line = lineNotUtf8(text);
  return line === null ? [] : [faultAt({ file, line }, [what], NOT_UTF8.what, NOT_UTF8.rule)];
}

function unreadable(namedBy: string, file: string, code: string, { cwd, readerOf }: Surroundings): Fault {
  const origin: FaultOrigin = { file: namedBy, line: null };
  const which = namedBy === file ? "" : `"${file}" `;
  const reader = code === "EACCES" ? (readerOf?.(resolve(cwd, file)) ?? null) : null;
  const rule =
    reader === null
      ? "must be a file that can be read"
      : `${reader} may read it: give the command as that user (sudo -u ${reader} rollcall …)`;
  return faultAt(origin, ["file"], `${which}cannot be read (${code})`, rule);
}

const faultsInOrder = (faults: readonly Fault[]): Fault[] =>
  [...faults].sort((a, b) => (a.file ?? "").localeCompare(b.file ?? "") || (a.line ?? 0) - (b.line ?? 0));
