// Finds keys, of applications and of administrators, anywhere in text that people or machines will read, and addresses of
// other services in the forms in which they are requested (R45), and hides them.

import { ADMIN_KEY_PREFIX, KEY_PREFIX } from "./api-key.ts";

const MASKS = [KEY_PREFIX, ADMIN_KEY_PREFIX].map((prefix) => ({
  shown: `${prefix}***`,
  /** The prefix, plain or percent-encoded once or more often, and every character after it that can belong to the key. */
  key: new RegExp(`${[...prefix].map(letterInAnyCoding).join("")}[^\\s/?#&"'\`<>\\\\,;:)\\]}]+`, "gi"),
  /** The prefix at the start of HTTP Basic credentials: the same bytes always begin with the same base64. */
  basic: new RegExp(`${btoa(prefix).slice(0, 9)}[\\w+/%-]*=*`, "g"),
}));

function letterInAnyCoding(letter: string): string {
  return `(?:${letter}|%(?:25)*${letter.charCodeAt(0).toString(16)})`;
}

/** A UUID or ping key of Healthchecks behind its path or the host of its service, and a token of Uptime Kuma. */
const OLD_ADDRESSES = [
  /((?:\/ping|hc-ping\.com)\/)(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[\w-]{22}(?=\/))/gi,
  /(\/api\/push\/)[\w-]+/gi,
];

/** The text with `ck_app_***` or `ck_adm_***` in place of every key, and `***` in place of what is secret in an old address. */
export function maskKeys(text: string): string {
  const masked = MASKS.reduce((rest, { shown, key, basic }) => rest.replace(key, shown).replace(basic, shown), text);
  return OLD_ADDRESSES.reduce((rest, address) => rest.replace(address, "$1***"), masked);
}
