// The status pages where there is no dashboard: they are asked for by themselves, and stay when it is switched off or
// at another address.

import { type AnyElysia, Elysia } from "elysia";
import { refusalAnswer } from "../../http/errors.ts";
import type { MakePages } from "../../http/handler.ts";
import { type StatusParts, statusRoutes } from "./status-routes.tsx";

export const createStatusPages =
  (parts: StatusParts): MakePages =>
  (entrance) => {
    const routes = new Elysia({ name: "status-alone" }).use(statusRoutes(parts, entrance));
    return {
      routes,
      allowed: patternsOf(routes),
      admit: (_request, _socket, answer) => answer(),
      stop: () => {},
      refused: (_request, refusal) => refusalAnswer(refusal),
    };
  };

// Which methods a path of ours takes, from the routes themselves.

const METHODS = ["GET", "POST"];

/** Answers the methods of a path; none: no route has it. */
export function patternsOf({ routes }: AnyElysia): (path: string) => readonly string[] {
  const patterns = routes.map(({ method, path }) => ({ method, path: asPattern(path) }));
  return (path) => METHODS.filter((method) => patterns.some((one) => one.method === method && one.path.test(path)));
}

/** `/jobs/:key` as the paths that it stands for. */
const asPattern = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}/?$`);
