// What SQLite makes of the prepared statements: nothing that happens on every ping may read a table that grows.

import type { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { openStore } from "../../src/store/store.ts";
import { openTestDatabase } from "../support/database.ts";

/** The text of every statement that opening the store prepares. */
function preparedStatements(database: Database): string[] {
  const texts: string[] = [];
  const prepare = database.prepare.bind(database);
  const listening = new Proxy(database, {
    get: (target, property) => {
      if (property === "prepare") {
        return (text: string) => {
          texts.push(text);
          return prepare(text);
        };
      }
      const value: unknown = Reflect.get(target, property);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  openStore(listening);
  return texts;
}

const database = openTestDatabase();
const statements = preparedStatements(database);

const planOf = (text: string): string[] =>
  database
    .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`)
    .all()
    .map(({ detail }) => detail);

const one = (part: string): string => {
  const found = statements.filter((text) => text.includes(part));
  expect(found).toHaveLength(1);
  return found[0]!;
};

describe("no prepared statement reads a growing table from end to end", () => {
  const growing =
    /^SCAN (pings|p|runs|r|incidents|i|alerts|a|deliveries|d|api_keys|k|idempotency_answers|run_names|answer_names)\b/;
  /** Has rows only for what was not sent, or for open incidents. */
  const isShort = (line: string): boolean => / INDEX (deliveries_unsent_at|incidents_open)$/.test(line);

  test("there are statements to look at", () => {
    expect(statements.length).toBeGreaterThan(15);
  });

  for (const text of statements) {
    test(text.replace(/\s+/g, " ").slice(0, 90), () => {
      const scans = planOf(text).filter((line) => growing.test(line) && !isShort(line));
      expect(scans).toEqual([]);
    });
  }

  test("and a scan would be seen", () => {
    expect(planOf("SELECT id FROM pings p WHERE monitor_id = ?")).toEqual(["SCAN p"]);
    expect(planOf("DELETE FROM runs WHERE number = ?")).toEqual(["SCAN runs"]);
  });
});

test("deliveries that wait, or were given up, are listed by the index of those that were not sent, or in a part", () => {
  for (const condition of ["d.outcome IS NULL AND", "d.outcome = 'given_up' AND"]) {
    for (const text of statements.filter((statement) => statement.includes(condition))) {
      expect(planOf(text)).toContainEqual(
        expect.stringMatching(
          /INDEX deliveries_unsent_at \(destination=\? AND outcome=\?|PRIMARY KEY \(rowid>\? AND rowid<\?\)/,
        ),
      );
    }
  }
});

test("R33: of wrong reports the oldest are found beside whatever rate limits refused", () => {
  expect(planOf(one("LIMIT -1 OFFSET ?"))).toContainEqual(expect.stringContaining("INDEX refused_reports_wrong"));
});

test("what a key reports is found by the key: until its first report, that is asked each second", () => {
  for (const text of statements.filter((statement) => statement.includes("s.key_id = $keyId"))) {
    expect(planOf(text)[0]).toMatch(/^SEARCH s USING (COVERING )?INDEX senders_by_key \(key_id=\?\)/);
  }
});

describe("a ping", () => {
  test("finds its monitor by the identity and its application by its id", () => {
    const plan = planOf(one("FROM monitors WHERE application_id = ? AND key = ?"));
    expect(plan.filter((line) => line.startsWith("SEARCH")).toSorted()).toEqual([
      "SEARCH a USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH monitors USING INDEX monitors_identity (application_id=? AND key=?)",
    ]);
    expect(plan.filter((line) => line.startsWith("SCAN"))).toEqual([]);
  });

  test("finds runs by the small index of those that matter, or by their name", () => {
    expect(planOf(one("r.matters = 1 ORDER"))[0]).toStartWith("SEARCH r USING INDEX runs_that_matter (monitor_id=?");
    // Behind a subquery, so that SQLite does not plan it again for each start: 0.4 µs, or 4.
    expect(planOf(one("FROM run_names WHERE hash = (SELECT ?)"))).toContain(
      "SEARCH run_names USING PRIMARY KEY (hash=?)",
    );
    expect(planOf(one("r.id = ? AND r.monitor_id"))[0]).toBe("SEARCH r USING INTEGER PRIMARY KEY (rowid=?)");
  });

  test("finds the answer to its idempotency key by the key's hash", () => {
    expect(planOf(one("FROM answer_names WHERE hash = (SELECT ?)"))).toContain(
      "SEARCH answer_names USING PRIMARY KEY (hash=?)",
    );
    expect(planOf(one("FROM idempotency_answers WHERE id = ?"))[0]).toBe(
      "SEARCH idempotency_answers USING INTEGER PRIMARY KEY (rowid=?)",
    );
  });

  test("is appended to tables without an index, but of late ones, so its cost stays as it is", () => {
    const indexes = database.query(
      "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name IN ('pings', 'monitor_states', 'state_log')",
    );
    const ofLate = "CREATE INDEX `pings_late` ON `pings` (`happened_at`) WHERE happened_at is not null";
    expect(indexes.all()).toEqual([{ sql: ofLate }]);
  });
});
