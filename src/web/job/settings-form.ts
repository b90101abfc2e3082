// The form of a job's settings, and what is written in it before it is sent: what that would mean is shown at once.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { checkDeclared, operatorName, relabelled } from "../../domain/settings/declaration.ts";
import { NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import { DECLARED_FIELDS, type Declared, type DeclaredField } from "../../domain/settings/settings.ts";
import { type FormOf, readForm } from "../read-form.ts";

/** What matters of every job. */
const FIRST: readonly DeclaredField[] = ["schedule", "everySeconds", "graceSeconds", "maxRuntimeSeconds", "note"];

const FIELDS = [...FIRST, ...DECLARED_FIELDS.filter((field) => !FIRST.includes(field))];

export const SETTINGS_FORM = {
  operation: "monitor set",
  fields: FIELDS,
} satisfies FormOf<"monitor set">;

/** Where there is one application alone, choosing it says nothing. */
export const MAKE_JOB = {
  operation: "monitor create",
  fields: ["application", "key", ...FIELDS],
} satisfies FormOf<"monitor create">;

/** What is not empty; else the first thing that the operation would not take. */
export function readSettingsForm(form: URLSearchParams): Partial<Declared> | Refusal {
  const read = readForm(SETTINGS_FORM, form);
  if (isRefusal(read)) return read;
  const said: Partial<Declared> = read;
  const labels = relabelled(null, said.labels ?? null);
  const checked = checkDeclared({ ...NOTHING_DECLARED, ...said, labels }, "five", operatorName);
  return isRefusal(checked) ? checked : said;
}
