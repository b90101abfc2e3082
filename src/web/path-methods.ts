// Finds out which methods a path of ours takes, by looking at the routes themselves.

import type { AnyElysia } from "elysia";

const METHODS = ["GET", "POST"];

/** Returns a function that tells the methods of a path; none when no route has the path. */
export function methodsOfPaths({ routes }: AnyElysia): (path: string) => readonly string[] {
  const patterns = routes.map(({ method, path }) => ({ method, path: asPattern(path) }));
  return (path) => METHODS.filter((method) => patterns.some((one) => one.method === method && one.path.test(path)));
}

/** The pattern of the paths that a route takes: that of `/jobs/:key` matches `/jobs/backup`. */
const asPattern = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}/?$`);
