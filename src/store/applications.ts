// The rows of applications: few, and rarely read. A deleted application keeps its row, which is in no list, so that old
// rows still find its slug. A new application with that slug takes the row over.

import type { Database } from "bun:sqlite";
import { and, eq, isNotNull, isNull } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { Instant } from "../domain/time.ts";
import { applications } from "./schema.ts";
import { columnsOf, type Stored } from "./sql.ts";

export type ApplicationRow = Readonly<Stored<typeof applications>>;

export function applicationRows(database: Database) {
  const queries = drizzle({ client: database });
  const count = database.prepare<{ count: number }, []>(
    "SELECT count(*) AS count FROM applications WHERE deleted_at IS NULL",
  );
  // The statement is prepared once, because every page asks for the list.
  const list = database.prepare<ApplicationRow, []>(
    `SELECT ${columnsOf(applications, "app")} FROM applications app WHERE app.deleted_at IS NULL ORDER BY app.slug`,
  );
  // The statement is prepared once, because each alert asks for its application.
  const byId = database.prepare<ApplicationRow, [number]>(
    `SELECT ${columnsOf(applications, "a")} FROM applications a WHERE a.id = ?`,
  );
  const there = isNull(applications.deletedAt);
  const change = (id: number, values: Partial<ApplicationRow>): void =>
    void queries.update(applications).set(values).where(eq(applications.id, id)).run();

  return {
    /** Finds an application by its slug, unless it was deleted. */
    find: (slug: string) =>
      queries
        .select()
        .from(applications)
        .where(and(eq(applications.slug, slug), there))
        .get() ?? null,
    /** Finds an application by its id, even one that was deleted. */
    byId: (id: number) => byId.get(id),
    /** Creates an application. Its slug must be free. */
    create: (slug: string, createdAt: Instant): ApplicationRow => {
      const fresh = { createdAt, name: null, suspendedAt: null, deletedAt: null };
      const deleted = and(eq(applications.slug, slug), isNotNull(applications.deletedAt));
      const again = queries.update(applications).set(fresh).where(deleted).returning().get();
      return again ?? queries.insert(applications).values({ slug, createdAt }).returning().get();
    },
    rename: (id: number, name: string | null) => change(id, { name }),
    /** Suspends an application, or ends its suspension with `null`. */
    suspend: (id: number, suspendedAt: Instant | null) => change(id, { suspendedAt }),
    delete: (id: number, deletedAt: Instant) => change(id, { deletedAt }),
    /** The applications that are not deleted, sorted by slug. */
    list: () => list.all(),
    count: () => count.get()!.count,
  };
}
