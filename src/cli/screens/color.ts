// Colours on a terminal: whether there are any, and which words of a screen have which.

const CODES = { red: 31, green: 32, yellow: 33, dim: 2 } as const;

export type Color = keyof typeof CODES;

/** Whether this stream gets colours: only on a terminal, and only if `NO_COLOR` is empty or absent. */
export const wantsColor = (isTerminal: boolean, environment: Readonly<Record<string, string | undefined>>): boolean =>
  isTerminal && (environment["NO_COLOR"] ?? "") === "";

export const colored = (color: Color, text: string): string => `\x1b[${CODES[color]}m${text}\x1b[0m`;

/** The words at the beginning of a cell that say how something is, with their colours. Other words have none. */
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
 * The heads of the columns, and names of the facts, that hold such words. Other columns hold what jobs and people
 * wrote.
 */
const COLUMNS = new Set(["STATUS", "STATE", "WHAT", "REPORT", "ENDS", "status"]);

/** Gives a line of a cell the colour of the whole cell. `column` is the column's head, or the name of the fact. */
export function painted(column: string, cell: string, line: string): string {
  const color = COLUMNS.has(column) ? colorOf(cell) : undefined;
  return color === undefined || line === "" ? line : colored(color, line);
}

export const paintedCounts = (sentence: string): string =>
  sentence.replace(/\b\d+ ([a-z]+)/g, (counted, word: string) => {
    const color = colorOf(word);
    return color === undefined ? counted : colored(color, counted);
  });
