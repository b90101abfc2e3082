// Holds the configuration in force, which a reload replaces, and hides its secrets from log and pages. Operations add
// sections to the configuration, for example a destination; the database keeps these sections.

import { formatFault } from "../../config/fault.ts";
import { faultsOfSection, originOfSection, placeOfSection } from "../../config/kept-toml.ts";
import type { Loaded, LoadedConfig } from "../../config/load.ts";
import { type ChangedSetting, changedSettings } from "../../config/reloadable.ts";
import { problemOf, type Refusal, refuseField } from "../../domain/errors.ts";
import { type KeptText, TEAM_ROUTE } from "../../domain/settings/kept.ts";
import type { ChangedKey } from "../../engine/engine-settings.ts";
import type { OnDisk, SettingsInForce } from "../../web/settings/setting.ts";
import { createLogRedaction } from "./redacting.ts";

export type InForce = ReturnType<typeof createInForce>;

/**
 * Holds the configuration `first` until a reload replaces it. `readNow` reads the configuration from disk as a start
 * would, together with the sections that operations added.
 */
export function createInForce(first: LoadedConfig, readNow: (kept: readonly KeptText[]) => Loaded) {
  let loaded = first;
  let kept: () => readonly KeptText[] = () => [];
  const { redact, hide } = createLogRedaction(first.config.secrets);
  const hidden = (text: string | null): string | null => (text === null ? null : redact(text));
  const shown = ({ restart: _, ...change }: ChangedSetting): ChangedKey => ({
    ...change,
    before: hidden(change.before),
    after: hidden(change.after),
  });

  function readWith(texts: readonly KeptText[]): Loaded {
    const now = readNow(texts);
    if ("config" in now) hide(now.config.secrets);
    return now;
  }

  const read = (): Loaded => readSound(kept(), readWith);

  /** Returns the names of the sections of the configuration that operations added but that are not in force. */
  const leftOut = (now: LoadedConfig): string[] =>
    kept().flatMap(({ name }) => (name !== TEAM_ROUTE && originOfSection(now.tree, name) === null ? [name] : []));

  /** Returns why the section with this name, which an operation added, is not in force; `null` when it is in force. */
  function whyLeftOut(name: string): string | null {
    const from = originOf(name);
    if (from === placeOfSection(name).by) return null;
    if (from !== null) return `the configuration has one of this name (${from})`;
    const now = readWith(kept());
    const why = "config" in now ? [] : faultsOfSection(name, now.faults).map(problemOf);
    return `the configuration no longer suits it${why.length === 0 ? "" : `: ${why.join("; ")}`}`;
  }

  /** Returns where a setting comes from: a line of a file, a variable or a command; `null` when nothing sets it. */
  const originOf = (name: string): string | null => originOfSection(loaded.tree, name);

  /** Returns for each of these sections why it cannot be added to the configuration; `null` when it can. */
  function faultsIn(texts: readonly KeptText[]): (string | null)[] {
    const now = readWith([...kept(), ...texts]);
    return texts.map(({ name }) =>
      "config" in now ? null : (joinedRefusals(faultsOfSection(name, now.faults))?.message ?? null),
    );
  }

  function onDisk(): OnDisk {
    const now = read();
    if ("faults" in now) return { kind: "faulty", faults: now.faults.map(formatFault) };
    return { kind: "read", changes: changedSettings(loaded.settings, now.settings).map(shown) };
  }

  const settings: SettingsInForce = {
    // Secrets are hidden in all settings, not only in the secret ones: by mistake, a secret may also be in another
    // setting.
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
  /**
   * From now on the sections that operations add belong to the configuration. If there are none yet, nothing is read
   * again.
   */
  const keep = (texts: () => readonly KeptText[]): void => {
    kept = texts;
    if (kept().length === 0) return;
    const now = read();
    if ("config" in now) loaded = now;
  };
  const reading = {
    read,
    readChanged: (texts: readonly KeptText[], changed: readonly string[]) => readChanged(texts, changed, readWith),
    faultsIn,
    whyLeftOut,
    leftOut,
    keep,
    replace,
  };
  return { loaded: () => loaded, originOf, redact, shown, settings, ...reading };
}

type ReadWith = (texts: readonly KeptText[]) => Loaded;

/**
 * Reads the configuration with the sections in `texts`, which operations added. A section that no longer fits the
 * configuration is left out, so that no section can prevent a start.
 */
function readSound(texts: readonly KeptText[], readWith: ReadWith): Loaded {
  const whole = readWith(texts);
  if ("config" in whole) return whole;
  const sound = texts.filter(({ name }) => faultsOfSection(name, whole.faults).length === 0);
  return sound.length === texts.length ? whole : readWith(sound);
}

/**
 * Reads the configuration with the sections in `texts`. An operation is about to change the sections that `changed`
 * names. Returns a refusal when one of the changed sections, or the configuration on disk, has a fault.
 */
function readChanged(
  texts: readonly KeptText[],
  changed: readonly string[],
  readWith: ReadWith,
): LoadedConfig | Refusal {
  const now = readWith(texts);
  if ("config" in now) return now;
  const refused = joinedRefusals(changed.flatMap((name) => faultsOfSection(name, now.faults)));
  if (refused !== null) return refused;
  const sound = readSound(texts, readWith);
  return "config" in sound ? sound : FAULTY_FILE;
}

const FAULTY_FILE = refuseField(
  "settings",
  "the configuration on disk is faulty, so it cannot be read again; `rollcall config check` says why",
);

/** Joins refusals into one, which names the field of the first; `null` when there are none. */
function joinedRefusals([first, ...others]: readonly Refusal[]): Refusal | null {
  if (first === undefined) return null;
  const more = others.map(({ message }) => `; ${message}`).join("");
  return { ...first, message: first.message + more, problem: problemOf(first) + more };
}
