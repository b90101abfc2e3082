// `/account`: a person's own password and sessions.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { checkPassword } from "../../domain/people/password.ts";
import type { ListedSession } from "../../engine/people/sessions.ts";
import type { Bearings } from "../../engine/reads/look-monitors.ts";
import { pageAnswer, redirect } from "../answer.tsx";
import { Document } from "../document.tsx";
import { formOf } from "../form.ts";
import { lookOf } from "../look.ts";
import { Ago } from "../parts/moment.tsx";
import { hashPassword } from "../passwords.ts";
import { refusalPage } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import type { Viewer } from "../viewer.ts";
import { agentInWords } from "./agent.ts";
import { Field, isSame, NewPassword, sentenceOf, TRY_LATER, Wrong } from "./form-parts.tsx";
import { refusePassword } from "./sign-in.ts";
import { begun, browserOf, type PeoplePagesParts } from "./sign-in-routes.tsx";

const ACCOUNT_PATH = "/account";

export const accountRoutes = (parts: PeoplePagesParts) => {
  const { people, entrance, viewerOf } = parts;
  return new Elysia({ name: "account" })
    .use(signedIn(viewerOf))
    .get(ACCOUNT_PATH, ({ request, viewer }) => accountPage(request, viewer, parts, null))
    .post(
      `${ACCOUNT_PATH}/password`,
      async ({ request, server, viewer }) => {
        const form = await formOf(request);
        if (isRefusal(form)) return refusalPage(request, form, viewer);
        if (viewer.sessionId === null) return refusalPage(request, BY_PROXY, viewer);
        const browser = browserOf(entrance, request, server);
        const hash = await newHash(parts, viewer, form);
        const again = (wrong: string) => accountPage(request, viewer, parts, wrong, 400);
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

const BY_PROXY = refuse("ACCESS_DENIED", "a proxy has signed you in; passwords and sessions are its affair");

/** The present password is asked for: somebody else may sit at the screen. */
async function newHash(parts: PeoplePagesParts, viewer: Viewer, form: URLSearchParams): Promise<string | Refusal> {
  const password = form.get("password") ?? "";
  const wrong = checkPassword(password) ?? isSame(form);
  if (wrong !== null) return wrong;
  const refused = await refusePassword(parts, viewer, form.get("current") ?? "");
  return refused ?? (await parts.hashing(() => hashPassword(password))) ?? TRY_LATER;
}

function accountPage(
  request: Request,
  viewer: Viewer,
  { people, bearings }: PeoplePagesParts,
  wrong: string | null,
  status = 200,
): Response {
  const { name, role, applications } = viewer;
  return pageAnswer(
    request,
    <Document title="Your account" tone="quiet" viewer={viewer} look={lookOf(request)} path={ACCOUNT_PATH}>
      <section class="plain">
        <h1 class="headline is-quiet">{name}.</h1>
        <p>{`You have the role ${role}, for ${applications === null ? "all applications" : applications.join(", ")}.`}</p>
        {viewer.sessionId === null ? (
          <p>A proxy has signed you in. It looks after your password, and signs you out.</p>
        ) : null}
      </section>
      {viewer.sessionId === null ? null : (
        <>
          <ChangePassword name={name} wrong={wrong} />
          <section class="own">
            <h2>Where you are signed in</h2>
            <Sessions sessions={people.sessionsOf(viewer.id)} own={viewer.sessionId} {...bearings()} />
          </section>
        </>
      )}
    </Document>,
    status,
  );
}

const ChangePassword = ({ name, wrong }: { name: string; wrong: string | null }) => (
  <section class="own">
    <h2>Change your password</h2>
    <div class="door">
      <p>This signs you out everywhere else.</p>
      <Wrong text={wrong} />
      <form method="post" action={`${ACCOUNT_PATH}/password`}>
        <input type="hidden" name="name" autocomplete="username" value={name} />
        <Field label="Present password" name="current" type="password" autocomplete="current-password" />
        <NewPassword />
        <button class="button" type="submit">
          Change the password
        </button>
      </form>
    </div>
  </section>
);

interface SessionsProps extends Pick<Bearings, "now" | "timezone"> {
  readonly sessions: readonly ListedSession[];
  readonly own: number;
}

const Sessions = ({ sessions, own, now, timezone }: SessionsProps) => (
  <form method="post" action={`${ACCOUNT_PATH}/sessions`}>
    <ul class="sessions">
      {sessions.map(({ id, agent, address, createdAt, usedAt }) => (
        <li key={id}>
          <div>
            <p>{`${agentInWords(agent)}, at ${address}`}</p>
            <p class="small">
              signed in <Ago at={createdAt} now={now} timezone={timezone} />, last seen{" "}
              <Ago at={usedAt} now={now} timezone={timezone} />
            </p>
          </div>
          {id === own ? (
            <span class="small">this one</span>
          ) : (
            <button class="button" type="submit" name="session" value={String(id)}>
              End
            </button>
          )}
        </li>
      ))}
    </ul>
    {sessions.length < 2 ? null : (
      <button class="button" type="submit" name="session" value="others">
        End all others
      </button>
    )}
  </form>
);
