// Puts the SQL of the migrations into the program when it is compiled, because the executable has no folder drizzle/ to
// read. Such code is a macro of Bun: import it only `with { type: "macro" }`.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The SQL files under drizzle/, sorted by name. `name` is the file's name without `.sql`. */
export function readMigrations(): { name: string; sql: string }[] {
  const folder = join(import.meta.dir, "../../../drizzle");
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  if (files.length === 0) throw new Error(`no migrations in ${folder}`);
  return files
    .sort()
    .map((file) => ({ name: file.slice(0, -".sql".length), sql: readFileSync(join(folder, file), "utf8") }));
}
