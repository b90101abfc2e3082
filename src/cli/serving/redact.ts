// Takes secrets out of text that people or machines will read: API keys anywhere, and the given strings (destination
// URLs, passwords). Does not know what a text is about, and hides too much rather than too little.

import { maskKeys } from "../../domain/key-mask.ts";

/** Leaves shorter secrets alone: hiding every `a` would ruin the text and reveal that the secret is `a`. */
const SECRET_LENGTH_MIN = 4;

/**
 * A function that hides API keys as `ck_app_***` and each of `secrets` as `***`, in every form that libraries' messages
 * use: as given, as a normalized URL, the part of a URL after its host, percent-encoded, JSON-quoted and in base64.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .flatMap(formsOf)
    .filter((form) => form.length >= SECRET_LENGTH_MIN)
    .sort((a, b) => b.length - a.length);
  const known =
    forms.length === 0 ? null : new RegExp([...new Set(forms)].map((form) => RegExp.escape(form)).join("|"), "g");
  return (text) => {
    const withoutSecrets = known === null ? text : text.replace(known, "***");
    return maskKeys(withoutSecrets);
  };
}

/** Hides the secrets of every configuration that was in force since the start: a log line may come late. */
export interface Hiding {
  readonly redact: (text: string) => string;
  add(secrets: ReadonlySet<string>): void;
}

export function createHiding(): Hiding {
  let known: ReadonlySet<string> = new Set();
  let redact = createRedactor([]);
  return {
    redact: (text) => redact(text),
    add: (secrets) => {
      if (secrets.isSubsetOf(known)) return;
      known = known.union(secrets);
      redact = createRedactor([...known]);
    },
  };
}

function formsOf(secret: string): string[] {
  const whole = [secret, ...urlForms(secret)];
  return whole.flatMap((form) => [
    form,
    encodeURIComponent(form.toWellFormed()),
    JSON.stringify(form).slice(1, -1),
    Buffer.from(form).toString("base64").replace(/=+$/, ""),
  ]);
}

function urlForms(secret: string): string[] {
  const url = URL.parse(secret);
  if (url === null || url.host === "") return [];
  const behindHost = url.pathname + url.search;
  return behindHost === "/" ? [url.href] : [url.href, behindHost];
}
