// Serves `/people` to administrators who may see all applications. A one-time link is shown in the response to its
// form: so the link is in no address, and no cache keeps it.

import { Elysia } from "elysia";
import { isRefusal, problemOf, type Refusal, refuse } from "../../domain/errors.ts";
import type { ListedPerson } from "../../views/rows/person-rows.ts";
import type { PersonWithLink } from "../../views/schemas/person-schemas.ts";
import { pageResponse } from "../document.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { ButtonLink, CopyLine } from "../parts/act.tsx";
import { Exactly } from "../parts/moment.tsx";
import { PEOPLE_PATH, personPath } from "../paths.ts";
import { submitOperationForm } from "../read-form.ts";
import { refusalSentence } from "../refusal-page.tsx";
import { redirect } from "../response.ts";
import { type Asking, signedIn, withForm } from "../signed-in.ts";
import { CHANGE_RIGHTS, LET_IN, peoplePage } from "./people-page.tsx";
import { deletePersonPage, personPage } from "./person-page.tsx";

export const peopleRoutes = (parts: PagesParts) =>
  new Elysia({ name: "people" })
    .use(signedIn(parts))
    .get(PEOPLE_PATH, ({ asking }) => peoplePage(asking))
    .get(`${PEOPLE_PATH}/:id`, ({ asking, params: { id } }) => look(asking, id, personPage))
    .get(`${PEOPLE_PATH}/:id/delete`, ({ asking, params: { id } }) => look(asking, id, deletePersonPage))
    .post(PEOPLE_PATH, ({ asking }) => invite(asking))
    .post(`${PEOPLE_PATH}/:id/rights`, ({ asking, params: { id } }) => act(asking, id, setRights))
    .post(`${PEOPLE_PATH}/:id/sign-out`, ({ asking, params: { id } }) => act(asking, id, doing("user sign-out")))
    .post(`${PEOPLE_PATH}/:id/link`, ({ asking, params: { id } }) => act(asking, id, makeLink))
    .post(`${PEOPLE_PATH}/:id/unbind`, ({ asking, params: { id } }) => act(asking, id, doing("user unbind")))
    .post(`${PEOPLE_PATH}/:id/delete`, ({ asking, params: { id } }) => act(asking, id, doing("user delete")));

const NO_SUCH_PERSON = refuse("NOT_FOUND", "there is no such person");

/** The person whose number is in the address. Refuses viewers who may not see people. */
function personAt({ operate }: Asking, id: string): ListedPerson | Refusal {
  const listed = operate("user list", {});
  if (isRefusal(listed)) return listed;
  return listed.people.find((person) => String(person.id) === id) ?? NO_SUCH_PERSON;
}

function look(asking: Asking, id: string, page: (asking: Asking, person: ListedPerson) => Response) {
  const person = personAt(asking, id);
  return isRefusal(person) ? person : page(asking, person);
}

const invite = (asking: Asking): Promise<Response | Refusal> =>
  withForm(asking, (form) =>
    submitOperationForm(asking, LET_IN, form, {
      done: (made) => linkPage(asking, made),
      again: (refused) => peoplePage(asking, refused),
    }),
  );

/** Handles a form of a person's page: returns where it leads, or why nothing was done. */
type PersonAction = (asking: Asking, person: ListedPerson, form: URLSearchParams) => Refusal | Response;

const act = (asking: Asking, id: string, action: PersonAction): Promise<Response | Refusal> =>
  withForm(asking, (form) => {
    const person = personAt(asking, id);
    if (isRefusal(person)) return person;
    const done = action(asking, person, form);
    return isRefusal(done) ? personPage(asking, person, { wrong: refusalSentence(problemOf(done)) }) : done;
  });

const setRights: PersonAction = (asking, person, form) =>
  submitOperationForm(asking, CHANGE_RIGHTS, form, {
    given: ({ applications }) => ({ name: person.name, allApplications: applications === undefined }),
    // An administrator who has just given their role away may not see the person's page any more.
    done: () => redirect(person.id === asking.viewer.id ? "/account" : personPath(person.id)),
    again: (refused) => personPage(asking, person, { refused }),
  });

/**
 * Runs the operation and goes to the person's page, or after a deletion to the list of people. Administrators who did
 * this to themselves have no session any more, so they get the sign-in page.
 */
const doing =
  (operation: "user sign-out" | "user unbind" | "user delete"): PersonAction =>
  ({ operate }, { id, name }) => {
    const done = operate(operation, { name });
    return isRefusal(done) ? done : redirect(operation === "user delete" ? PEOPLE_PATH : personPath(id));
  };

const makeLink: PersonAction = (asking, { name }) => {
  const made = asking.operate("user passwd", { name });
  return isRefusal(made) ? made : linkPage(asking, made);
};

function linkPage(asking: Asking, { name, link }: Pick<PersonWithLink, "name" | "link">): Response {
  const { path, address, expiresAt } = link!;
  const { timezone } = asking.engine.views.viewContext();
  return pageResponse(
    asking,
    { title: `A link for ${name}` },
    <section class="plain">
      <h1 class="headline is-quiet">A link for {name}.</h1>
      <p>
        Pass it on where nobody else reads it: whoever opens it first sets the password. It is shown this once, and
        counts until <Exactly at={expiresAt} timezone={timezone} />.
      </p>
      <CopyLine text={(address ?? new URL(asking.request.url).origin) + path} />
      <p class="acts">
        <ButtonLink to={PEOPLE_PATH} kind="strong">
          To all people
        </ButtonLink>
      </p>
    </section>,
  );
}
