// Shows where alerts go: the destinations that are set for each application, those for all other applications, and the
// members of the team, who get mail. What the configuration sets is shown with its line, and has no form.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { alertTitle } from "../../domain/wording/subject.ts";
import type { ShownRoute } from "../../engine/engine-settings.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import { confirmPage } from "../document.tsx";
import { choicesOf, type FormChoice } from "../parts/field.tsx";
import { SectionBox } from "../parts/headline.tsx";
import { Form } from "../parts/operation-form.tsx";
import { DESTINATIONS_PATH, MEMBERS_PATH, removeMemberPath } from "../paths.ts";
import { type FormOf, type RefusedForm, readForm, refusedIn, submitOperationForm } from "../read-form.ts";
import { redirect } from "../response.ts";
import { pageLine } from "../shown.ts";
import type { Asking } from "../signed-in.ts";

const ROUTE_PATH = `${DESTINATIONS_PATH}/told`;

type Routed = Answer<"destination list">;

interface RoutesProps extends Routed {
  readonly applications: readonly string[];
}

export const Routes = ({ destinations, routes, applications }: RoutesProps) => (
  <SectionBox id="told" name="Who is told">
    {[null, ...applications].map((application) => {
      const own = routes.find((route) => route.application === application && route.monitor === null) ?? null;
      const offered = destinations.filter(({ kept }) => kept || application !== null).map(({ name }) => name);
      const others = routes.length > 1 ? "All others" : "All applications";
      return <Route key={application} application={application} own={own} offered={offered} others={others} />;
    })}
    {routes.flatMap((route) => (route.monitor === null ? [] : [<Fixed key={route.monitor} route={route} />]))}
  </SectionBox>
);

const Fixed = ({ route: { application, monitor, destinations, from } }: { readonly route: ShownRoute }) => (
  <p class="note">
    {pageLine(monitor ?? application ?? "All others")}: {destinations.join(", ")} · set by {pageLine(from ?? "default")}
  </p>
);

interface RouteProps {
  readonly application: string | null;
  /**
   * The destinations that are set for this application. `null` when none are set: the application then uses the default
   * destinations. When `application` is `null`, `own` has the default destinations; `null` when there are none.
   */
  readonly own: ShownRoute | null;
  readonly offered: readonly string[];
  readonly others: string;
}

const Route = ({ application, own, offered, others }: RouteProps) => {
  if (application !== null && own !== null && !own.kept) return <Fixed route={own} />;
  const names = own?.destinations ?? [];
  const said = application !== null && own === null ? "where all others go" : names.join(", ") || "nobody";
  const whose = application ?? others;
  return (
    <details class="shared more">
      <summary>
        {whose}: {said}…
      </summary>
      <Form
        of={application === null ? TELL_BY_DEFAULT : TELL}
        form={{ to: ROUTE_PATH }}
        does="Tell these"
        kind="plain"
        shown={{
          application: { value: application },
          destinations: {
            label:
              application === null
                ? "Of what was added here, who gets alerts"
                : `Who gets the alerts of ${application}`,
            choices: choicesOf(offered),
            value: names,
            ...(application !== null && { after: <p class="note">With none, they go where all others go.</p> }),
          },
        }}
        id={`told-${application ?? ""}-`}
      />
    </details>
  );
};

const TELL = {
  operation: "destination route",
  fields: ["destinations"],
  hidden: ["application"],
} satisfies FormOf<"destination route">;

const TELL_BY_DEFAULT = {
  operation: "destination route",
  fields: ["destinations"],
} satisfies FormOf<"destination route">;

/**
 * Sets the destinations of an application or, when the form names none, those for all others. Returns `null` once that
 * is done.
 */
export function setRoute({ operate }: Asking, form: URLSearchParams): Refusal | null {
  const read = readForm(TELL, form);
  if (isRefusal(read)) return read;
  const { application = null, destinations = [] } = read;
  const listed = operate("destination list", {});
  // An application without a route of its own uses the team's destinations already. So a form in which no destination
  // is chosen changes nothing.
  if (application !== null && destinations.length === 0 && !isRefusal(listed))
    if (!listed.routes.some((route) => route.application === application && route.monitor === null)) return null;
  const told = operate("destination route", { application, destinations });
  return isRefusal(told) ? told : null;
}

const EVENTS = (["InitialFailure", "NeverExecuted", "ContinuedFailure", "Recovered"] as const).map(
  (event): FormChoice => [event, alertTitle(event)],
);

