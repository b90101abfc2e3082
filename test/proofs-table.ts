// Reads the table "What proves it" of docs/contract.md and judges it by the results of a run: pure, so that a planted
// fault can show that it is found. It does not judge whether a test proves its rule; that is for people.

import type { TestResult } from "./proofs-report.ts";

/** One test, or a describe block with every test in it. */
export interface Proof {
  /** `a > b`; with `…` at its end every test whose name begins so. */
  readonly name: string;
  /** Null: there is only one file with that name in it. */
  readonly file: string | null;
}

export interface Rule {
  /** A heading of the contract, or a ruling's number. */
  readonly where: string;
  readonly rule: string;
  /** Null: not built yet. */
  readonly proofs: readonly Proof[] | null;
}

export interface Judgement {
  /** One line each; empty when everything that is built is proved. */
  readonly faults: readonly string[];
  readonly proved: number;
  readonly unbuilt: number;
}

const TITLE = "## What proves it";
const HEAD = ["Where", "Rule", "Proved by"];
const NOT_BUILT = "not built yet";
/** A code span; one whose text has backticks in it stands between two. */
const SPAN = "(?:``\\s?(.+?)\\s?``|`([^`]+)`)";
const PROOF = new RegExp(`^${SPAN}(?: in ${SPAN})?(?:; |$)`);

/** What must have a row: each heading of the contract up to its first colon, and each decision's number. */
export function subjectsOf(contract: string, decisions: string): string[] {
  const headings = contract.slice(0, placeOf(contract)).matchAll(/^###? (.+)$/gm);
  const sections = [...headings].map(([, heading]) => heading!.split(":")[0]!);
  const rulings = [...decisions.matchAll(/^### (R\d+) /gm)].map(([, ruling]) => ruling!);
  return [...sections, ...rulings];
}

/** The rows of the table. Throws at a row that cannot be read, with its text. */
export function readTable(contract: string): Rule[] {
  const lines = contract
    .slice(placeOf(contract))
    .split("\n")
    .filter((line) => line.startsWith("|"));
  const [head, rule, ...rows] = lines.map(cellsOf);
  if (head?.join() !== HEAD.join() || !rule?.every((cell) => /^-+$/.test(cell)))
    throw new Error(`docs/contract.md: "${TITLE}" has no table with the columns ${HEAD.join(", ")}`);
  return rows.map((cells) => {
    const [where, rule, proved] = cells;
    if (cells.length !== HEAD.length || !where || !rule || !proved)
      throw new Error(`docs/contract.md: a row of "${TITLE}" has not three cells: ${cells.join(" | ")}`);
    return { where, rule, proofs: proved === NOT_BUILT ? null : proofsIn(proved) };
  });
}

function placeOf(contract: string): number {
  const place = contract.indexOf(`\n${TITLE}\n`);
  if (place < 0) throw new Error(`docs/contract.md: there is no section "${TITLE}"`);
  return place;
}

/** A pipe that belongs to a cell's text is written `\|`. */
const cellsOf = (line: string): string[] =>
  line
    .replace(/^\||\|\s*$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

function proofsIn(cell: string): Proof[] {
  const proofs: Proof[] = [];
  for (let rest = cell; rest !== ""; ) {
    const found = PROOF.exec(rest);
    if (found === null) throw new Error(`docs/contract.md: neither a test's title nor "${NOT_BUILT}": ${rest}`);
    const [text, long, short, longFile, file] = found;
    proofs.push({ name: (long ?? short)!, file: longFile ?? file ?? null });
    rest = rest.slice(text.length);
  }
  return proofs;
}

/** Every rule that is built has tests, all of them ran and passed; every subject has a row, and every row a subject. */
export function judge(rules: readonly Rule[], subjects: readonly string[], results: readonly TestResult[]): Judgement {
  const named = new Set(rules.map(({ where }) => where));
  const built = rules.filter(({ proofs }) => proofs !== null);
  const unproved = built.flatMap(({ where, rule, proofs }) => {
    const faults = proofs!.flatMap((proof) => faultsOf(proof, results));
    return faults.length === 0 ? [] : [[`${where}: ${rule}`, ...faults].join("\n    ")];
  });
  return {
    faults: [
      ...unproved,
      ...subjects.filter((subject) => !named.has(subject)).map((subject) => `${subject}: has no row`),
      ...[...named]
        .filter((where) => !subjects.includes(where))
        .map((where) => `${where}: is neither a heading of the contract nor a decision`),
    ],
    proved: built.length - unproved.length,
    unbuilt: rules.length - built.length,
  };
}

function faultsOf({ name, file }: Proof, results: readonly TestResult[]): string[] {
  const sought = name.endsWith("…") ? ` > ${name.slice(0, -1)}` : ` > ${name} > `;
  const found = results.filter(
    (result) => (file === null || result.file === file) && ` > ${result.name} > `.includes(sought),
  );
  const files = [...new Set(found.map((result) => result.file))];
  if (files.length === 0) return [`no such test ran: ${name}${file === null ? "" : ` in ${file}`}`];
  if (files.length > 1) return [`is in several files, say which: ${name} in ${files.join(", ")}`];
  return found.filter(({ outcome }) => outcome !== "passed").map((result) => `${result.outcome}: ${result.name}`);
}
