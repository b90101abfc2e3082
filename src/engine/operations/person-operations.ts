// The operations on people who may sign in to the dashboard, and on the audit of who did what. All are for
// administrators.

import { ROLES } from "../../domain/people/person.ts";
import { DAY, MINUTE, SECOND } from "../../domain/time.ts";
import {
  AUDIT,
  CHANGED_PERSON,
  DELETED_PERSON,
  PEOPLE,
  PERSON_WITH_LINK,
  RESET_PERSON,
  SIGNED_OUT_PERSON,
  UNBOUND_PERSON,
} from "../../views/answers/people.ts";
import { listAudit, listPeople } from "../../views/people.ts";
import {
  askedPassword,
  before,
  choice,
  flag,
  limit,
  listedApplication,
  optionalChoice,
  optionalSeconds,
  optionalText,
  text,
} from "./fields.ts";
import {
  changePerson,
  createPerson,
  deletePerson,
  setPassword,
  signOutPerson,
  unbindPerson,
} from "./operate-people.ts";
import { acts, looks } from "./operation.ts";

const ONE_PERSON = {
  name: text({ description: "the person's name; upper and lower case are the same", argument: "name" }),
};

const PASSWORD = {
  passwordHash: askedPassword({
    description: "ask for no password; print a link by which the person sets it, once and within a day",
    option: "link",
  }),
};

const ASKING = `The password is asked for at the terminal, or read from the first line of stdin
where that is none. It has 12 to 256 characters; nothing else is asked of it.`;

const create = acts({
  summary: "create a person who may sign in to the dashboard",
  notes: `viewer looks; operator also acknowledges and closes incidents, pauses and
resumes monitors, tests destinations and sends again; admin does everything.

${ASKING}`,
  examples: ["ada --role admin --link", "ben --role operator --app prod,staging"],
  input: {
    name: text({ description: "1 to 64 letters, digits, spaces and any of . _ @ + ' -", argument: "name" }),
    role: choice([...ROLES], "viewer", { description: "what the person may do", option: "role", value: "role" }),
    applications: optionalText({
      description: "the only applications the person may see, with commas between (default: all)",
      option: "app",
      value: "slugs",
    }),
    ...PASSWORD,
  },
  answer: PERSON_WITH_LINK,
  role: "admin",
  inAudit: "let a person in",
  run: createPerson,
});

const list = looks({
  summary: "list people: role, applications, last sign-in, passkeys",
  examples: ["", "--json"],
  input: {},
  answer: PEOPLE,
  role: "admin",
  run: (context, _input, now) => listPeople(context, now),
});

const passwd = acts({
  summary: "set a person's password, remove their passkeys, and sign them out everywhere",
  notes: ASKING,
  examples: ["ada", "ada --link", "ada < password-file"],
  input: { ...ONE_PERSON, ...PASSWORD },
  answer: RESET_PERSON,
  role: "admin",
  inAudit: "set a person's password",
  run: setPassword,
});

const change = acts({
  summary: "change a person's role, or the applications they may see; it counts at once",
  notes: "The last administrator of all applications stays one.",
  examples: ["ada --role operator", "ben --app prod,staging", "ben --all-apps"],
  input: {
    ...ONE_PERSON,
    role: optionalChoice(ROLES, { description: "what the person may do from now on", option: "role", value: "role" }),
    applications: optionalText({
      description: "the only applications the person may see, with commas between",
      option: "app",
      value: "slugs",
    }),
    allApplications: flag({ description: "the person may see all applications", option: "all-apps" }),
  },
  answer: CHANGED_PERSON,
  role: "admin",
  inAudit: "changed what a person may do",
  run: changePerson,
});

const signOut = acts({
  summary: "sign a person out everywhere; they may sign in again",
  examples: ["ada"],
  input: ONE_PERSON,
  answer: SIGNED_OUT_PERSON,
  role: "admin",
  inAudit: "signed a person out",
  run: signOutPerson,
});

const unbind = acts({
  summary: "forget by which account of an OpenID provider a person signs in, and sign them out everywhere",
  notes: "The next account there whose name is exactly the person's is bound to them.",
  examples: ["ada"],
  input: ONE_PERSON,
  answer: UNBOUND_PERSON,
  role: "admin",
  inAudit: "unbound a person from an account of a provider",
  run: unbindPerson,
});

const remove = acts({
  summary: "delete a person, and sign them out everywhere; the audit keeps the name",
  examples: ["ada"],
  input: ONE_PERSON,
  answer: DELETED_PERSON,
  role: "admin",
  confirm: true,
  inAudit: "deleted a person",
  run: deletePerson,
});

export const PERSON_OPERATIONS = {
  "user create": create,
  "user list": list,
  "user passwd": passwd,
  "user change": change,
  "user sign-out": signOut,
  "user unbind": unbind,
  "user delete": remove,
};

/** In seconds. */
const SINCE_MIN = MINUTE / SECOND;
const SINCE_MAX = (365 * DAY) / SECOND;

const listOfAudit = looks({
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
    before: before(),
    limit: limit(50),
  },
  answer: AUDIT,
  role: "admin",
  run: listAudit,
});

export const AUDIT_OPERATIONS = { audit: listOfAudit };
