// Makes a page of a database unreadable, as a failing disk does.

import type { Database } from "bun:sqlite";
import { closeSync, openSync, readSync, writeSync } from "node:fs";

/** Damages the page with the first rows of a table that fills several pages. The returned function repairs it. */
export function damageFirstRows(database: Database, table: string): () => void {
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const { pageno } = database
    .query<{ pageno: number }, [string]>(
      "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path LIMIT 1",
    )
    .get(table)!;
  const { page_size } = database.query<{ page_size: number }, []>("PRAGMA page_size").get()!;
  const offset = (pageno - 1) * page_size;
  const sound = Buffer.alloc(page_size);
  const file = openSync(database.filename, "r");
  readSync(file, sound, 0, page_size, offset);
  closeSync(file);
  write(database, Buffer.alloc(page_size, 0xff), offset);
  return () => write(database, sound, offset);
}

function write(database: Database, page: Buffer, offset: number): void {
  const file = openSync(database.filename, "r+");
  writeSync(file, page, 0, page.length, offset);
  closeSync(file);
  // The connection forgets the pages that it has in memory.
  database.run("PRAGMA shrink_memory");
}
