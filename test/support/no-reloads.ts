// Reloads for engines of tests that have no configuration to read again.

import type {
  DestinationKeeper,
  DestinationTrial,
  Reload,
  Reloads,
  SectionKeeper,
  StatusPageKeeper,
} from "../../src/engine/engine-settings.ts";

const DONE: Reload = { id: 1, state: "done", changed: [], restart: [], faults: [], warnings: [] };

export const NO_RELOADS: Reloads = { begin: () => DONE, find: (id) => (id === DONE.id ? DONE : null) };

const KEPT: DestinationTrial = { id: 1, name: "phone", type: "ntfy", state: "kept", answer: null };

export const NO_DESTINATIONS: DestinationKeeper = {
  kinds: () => [{ type: "ntfy", called: "ntfy", sample: "ntfy", keys: [] }],
  list: () =>
    ["phone", "hook"].map((name) => ({
      name,
      type: "ntfy",
      settings: [],
      from: null,
      kept: true,
      byDefault: true,
      overruled: null,
    })),
  secretKeys: [],
  add: (_wanted, _test, noteDone) => {
    noteDone();
    return { trial: KEPT, begin: null };
  },
  find: (id) => (id === KEPT.id ? KEPT : null),
  renameWaitingMessages: () => 0,
};

const PHONE = { name: "destination phone", settings: { type: "ntfy" } };

const ADA = { name: "member ada@example.org", settings: { name: "Ada", email: "ada@example.org" } };

export const NO_KEPT: SectionKeeper = {
  all: () => [PHONE, ADA],
  find: (asked) => [PHONE, ADA].find(({ name }) => name === asked) ?? null,
  isKept: () => true,
  exported: () => "",
  originOf: () => null,
  overruled: () => null,
  leftOut: () => [],
  faultsIn: (sections) => sections.map(() => "none is kept here"),
  change: () => null,
  remove: () => null,
  notKept: (_name, missing) => missing,
};

export const NO_STATUS_PAGES: StatusPageKeeper = {
  list: () => [],
  addressed: (token) => ({ path: `/status/${token}`, address: null }),
};
