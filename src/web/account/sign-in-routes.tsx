// Serves the page `/sign-in`, and signing out. A refusal does not tell whether the name or the password was wrong.

import { Elysia } from "elysia";
import { isRefusal, type Refusal } from "../../domain/errors.ts";
import type { NewSession } from "../../engine/people/sessions-and-links.ts";
import type { RequestOrigin, Socket } from "../../http/handler.ts";
import { pageResponse } from "../document.tsx";
import { formResponse } from "../form-response.ts";
import type { PagesParts } from "../pages-parts.ts";
import { ButtonLink, Submit } from "../parts/act.tsx";
import { Field, Wrong } from "../parts/field.tsx";
import { FORMS, pathBack } from "../posted-form.ts";
import { redirect } from "../response.ts";
import { SIGN_IN_PATH } from "../signed-in.ts";
import { browserCookie, cookieIn, markedBrowser, newMark, sessionCookie } from "./cookie.ts";
import { browserAgentOf, SignInByPasskey } from "./form-parts.tsx";
import { type SignedIn, type SignInParts, signIn } from "./sign-in-tries.ts";
import type { WebAuthn } from "./webauthn.ts";

export interface PeoplePagesParts
  extends SignInParts,
    Pick<PagesParts, "requestOrigin" | "viewerOf" | "engine" | "oidc" | "commandLine" | "toasts"> {
  readonly webAuthn: WebAuthn | Refusal;
}

type Doors = Pick<PeoplePagesParts, "oidc" | "webAuthn" | "people">;
type SessionParts = Pick<PeoplePagesParts, "people" | "requestOrigin">;

export const OIDC_PATH = "/sign-in/oidc";

const SIGN_OUT_PATH = "/sign-out";

export const signInRoutes = (parts: PeoplePagesParts) => {
  const { requestOrigin, viewerOf } = parts;
  return new Elysia({ name: "sign-in" })
    .use(FORMS)
    .get(SIGN_IN_PATH, ({ request, server }) => {
      const { searchParams } = new URL(request.url);
      const back = pathBack(searchParams.get("to"));
      return viewerOf(request, server) === null
        ? signInPage(request, parts, { back, name: "", wrong: null, undone: searchParams.has("undone") })
        : redirect(back);
    })
    .post(SIGN_IN_PATH, ({ request, server }) =>
      formResponse(requestOrigin, request, server, async (form) => {
        const [name, password] = [form.get("name") ?? "", form.get("password") ?? ""];
        const back = pathBack(form.get("to"));
        const mark = cookieIn(request, "browser", requestOrigin.isSecure(request, server));
        const result = await signIn(parts, name, password, browserOf(requestOrigin, request, server), mark);
        if (result.kind !== "in") return refusedPage(request, parts, { back, name }, result);
        return newSessionResponse(parts, request, server, result.session, back);
      }),
    )
    .post(SIGN_OUT_PATH, ({ request, server }) =>
      formResponse(requestOrigin, request, server, () => {
        endSession(parts, request, server);
        return redirect(SIGN_IN_PATH, { "set-cookie": sessionCookie(null, requestOrigin.isSecure(request, server)) });
      }),
    );
};

/**
 * Gives the browser the cookie of a new session, and sends it to the page that the person wanted. A session that the
 * browser had before is ended.
 */
export function newSessionResponse(
  parts: SessionParts,
  request: Request,
  socket: Socket,
  { token }: NewSession,
  back: string,
): Response {
  endSession(parts, request, socket);
  const isSecure = parts.requestOrigin.isSecure(request, socket);
  const response = redirect(back, { "set-cookie": sessionCookie(token, isSecure) });
  const session = parts.people.sessionOf(token);
  const known = session && parts.people.known(session.person.name);
  const before = cookieIn(request, "browser", isSecure);
  // A browser whose cookie `browser` already has a mark of this person keeps that mark for another year.
  const mark =
    known === null || markedBrowser(known, before) !== null ? before : newMark(known, parts.people.randomToken());
  if (mark !== null) response.headers.append("set-cookie", browserCookie(mark, isSecure));
  return response;
}

function endSession({ people, requestOrigin }: SessionParts, request: Request, socket: Socket): void {
  const token = cookieIn(request, "session", requestOrigin.isSecure(request, socket));
  const session = token === null ? null : people.sessionOf(token);
  if (session !== null) people.signOut(session, requestOrigin.clientOf(request, socket));
}

export const browserOf = ({ clientOf }: RequestOrigin, request: Request, socket: Socket) => ({
  address: clientOf(request, socket),
  agent: browserAgentOf(request),
});

const WRONG = "That name and password do not belong together.";

function refusedPage(
  request: Request,
  doors: Doors,
  asked: Omit<SignInAsked, "wrong">,
  result: Exclude<SignedIn, { kind: "in" }>,
): Response {
  if (result.kind === "wrong") return signInPage(request, doors, { ...asked, wrong: WRONG }, 403);
  const wrong = `Too many tries. The next one is possible in ${result.seconds} seconds.`;
  return signInPage(request, doors, { ...asked, wrong }, 429, { "retry-after": String(result.seconds) });
}

/**
 * What the sign-in page shows. `undone` says that the person sent a form after their session had ended, so that nothing
 * was done.
 */
type SignInAsked = Readonly<{ back: string; name: string; wrong: string | null; undone?: boolean }>;

export const signInPage = (
  request: Request,
  { oidc, webAuthn, people }: Doors,
  { back, name, wrong, undone = false }: SignInAsked,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  pageResponse(
    { request, viewer: null },
    { title: "Sign in", path: SIGN_IN_PATH, status, headers },
    <section class="door">
      <h1 class="headline is-quiet">Sign in.</h1>
      <p id="undone" class="wrong" role="status" hidden={!undone}>
        You were signed out, so what you asked for was not done. Sign in, and ask for it again.
      </p>
      <Wrong text={wrong} />
      {people.areNone() ? <FirstPerson /> : <Ways oidc={oidc} webAuthn={webAuthn} back={back} name={name} />}
    </section>,
  );

/** The text that is shown instead of the form while there is no person who could sign in. */
const FirstPerson = () => (
  <>
    <p>
      Nobody can sign in yet. When rollcall was first started, it made a link by which the first person sets a password.
      The link stands in the terminal in which that was done. A service keeps it in its data directory:{" "}
      <code>sudo cat /var/lib/rollcall/first-key</code>
    </p>
    <p class="hint">
      It works for a day. This makes another: <code>rollcall user create NAME --role admin --link</code>
    </p>
  </>
);

const Ways = ({ oidc, webAuthn, back, name }: Omit<Doors, "people"> & Pick<SignInAsked, "back" | "name">) => (
  <>
    <form method="post" action={SIGN_IN_PATH}>
      <input type="hidden" name="to" value={back} />
      <Field label="Name" name="name" autocomplete="username" value={name} autofocus={name === ""} />
      <Field label="Password" name="password" type="password" autocomplete="current-password" autofocus={name !== ""} />
      <Submit kind="strong">Sign in</Submit>
    </form>
    {isRefusal(webAuthn) ? null : <SignInByPasskey site={webAuthn.site} back={back} />}
    {oidc === null ? null : (
      <p>
        <ButtonLink to={`${OIDC_PATH}?to=${encodeURIComponent(back)}`}>{`Sign in by ${oidc.label}`}</ButtonLink>
      </p>
    )}
    <p class="hint">
      No password yet, or forgotten? An administrator makes a link by which you set one:{" "}
      <code>rollcall user passwd NAME --link</code>
    </p>
  </>
);
