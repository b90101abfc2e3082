// This is a macro: it runs when the program is transpiled or compiled and puts its result into the code, so that the
// executable contains its migrations. Import it only `with { type: "macro" }`; at run time there is no folder to read.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The SQL files under drizzle/ in the order of their numbered names; `name` is the file's name without `.sql`. */
export function readMigrations(): { name: string; sql: string }[] {
  const folder = join(import.meta.dir, "../../../drizzle");
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  if (files.length === 0) throw new Error(`no migrations in ${folder}`);
  return files
    .sort()
    .map((file) => ({ name: file.slice(0, -".sql".length), sql: readFileSync(join(folder, file), "utf8") }));
}
