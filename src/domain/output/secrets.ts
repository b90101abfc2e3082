// Finds secrets by their form in what a job wrote, line by line, and hides too much rather than too little.

import { maskKeys } from "../api-key.ts";

export const HIDDEN = "***";

const NAMES = "passw(?:or)?d|passphrase|pwd|secret|token|(?:api|access|private)[-_]?key";
/**
 * A word of a shell, quoted in whole or in part. Nothing may follow it in a pattern, so that matching never backtracks.
 */
const WORD = String.raw`(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|\\.?|[^\s"'\\])+`;

/**
 * The forms of secrets. Each takes time that is linear in the line: whatever repeats is bounded or can match in one way
 * only.
 */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/whsec_[\w+/=-]+/g, `whsec_${HIDDEN}`],
  // These tokens name their service: GitHub, GitLab, Slack and Stripe, and the key ids of AWS.
  [/\b(gh[oprsu]_|github_pat_)\w{8,}/g, `$1${HIDDEN}`],
  [/\b(gl(?:pat|dt|rt|cbt|ptt|ft|imt|soat|agent)-)[\w.-]{8,}/g, `$1${HIDDEN}`],
  [/\b(xox[a-z]-|xapp-)[\w-]{8,}/g, `$1${HIDDEN}`],
  [/\b([rs]k_(?:live|test)_)\w{8,}/g, `$1${HIDDEN}`],
  [/\b(AKIA|ASIA)\w{12,}/g, `$1${HIDDEN}`],
  // JSON Web Tokens begin where a word begins, so that no letter is read more than twice.
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*(?:\.[\w-]*){0,2}/g, HIDDEN],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*/g, HIDDEN],
  // These are headers as programs print them. The end of their values is unknown, so the rest of the line is hidden.
  [
    /\b((?:(?:proxy-)?authorization|(?:set-)?cookie|x-api-key|x-(?:[a-z]{1,20}-){0,3}token)["']?\s{0,9}[:=]).*/gi,
    `$1 ${HIDDEN}`,
  ],
  [/\b(bearer)\s{1,9}[^\s"']+/gi, `$1 ${HIDDEN}`],
  [/\b(basic)\s{1,9}[\w+/-]{16,}=*/gi, `$1 ${HIDDEN}`],
  // A URL may contain a user and a password, even with characters that an address may not have. Digits after a colon
  // are a port. A host is never longer than 500 letters, so a longer text is a password, as clouds generate them.
  [
    /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@:]{0,500}:(?!\d{1,5}(?:[/?#\s"']|$))(?:[^\s"'<>]{500,}|\S{0,500}@)/gi,
    `$1${HIDDEN}@`,
  ],
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)(?:[^\s/?#"'<>]{500,}|[^\s/?#]{1,500}@)/gi, `$1${HIDDEN}@`],
  // These are passwords as programs take them: --password VALUE and --password=VALUE, -pVALUE of sshpass and of MySQL's
  // clients, and curl -u USER:VALUE. Another option is not a value.
  [
    new RegExp(String.raw`((?<![\w-])--?(?:[a-z0-9]{1,20}-){0,4}(?:${NAMES}|pass)(?:=|\s{1,9}(?!--)))${WORD}`, "gi"),
    `$1${HIDDEN}`,
  ],
  [new RegExp(String.raw`(\bsshpass\s.{0,80}?(?<=\s)-p\s{0,9})${WORD}`, "g"), `$1${HIDDEN}`],
  [new RegExp(String.raw`(\b(?:mysql|mariadb)[\w-]{0,20}\s.{0,300}?(?<=\s)-p)${WORD}`, "g"), `$1${HIDDEN}`],
  [new RegExp(String.raw`(\s(?:-u|--user)\s{1,9}["']?[^\s:"']{1,100}:)${WORD}`, "g"), `$1${HIDDEN}`],
  // A shell prints a value of several words as 'NAME=value of several words'.
  [new RegExp(String.raw`("\w{0,60}(?:${NAMES})=)(?!["'])[^"]+`, "gi"), `$1${HIDDEN}`],
  [new RegExp(String.raw`('\w{0,60}(?:${NAMES})=)(?!["'])[^']+(?:'\\''[^']*)*`, "gi"), `$1${HIDDEN}`],
  // The forms are name=value, name => value and "name": "value". With escaped quotation marks, as in JSON within JSON,
  // it is unknown which mark ends the value. Without quotation marks it ends at a space or where another name follows.
  [
    new RegExp(
      String.raw`((?:${NAMES})(?:\\{0,9}["'])?\s{0,9}(?:=>?|(?<=["']\s{0,9}):)\s{0,9})(?:\\+["'].*|"(?:[^"\\]|\\.)*"?|\$?'(?:[^'\\]|\\.)*'?(?:\\''[^']*'?)*|(?:(?![,;&]\s{0,9}[\w.-]{1,40}=)[^\s"'])+)`,
      "gi",
    ),
    `$1${HIDDEN}`,
  ],
];

/** One line without the secrets that are known by their form. */
export const hideSecrets = (line: string): string =>
  FORMS.reduce((hidden, [form, shown]) => hidden.replace(form, shown), maskKeys(line));

const MARK = /-----(BEGIN|END) [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** The lines without private keys, even if the beginning or the end of a key was cut off. */
export function withoutPrivateKeys(lines: readonly string[]): readonly string[] {
  const marked = lines.map((line) => [...line.matchAll(MARK)]);
  let isInside = marked.flat()[0]?.[1] === "END";
  const shown: string[] = isInside ? [HIDDEN] : [];
  for (const [place, line] of lines.entries()) {
    const marks = marked[place]!;
    const begin = marks.find((mark) => mark[1] === "BEGIN");
    if (!isInside) shown.push(begin === undefined ? line : line.slice(0, begin.index) + HIDDEN);
    // One file may end on the line on which the next one begins.
    if (marks.length > 0) isInside = marks.at(-1)![1] === "BEGIN";
  }
  return shown;
}
