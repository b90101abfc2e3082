// `/sign-in/link/…`: a person sets a password by a one-time link; by the first link, somebody becomes the first
// administrator. Looking at the page does not use the link up: programs that check mail open links too.

import { Elysia } from "elysia";
import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { checkPassword } from "../../domain/people/password.ts";
import { checkPersonName } from "../../domain/people/person.ts";
import { LINK_PATH } from "../../engine/people/links.ts";
import { pageAnswer } from "../answer.tsx";
import { Document } from "../document.tsx";
import { lookOf } from "../look.ts";
import { hashPassword } from "../passwords.ts";
import { refusalPage } from "../refusal-page.tsx";
import { Field, isSame, NewPassword, ownFormOf, sentenceOf, TRY_LATER, Wrong } from "./form-parts.tsx";
import { begun, browserOf, type PeoplePagesParts } from "./sign-in-routes.tsx";

export const linkRoutes = (parts: PeoplePagesParts) => {
  const { people, hashing, entrance } = parts;
  return new Elysia({ name: "sign-in-link" })
    .get(`${LINK_PATH}:token`, ({ request, params: { token } }) => {
      const link = people.link(token);
      return isRefusal(link) ? refusalPage(request, link, null) : linkPage(request, link.name, "", null);
    })
    .post(
      `${LINK_PATH}:token`,
      async ({ request, server, params: { token } }) => {
        const link = people.link(token);
        if (isRefusal(link)) return refusalPage(request, link, null);
        const form = await ownFormOf(entrance, request, server);
        if (isRefusal(form)) return refusalPage(request, form, null);
        const [name, password] = [(form.get("name") ?? "").trim(), form.get("password") ?? ""];
        const again = (wrong: Refusal) => linkPage(request, link.name, name, sentenceOf(wrong), 400);
        const wrong = (link.name === null ? checkPersonName(name) : null) ?? checkPassword(password) ?? isSame(form);
        if (wrong !== null) return again(wrong);
        const hash = await hashing(() => hashPassword(password));
        if (hash === null) return again(TRY_LATER);
        const session = people.useLink(token, name, hash, browserOf(entrance, request, server));
        return isRefusal(session) ? refusalPage(request, session, null) : begun(parts, request, server, session, "/");
      },
      { parse: "none" },
    );
};

/** `known` null: the first person chooses a name. */
function linkPage(request: Request, known: string | null, name: string, wrong: string | null, status = 200): Response {
  const { pathname } = new URL(request.url);
  return pageAnswer(
    request,
    <Document title="Set a password" tone="quiet" viewer={null} look={lookOf(request)} path="">
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
          <button class="button is-strong" type="submit">
            Set the password and sign in
          </button>
        </form>
      </section>
    </Document>,
    status,
  );
}
