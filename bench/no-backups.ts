// For engines that are only measured, which are never asked for a backup.

import { refuse } from "../src/domain/errors.ts";
import type { Backups } from "../src/engine/api.ts";

export const NO_BACKUPS: Backups = {
  begin: () => refuse("NOT_FOUND", "there are no backups here"),
  find: () => null,
  health: () => ({ directory: "", every: 0, keep: 0, underWay: null, lastFailure: null, nextAt: null, kept: [] }),
};
