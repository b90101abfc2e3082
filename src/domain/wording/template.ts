// Fills an operator's own template for a message. A template has values and sections, and every value is escaped.

import Mustache from "mustache";
import { NAME_LENGTH } from "../limits.ts";
import { isAlert, type Message } from "../message/message.ts";
import { cleanLine } from "../text.ts";
import { toIso } from "../time.ts";
import type { Wording } from "./types.ts";
import { leadSentences } from "./wording.ts";

const ESCAPES = {
  json: (text: string): string => JSON.stringify(text).slice(1, -1),
  form: (text: string): string => encodeURIComponent(text.toWellFormed()),
  text: (text: string): string => text,
  /**
   * A value that is only dots becomes `_`. In an address `..` leads one folder up, even percent-encoded, so a job's
   * name could choose another path.
   */
  url: (text: string): string =>
    encodeURIComponent(text.toWellFormed()).replace(/^\.+$/, (dots) => "_".repeat(dots.length)),
};

export type TemplateForm = Exclude<keyof typeof ESCAPES, "url">;
export const TEMPLATE_FORMS = ["json", "form", "text"] as const satisfies readonly TemplateForm[];

export interface TemplateSource {
  readonly message: Message;
  readonly words: Wording;
  readonly title: string;
  /** All words of the message as one text without markup. */
  readonly text: string;
  /** How urgent the message is: from 5, which sounds on a phone that is set to silence, to 2, which makes no sound. */
  readonly urgency: number;
  readonly reference: string;
}

const FIELDS = [
  ...["title", "text", "lead", "message", "url", "event", "trouble", "recovered", "priority", "time", "id"],
  ...["job", "key", "application", "incident", "severity", "cause"],
] as const;

export const TEMPLATE_FIELDS: readonly string[] = FIELDS;

type TemplateValues = Readonly<Record<(typeof FIELDS)[number], string | number | boolean>>;

/** Returns the values for the names in a template. The section of a name is left out when its value is empty. */
function templateValues({ message, words, title, text, urgency, reference }: TemplateSource): TemplateValues {
  const { name, monitorKey, applicationId, incidentId, severity, cause } = isAlert(message) ? message.data : NO_ALERT;
  return {
    title,
    text,
    lead: leadSentences(words),
    message: words.quote?.value ?? "",
    url: words.links[0]?.url ?? "",
    event: message.type,
    trouble: words.tone === "bad",
    recovered: words.tone === "good",
    priority: urgency,
    time: toIso(message.at),
    id: reference,
    incident: incidentId,
    application: applicationId,
    severity,
    cause,
    job: cleanLine(name, NAME_LENGTH),
    key: cleanLine(monitorKey, NAME_LENGTH),
  };
}

const NO_ALERT = { name: "", monitorKey: "", applicationId: "", incidentId: "", severity: "", cause: "" };

const filled = (template: string, form: keyof typeof ESCAPES, values: TemplateValues): string =>
  Mustache.render(template, values, undefined, { escape: (value: unknown) => ESCAPES[form](String(value)) });

export const fillTemplate = (template: string, form: keyof typeof ESCAPES, source: TemplateSource): string =>
  filled(template, form, templateValues(source));

/** What is wrong with a template, as the end of a sentence that begins with its name; `null` when nothing is wrong. */
export function templateProblem(template: string, form: TemplateForm): string | null {
  try {
    const problem = problemIn(Mustache.parse(template));
    if (problem !== null || form !== "json") return problem;
  } catch (error) {
    return `is no template: ${error instanceof Error ? error.message.toLowerCase() : "it cannot be read"}`;
  }
  try {
    for (const values of SAMPLES) JSON.parse(filled(template, form, values));
    return null;
  } catch {
    return "is not JSON once the names are replaced";
  }
}

/** Values to try a template with: each section with and without a value, and letters that need escaping. */
const SAMPLES: readonly TemplateValues[] = ['"\\\n', ""].flatMap((text) =>
  ["trouble", "recovered", ""].map((tone) => ({
    ...(Object.fromEntries(FIELDS.map((name) => [name, text])) as TemplateValues),
    priority: 5,
    trouble: tone === "trouble",
    recovered: tone === "recovered",
  })),
);

function problemIn(tokens: ReturnType<typeof Mustache.parse>): string | null {
  for (const [type, name, , , inner] of tokens) {
    if (type === "text") continue;
    if (!["name", "#", "^", "!"].includes(type))
      return `has {{{ }}} or another sign that is not for values, sections and comments`;
    if (type !== "!" && !TEMPLATE_FIELDS.includes(name)) return `has the unknown name ${JSON.stringify(name)}`;
    const within = Array.isArray(inner) ? problemIn(inner) : null;
    if (within !== null) return within;
  }
  return null;
}
