// For engines of tests without a configuration to read again.

import type { Reload, Reloads } from "../../src/engine/reloads.ts";

const DONE: Reload = { id: 1, state: "done", changed: [], restart: [], faults: [], warnings: [] };

export const NO_RELOADS: Reloads = { begin: () => DONE, find: (id) => (id === DONE.id ? DONE : null) };
