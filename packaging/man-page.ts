// Prints rollcall's manual page, rollcall(1), from its help: the one place for the words of commands and options. Usage:
// bun packaging/man-page.ts VERSION DATE.

import { runCli } from "../src/cli/cli.ts";
import { COMMAND_GROUPS } from "../src/cli/command-groups.ts";

interface Term {
  readonly term: string;
  readonly meaning: string;
}

interface Help {
  readonly usage: string;
  readonly description: string;
  /** Arguments, options, commands: by the word above them. */
  readonly lists: ReadonlyMap<string, readonly Term[]>;
  readonly examples: string;
}

const [version = "", date = ""] = process.argv.slice(2);

async function helpOf(words: readonly string[]): Promise<Help> {
  const lines: string[] = [];
  const io = { out: (line: string) => void lines.push(line), err: () => {}, width: null, color: false, input: NOBODY };
  await runCli(["help", ...words], {}, io);
  return read(lines.join("\n"));
}

/** Nobody types here. */
const NOBODY = { isTerminal: false, read: async () => null, readShown: async () => null };

/** Help is paragraphs: the usage, what it does, then lists with a word above each. */
function read(text: string): Help {
  const [usage = "", description = "", ...rest] = text.trim().split("\n\n");
  const parts = rest.map((part) => /^([A-Z][A-Za-z ]+):\n([\s\S]*)$/.exec(part)).filter((part) => part !== null);
  const lists = parts.map(([, title = "", lines = ""]) => [title, termsIn(lines)] as const);
  const examples = parts.find(([, title]) => title === "Examples")?.[2] ?? "";
  return {
    usage: unwrapped(usage).replace("Usage: ", ""),
    description: unwrapped(description),
    lists: new Map(lists),
    examples,
  };
}

/** Two blanks or more part a term from its meaning, whose further lines stand far to the right. */
function termsIn(lines: string): Term[] {
  const joined = lines.replaceAll(/\n {6,}/g, " ");
  return [...joined.matchAll(/^ {2}(\S.*?)(?: {2,}(.*))?$/gm)].map(([, term = "", meaning = ""]) => ({
    term,
    meaning,
  }));
}

const unwrapped = (text: string): string => text.replaceAll(/\s*\n\s*/g, " ");

/** Every command that can be run, in its words. */
async function commandsUnder(words: readonly string[]): Promise<(readonly string[])[]> {
  const own = (await helpOf(words)).lists.get("Commands")?.map(({ term }) => term.split(" ")[0]!);
  const names = words.length === 0 ? Object.values(COMMAND_GROUPS).flat() : own;
  if (names === undefined) return [words];
  return (await Promise.all(names.map((name) => commandsUnder([...words, name])))).flat();
}

/** A text in which roff finds nothing to obey. */
const plain = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^(?=[.'])/gm, "\\&");

const listed = (terms: readonly Term[] = []): string =>
  terms.map(({ term, meaning }) => `.TP\n.B ${plain(term)}\n${plain(meaning)}\n`).join("");

const quoted = (lines: string): string => `.PP\n.nf\n.RS 4\n${plain(lines.replaceAll(/^ {2}/gm, ""))}\n.RE\n.fi\n`;

async function sectionOf(words: readonly string[]): Promise<string> {
  const { usage, description, lists, examples } = await helpOf(words);
  const terms = [...(lists.get("Arguments") ?? []), ...(lists.get("Options") ?? [])].filter(
    ({ term }) => !term.startsWith("-h,"),
  );
  return `.SS ${plain(usage)}\n${plain(description)}.\n${listed(terms)}${examples === "" ? "" : quoted(examples)}`;
}

const FILES: readonly Term[] = [
  { term: "/etc/rollcall/rollcall.toml", meaning: "The configuration. Nothing in it is needed to start." },
  { term: "/var/lib/rollcall", meaning: "The database, and the socket by which commands reach the service." },
  {
    term: "/var/lib/rollcall/first-key",
    meaning: "What the first start has to say: a key, and a link for signing in, each until it was used.",
  },
];

const main = await helpOf([]);
const sections = await Promise.all((await commandsUnder([])).map(sectionOf));
process.stdout.write(`.TH ROLLCALL 1 "${date}" "rollcall ${version}" "User Commands"
.SH NAME
rollcall \\- cron\\-job monitoring you run yourself
.SH SYNOPSIS
.B rollcall
.RI [ options ] " command " [ arguments ]
.SH DESCRIPTION
${plain(main.description)}
.PP
A job reports over HTTP when it starts, ends or fails. rollcall knows from its schedule when the next report is due,
and tells you when a job fails, hangs or stays silent. Everything but
.B serve
asks the running service, as the user that the service runs as.
.SH OPTIONS
${listed(main.lists.get("Options"))}.SH COMMANDS
${sections.join("")}.SH EXIT STATUS
${listed(main.lists.get("Exit codes"))}.SH FILES
${listed(FILES)}.SH SEE ALSO
.I /usr/share/doc/rollcall
`);
