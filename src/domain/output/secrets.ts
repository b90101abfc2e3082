// Hides secrets by their form. In the lines of a job these are tokens, passwords and keys, and in doubt too much is
// hidden. In any other text they are rollcall's own keys, and report addresses with a secret.

import { ADMIN_KEY_PREFIX, KEY_PREFIX } from "../api-key.ts";

export const HIDDEN = "***";

const NAMES = "passw(?:or)?d|passphrase|pwd|secret|token|(?:api|access|private)[-_]?key";
/** Matches a word as a shell reads it. It must end a pattern: otherwise a long line could take very long to match. */
const WORD = String.raw`(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|\\.?|[^\s"'\\])+`;

/**
 * The forms of secrets, each with what is shown instead. The time for matching grows no faster than the length of the
 * line, because each repetition has a limit or can match in only one way.
 */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/whsec_[\w+/=-]+/g, `whsec_${HIDDEN}`],
  // Tokens of services, which begin with a fixed word: GitHub, GitLab, Slack and Stripe, and key ids of AWS.
  [/\b(gh[oprsu]_|github_pat_)\w{8,}/g, `$1${HIDDEN}`],
  [/\b(gl(?:pat|dt|rt|cbt|ptt|ft|imt|soat|agent)-)[\w.-]{8,}/g, `$1${HIDDEN}`],
  [/\b(xox[a-z]-|xapp-)[\w-]{8,}/g, `$1${HIDDEN}`],
  [/\b([rs]k_(?:live|test)_)\w{8,}/g, `$1${HIDDEN}`],
  [/\b(AKIA|ASIA)\w{12,}/g, `$1${HIDDEN}`],
  // JSON Web Tokens. They begin where a word begins; otherwise a long line would be read again from each letter.
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*(?:\.[\w-]*){0,2}/g, HIDDEN],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*/g, HIDDEN],
  // HTTP headers as programs print them. Where the value ends is not known, so the rest of the line is hidden.
  [
    /\b((?:(?:proxy-)?authorization|(?:set-)?cookie|x-api-key|x-(?:[a-z]{1,20}-){0,3}token)["']?\s{0,9}[:=]).*/gi,
    `$1 ${HIDDEN}`,
  ],
  [/\b(bearer)\s{1,9}[^\s"']+/gi, `$1 ${HIDDEN}`],
  [/\b(basic)\s{1,9}[\w+/-]{16,}=*/gi, `$1 ${HIDDEN}`],
  // A user and a password in a URL, also with characters that a URL should not have. Digits after a colon are a port.
  // Text of 500 characters or more is a password even without an `@`, because no host name is so long.
  [
    /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@:]{0,500}:(?!\d{1,5}(?:[/?#\s"']|$))(?:[^\s"'<>]{500,}|\S{0,500}@)/gi,
    `$1${HIDDEN}@`,
  ],
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)(?:[^\s/?#"'<>]{500,}|[^\s/?#]{1,500}@)/gi, `$1${HIDDEN}@`],
  // Passwords in commands: --password VALUE, --password=VALUE, -pVALUE of sshpass and of MySQL's clients, and curl -u
  // USER:VALUE. Text that begins with `--` is the next option, not a value.
  [
    new RegExp(String.raw`((?<![\w-])--?(?:[a-z0-9]{1,20}-){0,4}(?:${NAMES}|pass)(?:=|\s{1,9}(?!--)))${WORD}`, "gi"),
    `$1${HIDDEN}`,
  ],
  [new RegExp(String.raw`(\bsshpass\s.{0,80}?(?<=\s)-p\s{0,9})${WORD}`, "g"), `$1${HIDDEN}`],
  [new RegExp(String.raw`(\b(?:mysql|mariadb)[\w-]{0,20}\s.{0,300}?(?<=\s)-p)${WORD}`, "g"), `$1${HIDDEN}`],
  [new RegExp(String.raw`(\s(?:-u|--user)\s{1,9}["']?[^\s:"']{1,100}:)${WORD}`, "g"), `$1${HIDDEN}`],
  // A shell that shows its commands prints 'NAME=several words', with the quotation mark before the name.
  [new RegExp(String.raw`("\w{0,60}(?:${NAMES})=)(?!["'])[^"]+`, "gi"), `$1${HIDDEN}`],
  [new RegExp(String.raw`('\w{0,60}(?:${NAMES})=)(?!["'])[^']+(?:'\\''[^']*)*`, "gi"), `$1${HIDDEN}`],
  // The forms name=value, name => value and "name": "value". In JSON within JSON the quotation marks are escaped, and
  // any of them may end the value, so the rest of the line is hidden. A value without quotation marks ends at a space
  // or where another name=value follows.
  [
    new RegExp(
      String.raw`((?:${NAMES})(?:\\{0,9}["'])?\s{0,9}(?:=>?|(?<=["']\s{0,9}):)\s{0,9})(?:\\+["'].*|"(?:[^"\\]|\\.)*"?|\$?'(?:[^'\\]|\\.)*'?(?:\\''[^']*'?)*|(?:(?![,;&]\s{0,9}[\w.-]{1,40}=)[^\s"'])+)`,
      "gi",
    ),
    `$1${HIDDEN}`,
  ],
];

export const hideSecrets = (line: string): string =>
  FORMS.reduce((hidden, [form, shown]) => hidden.replace(form, shown), maskKeys(line));

const MARK = /-----(BEGIN|END) [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** Returns the lines without private keys. A key is found too if its beginning or its end is missing. */
export function withoutPrivateKeys(lines: readonly string[]): readonly string[] {
  const marked = lines.map((line) => [...line.matchAll(MARK)]);
  let isInside = marked.flat()[0]?.[1] === "END";
  const shown: string[] = isInside ? [HIDDEN] : [];
  for (const [place, line] of lines.entries()) {
    const marks = marked[place]!;
    const begin = marks.find((mark) => mark[1] === "BEGIN");
    if (!isInside) shown.push(begin === undefined ? line : line.slice(0, begin.index) + HIDDEN);
    // One key may end, and the next one begin, on the same line.
    if (marks.length > 0) isInside = marks.at(-1)![1] === "BEGIN";
  }
  return shown;
}

// Hides keys anywhere in a text, and the secret part of the report addresses of other services (R45).

/** Like `maskKeys`, but it finds neither percent-encoded keys nor addresses of other services. */
export const maskPlainKeys = (text: string): string =>
  text.replaceAll(/ck_(app|adm)_[^\s/?#&"'`<>\\,;:)\]}]+/gi, (_, kind: string) => `ck_${kind.toLowerCase()}_***`);

const MASKS = [KEY_PREFIX, ADMIN_KEY_PREFIX].map((prefix) => ({
  shown: `${prefix}***`,
  /** Matches the prefix, however it is percent-encoded, and every following character that can belong to the key. */
  key: new RegExp(`${[...prefix].map(letterInAnyCoding).join("")}[^\\s/?#&"'\`<>\\\\,;:)\\]}]+`, "gi"),
  /** Matches a key in HTTP Basic credentials. In base64 the prefix always gives the same first letters. */
  basic: new RegExp(`${btoa(prefix).slice(0, 9)}[\\w+/%-]*=*`, "g"),
}));

function letterInAnyCoding(letter: string): string {
  return `(?:${letter}|%(?:25)*${letter.charCodeAt(0).toString(16)})`;
}

/** Matches a UUID or ping key after the host of Healthchecks, and a token of Uptime Kuma. */
const OLD_ADDRESSES = [/(hc-ping\.com\/)[\w-]{16,128}(?![\w-])/gi, /(\/api\/push\/)[\w-]+/gi];

/**
 * Matches `/ping/` and the word behind it: the secret of a check at Healthchecks, or the key of a monitor of rollcall.
 * `/ping/nightly-backup-of-db/ck_app_..` is not matched, because rollcall's key shows that the word is a monitor's key.
 */
const CHECK_OR_MONITOR = /(\/ping\/)([\w-]{16,128})(?![\w-]|\/ck_app_)/gi;

/** Matches a word of a name that people chose, such as `nightly`, `DB`, `db01` or `2026`. */
const NAME_WORD = /^(?:[A-Z]?[a-z]+|[A-Z]+)?\d{0,4}$/;

const NAME_WORD_MAX = 15;

/** Whether a text is a name that a person chose, such as `nightly-database-dump`, and no secret of random letters. */
const isName = (text: string): boolean =>
  text.split(/[-_]/).every((word) => word.length <= NAME_WORD_MAX && NAME_WORD.test(word));

/** Quickly matches all that `maskKeys` would change, and more: encoded letters, or the start of a key or address. */
const SUSPICIOUS = /%(?:25)*[567]|ck_|Y2tfY|ping\.com\/|\/push\/|\/ping\//i;

/** Whether `maskKeys` may find something in this text. It may be a JSON of many texts, to test them all at once. */
export const mayHoldKeys = (text: string): boolean => SUSPICIOUS.test(text);

/** Replaces keys by `ck_app_***` or `ck_adm_***`, and the secret part of other services' report addresses by `***`. */
export function maskKeys(text: string): string {
  if (!mayHoldKeys(text)) return text;
  const masked = MASKS.reduce((rest, { shown, key, basic }) => rest.replace(key, shown).replace(basic, shown), text);
  return OLD_ADDRESSES.reduce((rest, address) => rest.replace(address, "$1***"), masked).replace(
    CHECK_OR_MONITOR,
    (whole, before: string, named: string) => (isName(named) ? whole : `${before}***`),
  );
}
