// `/account`: a person's own password and sessions.

import { Elysia } from "elysia";
import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { checkPassword } from "../../domain/people/password.ts";
import { redirect } from "../answer.tsx";
import { formOf } from "../form.ts";
import { hashPassword } from "../passwords.ts";
import { refusalPage } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import type { Viewer } from "../viewer.ts";
import { ACCOUNT_PATH, accountPage, BY_PROXY } from "./account-page.tsx";
import { isSame, sentenceOf, TRY_LATER } from "./form-parts.tsx";
import { refusePassword } from "./sign-in.ts";
import { begun, browserOf, type PeoplePagesParts } from "./sign-in-routes.tsx";

export const accountRoutes = (parts: PeoplePagesParts) => {
  const { people, entrance } = parts;
  return new Elysia({ name: "account" })
    .use(signedIn(parts))
    .get(ACCOUNT_PATH, ({ request, viewer }) => accountPage(request, viewer, parts))
    .post(
      `${ACCOUNT_PATH}/password`,
      async ({ request, server, viewer }) => {
        const form = await formOf(request);
        if (isRefusal(form)) return refusalPage(request, form, viewer);
        if (viewer.sessionId === null) return refusalPage(request, BY_PROXY, viewer);
        const browser = browserOf(entrance, request, server);
        const hash = await newHash(parts, viewer, form);
        const again = (wrong: string) => accountPage(request, viewer, parts, { password: wrong }, 400);
        if (isRefusal(hash)) return again(sentenceOf(hash));
        const session = people.changePassword({ id: viewer.sessionId, person: viewer }, hash, browser);
        return session === null ? redirect(ACCOUNT_PATH) : begun(parts, request, server, session, ACCOUNT_PATH);
      },
      { parse: "none" },
    )
    .post(
      `${ACCOUNT_PATH}/sessions`,
      async ({ request, viewer }) => {
        const form = await formOf(request);
        if (isRefusal(form)) return refusalPage(request, form, viewer);
        if (viewer.sessionId === null) return refusalPage(request, BY_PROXY, viewer);
        const id = form.get("session");
        const which = id === "others" ? null : Number(id);
        people.endSessions({ id: viewer.sessionId, person: viewer }, which, viewer.address);
        return redirect(ACCOUNT_PATH);
      },
      { parse: "none" },
    );
};

/** The present password is asked for: somebody else may sit at the screen. */
async function newHash(parts: PeoplePagesParts, viewer: Viewer, form: URLSearchParams): Promise<string | Refusal> {
  const password = form.get("password") ?? "";
  const wrong = checkPassword(password) ?? isSame(form);
  if (wrong !== null) return wrong;
  const refused = await refusePassword(parts, viewer, form.get("current") ?? "");
  return refused ?? (await parts.hashing(() => hashPassword(password))) ?? TRY_LATER;
}
