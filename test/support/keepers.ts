// Keeps sections beside a configuration as `rollcall serve` does, for engines of tests.

import { createDestinationKeeper } from "../../src/cli/serving/destination-keeper.ts";
import { createInForce } from "../../src/cli/serving/in-force.ts";
import { createKeeper } from "../../src/cli/serving/section-keeper.ts";
import { createSending } from "../../src/cli/serving/sending.ts";
import type { KeptText } from "../../src/domain/settings/kept.ts";
import type { Store } from "../../src/store/store.ts";
import { loadIn, withToml } from "./config-world.ts";
import { NO_RELOADS } from "./no-reloads.ts";

const silent = (): void => {};

/** `toml` is the written configuration. It throws when the configuration is faulty. */
export const keepersBeside = (toml: string) => (store: Store) => {
  const read = (kept: readonly KeptText[]) => loadIn(withToml(toml, { kept }));
  const first = read([]);
  if ("faults" in first) throw new Error(JSON.stringify(first.faults));
  const inForce = createInForce(first, read);
  inForce.keep(store.kept.all);
  const kept = createKeeper({ inForce, store, reloads: NO_RELOADS });
  const sending = createSending(store.database, { makeRoom: silent, wasShort: () => false }, silent);
  return { kept, destinations: createDestinationKeeper({ inForce, store, sending, kept, log: silent }) };
};
