// Reads settings that a person gives as `KEY=VALUE` words, such as those of a destination.

import { type Refusal, refuseField } from "../../domain/errors.ts";
import type { Actor } from "../../domain/people/person.ts";

/**
 * The refusal when a setting names a file but comes from a page or another computer. Only who has an account on
 * rollcall's own computer may name its files.
 */
const FILE_FROM_AFAR = "only the command on rollcall's own host may name a file; give the value itself";

/** A word as it may be given, by the field whose settings are read: those of a destination, or of the mail server. */
const EXAMPLES = { settings: "url=https://ntfy.sh", mail: "host=mail.example.org" } as const;

/** Reads the words into settings. A refusal repeats no value, because it may be a secret. */
export function readGivenSettings(
  words: readonly string[],
  by: Actor,
  field: keyof typeof EXAMPLES = "settings",
): Record<string, string> | Refusal {
  const wrong = (what: string): Refusal => refuseField(field, what);
  const settings: Record<string, string> = {};
  for (const [place, word] of words.entries()) {
    const [, key, value = ""] = /^([a-z_]+)=(.*)$/s.exec(word) ?? [];
    if (key === undefined) return wrong(`word ${place + 1} is not KEY=VALUE, such as ${EXAMPLES[field]}`);
    if (key === "type" && field === "settings")
      return wrong("type is none of them: `destination add` has it behind the name");
    if (Object.hasOwn(settings, key)) return wrong(`${key} is given twice`);
    if (key.endsWith("_file") && by.kind !== "system") return wrong(`${key}: ${FILE_FROM_AFAR}`);
    settings[key] = value;
  }
  return settings;
}
