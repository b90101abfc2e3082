// Where a command writes, and where it reads what a person types: lines, so that tests can run a command in their own
// process.

export interface Terminal {
  /** The width in columns; `null` when there is no terminal, and then no lines are broken. */
  readonly width: number | null;
  readonly color: boolean;
}

export interface Io extends Terminal {
  out(line: string): void;
  err(line: string): void;
  /** Only commands that need a password read this. */
  readonly secret: SecretInput;
  /** How a person here types a command that a sentence names; absent when the bare name works. */
  readonly typed?: CommandHint;
}

/** Makes a whole command line from a command's words, such as `monitor list`. */
export type CommandHint = (words: string) => string;

export const DONE = 0;
export const REFUSED = 1;
export const MISUSED = 2;
export const NOT_RUNNING = 3;

export interface SecretInput {
  /** True when a person types, who is asked twice for a new password. */
  readonly isTerminal: boolean;
  /**
   * Reads one line without its end, which the terminal does not show; `null` when the input has ended, or the person
   * stopped the command.
   */
  read(): Promise<string | null>;
  readShown(): Promise<string | null>;
}

const ENTER = /[\r\n]/;
const BREAK_OFF = "\u0003";
const END = "\u0004";
const ERASE_LETTER = new Set(["\u007f", "\b"]);
const ERASE_LINE = "\u0015";

/** How many characters are read, more than any password that is taken. */
const READ_MAX = 4_096;

type TypedInput = typeof process.stdin;

/** Makes the reader. `input` returns `process.stdin`, which is read only when a password is needed. */
export const secretInput = (input: () => TypedInput): SecretInput => ({
  get isTerminal() {
    return input().isTTY;
  },
  read: () => (input().isTTY ? readTyped(input()) : readLine(input())),
  readShown: () => readLine(input()),
});

/** Reads letters one by one as they are typed; the terminal shows none. */
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

async function readLine(input: AsyncIterable<Uint8Array | string>): Promise<string | null> {
  let read = Buffer.alloc(0);
  for await (const piece of input) {
    read = Buffer.concat([read, Buffer.from(piece)]);
    if (read.includes("\n") || read.length > READ_MAX) break;
  }
  const [line = ""] = read.toString().split(/\r?\n/);
  return read.length === 0 ? null : line;
}
