// What `/people` answers with: its pages, for those who may see people. Changes nothing.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../../engine/engine.ts";
import type { PersonWithLink } from "../../views/answers/people.ts";
import { pageAnswer } from "../answer.tsx";
import { Document } from "../document.tsx";
import { applicationsFor } from "../list-query.ts";
import { CopyLine } from "../parts/act.tsx";
import { Exactly } from "../parts/moment.tsx";
import { PEOPLE_PATH } from "../paths.ts";
import { refusalPage } from "../refusal-page.tsx";
import { asActor, seenBy, type Viewer } from "../viewer.ts";
import { type ListedPerson, PeoplePage, type PeopleShown, type RefusedName } from "./people-page.tsx";
import { DeletePersonPage, PersonPage } from "./person-page.tsx";

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

export function listPage(asking: Asking, refused: RefusedName | null = null): Response {
  const { engine, request, viewer } = asking;
  const listed = engine.as(asActor(viewer)).operate("user list", {});
  if (isRefusal(listed)) return refusalPage(request, listed, viewer);
  const page = <PeoplePage people={listed.people} refused={refused} {...shown(asking)} />;
  return pageAnswer(request, page, refused === null ? 200 : 400);
}

/** Whom the address names, for those who may see people. */
export function personAt({ engine, viewer }: Asking, id: string): ListedPerson | Refusal {
  const listed = engine.as(asActor(viewer)).operate("user list", {});
  if (isRefusal(listed)) return listed;
  return listed.people.find((person) => String(person.id) === id) ?? NO_SUCH_PERSON;
}

/** `wrong`: why what was asked was not done. */
export function personPage(asking: Asking, person: ListedPerson, wrong: string | null = null): Response {
  const page = <PersonPage person={person} wrong={wrong} {...shown(asking)} />;
  return pageAnswer(asking.request, page, wrong === null ? 200 : 400);
}

export const deletePage = (asking: Asking, person: ListedPerson): Response =>
  pageAnswer(asking.request, <DeletePersonPage person={person} {...shown(asking)} />);

/** The one page that ever shows the link. */
export function linkPage(asking: Asking, { name, link }: Pick<PersonWithLink, "name" | "link">): Response {
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
