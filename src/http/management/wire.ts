// The paths and headers by which commands ask a service for operations over HTTP. The headers hold facts that a command
// needs to print an answer.

import { toIso } from "../../domain/time.ts";
import type { Engine } from "../../engine/engine.ts";

export const ADMIN_PATH = "/api/admin/v1/";

export const ADMIN_DOCUMENT_PATH = `${ADMIN_PATH}openapi.json`;

export const pathNameOf = (name: string): string => name.replaceAll(" ", ".");

export const operationNameIn = (pathName: string): string => pathName.replaceAll(".", " ");

/**
 * The headers of every successful response: the service's time, the server's time zone, and whether there is only one
 * application.
 */
export const VIEW_CONTEXT = {
  now: "rollcall-now",
  timezone: "rollcall-timezone",
  onlyApplication: "rollcall-only-application",
} as const;

export function withViewContextHeader(response: Response, engine: Engine): Response {
  if (!response.ok) return response;
  const { now, timezone, onlyApplication } = engine.views.viewContext();
  response.headers.set(VIEW_CONTEXT.now, toIso(now));
  response.headers.set(VIEW_CONTEXT.timezone, timezone);
  response.headers.set(VIEW_CONTEXT.onlyApplication, String(onlyApplication));
  return response;
}
