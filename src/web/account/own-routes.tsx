// Serves a person's own pages: sign-in, one-time links, account, passkeys and browsers. What these routes hold in
// memory, such as the counted tries to sign in, is lost when the server stops.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { checkPersonName } from "../../domain/people/person.ts";
import { checkPassword } from "../../domain/people/sign-in.ts";
import { LINK_PATH } from "../../engine/people/sessions-and-links.ts";
import { createFailureLog } from "../../http/failure-log.ts";
import { pageResponse } from "../document.tsx";
import { fewAtOnce } from "../few-at-once.ts";
import { formResponse } from "../form-response.ts";
import type { PagesParts } from "../pages-parts.ts";
import { Submit } from "../parts/act.tsx";
import { Field, Wrong } from "../parts/field.tsx";
import { FORMS, pathBack } from "../posted-form.ts";
import { refusalPage } from "../refusal-page.tsx";
import { isAskedByPerson } from "../request-source.ts";
import { redirect } from "../response.ts";
import { SIGN_IN_PATH, signedIn, withForm } from "../signed-in.ts";
import type { Viewer } from "../viewer.ts";
import { ACCOUNT_PATH, accountPage, BY_PROXY } from "./account-page.tsx";
import { browserRoutes } from "./browser-routes.tsx";
import { cookieIn, providerStateCookie } from "./cookie.ts";
import { accountRefusalSentence, NewPassword, refuseUnequalPasswords, TRY_LATER } from "./form-parts.tsx";
import { CALLBACK_PATH, type Oidc } from "./oidc.ts";
import { passkeyDoorRoutes, passkeyRoutes } from "./passkey-routes.tsx";
import { hashPassword } from "./passwords.ts";
import { browserOf, newSessionResponse, OIDC_PATH, type PeoplePagesParts, signInRoutes } from "./sign-in-routes.tsx";
import { createSignInThrottle, refusePassword, tooManySignInTries } from "./sign-in-tries.ts";
import { createWebAuthn } from "./webauthn.ts";

/** How many passwords are hashed at once. Each hash needs 19 MiB and a core, and reports need the cores first. */
const HASHING_AT_ONCE = 1;
const HASHING_WAITS = 20;

export function ownRoutes(given: PagesParts) {
  const { engine, clock, log, oidc, passkeySite } = given;
  const webAuthn = isRefusal(passkeySite)
    ? passkeySite
    : createWebAuthn(passkeySite, clock, engine.people.passkeys.find);
  const parts = {
    ...given,
    people: engine.people,
    throttle: createSignInThrottle(clock, engine.people.randomToken()),
    hashing: fewAtOnce(HASHING_AT_ONCE, HASHING_WAITS),
    noteFailure: createFailureLog(clock, log, "sign_in_failed"),
    webAuthn,
  };
  const routes = new Elysia({ name: "own" })
    .use(signInRoutes(parts))
    .use(linkRoutes(parts))
    .use(accountRoutes(parts))
    .use(passkeyRoutes(parts))
    .use(browserRoutes(parts));
  if (!isRefusal(webAuthn)) routes.use(passkeyDoorRoutes(parts, webAuthn));
  return oidc === null ? routes : routes.use(oidcRoutes(parts, oidc, log));
}

const accountRoutes = (parts: PeoplePagesParts) => {
  const { people, requestOrigin } = parts;
  return new Elysia({ name: "account" })
    .use(signedIn(parts))
    .get(ACCOUNT_PATH, ({ asking }) => accountPage(asking, parts))
    .post(`${ACCOUNT_PATH}/password`, ({ asking }) =>
      withForm(asking, async (form) => {
        const { request, server, viewer } = asking;
        if (viewer.sessionId === null) return BY_PROXY;
        const browser = browserOf(requestOrigin, request, server);
        const hash = await newHash(parts, viewer, form);
        if (isRefusal(hash)) return accountPage(asking, parts, { password: accountRefusalSentence(hash) }, 400);
        const session = people.changePassword({ id: viewer.sessionId, person: viewer }, hash, browser);
        return session === null
          ? redirect(ACCOUNT_PATH)
          : newSessionResponse(parts, request, server, session, ACCOUNT_PATH);
      }),
    )
    .post(`${ACCOUNT_PATH}/sessions`, ({ asking }) =>
      withForm(asking, (form) => {
        const { viewer } = asking;
        if (viewer.sessionId === null) return BY_PROXY;
        const id = form.get("session");
        const which = id === "others" ? null : Number(id);
        people.endSessions({ id: viewer.sessionId, person: viewer }, which, viewer.address);
        return redirect(ACCOUNT_PATH);
      }),
    );
};

/**
 * Returns the hash of the new password. The person must give the present password, too, because another person may sit
 * at the screen.
 */
async function newHash(parts: PeoplePagesParts, viewer: Viewer, form: URLSearchParams): Promise<string | Refusal> {
  const password = form.get("password") ?? "";
  const wrong = checkPassword(password) ?? refuseUnequalPasswords(form);
  if (wrong !== null) return wrong;
  const refused = await refusePassword(parts, viewer, form.get("current") ?? "");
  return refused ?? (await parts.hashing(() => hashPassword(password))) ?? TRY_LATER;
}

// Serves `/sign-in/oidc`, which sends a browser to the provider, and the address at which the browser comes back. A
// session begins only for a person who is known here.

