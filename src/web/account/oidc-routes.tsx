// `/sign-in/oidc`: to the provider and back. Begins a session only for somebody who is a person here.

import { Elysia } from "elysia";
import { isRefusal, refuse } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { redirect } from "../answer.tsx";
import { pathBack } from "../form.ts";
import { refusalPage } from "../refusal-page.tsx";
import { isAskedByPerson } from "../same-origin.ts";
import { SIGN_IN_PATH } from "../signed-in.ts";
import { cookieIn, journeyCookie } from "./cookie.ts";
import { CALLBACK_PATH, type Oidc } from "./oidc.ts";
import { begun, browserOf, OIDC_PATH, type PeoplePagesParts } from "./sign-in-routes.tsx";

const UNREACHABLE = refuse(
  "INTERNAL_ERROR",
  "the provider could not be asked, or its answer was wrong; the log says why. A password works as before",
);
const LOST = refuse(
  "ACCESS_DENIED",
  "the provider has let nobody in by this browser, or it was not sent there, or too long ago; sign in again",
);

const doorTo = (to: string | null): string => `${SIGN_IN_PATH}?to=${encodeURIComponent(pathBack(to))}`;

export const oidcRoutes = (parts: PeoplePagesParts, oidc: Oidc, log: Log) => {
  const { people, entrance, throttle } = parts;
  const failed = (request: Request, error: unknown): Response => {
    // Never the error as it is: it may hold what the provider sent.
    const { name = "unknown", message = "", code = null } = error as Partial<Error & { code: string }>;
    log("warn", "oidc_failed", { name, code, message: message.slice(0, 200) });
    return refusalPage(request, UNREACHABLE, null);
  };
  return new Elysia({ name: "oidc" })
    .get(OIDC_PATH, async ({ request, server }) => {
      const isOurs = isAskedByPerson(request, entrance.isSecure(request, server));
      // A page of another site may lead here as often as it likes, and would use up what its visitor may begin.
      if (isOurs === false) return redirect(doorTo(new URL(request.url).searchParams.get("to")));
      const seconds = throttle.begin(entrance.clientOf(request, server), isOurs === true);
      if (seconds !== null)
        return refusalPage(
          request,
          refuse("RATE_LIMIT_EXCEEDED", `too many tries; the next is possible in ${seconds} seconds`),
          null,
        );
      try {
        const { url, state } = await oidc.begin(pathBack(new URL(request.url).searchParams.get("to")));
        return redirect(url, { "set-cookie": journeyCookie(state, entrance.isSecure(request, server)) });
      } catch (error) {
        return failed(request, error);
      }
    })
    .get(CALLBACK_PATH, async ({ request, server }) => {
      const isSecure = entrance.isSecure(request, server);
      try {
        const arrival = await oidc.arrive(new URL(request.url).search, cookieIn(request, "journey", isSecure));
        if (arrival === null) return refusalPage(request, LOST, null);
        const session = people.signInVouched(arrival.vouched, browserOf(entrance, request, server));
        if (isRefusal(session)) return refusalPage(request, session, null);
        const answer = begun(parts, request, server, session, arrival.to);
        answer.headers.append("set-cookie", journeyCookie(null, isSecure));
        return answer;
      } catch (error) {
        return failed(request, error);
      }
    });
};
