// Draws the page `/account`: the browsers that notify a person, and the person's passkeys, password and sessions.

import { isRefusal, refuse } from "../../domain/errors.ts";
import { agentInWords } from "../../domain/wording/browser-words.ts";
import type { ListedSession } from "../../engine/people/sessions-and-links.ts";
import { applicationsInWords } from "../../views/rows/person-rows.ts";
import { pageResponse } from "../document.tsx";
import { Submit } from "../parts/act.tsx";
import { Field, Wrong } from "../parts/field.tsx";
import { SectionBox } from "../parts/headline.tsx";
import { Ago, type Clocked } from "../parts/moment.tsx";
import type { Asking } from "../signed-in.ts";
import { OwnBrowsers } from "./browsers-part.tsx";
import { browserAgentOf, NewPassword, OwnPasskeys } from "./form-parts.tsx";
import type { PeoplePagesParts } from "./sign-in-routes.tsx";

export const ACCOUNT_PATH = "/account";

export const BY_PROXY = refuse(
  "ACCESS_DENIED",
  "a proxy has signed you in; passwords, passkeys and sessions are its affair",
);

type WrongForms = Readonly<{ password?: string; passkey?: string; browser?: string }>;

export function accountPage(asking: Asking, parts: PeoplePagesParts, wrong: WrongForms = {}, status = 200): Response {
  const { people, webAuthn } = parts;
  const { request, viewer, engine } = asking;
  const { name, role, applications } = viewer;
  const shown = engine.views.viewContext();
  const hasPassword = people.known(name)?.passwordHash != null;
  return pageResponse(
    asking,
    { title: "Your account", path: ACCOUNT_PATH, status },
    <>
      <section class="plain">
        <h1 class="headline is-quiet">{name}.</h1>
        <p>{`You have the role ${role}, for ${applicationsInWords(applications)}.`}</p>
        {viewer.sessionId === null ? (
          <p>A proxy has signed you in. It looks after your password, and signs you out.</p>
        ) : null}
      </section>
      <OwnBrowsers
        browsers={engine.browsers.of(name).map((one) => ({ ...one, name: agentInWords(one.agent) }))}
        isTested={asking.search.has("tested")}
        wrong={wrong.browser ?? null}
        {...shown}
      />
      {viewer.sessionId === null ? null : (
        <>
          <OwnPasskeys
            passkeys={people.passkeys.of(viewer.id)}
            site={isRefusal(webAuthn) ? webAuthn : webAuthn.site}
            hasPassword={hasPassword}
            here={agentInWords(browserAgentOf(request))}
            wrong={wrong.passkey ?? null}
            {...shown}
          />
          {hasPassword ? <ChangePassword name={name} wrong={wrong.password ?? null} /> : null}
          <section class="own">
            <h2>Where you are signed in</h2>
            <Sessions sessions={people.sessionsOf(viewer.id)} own={viewer.sessionId} {...shown} />
          </section>
        </>
      )}
    </>,
  );
}

const ChangePassword = ({ name, wrong }: { name: string; wrong: string | null }) => (
  <SectionBox name="Change your password">
    <p>This signs you out everywhere else.</p>
    <Wrong text={wrong} />
    <form method="post" action={`${ACCOUNT_PATH}/password`}>
      <input type="hidden" name="name" autocomplete="username" value={name} />
      <Field label="Present password" name="current" type="password" autocomplete="current-password" />
      <NewPassword />
      <Submit>Change the password</Submit>
    </form>
  </SectionBox>
);

const Sessions = ({ sessions, own, ...shown }: Clocked & { sessions: readonly ListedSession[]; own: number }) => (
  <form method="post" action={`${ACCOUNT_PATH}/sessions`}>
    <ul class="sessions">
      {sessions.map(({ id, agent, address, createdAt, usedAt }) => (
        <li key={id}>
          <div>
            <p>{`${agentInWords(agent)}, at ${address}`}</p>
            <p class="small">
              signed in <Ago at={createdAt} {...shown} />, last seen <Ago at={usedAt} {...shown} />
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
