// What operations keep beside the configuration (R31), checked as that is and put in force by a reload: status pages.

import { keptBy } from "../../config/load.ts";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { statusPath } from "../../domain/people/status-page-settings.ts";
import type {
  AddedStatusPage,
  Reloads,
  ShownStatusPage,
  StatusPageKeeper,
  WantedStatusPage,
} from "../../engine/reloads.ts";
import type { Store } from "../../store/store.ts";
import { systemClock } from "../clock.ts";
import { type AskedTable, type InForce, overruled } from "./in-force.ts";

export interface KeptTablesParts {
  readonly inForce: InForce;
  readonly store: Store;
  readonly reloads: Reloads;
}

/** What is removed stays in force where the configuration cannot be read again: so it is refused then. */
export function removeTable(
  { inForce, store, reloads }: KeptTablesParts,
  path: string,
  asked: AskedTable,
  missing: string,
): Refusal | null {
  if (!store.keptTables.all().some((table) => table.path === path)) return notKept(inForce, path, asked, missing);
  const checked = inForce.readChanged({ save: [], remove: [path] }, asked);
  if (isRefusal(checked)) return checked;
  store.keptTables.remove(path);
  reloads.begin();
  return null;
}

export function notKept(inForce: InForce, path: string, asked: AskedTable, missing: string): Refusal {
  const from = inForce.originOf(path);
  return from === null || from === keptBy(path) ? refuse("NOT_FOUND", missing) : overruled(asked, from);
}

type Addressed = Pick<ShownStatusPage, "path" | "address">;

export function createStatusPageKeeper(parts: KeptTablesParts) {
  const { inForce, store, reloads } = parts;
  const pathFor = (application: string): string => `applications.${application}.status_page`;
  const addressOf = (token: string): Addressed => {
    const home = inForce.loaded().config.server.publicUrl;
    const path = statusPath(token);
    return { path, address: home === null ? null : home + path };
  };
  return {
    list: (): ShownStatusPage[] => {
      const { statusPages } = inForce.loaded().config;
      const kept = new Set(store.keptTables.all().map(({ path }) => path));
      return statusPages.map(({ token, jobs, ...page }) => {
        const table = pathFor(page.application);
        const address = addressOf(token);
        return { ...page, jobs: [...jobs], ...address, from: inForce.originOf(table), kept: kept.has(table) };
      });
    },
    keep: (application: string, settings: WantedStatusPage): AddedStatusPage | Refusal => {
      const wanted = { path: pathFor(application), settings };
      const checked = inForce.readChanged({ save: [wanted] }, { field: "application", name: application });
      if (isRefusal(checked)) return checked;
      const replaced = store.keptTables.all().some(({ path }) => path === wanted.path);
      store.keptTables.save(wanted, systemClock.now());
      reloads.begin();
      return { ...addressOf(settings.token), replaced };
    },
    remove: (application: string): Refusal | null => {
      const missing = `application: ${JSON.stringify(application)} has no status page`;
      return removeTable(parts, pathFor(application), { field: "application", name: application }, missing);
    },
  } satisfies StatusPageKeeper;
}
