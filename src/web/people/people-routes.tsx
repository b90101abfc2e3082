// `/people`: administrators of all applications let people in, change what they may do, and delete them, through the
// table of operations alone. A link is the answer to its form, which no cache keeps.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../../engine/engine.ts";
import type { PersonWithLink } from "../../views/answers/people.ts";
import { pageAnswer, redirect } from "../answer.tsx";
import { Document } from "../document.tsx";
import { RAW } from "../form.ts";
import { applicationsFor } from "../list-query.ts";
import type { PagesParts } from "../pages-parts.ts";
import { CopyLine } from "../parts/act.tsx";
import { Exactly } from "../parts/moment.tsx";
import { PEOPLE_PATH, personPath } from "../paths.ts";
import { answerForm, refusalPage, sentenceOf } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import { asActor, seenBy, type Viewer } from "../viewer.ts";
import { type ListedPerson, PeoplePage, type PeopleShown, type RefusedName, rightsIn } from "./people-page.tsx";
import { DeletePersonPage, PersonPage } from "./person-page.tsx";

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

// What `/people` answers with: its pages, for those who may see people. Changes nothing.

/** A request for a page of people. */
export interface Asking {
  readonly engine: Engine;
  readonly request: Request;
  readonly viewer: Viewer;
}

const NO_SUCH_PERSON = refuse("NOT_FOUND", "there is no such person");

const shown = ({ engine, request, viewer }: Asking) => ({
  ...seenBy(engine, request, viewer),
  applications: applicationsFor(engine, viewer),
});

function listPage(asking: Asking, refused: RefusedName | null = null): Response {
  const { engine, request, viewer } = asking;
  const listed = engine.as(asActor(viewer)).operate("user list", {});
  if (isRefusal(listed)) return refusalPage(request, listed, viewer);
  const page = <PeoplePage people={listed.people} refused={refused} {...shown(asking)} />;
  return pageAnswer(request, page, refused === null ? 200 : 400);
}

/** Whom the address names, for those who may see people. */
function personAt({ engine, viewer }: Asking, id: string): ListedPerson | Refusal {
  const listed = engine.as(asActor(viewer)).operate("user list", {});
  if (isRefusal(listed)) return listed;
  return listed.people.find((person) => String(person.id) === id) ?? NO_SUCH_PERSON;
}

/** `wrong`: why what was asked was not done. */
function personPage(asking: Asking, person: ListedPerson, wrong: string | null = null): Response {
  const page = <PersonPage person={person} wrong={wrong} {...shown(asking)} />;
  return pageAnswer(asking.request, page, wrong === null ? 200 : 400);
}

const deletePage = (asking: Asking, person: ListedPerson): Response =>
  pageAnswer(asking.request, <DeletePersonPage person={person} {...shown(asking)} />);

/** The one page that ever shows the link. */
function linkPage(asking: Asking, { name, link }: Pick<PersonWithLink, "name" | "link">): Response {
  const { path, address, expiresAt } = link!;
  const url = (address ?? new URL(asking.request.url).origin) + path;
  return pageAnswer(asking.request, <NewLinkPage name={name} url={url} expiresAt={expiresAt} {...shown(asking)} />);
}

// A one-time link that was just made, shown this once. The page is the answer to the form itself: the link stands in no
// address of ours.

interface NewLinkProps extends Pick<PeopleShown, "viewer" | "look" | "timezone"> {
  readonly name: string;
  readonly url: string;
  readonly expiresAt: Instant;
}

const NewLinkPage = ({ name, url, expiresAt, viewer, look, timezone }: NewLinkProps) => (
  <Document title={`A link for ${name}`} tone="quiet" viewer={viewer} look={look} path="">
    <section class="plain">
      <h1 class="headline is-quiet">A link for {name}.</h1>
      <p>
        Pass it on where nobody else reads it: whoever opens it first sets the password. It is shown this once, and
        counts until <Exactly at={expiresAt} timezone={timezone} />.
      </p>
      <CopyLine text={url} />
      <p class="acts">
        <a class="button is-strong" href={PEOPLE_PATH}>
          To all people
        </a>
      </p>
    </section>
  </Document>
);
