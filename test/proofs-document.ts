// Derives what proves each section of the contract and each decision: the tests that name it. Pure, so that a planted
// fault can show that it is found. Whether a test proves what it names is for people to judge.

import type { TestResult } from "./proofs-report.ts";

/** Something that tests must prove: a heading of the contract, or a decision by its number. */
export interface Subject {
  readonly name: string;
  /** The decision's title; empty for a section. */
  readonly title: string;
}

/** One test, or a block of tests, that names a subject. */
export interface Proof {
  readonly subject: string;
  readonly file: string;
  /** The level of its name that names the subject. */
  readonly name: string;
  /** The worst of all tests in it. */
  readonly outcome: TestResult["outcome"];
}

/** Headings that state no rule of their own. */
const NO_RULES = ["The words", "What proves it"];
/** Most of the contract holds for both; what a test says stands one level below. */
const VERSIONS = ["version 1", "the aliases"];
const WORST_FIRST = ["failed", "skipped", "passed"] as const;

/** What must be proved: each heading of the contract up to its first colon, and each decision. */
export function subjectsOf(contract: string, decisions: string): Subject[] {
  const sections = [...contract.matchAll(/^###? (.+)$/gm)].map(([, heading]) => heading!.split(":")[0]!);
  const rulings = [...decisions.matchAll(/^### (R\d+) (.+)$/gm)].map(([, name, title]) => ({
    name: name!,
    title: title!,
  }));
  return [
    ...sections.filter((name) => !NO_RULES.includes(name)).map((name) => ({ name, title: "" })),
    ...rulings.sort((a, b) => Number(a.name.slice(1)) - Number(b.name.slice(1))),
  ];
}

/** Each test under every subject that its name or its file names, each block once. */
export function proofsOf(subjects: readonly Subject[], results: readonly TestResult[]): Proof[] {
  const found = new Map<string, Proof>();
  for (const { file, name, outcome } of results) {
    const levels = name.split(" > ");
    for (const [subject, level] of [...rulingsIn(levels), ...sectionsOf(file, levels, subjects)]) {
      const id = JSON.stringify([subject, file, level]);
      const before = found.get(id)?.outcome ?? "passed";
      const worst = WORST_FIRST.find((each) => each === outcome || each === before)!;
      found.set(id, { subject, file, name: level, outcome: worst });
    }
  }
  return [...found.values()];
}

/** The decisions that the name cites, each with the outermost level that does. */
function rulingsIn(levels: readonly string[]): [subject: string, level: string][] {
  const cited = levels.flatMap((level) =>
    [...level.matchAll(/\bR\d+\b/g)].map(([ruling]): [string, string] => [ruling, level]),
  );
  return [...new Map(cited.toReversed())];
}

/** A section is proved by the file that has its name, and by a level that begins with its heading. */
function sectionsOf(
  file: string,
  levels: readonly string[],
  subjects: readonly Subject[],
): [subject: string, level: string][] {
  const top = levels.find((level) => !VERSIONS.includes(level)) ?? "";
  return subjects
    .filter(({ title }) => title === "")
    .flatMap(({ name }): [string, string][] => {
      const level = file.replace(".slow.", ".") === fileOf(name) ? top : levels.find((each) => beginsWith(each, name));
      return level === undefined ? [] : [[name, level]];
    });
}

const fileOf = (heading: string): string => `test/contract/${heading.toLowerCase().replace(/[^a-z]+/g, "-")}.test.ts`;

const beginsWith = (level: string, heading: string): boolean =>
  level.startsWith(heading) && !/^\w/.test(level.slice(heading.length));

/** The document that lists them, from the subjects down to each test. */
export function documentOf(subjects: readonly Subject[], proofs: readonly Proof[]): string {
  const sections = subjects.map(({ name, title }) => {
    const ofFiles = Map.groupBy(
      proofs.filter(({ subject }) => subject === name),
      ({ file }) => file,
    );
    const files = [...ofFiles].sort(([a], [b]) => (a < b ? -1 : 1));
    const lines = files.flatMap(([file, of]) => [`- \`${file}\``, ...of.map(lineOf).sort()]);
    return [`## ${title === "" ? name : `${name} ${title}`}`, "", ...lines].join("\n");
  });
  return `${[HEAD, ...sections].join("\n\n")}\n`;
}

const HEAD = `# What proves it

For each section of docs/contract.md and each of docs/decisions.md, the tests that hold us to it. A
section is proved by the tests of the file under test/contract that has its name and by tests that begin with its heading,
a decision by every test that names its number. A line is a test, or a block of tests.

\`make test-all\` writes this from its run, and fails when a section or a decision has no test that passed.`;

/** The name as a code span; one with backticks in it stands between two. */
const lineOf = ({ name }: Proof): string => {
  const line = name.replace(/\s+/g, " ");
  return line.includes("`") ? `  - \`\` ${line} \`\`` : `  - \`${line}\``;
};

/**
 * What is not proved, one line each: a subject without a test that passed, a test that failed, and a test that names a
 * decision which does not exist.
 */
export function faultsIn(subjects: readonly Subject[], proofs: readonly Proof[]): string[] {
  const known = new Set(subjects.map(({ name }) => name));
  return [
    ...subjects
      .filter(({ name }) => !proofs.some(({ subject, outcome }) => subject === name && outcome === "passed"))
      .map(({ name }) => `${name}: no test that names it has passed`),
    ...proofs.filter(({ outcome }) => outcome === "failed").map(({ subject, name }) => `${subject}: failed: ${name}`),
    ...proofs
      .filter(({ subject }) => !known.has(subject))
      .map(({ subject, file, name }) => `${subject}: is no decision, but ${file} names it: ${name}`),
  ];
}
