// Keeps the sections of the configuration that operations add beside its file (R31), such as a destination. Such a
// section is checked like the file itself, and a reload puts it in force.

import { statSync } from "node:fs";
import { placeOfSection, readSection, writeSection } from "../../config/kept-toml.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { isRefusal, type Refusal, refuseField } from "../../domain/errors.ts";
import { type KeptSection, type KeptText, statusPageSectionName, TEAM_ROUTE } from "../../domain/settings/kept.ts";
import { statusPath } from "../../domain/settings/status-page-settings.ts";
import { orElse } from "../../domain/unless-missing.ts";
import type { KeptChange, Reloads, SectionKeeper, StatusPageKeeper } from "../../engine/engine-settings.ts";
import type { Store } from "../../store/store.ts";
import { systemClock } from "../clock.ts";
import type { InForce } from "./in-force.ts";

interface KeeperParts {
  readonly inForce: InForce;
  readonly store: Store;
  readonly reloads: Reloads;
}

export type Keeper = ReturnType<typeof createKeeper>;

export function createKeeper({ inForce, store, reloads }: KeeperParts) {
  const read = (text: KeptText | null): KeptSection | null => (text === null ? null : readSection(text));

  /** Returns the configuration as it would be with this change, or a refusal that says why it cannot be made. */
  function check(change: KeptChange): LoadedConfig | Refusal {
    const { save } = change;
    for (const { name } of save) {
      const from = inForce.originOf(name);
      // What the configuration file sets cannot be changed here. The team's route is an exception: a command only adds
      // destinations to it.
      if (name !== TEAM_ROUTE && from !== null && from !== placeOfSection(name).by) return overruled(name, from);
    }
    const endless = save.flatMap(endlessIn)[0];
    if (endless !== undefined)
      return refuseField(endless, "is not a file of at most 64 KiB, must hold the secret alone");
    return inForce.readChanged(
      textsAfter(store.kept.all(), change),
      save.map(({ name }) => name),
    );
  }

  /** Stores a change that was checked, and asks for a reload. Must be called in a transaction. */
  function keep({ save, remove = [], renamed }: KeptChange): void {
    for (const name of remove) store.kept.remove(name);
    if (renamed !== undefined) store.kept.rename(...renamed);
    for (const section of save) store.kept.save(keptText(section), systemClock.now());
    reloads.begin();
  }

  function change(wanted: KeptChange): Refusal | null {
    const checked = check(wanted);
    if (isRefusal(checked)) return checked;
    keep(wanted);
    return null;
  }

  function notKept(name: string, missing: Refusal): Refusal {
    const from = inForce.originOf(name);
    return from === null || from === placeOfSection(name).by ? missing : overruled(name, from);
  }

  const sections: SectionKeeper = {
    all: () => store.kept.all().map(readSection),
    find: (name) => read(store.kept.find(name)),
    isKept: (section) =>
      Bun.deepEquals(read(store.kept.find(section.name))?.settings, readSection(keptText(section)).settings),
    exported: (section) => writeSection(section, "hidden"),
    originOf: inForce.originOf,
    overruled: (name) => (store.kept.find(name) === null ? null : inForce.whyLeftOut(name)),
    leftOut: () =>
      inForce.leftOut(inForce.loaded()).map((name) => {
        const { called, showCommand } = placeOfSection(name);
        return `${JSON.stringify(called)}, which a command set, is not in force: \`${showCommand}\` says why`;
      }),
    faultsIn: (asked) => inForce.faultsIn(asked.map(keptText)),
    change,
    remove: (name, missing) =>
      store.kept.find(name) === null ? notKept(name, missing) : change({ save: [], remove: [name] }),
    notKept,
  };
  return { ...sections, check, keep };
}

const keptText = (section: KeptSection): KeptText => ({ name: section.name, toml: writeSection(section) });

/** Returns the kept sections as they will be after the change, in the order of the database. */
function textsAfter(kept: readonly KeptText[], { save, remove = [], renamed }: KeptChange): KeptText[] {
  const saved = new Map(save.map((section) => [section.name, keptText(section)]));
  const stay = kept
    .filter(({ name }) => !remove.includes(name))
    .map((text) => saved.get(text.name === renamed?.[0] ? renamed[1] : text.name) ?? text);
  const added = [...saved.values()].filter((text) => !stay.includes(text));
  return [...stay, ...added.toSorted((a, b) => (a.name < b.name ? -1 : 1))];
}

/**
 * Returns the keys that name a file too large to be a secret, or a device or pipe. Such a file is refused, because the
 * whole service waits while it is read.
 */
const endlessIn = ({ settings }: KeptSection): string[] =>
  Object.entries(settings).flatMap(([key, path]) => (key.endsWith("_file") && isEndless(path) ? [key] : []));

/**
 * Whether the path is a file of over 64 KiB, a device or a pipe. A device or a pipe may have no end, and reading an
 * empty pipe waits.
 */
function isEndless(path: string): boolean {
  const facts = orElse(null, () => statSync(path));
  return facts !== null && (!facts.isFile() || facts.size > 65_536);
}

/** Returns the refusal for a change to what the configuration file sets (R31). `from` is the line that sets it. */
function overruled(name: string, from: string): Refusal {
  const { field, called } = placeOfSection(name);
  const why = `${JSON.stringify(called)} stands in the configuration (${from}), and that wins: change it there`;
  return refuseField(field, why);
}

export const createStatusPageKeeper = (inForce: InForce, kept: SectionKeeper): StatusPageKeeper => ({
  list: () => {
    const { statusPages, server } = inForce.loaded().config;
    return statusPages.map(({ token, jobs, ...page }) => {
      const name = statusPageSectionName(page.application);
      const address = addressed(token, server.publicUrl);
      return { ...page, jobs: [...jobs], ...address, from: inForce.originOf(name), kept: kept.find(name) !== null };
    });
  },
  addressed: (token) => addressed(token, inForce.loaded().config.server.publicUrl),
});

const addressed = (token: string, home: string | null) => {
  const path = statusPath(token);
  return { path, address: home === null ? null : home + path };
};
