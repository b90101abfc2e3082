// Databases with many monitors or a long history, which are written by SQL while no service runs: a million reports
// over HTTP would take longer than the measurement. Rows that the service itself has written are copied, so that this
// file need not know their meaning.

import { Database } from "bun:sqlite";
import { join } from "node:path";

const columnsOf = (database: Database, table: string): string[] =>
  database
    .query<{ name: string }, []>(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => name);

/** The numbers from 1 to `count` as a table `numbers (n)`. */
const numbersTo = (count: number): string =>
  `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`;

/** Adds `count` copies of a table's only row, with other values in these columns. */
function copyRows(database: Database, table: string, count: number, other: Readonly<Record<string, string>>): void {
  const columns = columnsOf(database, table);
  const values = columns.map((name) => other[name] ?? name);
  database.run(
    `INSERT INTO ${table} (${columns.join(", ")}) ${numbersTo(count)}
     SELECT ${values.join(", ")} FROM numbers, (SELECT * FROM ${table} LIMIT 1)`,
  );
}

function withDatabase(directory: string, change: (database: Database) => void): void {
  const database = new Database(join(directory, "data/rollcall.db"));
  database.run("PRAGMA synchronous = OFF");
  database.transaction(() => change(database))();
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

/** Adds the monitors `job-2` to `job-<count>` to a directory with the one monitor `job-1`. */
export const fillMonitors = (directory: string, count: number): void =>
  withDatabase(directory, (database) => {
    const id = "(SELECT max(id) FROM monitors)";
    copyRows(database, "monitor_states", count - 1, { monitor_id: `${id} + n`, ping_count: "0", last_ping_id: "NULL" });
    copyRows(database, "monitors", count - 1, { id: `${id} + n`, key: "'job-' || (n + 1)" });
  });

/** Adds `count` pings, spread over the monitors; they are as old as the copied one. */
export const fillHistory = (directory: string, count: number): void =>
  withDatabase(directory, (database) => {
    const monitors = "(SELECT count(*) FROM monitors)";
    copyRows(database, "pings", count, {
      id: "(SELECT max(id) FROM pings) + n",
      monitor_id: `n % ${monitors} + 1`,
      number: `n / ${monitors} + 1`,
      previous_id: "NULL",
    });
  });

/** Changes the database as if all of it had happened that many milliseconds earlier, and nothing had run since. */
export const ageBy = (directory: string, milliseconds: number): void =>
  withDatabase(directory, (database) => {
    for (const table of ["monitors", "monitor_states", "pings", "liveness"]) {
      const instants = columnsOf(database, table).filter((name) => /_at$|^at$/.test(name));
      database.run(`UPDATE ${table} SET ${instants.map((name) => `${name} = ${name} - ${milliseconds}`).join(", ")}`);
    }
  });
