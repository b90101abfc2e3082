// Answers requests for which there is no route, and requests whose handler failed: with JSON to programs, with a page
// to people.

import { type Refusal, refuse } from "../domain/errors.ts";
import { NO_SUCH_PATH } from "./api/read-path.ts";
import { methodResponse, refusalResponse } from "./error-responses.ts";
import type { Pages } from "./handler.ts";
import { METRICS_PATH } from "./metrics/metrics.ts";
import { HEALTH_PATHS } from "./readiness.ts";
import { splitRequestTarget } from "./request-target.ts";

const FOR_PROGRAMS = /^\/(?:api|ping|healthz|readyz|metrics)(?:\/|$)/;

/** A job whose server's address ends with a slash asks so. It must be told as a program is, not by a page. */
const DOUBLED = refuse("NOT_FOUND", "the path begins with two slashes: rollcall's address must not end with one");

const NO_SUCH_PAGE = refuse("NOT_FOUND", "the address may be mistyped, or what it showed has been deleted");

const READ_ONLY: readonly string[] = [...Object.values(HEALTH_PATHS), METRICS_PATH];

/**
 * Makes the functions that refuse requests. `pages` is `null` when the server has no pages for people; then everyone
 * gets JSON.
 */
export function createUnrouted(pages: Pages | null) {
  const refused = (request: Request, refusal: Refusal): Response => {
    const isPage = pages !== null && !FOR_PROGRAMS.test(splitRequestTarget(request.url).path);
    return isPage ? pages.refused(request, refusal) : refusalResponse(refusal);
  };

  function unrouted(request: Request, refuseHost: (request: Request) => Refusal | null): Response {
    const { path } = splitRequestTarget(request.url);
    if (READ_ONLY.includes(path.replace(/\/$/, ""))) return methodResponse(request.method, "GET, HEAD");
    if (path.startsWith("//") && FOR_PROGRAMS.test(path.replace(/^\/+/, "/"))) return refusalResponse(DOUBLED);
    if (pages === null || FOR_PROGRAMS.test(path)) return refusalResponse(NO_SUCH_PATH);
    const foreign = refuseHost(request);
    if (foreign !== null) return pages.refused(request, foreign);
    const allowed = pages.allowed(path);
    const isTaken = allowed.includes(request.method === "HEAD" ? "GET" : request.method);
    if (isTaken || allowed.length === 0) return pages.refused(request, NO_SUCH_PAGE);
    const refusal = refuse("METHOD_NOT_ALLOWED", `${request.method} is not taken here`);
    return pages.refused(request, refusal, { allow: allowed.join(", ") });
  }

  return { refused, unrouted };
}
