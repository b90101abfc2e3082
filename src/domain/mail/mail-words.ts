// Finds words in the text of a mail (R47), and whether each is denied: `no errors` is no failure, `not successful` is
// one. A searched word also counts as the beginning of a longer word. Case and accents are ignored.

/** `says`: one of the searched words stands in the text and is not denied. `denies`: one of them is denied. */
export type Finding = Readonly<{ says: boolean; denies: boolean }>;

const NOTHING: Finding = { says: false, denies: false };

/** A denial is looked for in this many characters before a word and behind it. */
const AROUND = 60;

/** The text as words are searched in it: lower case, no accents, one kind of apostrophe. */
export const plainMailText = (text: string): string =>
  text
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase()
    .replaceAll(/[‘’]/g, "'");

/** Matches what follows `fail` when the word means no failure: failover, failsafe, fail2ban. */
const NOT_THAT_WORD = /^(?:-?over\b|back\b|safe\b|2ban\b)/;

/** The pattern that finds any of the words; `null` when there are no words. */
export function patternOf(words: readonly string[]): RegExp | null {
  const literal = words.map((word) =>
    plainMailText(word)
      .replaceAll(/[\^$\\.*+?()[\]{}|/]/g, "\\$&")
      .replaceAll(/\s+/g, "\\s+"),
  );
  return literal.length === 0 ? null : new RegExp(`(?<![\\p{L}\\p{N}])(?:${literal.join("|")})`, "gu");
}

/**
 * Searches a text for the words of `pattern`. `isDenied` returns whether the text around a word denies the word; `null`
 * when the word is about another time than this run.
 */
function findingIn(text: string, pattern: RegExp | null, isDenied: (at: WordPlace) => boolean | null): Finding {
  if (pattern === null) return NOTHING;
  let denies = false;
  for (const { index, 0: word } of text.matchAll(pattern)) {
    const end = index + word.length;
    const before = text.slice(Math.max(0, index - AROUND), index);
    const behind = text.slice(end, end + AROUND);
    if (NOT_THAT_WORD.test(behind)) continue;
    const denied = isDenied({ before, word, behind, text, index });
    if (denied === false) return { says: true, denies };
    denies ||= denied === true;
  }
  return { says: false, denies };
}

type WordPlace = Readonly<{ before: string; word: string; behind: string; text: string; index: number }>;

/** Words that may stand between a denial and the denied word, as in `no known data errors`. */
const BETWEEN =
  "(?:(?:any|a|an|the|been|be|known|data|new|other|further|more|i/o|io|read|write|serious|critical|fatal|major|smart|" +
  "disk|checksum|unrecoverable|uncorrectable|media|de|weiteren?|bekannten?|connues?)\\s+)";
const FAILURES = "(?:error|fail|fault|problem|warning|fehler|erreur|panne|errores|errori|fouten|erros)";
const NO = "(?:no|not|without|zero|never|w/o|kein(?:e|en|er)?|ohne|nicht|aucune?|sans|pas|sin|ningun|senza|geen|sem)";

/**
 * Matches the text before a failure when that text denies it: `no errors`, `w/o any errors`, `(0 failed`, `with 0
 * errors`. It does not match before `disk 0 failed` or `job 100-0 failed`.
 */
const NO_FAILURE = new RegExp(
  `(?:(?<![\\p{L}\\p{N}])${NO}\\s+|(?:^|[\\n(,;|=[]\\s*|[:.!?–—]\\s+|\\b(?:with|and|mit|und|avec|et|con|y)\\s+)0\\s+)${BETWEEN}{0,3}$`,
  "u",
);
/** Matches the word between a failure and its number: `logins` in `Failed logins: 0`, `count` in `Error count: 0`. */
const COUNTED =
  "(?:\\s+(?:errors?|failures?|faults?|counts?|total|logins?|attempts?|files?|items?|jobs?|tasks?|rate|sectors?|backups?|objects?|requests?|" +
  "drives?|disks?|devices?|checks?))?";
/**
 * Matches the text behind the 0 of a count of failures. It matches behind `Errors: 0` at the end of a line, but not in
 * `Error: 0 bytes written`, where the 0 counts no errors.
 */
const ENDS = "(?=\\s*(?:$|[\\n,;.)\\]|(/])|\\s\\s|\\s+\\p{L}+\\s*[:=])";
const NO_FAILURE_BEHIND = new RegExp(
  `^\\p{L}*${COUNTED}\\s?[:=]\\s?(?:(?:0|none|nil|\\[\\]|keine?|aucune?|ninguno|nessuno|geen)${ENDS}|` +
    `no\\s+${BETWEEN}{0,3}${FAILURES})`,
  "u",
);
/** Matches the text behind a failure in `error-free` and `fehlerfrei`. */
const FREE_OF = /^\p{L}{0,2}(?:[- ]free\b|-?frei)/u;

/** How many failures of one text may be heads of tables. Looking at a table takes long, and a mail may have many. */
const HEADS_LOOKED_AT = 200;

export function failuresIn(text: string, words: RegExp | null): Finding {
  let heads = 0;
  return findingIn(
    text,
    words,
    (at) =>
      NO_FAILURE.test(at.before) ||
      FREE_OF.test(at.behind) ||
      NO_FAILURE_BEHIND.test(at.behind) ||
      (++heads <= HEADS_LOOKED_AT && isEmptyColumn(at)),
  );
}

const NOT =
  "(?:not|never|cannot|without|no|nicht|kein(?:e|en)?|ohne|pas|non|sans|nie|niet|geen|jamais|sin|nao|senza|sem|" +
  "aucune?|ningun[ao]?|nessun[ao]?|nenhum[ao]?)";
