// The rules of time zones by which slots were last computed (R12). When a zone file is updated, even while rollcall
// does not run, comparing with these rules shows which schedules have changed.

import type { Database } from "bun:sqlite";
import { zoneText } from "../domain/schedule/zone.ts";

export type ZoneRulesRow = Readonly<{ name: string; rules: string }>;

export type ZoneRows = ReturnType<typeof zoneRows>;

export function zoneRows(database: Database) {
  const all = database.prepare<ZoneRulesRow, []>("SELECT name, rules FROM zone_rules");
  const known = database.prepare<{ name: string }, [string]>("SELECT name FROM zone_rules WHERE name = ?");
  const add = database.prepare<null, [string, string]>("INSERT OR IGNORE INTO zone_rules (name, rules) VALUES (?, ?)");
  const replace = database.prepare<null, [ZoneRulesRow]>(
    "INSERT INTO zone_rules (name, rules) VALUES ($name, $rules) ON CONFLICT (name) DO UPDATE SET rules = $rules",
  );
  const inUse = database.prepare<{ name: string }, []>(
    "SELECT DISTINCT timezone AS name FROM monitors WHERE deleted_at IS NULL",
  );
  /**
   * Stores the present rules of a zone that a monitor gets. Rules that are stored already are kept, because slots were
   * computed by them.
   */
  function use(name: string): void {
    if (known.get(name) !== null) return;
    const rules = zoneText(name);
    if (rules !== null) add.run(name, rules);
  }
  return {
    all: () => all.all(),
    use,
    replace: (row: ZoneRulesRow) => void replace.run(row),
    /** The zones in which monitors are now. The query reads all monitors. */
    inUse: () => inUse.all().map(({ name }) => name),
  };
}
