// The tidy checks on the whole tree: files nobody reaches, exports nobody takes, dependencies nobody uses or names, words
// that do not belong into the repository. Pure like the checks on single files.

import { exportsOf, importsOf, isMentioned, type SourceFile } from "./tidy-source.ts";

/** Source files a check passes over, each with its reason. */
export type Exceptions = Readonly<Record<string, string>>;

/** Every source file is reached by imports from src/main.ts, or is an exception; an exception that is reached is one too many. */
export function findUnusedFiles(files: readonly SourceFile[], exceptions: Exceptions = {}): string[] {
  const known = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const waiting = ["src/main.ts"];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const file = known.get(path);
    if (file === undefined || reached.has(path)) continue;
    reached.add(path);
    for (const { target } of importsOf(file)) if (target !== null) waiting.push(target);
  }
  const sources = files.map((file) => file.path).filter((path) => path.startsWith("src/"));
  const unused = sources.filter((path) => !reached.has(path) && !(path in exceptions));
  const needless = Object.keys(exceptions).filter((path) => reached.has(path) || !known.has(path));
  return [
    ...unused.map((path) => `${path}: is not reached from src/main.ts`),
    ...needless.map((path) => `${path}: is listed as an exception and needs none`),
  ];
}

/**
 * Every export of src is imported by another file, of src or of the tests. A type may also be named by what its own file
 * exports: it is part of a shape that others use without needing its name.
 */
export function findUnusedExports(files: readonly SourceFile[], exceptions: Exceptions = {}): string[] {
  const taken = new Set<string>();
  for (const file of files) {
    for (const { target, names } of importsOf(file)) {
      if (target !== null) for (const name of names) taken.add(`${target} ${name}`);
    }
  }
  return files
    .filter((file) => file.path.startsWith("src/") && !(file.path in exceptions))
    .flatMap((file) =>
      exportsOf(file)
        .filter(({ name }) => !taken.has(`${file.path} ${name}`) && !taken.has(`${file.path} *`))
        .filter(({ name, isType }) => !(isType && isMentioned(file, name)))
        .map(({ name, line }) => `${file.path}:${line}: exports ${name}, which no other file imports`),
    );
}

export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Tools that are run or configured rather than imported: the file and the word that show it. */
const TOOLS: Readonly<Record<string, { readonly path: string; readonly word: string }>> = {
  "@biomejs/biome": { path: "Makefile", word: "biome" },
  "drizzle-kit": { path: "Makefile", word: "drizzle-kit" },
  typescript: { path: "Makefile", word: "tsc" },
  "bun-types": { path: "tsconfig.json", word: '"bun-types"' },
};

/**
 * What is installed is used: a dependency in src, a development one in src, test, bench or by the tool that runs it; and
 * the README names each of them.
 */
export function findUnusedDependencies(
  files: readonly SourceFile[],
  manifest: Manifest,
  texts: readonly SourceFile[],
): string[] {
  const packagesIn = (folders: readonly string[]) =>
    new Set(
      files
        .filter((file) => folders.some((folder) => file.path.startsWith(folder)))
        .flatMap((file) =>
          importsOf(file)
            .filter(({ target }) => target === null)
            .map(({ specifier }) => packageOf(specifier)),
        ),
    );
  const textOf = (path: string) => texts.find((text) => text.path === path)?.text ?? "";
  const inSource = packagesIn(["src/"]);
  const anywhere = packagesIn(["src/", "test/", "bench/"]);
  const isUsedTool = (name: string) => {
    const tool = TOOLS[name];
    return tool !== undefined && textOf(tool.path).includes(tool.word);
  };
  const dependencies = Object.keys(manifest.dependencies ?? {});
  const development = Object.keys(manifest.devDependencies ?? {});
  const idle = [
    ...dependencies.filter((name) => !inSource.has(name)).map((name) => `package.json: ${name} is not imported in src`),
    ...development
      .filter((name) => !anywhere.has(name.replace(/^@types\//, "")) && !isUsedTool(name))
      .map((name) => `package.json: ${name} is neither imported nor run`),
  ];
  const unnamed = [...dependencies, ...development].filter((name) => !textOf("README.md").includes(name));
  return [...idle, ...unnamed.map((name) => `README.md: does not name the dependency ${name}`)];
}

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

/** Hosts of package registries and paths of one machine; written so that this file does not hold them itself. */
const FOREIGN_WORD =
  /registry\.(?:npmjs|yarnpkg)|npmjs\.(?:org|com)|deb\.debian\.org|\.\.\/shared\b|(?<![\w.])\/work\/main\b/;

/** The repository speaks of the product alone: no registry's host, no place outside it. */
export function findForeignWords(texts: readonly SourceFile[]): string[] {
  return texts.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, place) => {
      const found = FOREIGN_WORD.exec(line)?.[0];
      return found === undefined ? [] : [`${path}:${place + 1}: names ${found}`];
    }),
  );
}
