// Draws the page of a person: what is known about them, and the forms that change it. A second page asks before a
// person is deleted.

import { counted } from "../../domain/wording/spoken-time.ts";
import { deletedInWords, type ListedPerson, PERSON_COLUMNS } from "../../views/rows/person-rows.ts";
import { columnFacts } from "../../views/rows/rows.ts";
import { confirmPage, pageResponse } from "../document.tsx";
import { applicationsFor } from "../list-query.ts";
import { ButtonLink, Submit } from "../parts/act.tsx";
import { choicesOf, Wrong } from "../parts/field.tsx";
import { SectionBox } from "../parts/headline.tsx";
import { Form } from "../parts/operation-form.tsx";
import { FactRows, Sentences } from "../parts/row-parts.tsx";
import { actionsPath, PEOPLE_PATH, personPath } from "../paths.ts";
import { type RefusedForm, refusedIn } from "../read-form.ts";
import type { Asking } from "../signed-in.ts";
import { CHANGE_RIGHTS } from "./people-page.tsx";

/** Why nothing was changed: `refused` for a form, `wrong` for a button. Both are `null` when nothing was refused. */
type RefusedAct = Readonly<{ refused?: RefusedForm | null; wrong?: string | null }>;

export function personPage(asking: Asking, person: ListedPerson, { refused = null, wrong = null }: RefusedAct = {}) {
  const { id, name } = person;
  const isSelf = id === asking.viewer.id;
  return pageResponse(
    asking,
    { title: name, path: PEOPLE_PATH, status: wrong === null && refused === null ? 200 : 400 },
    <>
      <section class="plain">
        <h1 class="headline is-quiet">{name}.</h1>
        <FactRows facts={columnFacts(PERSON_COLUMNS, person)} {...asking.engine.views.viewContext()} />
        <Wrong text={wrong} />
        <p>
          <a href={actionsPath(name)}>What {name} did</a>
          {isSelf ? (
            <>
              {" · "}
              <a href="/account">Your account</a>
            </>
          ) : null}
        </p>
      </section>
      <Rights asking={asking} person={person} refused={refused} />
      <Sessions person={person} />
      <SigningIn person={person} />
      {isSelf ? null : (
        <section class="own">
          <p class="acts">
            <ButtonLink to={`${personPath(id)}/delete`} kind="danger">
              Delete {name}…
            </ButtonLink>
          </p>
        </section>
      )}
    </>,
  );
}

type OfPerson = Readonly<{ person: ListedPerson }>;

const Rights = ({ asking, person, refused }: OfPerson & { asking: Asking; refused: RefusedForm | null }) => (
  <SectionBox name={`What ${person.name} may do`}>
    <p>It counts at once, also where {person.name} is signed in.</p>
    <Form
      of={CHANGE_RIGHTS}
      form={{ to: `${personPath(person.id)}/rights` }}
      does="Change it"
      kind="plain"
      shown={{
        role: { value: person.role },
        applications: {
          value: person.applications,
          choices: choicesOf(applicationsFor(asking.engine, asking.viewer)),
        },
      }}
      {...refusedIn(refused, "user change")}
    />
  </SectionBox>
);

const Sessions = ({ person: { id, name, sessions } }: OfPerson) => (
  <SectionBox name={`Where ${name} is signed in`}>
    <p>
      {sessions === 0
        ? "Nowhere."
        : `${counted(sessions, "session")}, until ${name} signs out or is away for two weeks.`}
    </p>
    {sessions === 0 ? null : (
      <form method="post" action={`${personPath(id)}/sign-out`}>
        <Submit>Sign {name} out everywhere</Submit>
      </form>
    )}
  </SectionBox>
);

const SigningIn = ({ person: { id, name, account } }: OfPerson) => (
  <SectionBox name={`How ${name} signs in`}>
    <p>
      A new link takes the place of password and passkeys: it signs {name} out and sets another password, once and
      within a day.
    </p>
    <form method="post" action={`${personPath(id)}/link`}>
      <Submit>Make a new link</Submit>
    </form>
    {account === null ? null : (
      <form method="post" action={`${personPath(id)}/unbind`}>
        <p>
          Or at a provider, by the account {account.subject} of {account.issuer} alone. Once it is unbound, {name} is
          signed out, and the next account there that is called exactly so is bound.
        </p>
        <Submit>Unbind the account</Submit>
      </form>
    )}
  </SectionBox>
);

export function deletePersonPage(asking: Asking, person: ListedPerson): Response {
  const { id, name } = person;
  return confirmPage(
    asking,
    `Delete ${name}?`,
    { to: `${personPath(id)}/delete`, does: `Delete ${name} for good`, back: personPath(id), keeps: `Keep ${name}` },
    <Sentences of={deletedInWords(person)} {...asking.engine.views.viewContext()} />,
  );
}
