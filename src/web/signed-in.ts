// Gives pages their viewer and admits only people who have signed in. A request that changes something must also come
// from a page of ours.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../domain/errors.ts";
import { asTypedBy } from "../domain/wording/wording.ts";
import type { Engine } from "../engine/engine.ts";
import { actedIn } from "../engine/operations/operations.ts";
import type { Socket } from "../http/handler.ts";
import { type Done, type Toast, toastOf } from "./acts/done.ts";
import type { PagesParts } from "./pages-parts.ts";
import { formOf } from "./posted-form.ts";
import { pageBefore, refusalPage } from "./refusal-page.tsx";
import { isFromOurPages, notFromOurPages } from "./request-source.ts";
import { redirect } from "./response.ts";
import { asActor, type Viewer } from "./viewer.ts";

export const SIGN_IN_PATH = "/sign-in";

const NOT_SIGNED_IN = refuse("AUTHENTICATION_REQUIRED", "you are not signed in, or have been away for too long");
export type Asking = ReturnType<typeof askingOf>;

type AskedParts = Pick<PagesParts, "engine" | "commandLine" | "toasts">;

function askingOf({ engine, commandLine, toasts }: AskedParts, request: Request, server: Socket, viewer: Viewer) {
  const done: Done[] = [];
  let said: string | null = null;
  return {
    engine,
    commandLine,
    request,
    server,
    viewer,
    search: new URL(request.url).searchParams,
    operate: ((name, given) => {
      const answer = engine.as(asActor(viewer)).operate(name, given);
      if (isRefusal(answer)) return typedBy(answer, commandLine);
      if (actedIn(name) !== null) done.push({ name, given, answer: answer as object });
      return answer;
    }) as ReturnType<Engine["as"]>["operate"],
    /** Sets the toast on the next page, for an operation whose own words say too little. */
    say: (sentence: string): void => {
      said = sentence;
    },
    /** The toast for the next page; `null` when nothing was done. */
    toastToCome: (): Toast | null => (said === null ? toastOf(done) : { says: said, undo: null }),
    /** The toast about what the person did just before this page; `null` when there is nothing to tell. */
    toast: request.method === "GET" ? toasts.take(viewer, request.url) : null,
  };
}

const typedBy = (refusal: Refusal, commandLine: string): Refusal => ({
  ...refusal,
  message: asTypedBy(refusal.message, commandLine),
  ...(refusal.problem !== undefined && { problem: asTypedBy(refusal.problem, commandLine) }),
});

/**
 * Makes the plugin that must be used by every plugin with pages for people who have signed in. A refusal that a route
 * returns becomes a page. Elysia does not read the body of a form, because `formOf` reads it and counts its bytes.
 */
export const signedIn = ({
  viewerOf,
  requestOrigin,
  ...parts
}: Pick<PagesParts, "viewerOf" | "requestOrigin"> & AskedParts) =>
  new Elysia({ name: "signed-in", seed: viewerOf })
    .onParse({ as: "scoped" }, () => null)
    .derive({ as: "scoped" }, ({ request, server }) => ({
      asked: viewerOf(request, server),
      isSecure: requestOrigin.isSecure(request, server),
    }))
    .onBeforeHandle({ as: "scoped" }, ({ request, asked, isSecure }) => {
      if (asked === null) return notSignedIn(request);
      return request.method === "GET" || request.method === "HEAD" || isFromOurPages(request, isSecure)
        ? undefined
        : refusalPage(request, notFromOurPages(request, isSecure), asked);
    })
    .resolve({ as: "scoped" }, ({ request, server, asked }) => ({ asking: askingOf(parts, request, server, asked!) }))
    .onAfterHandle({ as: "scoped" }, ({ request, responseValue, asking }) => {
      const response = responseValue as Response | Refusal;
      if (isRefusal(response)) return refusalPage(request, response, asking.viewer);
      const to = response.status === 303 ? response.headers.get("location") : null;
      // `asking` is missing when `onBeforeHandle` has already responded to the request.
      const toast = to === null ? null : ((asking as Asking | undefined)?.toastToCome() ?? null);
      if (to !== null && toast !== null) parts.toasts.put(asking.viewer, to, toast);
      return undefined;
    });

export async function withForm<Answer>(
  { request }: Pick<Asking, "request">,
  act: (form: URLSearchParams) => Answer,
): Promise<Awaited<Answer> | Refusal> {
  const form = await formOf(request);
  return isRefusal(form) ? form : await act(form);
}

/**
 * Responds to a person who is not signed in. Their browser goes to the sign-in page, and after signing in to the page
 * where they were; after a form, the sign-in page says that nothing was done. A script gets the refusal.
 */
function notSignedIn(request: Request): Response {
  const accept = request.headers.get("accept") ?? "";
  const { pathname, search } = new URL(request.url);
  if (request.method === "GET" && accept !== "text/event-stream") return redirect(doorTo(pathname + search));
  const from = accept.includes("text/html") ? pageBefore(request) : null;
  return from === null ? refusalPage(request, NOT_SIGNED_IN, null) : redirect(`${doorTo(from)}&undone`);
}

const doorTo = (path: string): string => `${SIGN_IN_PATH}?to=${encodeURIComponent(path)}`;
