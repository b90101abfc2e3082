// `/people`: administrators of all applications let people in, change what they may do, and delete them, through the
// table of operations alone. A link is the answer to its form, which no cache keeps.

import { Elysia } from "elysia";
import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { redirect } from "../answer.tsx";
import { RAW } from "../form.ts";
import type { PagesParts } from "../pages-parts.ts";
import { PEOPLE_PATH, personPath } from "../paths.ts";
import { answerForm, refusalPage, sentenceOf } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import { asActor } from "../viewer.ts";
import { type Asking, deletePage, linkPage, listPage, personAt, personPage } from "./people-answers.tsx";
import { type ListedPerson, rightsIn } from "./people-page.tsx";

export const peopleRoutes = ({ engine, ...parts }: PagesParts) =>
  new Elysia({ name: "people" })
    .use(signedIn(parts))
    .resolve(({ request, viewer }) => ({ asking: { engine, request, viewer } }))
    .get(PEOPLE_PATH, ({ asking }) => listPage(asking))
    .get(`${PEOPLE_PATH}/:id`, ({ asking, params: { id } }) => look(asking, id, personPage))
    .get(`${PEOPLE_PATH}/:id/delete`, ({ asking, params: { id } }) => look(asking, id, deletePage))
    .post(PEOPLE_PATH, ({ asking }) => invite(asking), RAW)
    .post(`${PEOPLE_PATH}/:id/rights`, ({ asking, params: { id } }) => act(asking, id, setRights), RAW)
    .post(`${PEOPLE_PATH}/:id/sign-out`, ({ asking, params: { id } }) => act(asking, id, signOut), RAW)
    .post(`${PEOPLE_PATH}/:id/link`, ({ asking, params: { id } }) => act(asking, id, makeLink), RAW)
    .post(`${PEOPLE_PATH}/:id/unbind`, ({ asking, params: { id } }) => act(asking, id, unbind), RAW)
    .post(`${PEOPLE_PATH}/:id/delete`, ({ asking, params: { id } }) => act(asking, id, remove), RAW);

function look(asking: Asking, id: string, page: (asking: Asking, person: ListedPerson) => Response): Response {
  const person = personAt(asking, id);
  return isRefusal(person) ? refusalPage(asking.request, person, asking.viewer) : page(asking, person);
}

const invite = (asking: Asking): Promise<Response> =>
  answerForm(asking.request, asking.viewer, (form) => {
    const name = (form.get("name") ?? "").trim();
    const made = asking.engine.as(asActor(asking.viewer)).operate("user create", { name, ...rightsIn(form) });
    if (!isRefusal(made)) return linkPage(asking, made);
    return made.refusal === "ACCESS_DENIED" ? made : listPage(asking, { name, wrong: sentenceOf(made) });
  });

/** A form of a person's page: where it leads, or why nothing was done. */
type PersonAction = (asking: Asking, person: ListedPerson, form: URLSearchParams) => Refusal | Response;

const act = (asking: Asking, id: string, action: PersonAction): Promise<Response> =>
  answerForm(asking.request, asking.viewer, (form) => {
    const person = personAt(asking, id);
    if (isRefusal(person)) return person;
    const done = action(asking, person, form);
    return isRefusal(done) ? personPage(asking, person, sentenceOf(done)) : done;
  });

const setRights: PersonAction = ({ engine, viewer }, { id, name }, form) => {
  const rights = rightsIn(form);
  const asked = { name, ...rights, allApplications: rights.applications === null };
  const changed = engine.as(asActor(viewer)).operate("user change", asked);
  if (isRefusal(changed)) return changed;
  // Who has just given the role away may not see that page any more.
  return redirect(id === viewer.id ? "/account" : personPath(id));
};

const signOut: PersonAction = ({ engine, viewer }, { id, name }) => {
  const done = engine.as(asActor(viewer)).operate("user sign-out", { name });
  return isRefusal(done) ? done : redirect(personPath(id));
};

const unbind: PersonAction = ({ engine, viewer }, { id, name }) => {
  const done = engine.as(asActor(viewer)).operate("user unbind", { name });
  // Who has unbound themselves is signed out now.
  return isRefusal(done) ? done : redirect(personPath(id));
};

const makeLink: PersonAction = (asking, { name }) => {
  const made = asking.engine.as(asActor(asking.viewer)).operate("user passwd", { name });
  return isRefusal(made) ? made : linkPage(asking, made);
};

const remove: PersonAction = ({ engine, viewer }, { name }) => {
  const done = engine.as(asActor(viewer)).operate("user delete", { name });
  return isRefusal(done) ? done : redirect(PEOPLE_PATH);
};
