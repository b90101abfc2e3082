// The operations on people who may sign in to the pages, and on the audit. Only administrators may ask for them.

import { isRefusal, type Refusal, refuseField } from "../../domain/errors.ts";
import { checkPersonName, PERSON_NAME_LENGTH, ROLES, type Role } from "../../domain/people/person.ts";
import { checkPasswordHash, isSessionLive } from "../../domain/people/sign-in.ts";
import { DAY, type Instant, MINUTE, SECOND } from "../../domain/time.ts";
import type { PersonRow } from "../../store/people.ts";
import { findApplication } from "../../views/find-named.ts";
import {
  AUDIT,
  CHANGED_PERSON,
  DELETED_PERSON,
  PEOPLE,
  PERSON_WITH_LINK,
  type PersonWithLink,
  RESET_PERSON,
  SIGNED_OUT_PERSON,
  UNBOUND_PERSON,
} from "../../views/schemas/person-schemas.ts";
import { listAudit, listPeople } from "../../views/shown-people.ts";
import { makeLink } from "../people/sessions-and-links.ts";
import {
  askedPassword,
  beforeField,
  choice,
  flag,
  type InForm,
  limitField,
  listedApplication,
  optionalChoice,
  optionalSeconds,
  optionalText,
  text,
} from "./fields.ts";
import { acts, looks, type OperationContext, withoutAfterCommit } from "./operation.ts";

const ONE_PERSON = {
  name: text({ description: "the person's name; upper and lower case are the same", argument: "name" }),
};

const ROLE_IN_FORM = {
  label: "Role",
  help: null,
  says: {
    viewer: "viewer: looks",
    operator: "operator: also acknowledges, pauses and changes settings of jobs",
    admin: "admin: does everything",
  } satisfies Record<Role, string>,
} satisfies InForm;

const APPLICATIONS_IN_FORM = {
  label: "Applications",
  help: "Only those who see all applications see people, settings and destinations.",
  as: "some",
} satisfies InForm;

const PASSWORD = {
  passwordHash: askedPassword({
    description: "ask for no password; print a link by which the person sets it, once and within a day",
    option: "link",
  }),
};

const ASKING = `The password is asked for at the terminal, or read from the first line of stdin
where that is none. It has 12 to 256 characters; nothing else is asked of it.`;

/** How far back the field `sinceSeconds` may let the audit go, at least and at most, in seconds. */
const SINCE_MIN = MINUTE / SECOND;
const SINCE_MAX = (365 * DAY) / SECOND;

// Below: what several operations on people use. Passwords arrive here already hashed, because hashing takes long.

/** Whether the person may manage people: an administrator who is not limited to some applications. */
const managesPeople = ({ role, applications }: Pick<PersonRow, "role" | "applications">): boolean =>
  role === "admin" && applications === null;

/** Returns a refusal when this person is the last one who can manage people, otherwise `null`. */
function refuseLastPeopleManager({ store }: OperationContext, person: PersonRow): Refusal | null {
  const isLast =
    managesPeople(person) && !store.people.list().some((other) => other.id !== person.id && managesPeople(other));
  return isLast
    ? refuseField(
        "name",
        `${person.name} is the last administrator of all applications; make another person that first`,
      )
    : null;
}

const findPerson = ({ store }: OperationContext, name: string): PersonRow | Refusal =>
  store.people.named(name) ??
  refuseField("name", `there is no ${JSON.stringify(name)}; \`rollcall user list\` shows all`, "NOT_FOUND");

const wrongHash = (hash: string | null): Refusal | null => (hash === null ? null : checkPasswordHash(hash));

function slugsIn(context: OperationContext, list: string): string[] | Refusal {
  const slugs = new Set<string>();
  for (const text of list.split(",")) {
    const found = findApplication(context, text.trim());
    if (isRefusal(found)) return { ...found, field: "applications" };
    slugs.add(found.slug);
  }
  return [...slugs].sort();
}

function answerFor(context: OperationContext, person: PersonRow, needsLink: boolean, now: Instant): PersonWithLink {
  const { name, role, applications, id } = person;
  const link = needsLink ? { ...makeLink(context, id, now), address: context.addresses().dashboard } : null;
  return { name, role, applications, link };
}