const UNREACHABLE = refuse(
  "INTERNAL_ERROR",
  "the provider could not be asked, or its answer was wrong; the log says why. A password works as before",
);
const LOST = refuse(
  "ACCESS_DENIED",
  "the provider has let nobody in by this browser, or it was not sent there, or too long ago; sign in again",
);

const doorTo = (to: string | null): string => `${SIGN_IN_PATH}?to=${encodeURIComponent(pathBack(to))}`;

const oidcRoutes = (parts: PeoplePagesParts, oidc: Oidc, log: Log) => {
  const { people, requestOrigin, throttle } = parts;
  const failed = (request: Request, error: unknown): Response => {
    // Only these parts of the error are logged, because the rest may contain what the provider sent.
    const { name = "unknown", message = "", code = null } = error as Partial<Error & { code: string }>;
    log("warn", "oidc_failed", { name, code, message: message.slice(0, 200) });
    return refusalPage(request, UNREACHABLE, null);
  };
  return new Elysia({ name: "oidc" })
    .get(OIDC_PATH, async ({ request, server }) => {
      const isAsked = isAskedByPerson(request, requestOrigin.isSecure(request, server));
      // Does nothing for a request that a page of another site has sent. Such a page could send its visitor here as
      // often as it likes, and would use up the visitor's tries to sign in.
      if (isAsked === false) return redirect(doorTo(new URL(request.url).searchParams.get("to")));
      const seconds = throttle.begin(requestOrigin.clientOf(request, server), isAsked === true);
      if (seconds !== null) return refusalPage(request, tooManySignInTries(seconds), null);
      try {
        const { url, state } = await oidc.begin(pathBack(new URL(request.url).searchParams.get("to")));
        return redirect(url, { "set-cookie": providerStateCookie(state, requestOrigin.isSecure(request, server)) });
      } catch (error) {
        return failed(request, error);
      }
    })
    .get(CALLBACK_PATH, async ({ request, server }) => {
      const isSecure = requestOrigin.isSecure(request, server);
      try {
        const arrival = await oidc.arrive(new URL(request.url).search, cookieIn(request, "journey", isSecure));
        if (arrival === null) return refusalPage(request, LOST, null);
        const session = people.signInVouched(arrival.vouched, browserOf(requestOrigin, request, server));
        if (isRefusal(session)) return refusalPage(request, session, null);
        const response = newSessionResponse(parts, request, server, session, arrival.to);
        response.headers.append("set-cookie", providerStateCookie(null, isSecure));
        return response;
      } catch (error) {
        return failed(request, error);
      }
    });
};

// Serves `/sign-in/link/…`, where a person sets a password by a one-time link. The first link of all makes a visitor
// the first administrator. Opening the page does not use the link up, because programs that check mail open links, too.

const linkRoutes = (parts: PeoplePagesParts) => {
  const { people, hashing, requestOrigin } = parts;
  return new Elysia({ name: "sign-in-link" })
    .use(FORMS)
    .get(`${LINK_PATH}:token`, ({ request, params: { token } }) => {
      const link = people.link(token);
      return isRefusal(link) ? refusalPage(request, link, null) : linkPage(request, link.name, "", null);
    })
    .post(`${LINK_PATH}:token`, async ({ request, server, params: { token } }) => {
      const link = people.link(token);
      if (isRefusal(link)) return refusalPage(request, link, null);
      return formResponse(requestOrigin, request, server, async (form) => {
        const [name, password] = [(form.get("name") ?? "").trim(), form.get("password") ?? ""];
        const again = (wrong: Refusal) => linkPage(request, link.name, name, accountRefusalSentence(wrong), 400);
        const wrong =
          (link.name === null ? checkPersonName(name) : null) ??
          checkPassword(password) ??
          refuseUnequalPasswords(form);
        if (wrong !== null) return again(wrong);
        const hash = await hashing(() => hashPassword(password));
        if (hash === null) return again(TRY_LATER);
        const session = people.useLink(token, name, hash, browserOf(requestOrigin, request, server));
        return isRefusal(session) ? session : newSessionResponse(parts, request, server, session, "/");
      });
    });
};

/**
 * The page behind a one-time link. `known` is the name of the person who sets a password; `null` for the first person,
 * who chooses a name. `name` is the name that the first person has typed, and `wrong` says why the form was refused.
 */
function linkPage(request: Request, known: string | null, name: string, wrong: string | null, status = 200): Response {
  const { pathname } = new URL(request.url);
  return pageResponse(
    { request, viewer: null },
    { title: "Set a password", status },
    <section class="door">
      <h1 class="headline is-quiet">{known === null ? "Welcome to rollcall." : `Welcome, ${known}.`}</h1>
      <p>
        {known === null
          ? "You are the first: you become the administrator, who can let others in."
          : "Choose a password. You are signed out everywhere else."}
      </p>
      <Wrong text={wrong} />
      <form method="post" action={pathname}>
        {known === null ? (
          <Field
            label="Your name"
            name="name"
            autocomplete="username"
            value={name}
            hint="As others shall read it, also in alerts: “acknowledged by Ada”."
          />
        ) : (
          <input type="hidden" name="name" autocomplete="username" value={known} />
        )}
        <NewPassword />
        <Submit kind="strong">Set the password and sign in</Submit>
      </form>
    </section>,
  );
}
