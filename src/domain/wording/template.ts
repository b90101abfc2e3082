// A message in an operator's own form: a template without logic, in which names stand for a message's words and facts.
// Every value is escaped for the form, so that no job's text can break it or add to it.

import Mustache from "mustache";
import { NAME_LENGTH } from "../limits.ts";
import { isAlert, type Message } from "../message/message.ts";
import { cleanLine } from "../text.ts";
import { toIso } from "../time.ts";
import type { Wording } from "./types.ts";
import { leadOf } from "./wording.ts";

/** How a value is escaped in each form. */
const ESCAPES = {
  json: (text: string): string => JSON.stringify(text).slice(1, -1),
  form: (text: string): string => encodeURIComponent(text.toWellFormed()),
  text: (text: string): string => text,
};

export type TemplateForm = keyof typeof ESCAPES;
export const TEMPLATE_FORMS = ["json", "form", "text"] as const satisfies readonly TemplateForm[];

export interface TemplateSource {
  readonly message: Message;
  readonly words: Wording;
  readonly title: string;
  readonly text: string;
  readonly urgency: number;
  readonly reference: string;
}

/** What a template may name; a text is empty, and a section is left out, where nothing is to be said. */
const FIELDS = {
  title: ({ title }: TemplateSource) => title,
  text: ({ text }: TemplateSource) => text,
  lead: ({ words }: TemplateSource) => leadOf(words),
  message: ({ words }: TemplateSource) => words.quote?.value ?? "",
  url: ({ words }: TemplateSource) => words.links[0]?.url ?? "",
  event: ({ message }: TemplateSource) => message.type,
  trouble: ({ words }: TemplateSource) => words.tone === "bad",
  recovered: ({ words }: TemplateSource) => words.tone === "good",
  priority: ({ urgency }: TemplateSource) => urgency,
  time: ({ message }: TemplateSource) => toIso(message.at),
  id: ({ reference }: TemplateSource) => reference,
  job: ({ message }: TemplateSource) => (isAlert(message) ? cleanLine(message.data.name, NAME_LENGTH) : ""),
  key: ({ message }: TemplateSource) => (isAlert(message) ? cleanLine(message.data.monitorKey, NAME_LENGTH) : ""),
  application: ({ message }: TemplateSource) => (isAlert(message) ? message.data.applicationId : ""),
  incident: ({ message }: TemplateSource) => (isAlert(message) ? message.data.incidentId : ""),
  severity: ({ message }: TemplateSource) => (isAlert(message) ? message.data.severity : ""),
  cause: ({ message }: TemplateSource) => (isAlert(message) ? message.data.cause : ""),
};

export const TEMPLATE_FIELDS = Object.keys(FIELDS);

type FieldValue = string | number | boolean;

const valuesBy = (valueFor: (name: string) => FieldValue): Record<string, FieldValue> =>
  Object.fromEntries(TEMPLATE_FIELDS.map((name) => [name, valueFor(name)]));

const filled = (template: string, form: TemplateForm, values: Record<string, FieldValue>): string =>
  Mustache.render(template, values, undefined, { escape: (value: unknown) => ESCAPES[form](String(value)) });

export const fillTemplate = (template: string, form: TemplateForm, told: TemplateSource): string =>
  filled(
    template,
    form,
    valuesBy((name) => FIELDS[name as keyof typeof FIELDS](told)),
  );

/** What is wrong with a template, as the end of a sentence about it; null: nothing. */
export function templateProblem(template: string, form: TemplateForm): string | null {
  try {
    const problem = problemIn(Mustache.parse(template));
    if (problem !== null) return problem;
  } catch (error) {
    return `is no template: ${error instanceof Error ? error.message.toLowerCase() : "it cannot be read"}`;
  }
  // Values that need escapes, and none: a section may be there or not.
  const isWhole = ['"\\\n', ""].every((text) =>
    ["trouble", "recovered", null].every((tone) => {
      const values = valuesBy((name) =>
        name === "trouble" || name === "recovered" ? name === tone : name === "priority" ? 5 : text,
      );
      return form !== "json" || isJson(filled(template, form, values));
    }),
  );
  return isWhole ? null : "is not JSON once the names are replaced";
}

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

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