export const PERSON_OPERATIONS = {
  "user create": acts({
    summary: "create a person who may sign in to the dashboard",
    notes: `viewer looks; operator also acknowledges and closes incidents, pauses and
resumes monitors, tests destinations and sends again; admin does everything.

${ASKING}`,
    examples: ["ada --role admin --link", "ben --role operator --app prod,staging"],
    input: {
      name: text({
        description: "1 to 64 letters, digits, spaces and any of . _ @ + ' -",
        argument: "name",
        form: {
          label: "Name",
          help: "As others shall read it, also in alerts: “acknowledged by Ada”.",
          longest: PERSON_NAME_LENGTH,
        },
      }),
      role: choice([...ROLES], "viewer", {
        description: "what the person may do",
        option: "role",
        value: "role",
        form: ROLE_IN_FORM,
      }),
      applications: optionalText({
        description: "the only applications the person may see, with commas between (default: all)",
        option: "app",
        value: "slugs",
        form: APPLICATIONS_IN_FORM,
      }),
      ...PASSWORD,
    },
    answer: PERSON_WITH_LINK,
    role: "admin",
    inAudit: "let a person in",
    run: (context, { name, role, applications, passwordHash }, now) => {
      const { people } = context.store;
      const slugs = applications === null ? null : slugsIn(context, applications);
      if (isRefusal(slugs)) return withoutAfterCommit(slugs);
      const wrong = checkPersonName(name) ?? wrongHash(passwordHash);
      if (wrong !== null) return withoutAfterCommit(wrong);
      if (people.named(name) !== null) {
        const problem = `${JSON.stringify(name)} exists already; \`rollcall user list\` shows all`;
        return withoutAfterCommit(refuseField("name", problem));
      }
      const person = people.create({ name, role, applications: slugs, passwordHash, createdAt: now });
      // The link for the first person is deleted now. A stranger who found it could otherwise become an administrator.
      people.deleteLinkOf(null);
      return withoutAfterCommit(answerFor(context, person, passwordHash === null, now));
    },
  }),
  "user list": looks({
    summary: "list people: role, applications, last sign-in, passkeys",
    examples: ["", "--json"],
    input: {},
    answer: PEOPLE,
    role: "admin",
    run: (context, _input, now) => listPeople(context, now),
  }),
  "user passwd": acts({
    summary: "set a person's password, remove passkeys and browsers, sign out everywhere",
    notes: ASKING,
    examples: ["ada", "ada --link", "ada < password-file"],
    input: { ...ONE_PERSON, ...PASSWORD },
    answer: RESET_PERSON,
    role: "admin",
    inAudit: "set a person's password",
    /**
     * The person's passkeys and browsers are removed together with the old password. Someone else may have known that
     * password, and may have added a passkey or a browser with it.
     */
    run: (context, { name, passwordHash }, now) => {
      const { people, sessions, passkeys, browsers } = context.store;
      const person = findPerson(context, name);
      if (isRefusal(person)) return withoutAfterCommit(person);
      const wrong = wrongHash(passwordHash);
      if (wrong !== null) return withoutAfterCommit(wrong);
      people.setPassword(person.id, passwordHash);
      people.deleteLinkOf(person.id);
      sessions.deleteOthers(person.id, null);
      const removed = passkeys.deleteAll(person.id);
      browsers.deleteAll(person.id);
      const answer = answerFor(context, person, passwordHash === null, now);
      return {
        ...withoutAfterCommit({ ...answer, passkeysRemoved: removed }),
        begins: () => context.plans.begin(null),
      };
    },
  }),
  "user change": acts({
    summary: "change a person's role, or the applications they may see; it counts at once",
    notes: "The last administrator of all applications stays one.",
    examples: ["ada --role operator", "ben --app prod,staging", "ben --all-apps"],
    input: {
      ...ONE_PERSON,
      role: optionalChoice(ROLES, {
        description: "what the person may do from now on",
        option: "role",
        value: "role",
        form: ROLE_IN_FORM,
      }),
      applications: optionalText({
        description: "the only applications the person may see, with commas between",
        option: "app",
        value: "slugs",
        form: APPLICATIONS_IN_FORM,
      }),
      allApplications: flag({ description: "the person may see all applications", option: "all-apps" }),
    },
    answer: CHANGED_PERSON,
    role: "admin",
    inAudit: "changed what a person may do",
    /** The new rights count at once, also in sessions that have begun before. */
    run: (context, { name, role, applications, allApplications }) => {
      const person = findPerson(context, name);
      if (isRefusal(person)) return withoutAfterCommit(person);
      if (allApplications && applications !== null)
        return withoutAfterCommit(refuseField("applications", "give a list or all of them, not both"));
      const listed = applications === null ? person.applications : slugsIn(context, applications);
      if (isRefusal(listed)) return withoutAfterCommit(listed);
      const changed = { name: person.name, role: role ?? person.role, applications: allApplications ? null : listed };
      const refused = managesPeople(changed) ? null : refuseLastPeopleManager(context, person);
      if (refused !== null) return withoutAfterCommit(refused);
      context.store.people.setRole(person.id, changed.role, changed.applications);
      return { ...withoutAfterCommit(changed), begins: () => context.plans.begin(null) };
    },
  }),
  "user sign-out": acts({
    summary: "sign a person out everywhere; they may sign in again",
    examples: ["ada"],
    input: ONE_PERSON,
    answer: SIGNED_OUT_PERSON,
    role: "admin",
    inAudit: "signed a person out",
    run: (context, { name }, now) => {
      const { store } = context;
      const person = findPerson(context, name);
      if (isRefusal(person)) return withoutAfterCommit(person);
      const ended = store.sessions.ofPerson(person.id).filter((session) => isSessionLive(session, now)).length;
      store.sessions.deleteOthers(person.id, null);
      return withoutAfterCommit({ name: person.name, sessions: ended });
    },
  }),
  "user unbind": acts({
    summary: "forget by which account of an OpenID provider a person signs in, and sign them out everywhere",
    notes: "The next account there whose name is exactly the person's is bound to them.",
    examples: ["ada"],
    input: ONE_PERSON,
    answer: UNBOUND_PERSON,
    role: "admin",
    inAudit: "unbound a person from an account of a provider",
    run: (context, { name }) => {
      const { people, sessions } = context.store;
      const person = findPerson(context, name);
      if (isRefusal(person)) return withoutAfterCommit(person);
      people.setAccount(person.id, null);
      if (person.account !== null) sessions.deleteOthers(person.id, null);
      return withoutAfterCommit({ name: person.name, account: person.account });
    },
  }),
  "user delete": acts({
    summary: "delete a person, and sign them out everywhere; the audit keeps the name",
    examples: ["ada"],
    input: ONE_PERSON,
    answer: DELETED_PERSON,
    role: "admin",
    confirm: true,
    inAudit: "deleted a person",
    /** People cannot delete themselves, so that it does not happen by mistake. */
    run: (context, { name }, _now, by) => {
      const person = findPerson(context, name);
      if (isRefusal(person)) return withoutAfterCommit(person);
      if (by.kind === "person" && by.person.id === person.id)
        return withoutAfterCommit(refuseField("name", "nobody deletes themselves; another administrator can"));
      const refused = refuseLastPeopleManager(context, person);
      if (refused !== null) return withoutAfterCommit(refused);
      context.store.people.delete(person.id);
      return { ...withoutAfterCommit({ name: person.name }), begins: () => context.plans.begin(null) };
    },
  }),
  audit: looks({
    summary: "list who did what, when, to what and from which address; the newest first",
    notes: `Commands are recorded as the user that the service runs as. Entries are kept
for a year, at most the newest 100,000.`,
    examples: ["", "--since 7d", "--by ada --kind monitor", "--limit 20 --before 4711 --json"],
    input: {
      sinceSeconds: optionalSeconds(SINCE_MIN, SINCE_MAX, {
        description: "only those of the last so long, 1m to 365d",
        option: "since",
        value: "duration",
      }),
      name: optionalText({
        description: "only what this person, administrator's key or user of the commands did",
        option: "by",
        value: "name",
      }),
      kind: optionalText({
        description:
          "only this kind of action: app, key, monitor, incident, notify, user, admin-key, or account for sign-ins",
        option: "kind",
        value: "kind",
      }),
      application: listedApplication(),
      monitorKey: optionalText({ description: "only those about this monitor", option: "monitor", value: "key" }),
      before: beforeField(),
      limit: limitField(50),
    },
    answer: AUDIT,
    role: "admin",
    run: listAudit,
  }),
};
