// Finds keys, of applications and of administrators, anywhere in text that people or machines will read, and hides them.

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

/** The text with `ck_app_***` or `ck_adm_***` in place of every key. */
export const maskKeys = (text: string): string =>
  MASKS.reduce((masked, { shown, key, basic }) => masked.replace(key, shown).replace(basic, shown), text);
