// The operation that says what needs somebody.

import { aboutApplication } from "../reads/find-named.ts";
import { statusOfAll } from "../reads/look-status.ts";
import { STATUS_SUMMARY } from "./answers/status.ts";
import { listedApplication } from "./fields.ts";
import { searches } from "./operation.ts";

const status = searches({
  summary: "say what needs somebody: open incidents, destinations that take nothing; and what may soon: warnings",
  notes: `Exit code 1 says that something needs somebody: an open incident that nobody has
acknowledged, a destination that takes nothing, alerts that have no destination,
a monitor that cannot be read, or rollcall itself, such as a full disk. So it is
never 0 while /readyz answers 503. Warnings alone leave it at 0.`,
  examples: ["", "--app prod", "--json > /dev/null || echo trouble"],
  input: { application: listedApplication() },
  answer: STATUS_SUMMARY,
  about: (context, { application }) => aboutApplication(context, application),
  search: statusOfAll,
});

export const STATUS_OPERATIONS = { status };
