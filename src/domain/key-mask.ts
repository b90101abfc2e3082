// Finds API keys anywhere in text that people or machines will read, and hides them.

/** `ck_app_`, plain or percent-encoded once or more often, and every character after it that can belong to the key. */
const KEY = new RegExp(`${[..."ck_app_"].map(letterInAnyCoding).join("")}[^\\s/?#&"'\`<>\\\\,;:)\\]}]+`, "gi");

/** `ck_app_` at the start of HTTP Basic credentials: the same bytes always begin with the same base64. */
const BASIC_CREDENTIALS = /Y2tfYXBwX[\w+/%-]*=*/g;

function letterInAnyCoding(letter: string): string {
  return `(?:${letter}|%(?:25)*${letter.charCodeAt(0).toString(16)})`;
}

/** The text with `ck_app_***` in place of every key. */
export const maskKeys = (text: string): string =>
  text.replace(KEY, "ck_app_***").replace(BASIC_CREDENTIALS, "ck_app_***");
