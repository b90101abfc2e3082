// Takes secrets out of text that people or machines will read: API keys anywhere, and the given strings (destination
// URLs, passwords). The path of such a URL is hidden after its host; elsewhere only if it is too long and random to be
// there by chance, because `/rollcall` is also a path of ours.

import { maskKeys } from "../../domain/api-key.ts";

/** Hides the secrets of every configuration that was read since the start, because a log line may come late. */
export function createRedacting(first: ReadonlySet<string>) {
  let secrets = first;
  let redactNow = createRedactor([...secrets]);
  return {
    redact: (text: string): string => redactNow(text),
    hide: (more: ReadonlySet<string>): void => {
      if (more.isSubsetOf(secrets)) return;
      secrets = secrets.union(more);
      redactNow = createRedactor([...secrets]);
    },
  };
}

/** Shorter secrets are not hidden: hiding every `a` would ruin the text and reveal that the secret is `a`. */
const SECRET_LENGTH_MIN = 4;

/**
 * Makes a function that hides API keys as `ck_app_***` and each of `secrets` as `***`, in every form that libraries'
 * messages use: as given, as a normalized URL, percent-encoded, JSON-quoted and in base64.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .flatMap(formsOf)
    .filter(({ text }) => text.length >= SECRET_LENGTH_MIN)
    .sort((one, other) => other.text.length - one.text.length)
    .map(({ text, endsInHost }) => RegExp.escape(text) + (endsInHost ? HOST_ENDS : ""));
  const known = forms.length === 0 ? null : new RegExp([...new Set(forms)].join("|"), "g");
  return (text) => {
    const withoutSecrets = known === null ? text : text.replace(known, "***");
    return maskKeys(withoutSecrets);
  };
}

interface SecretForm {
  readonly text: string;
  /** True when a longer name, or a port, after the text makes it another address. */
  readonly endsInHost: boolean;
}

const HOST_ENDS = String.raw`(?![\w-]|[.:%][\w-])`;

function formsOf(secret: string): SecretForm[] {
  return [secret, ...urlForms(secret)].flatMap((form) => {
    const endsInHost = /^[a-z][a-z\d+.-]*:\/\/[^/?#]+$/i.test(form);
    const texts = [
      form,
      encodeURIComponent(form.toWellFormed()),
      JSON.stringify(form).slice(1, -1),
      Buffer.from(form).toString("base64").replace(/=+$/, ""),
    ];
    return texts.map((text) => ({ text, endsInHost }));
  });
}

function urlForms(secret: string): string[] {
  const url = URL.parse(secret);
  if (url === null || url.host === "") return [];
  const behindHost = url.pathname + url.search;
  if (behindHost === "/") return [url.href, url.href.slice(0, -1)];
  const forms = [url.href, url.host + behindHost];
  return isUnguessable(behindHost) ? [...forms, behindHost] : forms;
}

/**
 * Whether the text has what services put into their webhook addresses: a UUID, or sixteen letters and digits in a row.
 */
const isUnguessable = (text: string): boolean =>
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i.test(text) ||
  (text.match(/[a-z\d]{16,}/gi) ?? []).some(
    (piece) => /[a-z]/i.test(piece) && (/\d/.test(piece) || /[a-z][A-Z]/.test(piece)),
  );
