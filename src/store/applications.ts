// The rows of applications: few, rarely read, never deleted.

import type { Database } from "bun:sqlite";
import { asc, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { Instant } from "../domain/time.ts";
import { applications } from "./schema.ts";

export interface ApplicationRow {
  readonly id: number;
  readonly slug: string;
  readonly createdAt: Instant;
}

export interface ApplicationRows {
  find(slug: string): ApplicationRow | null;
  /** The slug must be free. */
  create(slug: string, createdAt: Instant): ApplicationRow;
  /** By slug, ascending. */
  list(): ApplicationRow[];
  count(): number;
}

export function applicationRows(database: Database): ApplicationRows {
  const queries = drizzle({ client: database });
  const count = database.prepare<{ count: number }, []>("SELECT count(*) AS count FROM applications");
  return {
    find: (slug) => queries.select().from(applications).where(eq(applications.slug, slug)).get() ?? null,
    create: (slug, createdAt) => queries.insert(applications).values({ slug, createdAt }).returning().get(),
    list: () => queries.select().from(applications).orderBy(asc(applications.slug)).all(),
    count: () => count.get()!.count,
  };
}
