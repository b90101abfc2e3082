// The words for a monitor's settings and their values.

import { MESSAGE_LENGTH } from "../limits.ts";
import type { DeclaredField, SettingField } from "../settings/settings.ts";
import { SETTINGS } from "../settings/settings.ts";
import { cleanLine } from "../text.ts";
import { SECOND } from "../time.ts";
import { span } from "./short-time.ts";

/** The setting's name as people read it: `max runtime`. */
export const settingInWords = (field: SettingField): string => SETTINGS[field].key.replaceAll("_", " ");

export function settingValueInWords(field: DeclaredField, value: string | number | null): string {
  if (value === null) return field === "mailRule" ? "usual" : "none";
  if (typeof value === "string") return cleanLine(value, MESSAGE_LENGTH);
  return SETTINGS[field].kind === "count" ? String(value) : span(value * SECOND);
}
