// Handles the forms that sign in with a passkey, add one or remove one. To sign in or add, a script first fetches a
// WebAuthn challenge (the question), asks the browser, and sends the browser's answer with the form.

import { Elysia } from "elysia";
import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { formResponse } from "../form-response.ts";
import { FORMS, formOf, pathBack } from "../posted-form.ts";
import { isFromOurPages } from "../request-source.ts";
import { PAGE_HEADERS, redirect } from "../response.ts";
import { type Asking, signedIn, withForm } from "../signed-in.ts";
import type { Viewer } from "../viewer.ts";
import { ACCOUNT_PATH, accountPage, BY_PROXY } from "./account-page.tsx";
import { accountRefusalSentence, PASSKEY_PATHS } from "./form-parts.tsx";
import { browserOf, newSessionResponse, type PeoplePagesParts, signInPage } from "./sign-in-routes.tsx";
import { refusePassword } from "./sign-in-tries.ts";
import type { WebAuthn } from "./webauthn.ts";

const WRONG = "That passkey does not sign anybody in here, or it took too long. Try again, or use your password.";
const NOT_MADE = "The browser's answer was wrong, or it took too long. Try again.";

const json = (value: object, status = 200): Response =>
  Response.json(value, { status, headers: { ...PAGE_HEADERS, "content-type": "application/json" } });

const wrongResponse = (wrong: string): Response => json({ wrong }, 400);

export const passkeyDoorRoutes = (parts: PeoplePagesParts, webAuthn: WebAuthn) => {
  const { people, requestOrigin, throttle, noteFailure } = parts;
  return new Elysia({ name: "passkey-door" })
    .use(FORMS)
    .post(PASSKEY_PATHS.askToSign, async ({ request, server }) => {
      if (!isFromOurPages(request, requestOrigin.isSecure(request, server)))
        return wrongResponse("This was not asked from a page of this rollcall.");
      const seconds = throttle.begin(requestOrigin.clientOf(request, server), true);
      return seconds === null
        ? json(await webAuthn.askToSign())
        : wrongResponse(`Too many tries. The next one is possible in ${seconds} seconds.`);
    })
    .post(PASSKEY_PATHS.signIn, ({ request, server }) =>
      formResponse(requestOrigin, request, server, async (form) => {
        const back = pathBack(form.get("to"));
        const signed = await webAuthn.signed(form.get("answer") ?? "");
        const browser = browserOf(requestOrigin, request, server);
        const session = signed === null ? null : people.passkeys.signIn(signed.passkey, signed.counter, browser);
        if (session !== null) return newSessionResponse(parts, request, server, session, back);
        noteFailure(browser.address);
        return signInPage(request, parts, { back, name: "", wrong: WRONG }, 403);
      }),
    );
};

export const passkeyRoutes = (parts: PeoplePagesParts) => {
  const { people, webAuthn } = parts;
  const done = (asking: Asking, refused: Refusal | null): Response =>
    refused === null
      ? redirect(ACCOUNT_PATH)
      : accountPage(asking, parts, { passkey: accountRefusalSentence(refused) }, 400);
  const owned = new Elysia({ name: "passkeys" }).use(signedIn(parts)).post(PASSKEY_PATHS.remove, ({ asking }) =>
    withForm(asking, (form) => {
      const { viewer } = asking;
      const session = sessionOf(viewer);
      if (isRefusal(session)) return session;
      const otherWay = parts.oidc !== null;
      return done(asking, people.passkeys.remove(session, Number(form.get("passkey")), viewer.address, otherWay));
    }),
  );
  if (isRefusal(webAuthn)) return owned;
  return owned
    .post(PASSKEY_PATHS.askToMake, async ({ request, asking: { viewer } }) => {
      const form = await formOf(request);
      const session = sessionOf(viewer);
      if (isRefusal(form)) return wrongResponse(accountRefusalSentence(form));
      if (isRefusal(session)) return wrongResponse(accountRefusalSentence(session));
      const refused = people.passkeys.refuseAdding(session) ?? (await refuseOwn(parts, viewer, form));
      return refused === null
        ? json(await webAuthn.askToMake(session, people.passkeys.of(viewer.id)))
        : wrongResponse(accountRefusalSentence(refused));
    })
    .post(PASSKEY_PATHS.add, ({ asking }) =>
      withForm(asking, async (form) => {
        const { viewer } = asking;
        const session = sessionOf(viewer);
        if (isRefusal(session)) return session;
        const made = await webAuthn.made(session, form.get("answer") ?? "");
        if (made === null) return accountPage(asking, parts, { passkey: NOT_MADE }, 400);
        const name = form.get("called") ?? "";
        return done(asking, people.passkeys.add(session, { ...made, name }, viewer.address));
      }),
    );
};

const sessionOf = (viewer: Viewer) => (viewer.sessionId === null ? BY_PROXY : { id: viewer.sessionId, person: viewer });

/**
 * Refuses when the person has a password and the present one is not given. Another person may sit at the screen, and a
 * passkey would let them in for ever.
 */
async function refuseOwn(parts: PeoplePagesParts, viewer: Viewer, form: URLSearchParams): Promise<Refusal | null> {
  const hasPassword = parts.people.known(viewer.name)?.passwordHash !== null;
  return hasPassword ? refusePassword(parts, viewer, form.get("current") ?? "") : null;
}
