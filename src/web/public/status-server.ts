// The status pages where there is no dashboard: they are asked for by themselves, and stay when it is switched off or
// at another address.

import { Elysia } from "elysia";
import { refusalAnswer } from "../../http/errors.ts";
import type { MakePages } from "../../http/pages.ts";
import { patternsOf } from "../patterns.ts";
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
