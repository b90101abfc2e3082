// Lets a request in to the pages behind it: signed in, and a change only from a page of ours. Gives them the viewer.

import { Elysia } from "elysia";
import { refuse } from "../domain/errors.ts";
import { redirect } from "./answer.tsx";
import { isFromOurPages } from "./form.ts";
import type { PagesParts } from "./pages-parts.ts";
import { refusalPage } from "./refusal-page.tsx";

export const SIGN_IN_PATH = "/sign-in";

const NOT_SIGNED_IN = refuse("AUTHENTICATION_REQUIRED", "you are not signed in, or have been away for too long");
const FROM_ELSEWHERE = refuse(
  "ACCESS_DENIED",
  "the form was not sent from a page of this rollcall; nothing was changed",
);

/** To be used by every plugin whose pages are for people who have signed in. */
export const signedIn = ({ viewerOf, entrance }: Pick<PagesParts, "viewerOf" | "entrance">) =>
  new Elysia({ name: "signed-in", seed: viewerOf })
    .derive({ as: "scoped" }, ({ request, server }) => ({
      asked: viewerOf(request, server),
      isSecure: entrance.isSecure(request, server),
    }))
    .onBeforeHandle({ as: "scoped" }, ({ request, asked, isSecure }) => {
      if (asked === null) return notSignedIn(request);
      return request.method === "GET" || request.method === "HEAD" || isFromOurPages(request, isSecure)
        ? undefined
        : refusalPage(request, FROM_ELSEWHERE, asked);
    })
    .resolve({ as: "scoped" }, ({ asked }) => ({ viewer: asked! }));

/** A person is led to the door, and back; a script is told. */
function notSignedIn(request: Request): Response {
  if (request.method !== "GET" || request.headers.has("hx-request")) return refusalPage(request, NOT_SIGNED_IN, null);
  const { pathname, search } = new URL(request.url);
  return redirect(`${SIGN_IN_PATH}?to=${encodeURIComponent(pathname + search)}`);
}
