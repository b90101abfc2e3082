// The operations on applications (R3): groups of monitors with keys of their own.

import { checkSlug } from "../../domain/api-key.ts";
import { refuse } from "../../domain/errors.ts";
import { aboutApplication } from "../reads/find-named.ts";
import { listApplications } from "../reads/look-monitors.ts";
import { APPLICATIONS, CHANGED_APPLICATION, CREATED_APPLICATION, DELETED_APPLICATION } from "./answers/applications.ts";
import { optionalText, text } from "./fields.ts";
import { deleteApplication, renameApplication, resumeApplication, suspendApplication } from "./operate-applications.ts";
import { acts, type OperationContext, reads, unchanged } from "./operation.ts";

const ONE_APPLICATION = {
  slug: text({ description: "the application's slug, as `app list` shows it", argument: "slug" }),
};

const about = (context: OperationContext, { slug }: { readonly slug: string }) => aboutApplication(context, slug);

const create = acts({
  summary: "create an application",
  examples: ["prod"],
  input: { slug: text({ description: "1 to 40 lowercase letters, digits and hyphens", argument: "slug" }) },
  answer: CREATED_APPLICATION,
  role: "admin",
  run: ({ store }, { slug }, now) => {
    const wrong = checkSlug(slug);
    if (wrong !== null) return unchanged(wrong);
    if (store.applications.find(slug) !== null)
      return unchanged(refuse("INVALID_REQUEST", `slug: application "${slug}" exists already`));
    return unchanged(store.applications.create(slug, now));
  },
});

const list = reads({
  summary: "list applications, how many monitors each has, and which are suspended",
  examples: ["", "--json"],
  input: {},
  answer: APPLICATIONS,
  run: (context) => ({ applications: listApplications(context) }),
});

const suspend = acts({
  summary: "suspend an application: its reports are refused, and nothing of it is missed or told",
  notes: `Its keys get 403 until \`app resume\`. Its monitors are paused: reports are not
expected, and open incidents stay open and are not reminded of. Pauses by hand
stay as they are, beneath.`,
  examples: ["staging"],
  input: ONE_APPLICATION,
  answer: CHANGED_APPLICATION,
  role: "admin",
  about,
  run: suspendApplication,
});

const resume = acts({
  summary: "resume a suspended application: each monitor expects its next scheduled report",
  examples: ["staging"],
  input: ONE_APPLICATION,
  answer: CHANGED_APPLICATION,
  role: "admin",
  about,
  run: resumeApplication,
});

const rename = acts({
  summary: "say what people call an application; its slug stays, and with it its keys",
  notes: `A name in the configuration wins over this one. Without a name the application
is known by its slug.`,
  examples: ["prod Production", "prod"],
  input: {
    ...ONE_APPLICATION,
    name: optionalText({ description: "1 to 200 characters; left out: none", argument: "name" }),
  },
  answer: CHANGED_APPLICATION,
  role: "admin",
  about,
  run: renameApplication,
});

const remove = acts({
  summary: "delete an application: its keys stop at once, its monitors go, their history after 7 days",
  notes: `Open incidents are closed, and their recovery told. One that the configuration
names cannot be deleted, nor can the only one.`,
  examples: ["staging", "staging --yes"],
  input: ONE_APPLICATION,
  answer: DELETED_APPLICATION,
  role: "admin",
  confirm: true,
  about,
  run: deleteApplication,
});

export const APPLICATION_OPERATIONS = {
  "app create": create,
  "app list": list,
  "app suspend": suspend,
  "app resume": resume,
  "app rename": rename,
  "app delete": remove,
};
