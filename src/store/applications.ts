// Reads and writes applications. A deleted application keeps its row, so that old rows still find its slug, but no list
// shows it. A new application with the same slug takes over that row.

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
  // Every page asks for this list, so the query is prepared once. Drizzle would make it again each time.
  const list = database.prepare<ApplicationRow, []>(
    `SELECT ${columnsOf(applications, "app")} FROM applications app WHERE app.deleted_at IS NULL ORDER BY app.slug`,
  );
  // Each alert asks for its application, so this query is prepared once too.
  const byId = database.prepare<ApplicationRow, [number]>(
    `SELECT ${columnsOf(applications, "a")} FROM applications a WHERE a.id = ?`,
  );
  const there = isNull(applications.deletedAt);
  const change = (id: number, values: Partial<ApplicationRow>): void =>
    void queries.update(applications).set(values).where(eq(applications.id, id)).run();

  return {
    /** Finds an application by its slug; `null` when there is none or it was deleted. */
    find: (slug: string) =>
      queries
        .select()
        .from(applications)
        .where(and(eq(applications.slug, slug), there))
        .get() ?? null,
    /** Finds an application by its id, even a deleted one. */
    byId: (id: number) => byId.get(id),
    /** Creates an application. No application may have the slug, except a deleted one, whose row is then used again. */
    create: (slug: string, createdAt: Instant): ApplicationRow => {
      const fresh = { createdAt, name: null, suspendedAt: null, deletedAt: null };
      const deleted = and(eq(applications.slug, slug), isNotNull(applications.deletedAt));
      const again = queries.update(applications).set(fresh).where(deleted).returning().get();
      return again ?? queries.insert(applications).values({ slug, createdAt }).returning().get();
    },
    rename: (id: number, name: string | null) => change(id, { name }),
    /** Suspends an application from this instant on; with `null` the suspension ends. */
    suspend: (id: number, suspendedAt: Instant | null) => change(id, { suspendedAt }),
    delete: (id: number, deletedAt: Instant) => change(id, { deletedAt }),
    list: () => list.all(),
    count: () => count.get()!.count,
  };
}
