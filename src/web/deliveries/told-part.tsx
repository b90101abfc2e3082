// Who is told: the destinations of each application and of all others, and the people who get mail. What the
// configuration says is shown with its line, and has no form.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { alertTitle } from "../../domain/wording/subject.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import type { ShownRoute } from "../../engine/reloads.ts";
import { confirmPage } from "../document.tsx";
import { Submit } from "../parts/act.tsx";
import { Field } from "../parts/field.tsx";
import { Own } from "../parts/headline.tsx";
import { DESTINATIONS_PATH } from "../paths.ts";
import { shownLine } from "../shown.ts";
import type { Asking } from "../signed-in.ts";

const ROUTE_PATH = `${DESTINATIONS_PATH}/told`;
const MEMBERS_PATH = `${DESTINATIONS_PATH}/members`;
const removeMemberPath = (email: string): string => `${MEMBERS_PATH}/of/${encodeURIComponent(email)}/remove`;

type Routed = Answer<"destination list">;

interface RoutesProps extends Routed {
  readonly applications: readonly string[];
}

export const Routes = ({ destinations, routes, applications }: RoutesProps) => (
  <Own id="told" name="Who is told">
    {[null, ...applications].map((application) => {
      const own = routes.find((route) => route.application === application && route.monitor === null) ?? null;
      const offered = destinations.filter(({ kept }) => kept || application !== null).map(({ name }) => name);
      const others = routes.length > 1 ? "All others" : "All applications";
      return <Route key={application} application={application} own={own} offered={offered} others={others} />;
    })}
    {routes.flatMap((route) => (route.monitor === null ? [] : [<Fixed key={route.monitor} route={route} />]))}
  </Own>
);

const Fixed = ({ route: { application, monitor, destinations, from } }: { readonly route: ShownRoute }) => (
  <p class="note">
    {shownLine(monitor ?? application ?? "All others")}: {destinations.join(", ")} · set by{" "}
    {shownLine(from ?? "default")}
  </p>
);

interface RouteProps {
  readonly application: string | null;
  /** Null: its alerts go where all others go. */
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
    <details class="shared">
      <summary>
        {whose}: {said}…
      </summary>
      <form method="post" action={ROUTE_PATH}>
        {application === null ? null : <input type="hidden" name="application" value={application} />}
        <fieldset class="choices">
          <legend>
            {application === null ? "Of what was added here, who gets alerts" : `Who gets the alerts of ${application}`}
          </legend>
          {offered.map((name) => (
            <label key={name}>
              <input type="checkbox" name="destination" value={name} checked={names.includes(name)} /> {name}
            </label>
          ))}
        </fieldset>
        {application === null ? null : <p class="note">With none, they go where all others go.</p>}
        <Submit>Tell these</Submit>
      </form>
    </details>
  );
};

/** Null: done. */
export function tell({ operate }: Asking, form: URLSearchParams): Refusal | null {
  const application = form.get("application");
  const destinations = form.getAll("destination");
  const listed = operate("destination list", {});
  // A form without a choice, for what has no list, changes nothing.
  if (application !== null && destinations.length === 0 && !isRefusal(listed))
    if (!listed.routes.some((route) => route.application === application && route.monitor === null)) return null;
  const told = operate("destination route", { application, destinations });
  return isRefusal(told) ? told : null;
}

const EVENTS = ["InitialFailure", "NeverExecuted", "ContinuedFailure", "Recovered"] as const;

type ListedMember = Answer<"member list">["members"][number];

export const Members = ({ members, destinations }: Answer<"member list">) => (
  <Own id="members" name="Who gets mail">
    <p class="note">
      {destinations.length === 0
        ? "No destination sends mail to people yet: that needs [smtp] in the configuration."
        : `The mail of ${destinations.join(", ")} goes to:`}
    </p>
    {members.map((member) =>
      member.kept && member.overruled === null ? (
        <details key={member.email} class="shared">
          <summary>
            {shownLine(member.name)}, {member.email}…
          </summary>
          <MemberForm member={member} />
          <p>
            <a class="button" href={removeMemberPath(member.email)}>
              Remove… <span class="unseen">{member.email}</span>
            </a>
          </p>
        </details>
      ) : (
        <p key={member.email} class="note">
          {shownLine(member.name)}, {member.email}
          {member.answers === null ? "" : `, answers as ${shownLine(member.answers)}`} · set by{" "}
          {shownLine(member.from ?? "the configuration")}
        </p>
      ),
    )}
    <details class="shared">
      <summary>Add a person…</summary>
      <MemberForm member={null} />
    </details>
  </Own>
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
    `Remove ${shownLine(found.name)}?`,
    { to: removeMemberPath(email), does: `Remove ${email}`, back: DESTINATIONS_PATH, keeps: "Keep them" },
    <p>
      {shownLine(found.name)} gets {mail}: {found.events.map((event) => alertTitle(event)).join(", ")}. They no longer
      do, and{" "}
      {others === 0
        ? "nobody else does"
        : `${counted(others, "member")} of the team still ${others === 1 ? "does" : "do"}`}
      .
    </p>,
  );
}

const MemberForm = ({ member }: { readonly member: ListedMember | null }) => (
  <form method="post" action={MEMBERS_PATH}>
    <Field label="Name" name="name" id={`name-${member?.email ?? ""}`} value={member?.name ?? ""} />
    {member === null ? (
      <Field label="Mail address" name="email" id="member-email" />
    ) : (
      <input type="hidden" name="email" value={member.email} />
    )}
    <fieldset class="choices">
      <legend>Mail of</legend>
      {EVENTS.map((event) => (
        <label key={event}>
          <input
            type="checkbox"
            name="event"
            value={event}
            checked={member === null || member.events.includes(event)}
          />{" "}
          {alertTitle(event)}
        </label>
      ))}
    </fieldset>
    <Field
      label="Answers mail as this person of the dashboard"
      name="answers"
      id={`answers-${member?.email ?? ""}`}
      value={member?.answers ?? ""}
      optional
    />
    <Submit>{member === null ? "Add them" : "Change it"}</Submit>
  </form>
);

export function addMember({ operate }: Asking, form: URLSearchParams) {
  const [name = "", email = "", answers = ""] = ["name", "email", "answers"].map((field) =>
    (form.get(field) ?? "").trim(),
  );
  const events = form.getAll("event");
  return events.length === 0 ? NO_EVENT : operate("member add", { name, email, events, answers });
}

const NO_EVENT = refuse("INVALID_REQUEST", "events: choose what they get mail of, or remove them");
