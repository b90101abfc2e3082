// Decides whether a terminal gets colours, and which words on it have which colour.

const CODES = { red: 31, green: 32, yellow: 33, dim: 2 } as const;

export type Color = keyof typeof CODES;

/** Whether output gets colours: only on a terminal, and only if the variable `NO_COLOR` is empty or absent. */
export const wantsColor = (isTerminal: boolean, environment: Readonly<Record<string, string | undefined>>): boolean =>
  isTerminal && (environment["NO_COLOR"] ?? "") === "";

export const colored = (color: Color, text: string): string => `\x1b[${CODES[color]}m${text}\x1b[0m`;

/** The colours of words that say how something is, where a cell begins with one. Other words have no colour. */
const WORDS: Readonly<Record<string, Color>> = {
  critical: "red",
  warning: "yellow",
  healthy: "green",
  paused: "dim",
  open: "red",
  acknowledged: "yellow",
  unfinished: "red",
  fail: "red",
  missed: "red",
  unknown: "yellow",
  "given up": "red",
  waits: "yellow",
  arrived: "green",
  revoked: "dim",
  suspended: "yellow",
};

const colorOf = (cell: string): Color | undefined =>
  Object.entries(WORDS).find(([word]) => cell === word || new RegExp(`^${word}\\b`).test(cell))?.[1];

/**
 * The heads of columns, and the names of facts, in which words of `WORDS` get a colour. In other columns the same word
 * may be what a job or a person wrote.
 */
const COLUMNS = new Set(["STATUS", "STATE", "WHAT", "REPORT", "ENDS", "status"]);

/**
 * Colours one line of a cell that is broken into lines; `cell` is the whole text, whose first word decides the colour.
 * `column` is the head of its column, or the name of the fact.
 */
export function painted(column: string, cell: string, line: string): string {
  const color = COLUMNS.has(column) ? colorOf(cell) : undefined;
  return color === undefined || line === "" ? line : colored(color, line);
}

export const paintedCounts = (sentence: string): string =>
  sentence.replace(/\b\d+ ([a-z]+)/g, (counted, word: string) => {
    const color = colorOf(word);
    return color === undefined ? counted : colored(color, counted);
  });
