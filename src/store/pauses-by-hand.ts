// The rows that say who asked for a pause by hand, and why. Whether it stands is a fact of the monitor.

import type { Database } from "bun:sqlite";
import { pausesByHand } from "./schema-people.ts";
import { assignmentsOf, insertInto, type Stored } from "./sql.ts";

export type PauseByHand = Readonly<Stored<typeof pausesByHand>>;

export interface PauseByHandRows {
  /** In the place of an earlier one. */
  save(pause: PauseByHand): void;
}

export function pauseByHandRows(database: Database): PauseByHandRows {
  const save = database.prepare<null, [PauseByHand]>(
    `${insertInto(pausesByHand)} ON CONFLICT (monitor_id) DO UPDATE SET ${assignmentsOf(pausesByHand, ["monitorId"])}`,
  );
  return { save: (pause) => void save.run(pause) };
}
