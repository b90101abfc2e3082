// `/people`: who may sign in, and the form that lets another person in.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { ROLES, type Role } from "../../domain/people/person.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { PeopleList } from "../../views/answers/people.ts";
import { pageAnswer } from "../document.tsx";
import { applicationsFor } from "../list-query.ts";
import { ButtonLink, Submit } from "../parts/act.tsx";
import { Field, Wrong } from "../parts/field.tsx";
import { Head, Own } from "../parts/headline.tsx";
import { Ago, type Clocked, Until } from "../parts/moment.tsx";
import { AUDIT_PATH, PEOPLE_PATH, personPath } from "../paths.ts";
import type { Asking } from "../signed-in.ts";

export type ListedPerson = PeopleList["people"][number];

/** What the form of a new person was given before, and why it was refused. */
type RefusedName = Readonly<{ name: string; wrong: string }>;

export function peoplePage(asking: Asking, refused: RefusedName | null = null): Response | Refusal {
  const listed = asking.operate("user list", {});
  if (isRefusal(listed)) return listed;
  const { people } = listed;
  const shown = asking.engine.views.viewContext();
  return pageAnswer(
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
            <span class="person-role">{rightsInWords(person)}</span>
            <span class="person-seen">
              <Seen person={person} {...shown} />
            </span>
            <span class="person-ways">{waysInWords(person)}</span>
          </li>
        ))}
      </ul>
      <Own id="invite" name="Let somebody in">
        <p>You get a link to pass on. Whoever opens it, once and within a day, sets the password.</p>
        <Wrong text={refused?.wrong ?? null} />
        <form method="post" action={PEOPLE_PATH}>
          <Field
            label="Name"
            name="name"
            value={refused?.name ?? ""}
            maxlength={64}
            hint="As others shall read it, also in alerts: “acknowledged by Ada”."
          />
          <RightsFields granted="viewer" chosen={null} applications={applicationsFor(asking.engine, asking.viewer)} />
          <Submit kind="strong">Make the link</Submit>
        </form>
      </Own>
    </>,
  );
}

export const rightsInWords = ({ role, applications }: Pick<ListedPerson, "role" | "applications">): string =>
  `${role}, ${applications === null ? "all applications" : applications.join(", ") || "no application"}`;

const waysInWords = ({ hasPassword, passkeys, account, sessions }: ListedPerson): string =>
  [
    hasPassword ? "password" : "no password",
    ...(passkeys === 0 ? [] : [counted(passkeys, "passkey")]),
    ...(account === null ? [] : ["provider"]),
    sessions === 0 ? "not signed in" : counted(sessions, "session"),
  ].join(" · ");

/** When they signed in last, or how long their link counts. */
export const Seen = ({ person: { signedInAt, linkExpiresAt }, ...shown }: Clocked & { person: ListedPerson }) => {
  if (linkExpiresAt !== null)
    return (
      <>
        has a link, which ends <Until at={linkExpiresAt} {...shown} />
      </>
    );
  if (signedInAt === null) return <>never signed in</>;
  return (
    <>
      signed in <Ago at={signedInAt} {...shown} />
    </>
  );
};

// The fields of a person's rights, as two forms have them: the role, and which applications.

const WORDS: Readonly<Record<Role, string>> = {
  viewer: "viewer: looks",
  operator: "operator: also acknowledges, pauses and changes settings of jobs",
  admin: "admin: does everything",
};

interface RightsProps {
  readonly granted: Role;
  /** Slugs; null: all. */
  readonly chosen: readonly string[] | null;
  /** Slugs, to choose from. */
  readonly applications: readonly string[];
}

export const RightsFields = ({ granted, chosen, applications }: RightsProps) => (
  <>
    <p class="field">
      <label for="role">Role</label>
      <select id="role" name="role">
        {ROLES.map((one) => (
          <option key={one} value={one} selected={one === granted}>
            {WORDS[one]}
          </option>
        ))}
      </select>
    </p>
    <fieldset class="choices">
      <legend>Applications</legend>
      <label>
        <input type="radio" name="sees" value="all" checked={chosen === null} /> all, also later ones
      </label>
      <label>
        <input type="radio" name="sees" value="some" checked={chosen !== null} /> only these:
      </label>
      <div class="choices-some">
        {applications.map((slug) => (
          <label key={slug}>
            <input type="checkbox" name="application" value={slug} checked={chosen?.includes(slug) ?? false} /> {slug}
          </label>
        ))}
      </div>
      <small>Only those who see all applications see people, settings and destinations.</small>
    </fieldset>
  </>
);

/** What the fields say, as operations take it; `applications` null: all. */
export function rightsIn(form: URLSearchParams): { readonly role: Role; readonly applications: string | null } {
  // The operation says what a role may be.
  const role = (form.get("role") ?? "viewer") as Role;
  return { role, applications: form.get("sees") === "some" ? form.getAll("application").join(",") : null };
}
