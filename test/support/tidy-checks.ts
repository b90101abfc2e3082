// The tidy checks on single files: floors, calls that have one home, style. Each takes files and answers findings, one
// line each with its place; none reads a disk, so that a planted fault can prove it.

import { importsOf, type Layers, layersOf, lineAt, type SourceFile } from "./tidy-source.ts";

/** What each floor may import besides itself; nothing is above main.ts. */
const FLOORS: Record<string, readonly string[]> = {
  domain: [],
  store: ["domain"],
  engine: ["domain", "store"],
  config: ["domain"],
  http: ["domain", "engine"],
  web: ["domain", "engine"],
  notify: ["domain", "engine"],
  cli: ["domain", "store", "engine", "config", "http", "web", "notify"],
  "main.ts": ["cli"],
};

/** The only libraries the domain may know: both are pure. */
const DOMAIN_LIBRARIES = ["croner", "typebox"];

const CLOCK = ["src/cli/clock.ts"];
const ENTRY = ["src/cli/", "src/main.ts"];
const EDGES = ["src/http/", "src/web/", "src/notify/", "src/cli/", "src/main.ts"];
/** The one promise below the edges: it hands each request its answer after the commit. */
const PROMISES = [...EDGES, "src/engine/intake/batcher.ts"];

interface Ban {
  readonly pattern: RegExp;
  readonly what: string;
  /** Files, or folders ending in a slash, in which it is at home. */
  readonly allowed: readonly string[];
}

const BANS: readonly Ban[] = [
  { pattern: /\bDate\s*\.\s*now\b/g, what: "Date.now", allowed: CLOCK },
  { pattern: /\bnew\s+Date\s*(?:\(\s*\)|(?![\w\s(]))/g, what: "new Date without an argument", allowed: CLOCK },
  { pattern: /(?<!new\s+)(?<![\w.$])Date\s*\(/g, what: "Date as a function", allowed: CLOCK },
  { pattern: /\bTemporal\s*\.\s*Now\b/g, what: "Temporal.Now", allowed: CLOCK },
  { pattern: /\bperformance\s*\.\s*now\b/g, what: "performance.now", allowed: CLOCK },
  { pattern: /\bprocess\s*\.\s*(?:hrtime|uptime)\b/g, what: "process.hrtime", allowed: CLOCK },
  { pattern: /\bBun\s*\.\s*(?:nanoseconds|sleep|sleepSync)\b/g, what: "Bun's clock", allowed: CLOCK },
  { pattern: /\b(?:setInterval|setTimeout)\b/g, what: "a timer", allowed: CLOCK },
  { pattern: /\bMath\s*\.\s*random\b/g, what: "Math.random", allowed: CLOCK },
  {
    pattern: /\b(?:randomUUID|randomUUIDv5|randomUUIDv7|getRandomValues|randomBytes|randomInt)\b/g,
    what: "randomness",
    allowed: CLOCK,
  },
  { pattern: /\b(?:process|Bun|import\.meta)\s*\.\s*env\b/g, what: "the environment", allowed: ENTRY },
  { pattern: /\b(?:async|await)\b/g, what: "async or await", allowed: EDGES },
  { pattern: /\bnew\s+Promise\b|\bPromise\s*\.|\.\s*then\s*\(/g, what: "a promise", allowed: PROMISES },
  { pattern: /\bconsole\s*\./g, what: "console", allowed: [] },
  { pattern: /\bexport\s+default\b|\bas\s+default\b/g, what: "a default export", allowed: [] },
  {
    pattern: /\bclass\s+[\w$]+(?!\s*(?:<[^{]*>\s*)?extends\s+\w*Error\b)[\s<{]/g,
    what: "a class that is not an error",
    allowed: [],
  },
];

const SOURCE_LINES_MAX = 300;
const HEADER_LINES_MAX = 3;

const inSource = (files: readonly SourceFile[]): SourceFile[] => files.filter((file) => file.path.startsWith("src/"));

const floorOf = (path: string): string => path.split("/")[1] ?? "";

/** Imports go down only. A type counts: who needs a type of a floor depends on that floor. */
export function findClimbingImports(files: readonly SourceFile[]): string[] {
  return inSource(files).flatMap((file) => {
    const floor = floorOf(file.path);
    const below = FLOORS[floor];
    if (below === undefined)
      return [`${file.path}: stands on no floor; the floors are ${Object.keys(FLOORS).join(", ")}`];
    return importsOf(file).flatMap(({ specifier, target, line }) => {
      if (target === null) {
        const allowed =
          floor !== "domain" || DOMAIN_LIBRARIES.some((name) => specifier === name || specifier.startsWith(`${name}/`));
        return allowed ? [] : [`${file.path}:${line}: domain imports ${specifier}`];
      }
      const other = floorOf(target);
      const outside = !target.startsWith("src/");
      if (outside ? floor !== "domain" && !target.startsWith("test/") : other === floor || below.includes(other))
        return [];
      return [`${file.path}:${line}: ${floor} imports ${outside ? target : other}`];
    });
  });
}

/** Time, chance, the environment, promises and the console each have their place, and it is not everywhere. */
export function findBannedCalls(files: readonly SourceFile[]): string[] {
  return inSource(files).flatMap((file) => {
    const { bare } = layersOf(file.text);
    return BANS.filter(
      ({ allowed }) =>
        !allowed.some((home) => file.path === home || (home.endsWith("/") && file.path.startsWith(home))),
    ).flatMap(({ pattern, what, allowed }) =>
      [...bare.matchAll(pattern)].map((match) => {
        const homes = allowed.length === 0 ? "has no place in src" : `belongs into ${allowed.join(", ")}`;
        return `${file.path}:${lineAt(bare, match.index)}: ${what} ${homes}`;
      }),
    );
  });
}

/** The checker is not silenced, in source and tests alike. */
export function findSilencedChecks(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const layers = layersOf(file.text);
    return [
      ...placesOf(layers, "bare", /\bas\s+any\b/g),
      ...placesOf(layers, "comments", /@ts-(?:ignore|nocheck|expect-error)\b/g),
    ].map(({ line, found }) => `${file.path}:${line}: ${found} silences the type checker`);
  });
}

function placesOf(layers: Layers, layer: keyof Layers, pattern: RegExp): { line: number; found: string }[] {
  return [...layers[layer].matchAll(pattern)].map((match) => ({
    line: lineAt(layers[layer], match.index),
    found: match[0],
  }));
}

/** Every file opens with one to three lines that say what it is for. */
export function findMissingHeaders(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const lines = file.text.replace(/^#![^\n]*\n/, "").split("\n");
    const end = lines.findIndex((line) => !line.startsWith("// "));
    const count = end === -1 ? lines.length : end;
    if (count >= 1 && count <= HEADER_LINES_MAX) return [];
    return [`${file.path}: opens with ${count} comment lines, not with one to ${HEADER_LINES_MAX}`];
  });
}

/** A long source file has more than one job. */
export function findLongFiles(files: readonly SourceFile[]): string[] {
  return inSource(files).flatMap((file) => {
    const count = file.text.replace(/\n$/, "").split("\n").length;
    return count <= SOURCE_LINES_MAX ? [] : [`${file.path}: has ${count} lines, more than ${SOURCE_LINES_MAX}`];
  });
}
