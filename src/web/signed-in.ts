// Lets a request in to the pages behind it: signed in, and a change only from a page of ours. Gives them the viewer.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../domain/errors.ts";
import { asTypedBy } from "../domain/wording/wording.ts";
import type { Engine } from "../engine/engine.ts";
import type { Socket } from "../http/handler.ts";
import { redirect } from "./answer.ts";
import { formOf, isFromOurPages, notFromOurPages } from "./form.ts";
import type { PagesParts } from "./pages-parts.ts";
import { refusalPage } from "./refusal-page.tsx";
import { asActor, type Viewer } from "./viewer.ts";

export const SIGN_IN_PATH = "/sign-in";

const NOT_SIGNED_IN = refuse("AUTHENTICATION_REQUIRED", "you are not signed in, or have been away for too long");
export type Asking = ReturnType<typeof askingOf>;

type AskedParts = Pick<PagesParts, "engine" | "commandLine">;

const askingOf = ({ engine, commandLine }: AskedParts, request: Request, server: Socket, viewer: Viewer) => ({
  engine,
  commandLine,
  request,
  server,
  viewer,
  search: new URL(request.url).searchParams,
  /** As this person. */
  operate: ((name, given) => {
    const answer = engine.as(asActor(viewer)).operate(name, given);
    return isRefusal(answer) ? typedBy(answer, commandLine) : answer;
  }) as ReturnType<Engine["as"]>["operate"],
});

const typedBy = (refusal: Refusal, commandLine: string): Refusal => ({
  ...refusal,
  message: asTypedBy(refusal.message, commandLine),
  ...(refusal.problem !== undefined && { problem: asTypedBy(refusal.problem, commandLine) }),
});

/**
 * To be used by every plugin whose pages are for people who have signed in. A refusal that a route answers becomes a
 * page; the body of a form is counted where it is read.
 */
export const signedIn = ({ viewerOf, entrance, ...parts }: Pick<PagesParts, "viewerOf" | "entrance"> & AskedParts) =>
  new Elysia({ name: "signed-in", seed: viewerOf })
    .onParse({ as: "scoped" }, () => null)
    .derive({ as: "scoped" }, ({ request, server }) => ({
      asked: viewerOf(request, server),
      isSecure: entrance.isSecure(request, server),
    }))
    .onBeforeHandle({ as: "scoped" }, ({ request, asked, isSecure }) => {
      if (asked === null) return notSignedIn(request);
      return request.method === "GET" || request.method === "HEAD" || isFromOurPages(request, isSecure)
        ? undefined
        : refusalPage(request, notFromOurPages(request, isSecure), asked);
    })
    .resolve({ as: "scoped" }, ({ request, server, asked }) => ({ asking: askingOf(parts, request, server, asked!) }))
    .onAfterHandle({ as: "scoped" }, ({ request, responseValue, asking }) => {
      const answer = responseValue as Response | Refusal;
      return isRefusal(answer) ? refusalPage(request, answer, asking.viewer) : undefined;
    });

/** Does what a form asks for, when it has been read. */
export async function withForm<Answer>(
  { request }: Pick<Asking, "request">,
  act: (form: URLSearchParams) => Answer,
): Promise<Awaited<Answer> | Refusal> {
  const form = await formOf(request);
  return isRefusal(form) ? form : await act(form);
}

/** A person is led to the door, and back; a script is told. */
function notSignedIn(request: Request): Response {
  if (request.method !== "GET" || request.headers.get("accept") === "text/event-stream")
    return refusalPage(request, NOT_SIGNED_IN, null);
  const { pathname, search } = new URL(request.url);
  return redirect(`${SIGN_IN_PATH}?to=${encodeURIComponent(pathname + search)}`);
}