/**
 * Matches the text before a success when that text denies it: `not successful`, `could not be finished`. Up to three
 * words may stand in between, none of which ends a sentence.
 */
const NO_SUCCESS = new RegExp(
  `(?:(?<![\\p{L}\\p{N}])${NOT}|n't)\\s+(?:\\p{L}+\\s+){0,3}$|(?<![\\p{L}\\p{N}.,:])0\\s+$`,
  "u",
);
/** Matches the text behind a success when that text denies it: `Success: no`, `completed=false`. */
const NO_SUCCESS_BEHIND = /^\p{L}*\s?[:=]\s?(?:0(?![\p{L}\p{N}.:/-])|(?:no|false|nein|non|none|never)\b)/u;

/** Matches text before a success of another time: `will be completed`, `last backup was successful`, `50 % done`. */
const NOT_NOW = new RegExp(
  "(?<![\\p{L}\\p{N}])(?:(?:will|would|should|must|to|wird|werden|sera|seront) (?:\\p{L}+ ){0,2}|" +
    "(?:last|latest|previous|earlier|letzte[nrs]?|vorige[nrs]?|dernier|derniere|ultim[ao]|laatste) (?:\\p{L}+ ){0,3}|\\d{1,2} ?% )$",
  "u",
);

export const successesIn = (text: string, words: RegExp | null): Finding =>
  findingIn(text, words, ({ before, behind }) =>
    NO_SUCCESS.test(before) || NO_SUCCESS_BEHIND.test(behind) ? true : NOT_NOW.test(before) ? null : false,
  );

/**
 * Match the text around a word of doubt, such as `skipped`, when that text denies the doubt: `0 files skipped`, `no
 * files were skipped`, `skipped 0`.
 */
const NO_DOUBT = new RegExp(`(?<![\\p{L}\\p{N}.,:/-])(?:0|${NO})\\s+(?:\\p{L}+\\s+){0,3}$`, "u");
const NO_DOUBT_BEHIND = /^\p{L}*\s+0(?:$|[\s,;.)])/u;
/** Matches the text behind a success that takes part of it back: `successfully, but …`. */
const TAKEN_BACK =
  /^[^.!?\n]{0,40}[\s,;(-](?:but|however|although|aber|jedoch|allerdings|mais|toutefois|pero|ma|maar|porem)\s/u;
const EXIT_CODE =
  /(?<!\p{L})(?:(?:exit|return|error|status|ruckgabe|retour)[- ]?(?:code|status|value|wert)|exited with(?: code| status)?|rc) ?[:=]? ?-?[1-9]/u;
const SHARE = /(?<![\p{N}.,:/-])(\d{1,6}) (?:of|out of|von|sur|de|di|van) (\d{1,6})(?![\p{N}:/-])/gu;

/**
 * Whether the text also says that not all is well: files were skipped, 1 of 3 is done, or an exit code is not 0.
 * `words` are the words of doubt; without any, nothing is doubted.
 */
export const isDoubted = (text: string, words: RegExp | null, success: RegExp | null): boolean =>
  words !== null &&
  (findingIn(
    text,
    words,
    ({ before, behind }) =>
      NO_FAILURE.test(before) ||
      NO_DOUBT.test(before) ||
      NO_FAILURE_BEHIND.test(behind) ||
      NO_DOUBT_BEHIND.test(behind) ||
      FREE_OF.test(behind),
  ).says ||
    EXIT_CODE.test(text) ||
    (success !== null && text.matchAll(success).some((found) => isInPart(text, found))));

/** Whether the line of a success makes it a partial one: `1 of 3 jobs successful`, `successful, but …`. */
function isInPart(text: string, { index, 0: { length } }: RegExpExecArray): boolean {
  const before = text.slice(Math.max(0, index - AROUND), index);
  const [behind = ""] = text.slice(index + length, index + length + AROUND).split("\n", 1);
  const line = before.slice(before.lastIndexOf("\n") + 1) + text.slice(index, index + length) + behind;
  return TAKEN_BACK.test(behind) || line.matchAll(SHARE).some(([, part, whole]) => Number(part) < Number(whole));
}

export const isSaid = (text: string, words: RegExp | null): boolean => findingIn(text, words, () => false).says;

/** How much of a table is looked at: characters before the word, characters behind it, and lines. */
const TABLE_BEFORE = 500;
const TABLE_BEHIND = 4_000;
const ROWS = 50;

/** Whether the word is the head of a column in a table, and that column has only zeros. */
function isEmptyColumn({ text, index, word }: WordPlace): boolean {
  const above = text.slice(Math.max(0, index - TABLE_BEFORE), index);
  const before = above.slice(above.lastIndexOf("\n") + 1);
  const [line = "", ...below] = (before + text.slice(index, index + TABLE_BEHIND)).split("\n", ROWS);
  const heads = cellsOf(line);
  const column = cellsOf(before).length;
  if (heads.length < 3 || !heads[column]?.startsWith(word)) return false;
  if (heads.some((head) => !/^[\p{L}#%_-]+$/u.test(head))) return false;
  let noughts = 0;
  for (const row of below) {
    const cells = cellsOf(row);
    if (cells.length === 0) break;
    if (cells.every((cell) => /^[-=+]+$/.test(cell)) && cells.join("").length > cells.length) continue;
    if (cells.length !== heads.length || !/^(?:0|-|no|none)$/.test(cells[column]!)) return false;
    noughts++;
  }
  return noughts > 0;
}

const cellsOf = (line: string): readonly string[] => line.split(/[\s|]+/).filter((cell) => cell !== "");
