// Defines the form of a job's settings, and reads what is typed in it before it is sent, so that its meaning is shown
// at once.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { checkDeclared, operatorName, relabelled } from "../../domain/settings/declaration.ts";
import { NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import { DECLARED_FIELDS, type Declared, type DeclaredField } from "../../domain/settings/settings.ts";
import { type FormOf, readForm } from "../read-form.ts";

/** The fields that come first, because they matter for every job. */
const FIRST: readonly DeclaredField[] = ["schedule", "everySeconds", "graceSeconds", "maxRuntimeSeconds", "note"];

const FIELDS = [...FIRST, ...DECLARED_FIELDS.filter((field) => !FIRST.includes(field))];

export const SETTINGS_FORM = {
  operation: "monitor set",
  fields: FIELDS,
} satisfies FormOf<"monitor set">;

/** The form that makes a job. With a single application, the form offers no choice of it. */
export const MAKE_JOB = {
  operation: "monitor create",
  fields: ["application", "key", ...FIELDS],
} satisfies FormOf<"monitor create">;

/** Returns the fields that are not empty, or the first refusal that the operation would give. */
export function readSettingsForm(form: URLSearchParams): Partial<Declared> | Refusal {
  const read = readForm(SETTINGS_FORM, form);
  if (isRefusal(read)) return read;
  const said: Partial<Declared> = read;
  const labels = relabelled(null, said.labels ?? null);
  const checked = checkDeclared({ ...NOTHING_DECLARED, ...said, labels }, "five", operatorName);
  return isRefusal(checked) ? checked : said;
}
