// What operations keep beside the configuration (R31), checked as that is and put in force by a reload.

import { keptAs } from "../../config/kept-tables.ts";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { statusPath } from "../../domain/people/status-page-settings.ts";
import { statusPagePath, tableAt } from "../../domain/settings/kept.ts";
import type { KeptChange, Reloads, StatusPageKeeper, TableKeeper } from "../../engine/reloads.ts";
import type { Store } from "../../store/store.ts";
import { systemClock } from "../clock.ts";
import { type InForce, overruled } from "./in-force.ts";

export interface KeptTablesParts {
  readonly inForce: InForce;
  readonly store: Store;
  readonly reloads: Reloads;
}

export function createTableKeeper({ inForce, store, reloads }: KeptTablesParts): TableKeeper {
  function change({ save, remove = [] }: KeptChange): Refusal | null {
    const checked = inForce.readChanged({ save, remove });
    if (isRefusal(checked)) return checked;
    for (const path of remove) store.keptTables.remove(path);
    for (const table of save) store.keptTables.save(table, systemClock.now());
    reloads.begin();
    return null;
  }

  return {
    all: store.keptTables.all,
    originOf: inForce.originOf,
    overruled: (path) => {
      const table = tableAt(store.keptTables.all(), path);
      return table === undefined ? null : inForce.whyLeftOut(table);
    },
    leftOut: () =>
      inForce.leftOut(inForce.loaded()).map((path) => {
        const { name, list } = keptAs(path);
        return `${JSON.stringify(name)}, which a command set, is not in force: \`${list}\` says why`;
      }),
    faultsIn: inForce.faultsIn,
    change,
    remove: (path, missing) =>
      tableAt(store.keptTables.all(), path) === undefined
        ? notKept(inForce, path, missing)
        : change({ save: [], remove: [path] }),
  };
}

export function notKept(inForce: InForce, path: string, missing: string): Refusal {
  const from = inForce.originOf(path);
  return from === null || from === keptAs(path).by ? refuse("NOT_FOUND", missing) : overruled(path, from);
}

export const createStatusPageKeeper = (inForce: InForce, tables: TableKeeper): StatusPageKeeper => ({
  list: () => {
    const { statusPages, server } = inForce.loaded().config;
    const kept = new Set(tables.all().map(({ path }) => path));
    return statusPages.map(({ token, jobs, ...page }) => {
      const table = statusPagePath(page.application);
      const address = addressed(token, server.publicUrl);
      return { ...page, jobs: [...jobs], ...address, from: inForce.originOf(table), kept: kept.has(table) };
    });
  },
  addressed: (token) => addressed(token, inForce.loaded().config.server.publicUrl),
});

const addressed = (token: string, home: string | null) => {
  const path = statusPath(token);
  return { path, address: home === null ? null : home + path };
};
