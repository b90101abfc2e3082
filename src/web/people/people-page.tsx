// Draws `/people`: who may sign in, and the form that adds a person.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { PERSON_COLUMNS } from "../../views/rows/person-rows.ts";
import { pageResponse } from "../document.tsx";
import { applicationsFor } from "../list-query.ts";
import { ButtonLink } from "../parts/act.tsx";
import { choicesOf } from "../parts/field.tsx";
import { Head, SectionBox } from "../parts/headline.tsx";
import { Form } from "../parts/operation-form.tsx";
import { Cells } from "../parts/row-parts.tsx";
import { AUDIT_PATH, PEOPLE_PATH, personPath } from "../paths.ts";
import { type FormOf, type RefusedForm, refusedIn } from "../read-form.ts";
import type { Asking } from "../signed-in.ts";

const RIGHTS = ["role", "applications"] as const;

export const LET_IN = { operation: "user create", fields: ["name", ...RIGHTS] } satisfies FormOf<"user create">;

export const CHANGE_RIGHTS = { operation: "user change", fields: RIGHTS } satisfies FormOf<"user change">;

export function peoplePage(asking: Asking, refused: RefusedForm | null = null): Response | Refusal {
  const listed = asking.operate("user list", {});
  if (isRefusal(listed)) return listed;
  const { people } = listed;
  const shown = asking.engine.views.viewContext();
  return pageResponse(
    asking,
    { title: "People", path: PEOPLE_PATH, status: refused === null ? 200 : 400 },
    <>
      <Head says={`${people.length === 1 ? "1 person" : `${people.length} people`} may sign in.`}>
        <ButtonLink to={AUDIT_PATH} kind="plain">
          Who did what
        </ButtonLink>
      </Head>
      <ul class="people">
        {people.map((person) => (
          <li key={person.id} class="person">
            <a class="person-name" href={personPath(person.id)}>
              {person.name}
            </a>
            <span class="person-cells">
              <Cells columns={PERSON_COLUMNS} of={person} {...shown} />
            </span>
          </li>
        ))}
      </ul>
      <SectionBox id="invite" name="Let somebody in">
        <p>You get a link to pass on. Whoever opens it, once and within a day, sets the password.</p>
        <Form
          of={LET_IN}
          form={{ to: PEOPLE_PATH }}
          does="Make the link"
          shown={{ applications: { choices: choicesOf(applicationsFor(asking.engine, asking.viewer)) } }}
          {...refusedIn(refused, "user create")}
        />
      </SectionBox>
    </>,
  );
}
