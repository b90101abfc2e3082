// Hides secrets in text for log and pages: API keys, and the secrets of the configuration, such as passwords and the
// URLs of webhooks. The path of such a URL is hidden where the host stands before it. A path alone is hidden only if it
// is long and random, because `/rollcall` may also be a path of ours.

import { maskKeys } from "../../domain/output/secrets.ts";

/**
 * Hides the secrets of all configurations that were read since the start, because a log line may hold a secret that a
 * reload has replaced before the line is written.
 */
export function createLogRedaction(first: ReadonlySet<string>) {
  let secrets = first;
  let redactNow = createLogRedactor([...secrets]);
  return {
    redact: (text: string): string => redactNow(text),
    hide: (more: ReadonlySet<string>): void => {
      if (more.isSubsetOf(secrets)) return;
      secrets = secrets.union(more);
      redactNow = createLogRedactor([...secrets]);
    },
  };
}

/**
 * A secret with fewer characters is not hidden: to replace every `a` by `***` would ruin the text and reveal the secret
 * `a`.
 */
const SECRET_LENGTH_MIN = 4;

/**
 * Returns a function that replaces API keys by `ck_app_***` and each of `secrets` by `***`. It finds a secret in every
 * form that messages of libraries use: as it is, as a normalized URL, percent-encoded, JSON-quoted and in base64.
 */
export function createLogRedactor(secrets: readonly string[]): (text: string) => string {
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
  /**
   * True when the secret is a URL that ends with its host, such as `https://hook.example`. In a log line,
   * `https://hook.example.org` and `https://hook.example:8080` are other addresses, which are not hidden.
   */
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
 * Whether the text has a part that cannot be guessed, as in addresses of webhooks: a UUID, or sixteen letters and
 * digits in a row.
 */
const isUnguessable = (text: string): boolean =>
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i.test(text) ||
  (text.match(/[a-z\d]{16,}/gi) ?? []).some(
    (piece) => /[a-z]/i.test(piece) && (/\d/.test(piece) || /[a-z][A-Z]/.test(piece)),
  );
