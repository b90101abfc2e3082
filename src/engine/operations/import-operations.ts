// The operations by which monitors of another service come here: what would be done, and doing it, all of it or nothing.

import Type from "typebox";
import { IMPORTED_MAX } from "../../domain/limits.ts";
import { aboutOwner } from "../reads/find-named.ts";
import { IMPORT } from "./answers/imports.ts";
import { DECLARED_VALUES } from "./answers/settings.ts";
import { optionalText, text } from "./fields.ts";
import { importMonitors, previewImport } from "./operate-import.ts";
import { acts, type OperationContext, searches } from "./operation.ts";
import { listOf, orNull, TEXT, thing } from "./schema.ts";

const ENTRY = thing({
  key: TEXT,
  ...DECLARED_VALUES,
  /** Why it begins with a pause by hand; null: it does not. */
  pausedBecause: orNull(TEXT),
  /** Where its jobs report by now: secrets. */
  addresses: listOf(TEXT),
});

const INPUT = {
  service: text({ description: "the name of the service from which they come, for people" }),
  application: optionalText({ description: "the application that gets them (default: the only one)" }),
  monitors: Type.Array(ENTRY, {
    minItems: 1,
    maxItems: IMPORTED_MAX,
    secret: true,
    description: `the monitors, 1 to ${IMPORTED_MAX}: settings are null where nothing is declared`,
  }),
};

/** What both have in common. */
const IMPORTING = {
  examples: [],
  noCommand: "`rollcall import SERVICE` reads the other service, and asks for it",
  input: INPUT,
  answer: IMPORT,
  role: "admin" as const,
  about: (context: OperationContext, { application }: { readonly application: string | null }) =>
    aboutOwner(context, application),
};

const preview = searches({
  ...IMPORTING,
  summary: "say what an import would do, and change nothing",
  search: previewImport,
});

/** Refuses all of it where anything of it is refused. */
const whole = acts({
  ...IMPORTING,
  summary: "take over the monitors of another service: create them, or change what differs, with their old addresses",
  run: importMonitors,
});

export const IMPORT_OPERATIONS = { import: whole, "import preview": preview };
