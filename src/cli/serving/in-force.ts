// The configuration in force, which a reload replaces, and what neither log nor page may show of it.

import { type Fault, formatFault } from "../../config/fault.ts";
import { keptAs } from "../../config/kept-tables.ts";
import type { Loaded, LoadedConfig } from "../../config/load.ts";
import { type ChangedSetting, changedSettings } from "../../config/reloadable.ts";
import { type Refusal, refuse } from "../../domain/errors.ts";
import { memberAt, TEAM_ROUTE } from "../../domain/settings/kept.ts";
import type { KeptTable } from "../../domain/settings/policy.ts";
import type { ChangedKey, KeptChange } from "../../engine/reloads.ts";
import type { OnDisk, SettingsInForce } from "../../web/settings/setting.ts";
import { createRedacting } from "./redacting.ts";

export type InForce = ReturnType<typeof createInForce>;

/** `readNow`: as a start would, with these kept tables. */
export function createInForce(first: LoadedConfig, readNow: (kept: readonly KeptTable[]) => Loaded) {
  let loaded = first;
  let kept: () => readonly KeptTable[] = () => [];
  const { redact, hide } = createRedacting(first.config.secrets);
  const hidden = (text: string | null): string | null => (text === null ? null : redact(text));
  const shown = ({ restart: _, ...change }: ChangedSetting): ChangedKey => ({
    ...change,
    before: hidden(change.before),
    after: hidden(change.after),
  });

  function readWith(tables: readonly KeptTable[]): Loaded {
    const now = readNow(tables);
    if ("config" in now) hide(now.config.secrets);
    return now;
  }

  /** Leaves out a kept table that the configuration no longer suits, so that it stops no start. */
  const read = (): Loaded => readSound(kept());

  function readSound(all: readonly KeptTable[]): Loaded {
    const whole = readWith(all);
    if ("config" in whole) return whole;
    const sound = all.filter((table) => faultsOf(table, whole.faults).length === 0);
    return sound.length === all.length ? whole : readWith(sound);
  }

  const leftOut = (now: LoadedConfig): string[] =>
    kept().flatMap(({ path }) => (path !== TEAM_ROUTE && originIn(now, path) === null ? [path] : []));

  /** Why a kept table is not in force; null: it is. */
  function whyLeftOut(table: KeptTable): string | null {
    const from = originOf(table.path);
    if (from === keptAs(table.path).by) return null;
    if (from !== null) return `the configuration has one of this name (${from})`;
    const now = readWith(kept());
    const why = "config" in now ? [] : faultsOf(table, now.faults).map(({ fault }) => `${fault.what}, ${fault.rule}`);
    return `the configuration no longer suits it${why.length === 0 ? "" : `: ${why.join("; ")}`}`;
  }

  /** Who set the table that is in force: a line of a file, a variable or a command; null: none of these. */
  const originOf = (path: string): string | null => originIn(loaded, path);

  /** The configuration with other kept tables, or why it cannot be. */
  const readChanged = (change: KeptChange): LoadedConfig | Refusal =>
    changedReading({ kept: kept(), originOf, readWith, readSound }, change);

  /** Why each of these tables could not be kept; null: it could. */
  function faultsIn(tables: readonly KeptTable[]): (string | null)[] {
    const now = readWith([...kept(), ...tables]);
    return tables.map((table) => ("config" in now ? null : wrongIn(table, now.faults).join("; ") || null));
  }

  function onDisk(): OnDisk {
    const now = read();
    if ("faults" in now) return { kind: "faulty", faults: now.faults.map(formatFault) };
    return { kind: "read", changes: changedSettings(loaded.settings, now.settings).map(shown) };
  }

  const settings: SettingsInForce = {
    // A secret may stand in another key too, by mistake or because two are the same.
    get settings() {
      return loaded.settings.map((setting) => ({ ...setting, value: hidden(setting.value) }));
    },
    get sources() {
      return loaded.sources;
    },
    onDisk,
  };
  const replace = (next: LoadedConfig): void => {
    loaded = next;
  };
  /** From now on these tables count too. Where there are none, what was read holds. */
  const keep = (tables: () => readonly KeptTable[]): void => {
    kept = tables;
    if (kept().length === 0) return;
    const now = read();
    if ("config" in now) loaded = now;
  };
  const reading = { read, readChanged, faultsIn, whyLeftOut, leftOut, keep, replace };
  return { loaded: () => loaded, originOf, redact, shown, settings, ...reading };
}

interface ReadingParts {
  readonly kept: readonly KeptTable[];
  readonly originOf: (path: string) => string | null;
  readonly readWith: (tables: readonly KeptTable[]) => Loaded;
  readonly readSound: (tables: readonly KeptTable[]) => Loaded;
}

function changedReading(
  { kept, originOf, readWith, readSound }: ReadingParts,
  { save, remove = [] }: KeptChange,
): LoadedConfig | Refusal {
  for (const { path } of save) {
    const from = originOf(path);
    // A command adds to the team's list in the file, and replaces nothing of it.
    if (path !== TEAM_ROUTE && from !== null && from !== keptAs(path).by) return overruled(path, from);
  }
  const replaced = new Set([...save.map(({ path }) => path), ...remove]);
  const tables = [...kept.filter(({ path }) => !replaced.has(path)), ...save];
  const now = readWith(tables);
  if ("config" in now) return now;
  const sentences = save.flatMap((table) => wrongIn(table, now.faults));
  if (sentences.length > 0) return refuse("INVALID_REQUEST", sentences.join("; "));
  const sound = readSound(tables);
  return "config" in sound ? sound : FAULTY_FILE;
}

const FAULTY_FILE = refuse(
  "INVALID_REQUEST",
  "settings: the configuration on disk is faulty, so it cannot be read again; `rollcall config check` says why",
);

/** `own`: the key of the table that is faulty; empty: all of it. */
const faultsOf = ({ path }: KeptTable, faults: readonly Fault[]) =>
  faults.flatMap((fault) => {
    const isMember = memberAt(path) !== null && fault.file === keptAs(path).by;
    const own = isMember ? (fault.key.split(".").at(-1) ?? "") : settingOf(path, fault.key);
    return own === null ? [] : [{ fault, own }];
  });

/** What the faults say of this table, as the caller knows its keys. */
const wrongIn = (table: KeptTable, faults: readonly Fault[]): string[] =>
  faultsOf(table, faults).map(
    ({ fault, own }) => `${own || keptAs(table.path).field || table.path}: ${fault.what}, ${fault.rule}`,
  );

/** Refuses to change what the configuration sets (R31); `from`: its line. */
export function overruled(path: string, from: string): Refusal {
  const { field, name } = keptAs(path);
  const why = `${JSON.stringify(name)} stands in the configuration (${from}), and that wins: change it there`;
  return refuse("INVALID_REQUEST", `${field || path}: ${why}`);
}

/** Defaults come from no one. */
function originIn({ settings }: LoadedConfig, path: string): string | null {
  const email = memberAt(path);
  const isAt = ({ key, value }: LoadedConfig["settings"][number]): boolean =>
    email === null
      ? settingOf(path, key) !== null
      : /^team\.members\[\d+\]\.email$/.test(key) && value?.toLowerCase() === email;
  return settings.find((setting) => setting.from !== null && isAt(setting))?.from ?? null;
}

/** What the key sets of this table, empty for all of it; null: it is a key of something else. */
export function settingOf(path: string, key: string): string | null {
  if (key === path) return "";
  return key.startsWith(`${path}.`) ? key.slice(path.length + 1) : null;
}
