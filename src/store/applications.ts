// The rows of applications: few, rarely read. A deleted one keeps its row, which is in no list, so that old rows still
// find its slug; creating one of that slug again takes the row over.

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
  // Every page asks for it.
  const list = database.prepare<ApplicationRow, []>(
    `SELECT ${columnsOf(applications, "app")} FROM applications app WHERE app.deleted_at IS NULL ORDER BY app.slug`,
  );
  // Each alert asks for it.
  const byId = database.prepare<ApplicationRow, [number]>(
    `SELECT ${columnsOf(applications, "a")} FROM applications a WHERE a.id = ?`,
  );
  const there = isNull(applications.deletedAt);
  const change = (id: number, values: Partial<ApplicationRow>): void =>
    void queries.update(applications).set(values).where(eq(applications.id, id)).run();

  return {
    /** None that is deleted. */
    find: (slug: string) =>
      queries
        .select()
        .from(applications)
        .where(and(eq(applications.slug, slug), there))
        .get() ?? null,
    /** Deleted or not. */
    byId: (id: number) => byId.get(id),
    /** The slug must be free. */
    create: (slug: string, createdAt: Instant): ApplicationRow => {
      const fresh = { createdAt, name: null, suspendedAt: null, deletedAt: null };
      const deleted = and(eq(applications.slug, slug), isNotNull(applications.deletedAt));
      const again = queries.update(applications).set(fresh).where(deleted).returning().get();
      return again ?? queries.insert(applications).values({ slug, createdAt }).returning().get();
    },
    rename: (id: number, name: string | null) => change(id, { name }),
    /** Null: it is not suspended any more. */
    suspend: (id: number, suspendedAt: Instant | null) => change(id, { suspendedAt }),
    delete: (id: number, deletedAt: Instant) => change(id, { deletedAt }),
    /** By slug, ascending; none that is deleted. */
    list: () => list.all(),
    count: () => count.get()!.count,
  };
}
