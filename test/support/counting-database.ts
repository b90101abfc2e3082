// A database that counts how often its prepared statements run.

import type { Database } from "bun:sqlite";

const RUNS = ["get", "all", "values", "run", "iterate"];

/** Wraps the database; `count` returns how many statements ran since it was last called. */
export function countingRuns(database: Database): { readonly database: Database; readonly count: () => number } {
  let runs = 0;
  const spied = (value: object): object =>
    new Proxy(value, {
      get: (target, property) => {
        const member: unknown = Reflect.get(target, property);
        if (typeof member !== "function") return member;
        if (property === "prepare" || property === "query") return (sql: string) => spied(member.call(target, sql));
        if (RUNS.includes(String(property))) runs++;
        return member.bind(target);
      },
    });
  const count = (): number => {
    const counted = runs;
    runs = 0;
    return counted;
  };
  return { database: spied(database) as Database, count };
}
