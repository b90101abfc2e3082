// `/people`: administrators of all applications let people in, change what they may do, and delete them, through the
// table of operations alone. A link is the answer to its form, which no cache keeps.

import { Elysia } from "elysia";
import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { redirect } from "../answer.tsx";
import { formOf } from "../form.ts";
import type { PagesParts } from "../pages-parts.ts";
import { refusalPage } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import { asActor } from "../viewer.ts";
import { PEOPLE_PATH, personPath } from "./paths.ts";
import { type Asking, deletePage, linkPage, listPage, personAt, personPage } from "./people-answers.tsx";
import type { ListedPerson } from "./people-page.tsx";
import { rightsIn } from "./rights.tsx";

const RAW = { parse: "none" } as const;

export const peopleRoutes = ({ engine, ...parts }: PagesParts) =>
  new Elysia({ name: "people" })
    .use(signedIn(parts))
    .get(PEOPLE_PATH, ({ request, viewer }) => listPage({ engine, request, viewer }))
    .get(`${PEOPLE_PATH}/:id`, ({ request, viewer, params: { id } }) =>
      look({ engine, request, viewer }, id, personPage),
    )
    .get(`${PEOPLE_PATH}/:id/delete`, ({ request, viewer, params: { id } }) =>
      look({ engine, request, viewer }, id, deletePage),
    )
    .post(PEOPLE_PATH, ({ request, viewer }) => invite({ engine, request, viewer }), RAW)
    .post(
      `${PEOPLE_PATH}/:id/rights`,
      ({ request, viewer, params: { id } }) => act({ engine, request, viewer }, id, setRights),
      RAW,
    )
    .post(
      `${PEOPLE_PATH}/:id/sign-out`,
      ({ request, viewer, params: { id } }) => act({ engine, request, viewer }, id, signOut),
      RAW,
    )
    .post(
      `${PEOPLE_PATH}/:id/link`,
      ({ request, viewer, params: { id } }) => act({ engine, request, viewer }, id, makeLink),
      RAW,
    )
    .post(
      `${PEOPLE_PATH}/:id/unbind`,
      ({ request, viewer, params: { id } }) => act({ engine, request, viewer }, id, unbind),
      RAW,
    )
    .post(
      `${PEOPLE_PATH}/:id/delete`,
      ({ request, viewer, params: { id } }) => act({ engine, request, viewer }, id, remove),
      RAW,
    );

function look(asking: Asking, id: string, page: (asking: Asking, person: ListedPerson) => Response): Response {
  const person = personAt(asking, id);
  return isRefusal(person) ? refusalPage(asking.request, person, asking.viewer) : page(asking, person);
}

async function invite(asking: Asking): Promise<Response> {
  const { engine, request, viewer } = asking;
  const form = await formOf(request);
  if (isRefusal(form)) return refusalPage(request, form, viewer);
  const name = (form.get("name") ?? "").trim();
  const made = engine.as(asActor(viewer)).operate("user create", { name, ...rightsIn(form) });
  if (!isRefusal(made)) return linkPage(asking, made);
  return made.refusal === "ACCESS_DENIED"
    ? refusalPage(request, made, viewer)
    : listPage(asking, { name, wrong: sentenceOf(made) });
}

/** A form of a person's page: where it leads, or why nothing was done. */
type PersonAction = (asking: Asking, person: ListedPerson, form: URLSearchParams) => Refusal | Response;

async function act(asking: Asking, id: string, action: PersonAction): Promise<Response> {
  const { request, viewer } = asking;
  const form = await formOf(request);
  if (isRefusal(form)) return refusalPage(request, form, viewer);
  const person = personAt(asking, id);
  if (isRefusal(person)) return refusalPage(request, person, viewer);
  const done = action(asking, person, form);
  return isRefusal(done) ? personPage(asking, person, sentenceOf(done)) : done;
}

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

/** A refusal's sentence without the name of the field at its beginning. */
function sentenceOf({ message }: Refusal): string {
  const text = message.replace(/^\w+: /, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