type ListedMember = Answer<"member list">["members"][number];

type MembersProps = Answer<"member list"> & Pick<MemberFormProps, "refused">;

export const TeamMembers = ({ members, destinations, refused }: MembersProps) => (
  <SectionBox id="members" name="Who gets mail">
    <p class="note">
      {destinations.length === 0
        ? "No destination sends mail to people yet: that needs [smtp] in the configuration."
        : `The mail of ${destinations.join(", ")} goes to:`}
    </p>
    {members.map((member) =>
      member.kept && member.overruled === null ? (
        <details key={member.email} class="shared more" open={refused?.about === member.email}>
          <summary>
            {pageLine(member.name)}, {member.email}…
          </summary>
          <MemberForm member={member} refused={refused} />
          <p>
            <a class="button" href={removeMemberPath(member.email)}>
              Remove… <span class="unseen">{member.email}</span>
            </a>
          </p>
        </details>
      ) : (
        <p key={member.email} class="note">
          {pageLine(member.name)}, {member.email}
          {member.answers === null ? "" : `, answers as ${pageLine(member.answers)}`} · set by{" "}
          {pageLine(member.from ?? "the configuration")}
        </p>
      ),
    )}
    <details class="shared more" open={refused?.operation === ADD_MEMBER.operation && refused.about === null}>
      <summary>Add a person…</summary>
      <MemberForm member={null} refused={refused} />
    </details>
  </SectionBox>
);

export function removeMemberPage(asking: Asking, email: string): Response | Refusal {
  const listed = asking.operate("member list", {});
  if (isRefusal(listed)) return listed;
  const found = listed.members.find((member) => member.email === email);
  if (found === undefined) return refuse("NOT_FOUND", "there is no such member");
  const mail = listed.destinations.length === 0 ? "no mail yet" : `the mail of ${listed.destinations.join(", ")}`;
  const others = listed.members.length - 1;
  return confirmPage(
    asking,
    `Remove ${pageLine(found.name)}?`,
    { to: removeMemberPath(email), does: `Remove ${email}`, back: DESTINATIONS_PATH, keeps: "Keep them" },
    <p>
      {pageLine(found.name)} gets {mail}: {found.events.map((event) => alertTitle(event)).join(", ")}. They no longer
      do, and{" "}
      {others === 0
        ? "nobody else does"
        : `${counted(others, "member")} of the team still ${others === 1 ? "does" : "do"}`}
      .
    </p>,
  );
}

const ADD_MEMBER = {
  operation: "member add",
  fields: ["name", "email", "events", "answers"],
} satisfies FormOf<"member add">;

/** The mail address says which member the form changes, so it cannot be changed itself. */
const CHANGE_MEMBER = {
  ...ADD_MEMBER,
  fields: ["name", "events", "answers"],
  hidden: ["email"],
} satisfies FormOf<"member add">;

interface MemberFormProps {
  /** The member whom the form changes; `null` for the form that adds one. */
  readonly member: ListedMember | null;
  readonly refused: RefusedForm | null;
}

const MemberForm = ({ member, refused }: MemberFormProps) => (
  <Form
    of={member === null ? ADD_MEMBER : CHANGE_MEMBER}
    form={{ to: MEMBERS_PATH }}
    id={`member-${member?.email ?? ""}-`}
    does={member === null ? "Add them" : "Change it"}
    kind="plain"
    shown={{
      name: { value: member?.name ?? "" },
      email: { value: member?.email ?? "" },
      events: { choices: EVENTS, value: member?.events ?? EVENTS.map(([event]) => event) },
      answers: { value: member?.answers ?? "" },
    }}
    {...refusedIn(refused, "member add", member?.email ?? null)}
  />
);

/**
 * Adds or changes a member of the team. The browser then goes to the list of members. A refused form is shown again: at
 * the member whom it changes, or as the form for a new member.
 */
export function addMember(asking: Asking, form: URLSearchParams, again: (refused: RefusedForm) => Response | Refusal) {
  const listed = asking.operate("member list", {});
  const known = isRefusal(listed) ? [] : listed.members.map(({ email }) => email);
  return submitOperationForm(asking, ADD_MEMBER, form, {
    done: () => redirect(DESTINATIONS_PATH),
    again: (refused) => again({ ...refused, about: known.find((email) => email === form.get("email")) ?? null }),
  });
}
