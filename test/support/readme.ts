// Reads Markdown as its readers do: what they would copy, look up or click. It runs nothing and knows no document.

export interface Block {
  /** The word after the opening fence. */
  readonly language: string;
  readonly text: string;
  /** The line of the opening fence, counted from 1. */
  readonly line: number;
  /** Whether a comment above says that the block runs a service, which needs another terminal. */
  readonly isService: boolean;
}

const BLOCK = /(<!-- terminal: service -->\n+)?^```(\w*)\n([\s\S]*?)^```$/gm;

/** The fenced blocks in their order. */
export const blocksOf = (markdown: string): Block[] =>
  [...markdown.matchAll(BLOCK)].map(({ 0: whole, 1: mark = "", 2: language = "", 3: text = "", index }) => ({
    language,
    text,
    line: markdown.slice(0, index + whole.indexOf("```")).split("\n").length,
    isService: mark !== "",
  }));

/** The rows of the table whose head has these words; the cells are as they are written. */
export function rowsUnder(markdown: string, ...head: string[]): string[][] {
  const lines = markdown.split("\n");
  const start = lines.indexOf(`| ${head.join(" | ")} |`);
  if (start === -1) throw new Error(`no table with the head ${head.join(", ")}`);
  const end = lines.findIndex((line, place) => place > start && !line.startsWith("|"));
  return lines.slice(start + 2, end).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

/** The texts between backticks. */
export const codeIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

export interface Link {
  /** The path relative to the document; empty for the document itself. */
  readonly path: string;
  /** Empty when the link is to the whole document. */
  readonly anchor: string;
}

/** Links to other files of the repository and to places in them. */
export const linksIn = (markdown: string): Link[] =>
  [...markdown.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = "", anchor = ""] = target.split("#");
      return { path, anchor };
    });

export const anchorsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
