// What both ends of an operation over HTTP agree on: its path, and headers with the facts that the words of screens
// depend on.

import { toIso } from "../../domain/time.ts";
import type { Engine } from "../../engine/engine.ts";

export const ADMIN_PATH = "/api/admin/v1/";

export const ADMIN_DOCUMENT_PATH = `${ADMIN_PATH}openapi.json`;

export const pathNameOf = (name: string): string => name.replaceAll(" ", ".");

export const operationNameIn = (pathName: string): string => pathName.replaceAll(".", " ");

/** Headers of every good response: the service's time, the server's zone, and whether there is only one application. */
export const VIEW_CONTEXT = {
  now: "rollcall-now",
  timezone: "rollcall-timezone",
  onlyApplication: "rollcall-only-application",
} as const;

export function withViewContext(response: Response, engine: Engine): Response {
  if (!response.ok) return response;
  const { now, timezone, onlyApplication } = engine.views.viewContext();
  response.headers.set(VIEW_CONTEXT.now, toIso(now));
  response.headers.set(VIEW_CONTEXT.timezone, timezone);
  response.headers.set(VIEW_CONTEXT.onlyApplication, String(onlyApplication));
  return response;
}
