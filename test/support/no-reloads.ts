// For engines of tests without a configuration to read again.

import type {
  DestinationKeeper,
  DestinationTrial,
  Reload,
  Reloads,
  StatusPageKeeper,
  TableKeeper,
} from "../../src/engine/reloads.ts";

const DONE: Reload = { id: 1, state: "done", changed: [], restart: [], faults: [], warnings: [] };

export const NO_RELOADS: Reloads = { begin: () => DONE, find: (id) => (id === DONE.id ? DONE : null) };

const KEPT: DestinationTrial = { id: 1, name: "phone", type: "ntfy", state: "kept", answer: null };

export const NO_DESTINATIONS: DestinationKeeper = {
  kinds: () => [{ type: "ntfy", sample: "ntfy", keys: [] }],
  list: () =>
    ["phone", "hook"].map((name) => ({
      ...{ name, type: "ntfy", settings: [], from: null },
      ...{ kept: true, byDefault: true, overruled: null },
    })),
  routes: () => [],
  add: (_wanted, _test, noteDone) => {
    noteDone();
    return { trial: KEPT, begin: null };
  },
  changed: (name, settings) => ({ name, settings, application: null }),
  find: (id) => (id === KEPT.id ? KEPT : null),
  rename: (name, newName) => ({ name, newName, waiting: 0 }),
  toml: () => "",
  remove: () => null,
};

export const NO_TABLES: TableKeeper = {
  all: () => [{ path: "team.members.ada@example.org", settings: { name: "Ada", email: "ada@example.org" } }],
  originOf: () => null,
  overruled: () => null,
  leftOut: () => [],
  faultsIn: (tables) => tables.map(() => "none is kept here"),
  change: () => null,
  remove: () => null,
};

export const NO_STATUS_PAGES: StatusPageKeeper = {
  list: () => [],
  addressed: (token) => ({ path: `/status/${token}`, address: null }),
};
