// The routes of an Elysia application as Bun routes them. Elysia makes them so when it listens by itself; here they may be
// replaced while the server listens.

import type { AnyElysia } from "elysia";
import { createBunRouteHandler } from "elysia/adapter/bun/compose";
import type { Answered } from "./handler.ts";

type RouteHandler = (request: Request) => Answered;

/** By pattern and method. Bun answers HEAD by GET, and splits a path before it decodes it. */
export function bunRoutesOf(app: AnyElysia): Record<string, Record<string, RouteHandler>> {
  const routes: Record<string, Record<string, RouteHandler>> = {};
  app.compile();
  for (const route of app.router.history) {
    let handle: RouteHandler | null = null;
    const pattern = encodeURI(route.path).replace(/(?<=.)\/$/, "");
    routes[pattern] ??= {};
    routes[pattern][route.method] = (request) => {
      handle ??= createBunRouteHandler(app, route) as RouteHandler;
      return handle(request);
    };
  }
  return routes;
}
