// What a registry looks like as JSON, for the OpenAPI document: the limits by which sync-body.ts checks it, and for the
// settings in an entry the table by which a report's parameters are read.

import Type, { type TSchema } from "typebox";
import {
  METADATA_BYTES,
  METADATA_DEPTH,
  MONITOR_KEY_LENGTH,
  REGISTRY_LENGTH,
  SOURCE_LENGTH,
} from "../../domain/limits.ts";
import { DECLARED_SETTINGS, RHYTHM_FIELDS } from "../../domain/settings/settings.ts";
import { line, oneOf } from "../shapes.ts";
import { parametersOf } from "./parameters.ts";
import type { Version } from "./versions.ts";

const KEY = line(MONITOR_KEY_LENGTH, {
  minLength: 1,
  description: "Compared exactly. Of one given twice the last entry counts.",
});

const METADATA = Type.Unsafe<object>({
  type: "object",
  description: `Kept with the monitor: at most ${METADATA_BYTES} bytes and ${METADATA_DEPTH} levels. No payloads, no secrets.`,
});

/** The body of a sync, as a version takes it. */
export const registryShape = (version: Version): TSchema =>
  Type.Object({
    source: line(SOURCE_LENGTH, { minLength: 1, description: "Names the integration, always the same." }),
    version: Type.Optional(line(SOURCE_LENGTH, { minLength: 0, description: "The integration's own version." })),
    mode: Type.Optional(oneOf(["reconcile"])),
    monitors: Type.Array(
      Type.Object(
        { key: KEY, ...settingsIn(version), metadata: Type.Optional(METADATA) },
        version.syncNeedsSchedule ? { anyOf: EITHER.map((name) => ({ required: [name] })) } : {},
      ),
      { maxItems: REGISTRY_LENGTH },
    ),
  });

/** R44: where an entry needs a schedule, an interval stands for it. */
const EITHER = RHYTHM_FIELDS.map((field) => DECLARED_SETTINGS[field].parameter);

/** An entry can declare the same settings as a report. */
function settingsIn(version: Version): Readonly<Record<string, TSchema>> {
  const parameters = parametersOf(version);
  const declaring = Object.values(parameters).filter(({ about }) => about === "monitor");
  return Object.fromEntries(
    declaring.map((parameter) => {
      const shape = Type.With(parameter.schema, { description: parameter.description });
      return [parameter.name, Type.Optional(shape)];
    }),
  );
}
