// Reads Markdown the way its readers do: what they would copy, look up or click. Runs nothing and knows no document.

export interface Block {
  /** What stands behind the opening fence. */
  readonly language: string;
  readonly text: string;
  /** Of the opening fence, counted from 1. */
  readonly line: number;
  /** A comment above says that it runs a service and so needs a terminal of its own. */
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

/** The rows of the table that has these words in its head; cells as they are written. */
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

/** What stands between backticks. */
export const codeIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

export interface Link {
  /** Relative to the document; empty for the document itself. */
  readonly path: string;
  /** Empty when the link is to the whole. */
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

/** The anchors that headings make. */
export const anchorsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
