// Which methods a path of ours takes, from the routes themselves.

import type { AnyElysia } from "elysia";

const METHODS = ["GET", "POST"];

/** Answers the methods of a path; none: no route has it. */
export function patternsOf({ routes }: AnyElysia): (path: string) => readonly string[] {
  const patterns = routes.map(({ method, path }) => ({ method, path: asPattern(path) }));
  return (path) => METHODS.filter((method) => patterns.some((one) => one.method === method && one.path.test(path)));
}

/** `/jobs/:key` as the paths that it stands for. */
const asPattern = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}/?$`);
