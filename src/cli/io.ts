// Where a command writes lines, and where it reads what a person types. Commands get this as a parameter, so that tests
// can run them in their own process.

export interface Terminal {
  /** The width in columns; `null` when there is no terminal, and then no line is broken. */
  readonly width: number | null;
  readonly color: boolean;
}

export interface Io extends Terminal {
  out(line: string): void;
  err(line: string): void;
  /** Reads what a person types, such as a password. */
  readonly input: PersonInput;
  /**
   * Makes the line that a person on this computer must type for a command, such as `sudo -u rollcall rollcall status`
   * for `status`. Absent when `rollcall status` works as it is.
   */
  readonly typed?: CommandHint;
}

/**
 * Turns the words of a command, such as `monitor list`, into a whole command line, such as `sudo -u rollcall rollcall
 * monitor list`.
 */
export type CommandHint = (words: string) => string;

export const DONE = 0;
export const REFUSED = 1;
export const MISUSED = 2;
export const NOT_RUNNING = 3;

export interface PersonInput {
  /** True when a person types at a terminal. Only then is a new password asked for twice. */
  readonly isTerminal: boolean;
  /**
   * Reads one line, which a terminal does not show while it is typed, and returns it without its line end. Returns
   * `null` when the input has ended, or the person pressed Ctrl-C.
   */
  read(): Promise<string | null>;
  readShown(): Promise<string | null>;
}

const ENTER = /[\r\n]/;
const BREAK_OFF = "\u0003";
const END = "\u0004";
const ERASE_LETTER = new Set(["\u007f", "\b"]);
const ERASE_LINE = "\u0015";

/** How many characters of a line are read at most: more than any password may have. */
const READ_MAX = 4_096;

type TypedInput = typeof process.stdin;

/**
 * Makes the reader. `input` returns `process.stdin`; it is called only when something is asked, because that opens the
 * stream.
 */
export function personInput(input: () => TypedInput): PersonInput {
  const readLine = lineReader(input);
  return {
    get isTerminal() {
      return input().isTTY;
    },
    read: () => (input().isTTY ? readTyped(input()) : readLine()),
    readShown: async () => {
      const line = await readLine();
      // While the stream is open it takes what is typed, also from the programs that the command starts next.
      if (input().isTTY) input().destroy();
      return line;
    },
  };
}

/** Reads a line letter by letter from the terminal, which shows none of them. */
function readTyped(input: TypedInput): Promise<string | null> {
  input.setRawMode(true);
  input.setEncoding("utf8");
  return new Promise((resolve) => {
    let typed: string[] = [];
    const end = (answer: string | null): void => {
      input.off("data", take);
      input.setRawMode(false);
      input.pause();
      resolve(answer);
    };
    const take = (text: string): void => {
      for (const letter of text) {
        if (ENTER.test(letter)) return end(typed.join(""));
        if (letter === BREAK_OFF || (letter === END && typed.length === 0)) return end(null);
        if (ERASE_LETTER.has(letter)) typed.pop();
        else if (letter === ERASE_LINE) typed = [];
        else if (typed.length < READ_MAX) typed.push(letter);
      }
    };
    input.on("data", take);
    input.resume();
  });
}

/**
 * Returns a function that reads the next line. What came with a line belongs to the next one, and the stream stays
 * open, because a command may read several secrets.
 */
function lineReader(input: () => AsyncIterable<Uint8Array | string>): () => Promise<string | null> {
  let pieces: AsyncIterator<Uint8Array | string> | null = null;
  let held = Buffer.alloc(0);
  return async () => {
    pieces ??= input()[Symbol.asyncIterator]();
    while (!held.includes("\n") && held.length <= READ_MAX) {
      const next = await pieces.next();
      if (next.done) break;
      held = Buffer.concat([held, Buffer.from(next.value)]);
    }
    if (held.length === 0) return null;
    const end = held.indexOf("\n");
    const line = end < 0 ? held : held.subarray(0, end);
    held = end < 0 ? Buffer.alloc(0) : held.subarray(end + 1);
    return line.toString().replace(/\r$/, "");
  };
}
