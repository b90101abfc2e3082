// Defines the form of a job's settings. While a person types, `readSettingsForm` reads the form, so that the page can
// say what the settings mean before they are saved.

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

/** The form that makes a job. Where there is only one application, the page leaves out the field `application`. */
export const MAKE_JOB = {
  operation: "monitor create",
  fields: ["application", "key", ...FIELDS],
} satisfies FormOf<"monitor create">;

/** Returns the values of the fields that are not empty, or the first refusal that the operation would give. */
export function readSettingsForm(form: URLSearchParams): Partial<Declared> | Refusal {
  const read = readForm(SETTINGS_FORM, form);
  if (isRefusal(read)) return read;
  const said: Partial<Declared> = read;
  const labels = relabelled(null, said.labels ?? null);
  const checked = checkDeclared({ ...NOTHING_DECLARED, ...said, labels }, "five", operatorName);
  return isRefusal(checked) ? checked : said;
}
