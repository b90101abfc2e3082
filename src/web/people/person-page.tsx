// A person's page: what is known of them, and the forms that change it. Another page asks before they are deleted.

import { counted } from "../../domain/wording/spoken-time.ts";
import { pageAnswer } from "../document.tsx";
import { applicationsFor } from "../list-query.ts";
import { Confirm, Wrong } from "../parts/act.tsx";
import { Ago } from "../parts/moment.tsx";
import { deedsPath, PEOPLE_PATH, personPath } from "../paths.ts";
import type { Asking } from "../signed-in.ts";
import { type ListedPerson, RightsFields, rightsInWords, Seen } from "./people-page.tsx";

/** `wrong`: why what was asked was not done. */
export function personPage(asking: Asking, person: ListedPerson, wrong: string | null = null): Response {
  const { id, name, sessions, passkeys, createdAt, account } = person;
  const { engine, viewer } = asking;
  const shown = engine.views.viewContext();
  const isSelf = id === viewer.id;
  return pageAnswer(
    asking,
    { title: name, path: PEOPLE_PATH, status: wrong === null ? 200 : 400 },
    <>
      <section class="plain">
        <h1 class="headline is-quiet">{name}.</h1>
        <p>
          {rightsInWords(person)}; <Seen person={person} {...shown} />. Made <Ago at={createdAt} {...shown} />.
        </p>
        <Wrong text={wrong} />
        <p>
          <a href={deedsPath(name)}>What {name} did</a>
          {isSelf ? (
            <>
              {" · "}
              <a href="/account">Your account</a>
            </>
          ) : null}
        </p>
      </section>
      <section class="own">
        <h2>What {name} may do</h2>
        <div class="door">
          <p>It counts at once, also where {name} is signed in.</p>
          <form method="post" action={`${personPath(id)}/rights`}>
            <RightsFields
              granted={person.role}
              chosen={person.applications}
              applications={applicationsFor(engine, viewer)}
            />
            <button class="button" type="submit">
              Change it
            </button>
          </form>
        </div>
      </section>
      <section class="own">
        <h2>Where {name} is signed in</h2>
        <div class="door">
          <p>
            {sessions === 0
              ? "Nowhere."
              : `${counted(sessions, "session")}, until ${name} signs out or is away for two weeks.`}
          </p>
          {sessions === 0 ? null : (
            <form method="post" action={`${personPath(id)}/sign-out`}>
              <button class="button" type="submit">
                Sign {name} out everywhere
              </button>
            </form>
          )}
        </div>
      </section>
      <section class="own">
        <h2>How {name} signs in</h2>
        <div class="door">
          <p>
            {person.hasPassword ? "By a password" : "No password is set"}
            {passkeys === 0 ? "." : ` and ${counted(passkeys, "passkey")}.`} A new link takes the place of all that: it
            signs {name} out and sets another password, once and within a day.
          </p>
          <form method="post" action={`${personPath(id)}/link`}>
            <button class="button" type="submit">
              Make a new link
            </button>
          </form>
          {account === null ? null : (
            <form method="post" action={`${personPath(id)}/unbind`}>
              <p>
                Or at a provider, by the account {account.subject} of {account.issuer} alone. Once it is unbound, {name}{" "}
                is signed out, and the next account there that is called exactly so is bound.
              </p>
              <button class="button" type="submit">
                Unbind the account
              </button>
            </form>
          )}
        </div>
      </section>
      {isSelf ? null : (
        <section class="own">
          <p class="acts">
            <a class="button is-danger" href={`${personPath(id)}/delete`}>
              Delete {name}…
            </a>
          </p>
        </section>
      )}
    </>,
  );
}

export function deletePersonPage(asking: Asking, { id, name, sessions, passkeys }: ListedPerson): Response {
  return pageAnswer(
    asking,
    { title: `Delete ${name}`, path: PEOPLE_PATH },
    <section class="plain">
      <h1 class="headline is-quiet">Delete {name}?</h1>
      <p>
        {name} is signed out everywhere at once ({counted(sessions, "session")}) and cannot sign in again; the password,{" "}
        {counted(passkeys, "passkey")} and any open link are gone.
      </p>
      <p>Who did what keeps the name, and so do incidents that {name} acknowledged. This cannot be undone.</p>
      <Confirm
        to={`${personPath(id)}/delete`}
        does={`Delete ${name} for good`}
        back={personPath(id)}
        keeps={`Keep ${name}`}
      />
    </section>,
  );
}
