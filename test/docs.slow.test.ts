// The documents taken at their word: every example of configuration loads, requests and commands that are shown do what
// is said of them, tables of commands and channels are those of the program, and every link leads somewhere.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CHANNELS, type ChannelEntry, NEEDED } from "../src/config/channel-keys.ts";
import { loadConfig } from "../src/config/load.ts";
import { isConfiguredWebhookSecret } from "../src/config/vocabulary.ts";
import { rollcall } from "./support/command-line.ts";
import { firstKeyOf, openFolder, ROOT, type Service } from "./support/executable.ts";
import { anchorsOf, type Block, blocksOf, codeIn, linksIn, rowsUnder } from "./support/readme.ts";

setDefaultTimeout(120_000);

const textOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");

const DOCUMENTS = [
  "README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "bench/README.md",
  "bench/performance.md",
  "bench/profile.md",
  "bench/scaling.md",
  "test/README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

interface Shown extends Block {
  readonly document: string;
}

const BLOCKS: readonly Shown[] = DOCUMENTS.flatMap((document) =>
  blocksOf(textOf(document)).map((block) => ({ ...block, document })),
);

/** The one block of a document that begins so. */
function blockOf(document: string, start: string): string {
  const found = BLOCKS.filter((block) => block.document === document && block.text.startsWith(start));
  expect(found).toHaveLength(1);
  return found[0]!.text;
}

/** What a file of that name holds. */
function secretFor(path: string): string {
  if (path.endsWith("-url")) return "https://hooks.example.org/services/T000/B000/secret\n";
  if (path.endsWith("-topic")) return "a-topic\n";
  if (path.endsWith("-headers")) return "Authorization: Bearer a-token\n";
  if (path.endsWith("-secret")) return `whsec_${"0123456789abcdef".repeat(2)}\n`;
  return `${"0123456789abcdef".repeat(2)}\n`;
}

describe("examples of configuration", () => {
  const examples = BLOCKS.filter(({ language }) => language === "toml");

  test("there are some", () => expect(examples.length).toBeGreaterThanOrEqual(8));

  test.each(examples)("$document, line $line: it loads, given the files it names", ({ text }) => {
    const secrets = [...text.matchAll(/_file = "([^"]+)"/g)].map(([, path]) => path);
    const readFile = (path: string): string => {
      if (path === "/example/rollcall.toml") return text;
      if (secrets.includes(path)) return secretFor(path);
      throw Object.assign(new Error(path), { code: "ENOENT" });
    };
    const flags = { config: "rollcall.toml" };
    expect(loadConfig({ flags, environment: {}, cwd: "/example", readFile, readFound: readFile })).toMatchObject({
      sources: ["rollcall.toml"],
    });
  });

  test("the systemd credentials that it names are those that are read", () => {
    const names = [...textOf("docs/configuration.md").matchAll(/^LoadCredential=([^:]+):/gm)].map(
      ([, name = ""]) => name,
    );
    const values: Record<string, string> = {
      "smtp.password": "hunter2",
      "destinations.ops.url": "https://hooks.example.org/T000",
      "destinations.receiver.secret": `whsec_${"0123456789abcdef".repeat(2)}`,
    };
    expect(names).toEqual(Object.keys(values));
    const files = new Map(names.map((name) => [`/run/credentials/${name}`, values[name]!]));
    files.set(
      "/example/rollcall.toml",
      `[smtp]
  host = "mail.example.org"
  username = "ada"
  from = "cron@example.org"
  [destinations.ops]
  type = "slack"
  [destinations.receiver]
  type = "webhook"
  url = "https://example.org"`,
    );
    const readFile = (path: string): string => {
      const text = files.get(path);
      if (text === undefined) throw Object.assign(new Error(path), { code: "ENOENT" });
      return text;
    };
    const environment = { CREDENTIALS_DIRECTORY: "/run/credentials" };
    expect(loadConfig({ flags: {}, environment, cwd: "/example", readFile, readFound: readFile })).toMatchObject({
      sources: ["rollcall.toml", ...names.map((name) => `credential ${name}`)],
    });
  });
});

describe("requests that are shown", () => {
  /** Runs the lines of a shell against this service; answers what they print. */
  async function ask(lines: string, service: Service): Promise<unknown> {
    const local = lines.replaceAll("https://cron.example.org", service.url);
    const env = { PATH: process.env["PATH"], KEY: firstKeyOf(service) };
    const shell = Bun.spawn(["/bin/sh", "-c", local], { env, stdout: "pipe", stderr: "inherit" });
    const text = await new Response(shell.stdout).text();
    expect(await shell.exited).toBe(0);
    return JSON.parse(text);
  }

  test("a scheduler's integration declares its jobs, and a second time changes nothing", async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    const request = blockOf("docs/clients.md", "curl -sS -u");
    const counts = { total: 1, created: 0, updated: 0, unchanged: 0, removed: 0, errors: 0 };
    expect(await ask(request, service)).toMatchObject({ summary: { ...counts, created: 1 } });
    expect(await ask(request, service)).toMatchObject({ summary: { ...counts, unchanged: 1 } });
  });

  test("a complete reports the outcomes that its example of configuration expects", async () => {
    await using folder = openFolder();
    const configuration = BLOCKS.find(({ text }) => text.includes("outcomes = { rows"))!.text;
    writeFileSync(join(folder.path, "rollcall.toml"), configuration);
    const service = await folder.serve();
    const created = await folder.run(["monitor", "create", "import", "--schedule", "0 3 * * *"]);
    expect(created.exitCode).toBe(0);
    const request = blockOf("docs/configuration.md", "curl -sS -H");
    expect(await ask(request, service)).toMatchObject({ status: "completed", monitor: "import" });
    expect(await statusOfImport()).toBe("healthy");
    await ask(request.replace('"rows": 12', '"rows": 0'), service);
    expect(await statusOfImport()).toBe("critical");
    const listed = await folder.run(["incident", "list", "--json"]);
    expect(listed.out).toContain("rows was 0, expected at least 1");

    async function statusOfImport(): Promise<string> {
      const { out } = await folder.run(["monitor", "list", "--json"]);
      return JSON.parse(out)[0].status;
    }
  });
});

test("the lines of docs/administration.md ask and act with a key of the host", async () => {
  await using folder = openFolder();
  const service = await folder.serve();
  await folder.run(["monitor", "create", "nightly-backup", "--schedule", "0 3 * * *"]);
  const { out: key } = await folder.run(["admin-key", "create", "--label", "laptop", "--scope", "admin"]);
  const lines = BLOCKS.filter(({ document, language }) => document === "docs/administration.md" && language === "sh")
    .flatMap(({ text }) => text.trim().split("\n"))
    .filter((line) => line.startsWith("curl "));
  const answers = await Promise.all(
    lines.map((line) => askAdmin(line.replaceAll("https://cron.example.org", service.url))),
  );
  expect(answers).toEqual([
    expect.objectContaining({ counts: expect.anything() }),
    expect.objectContaining({ key: "nightly-backup", status: expect.any(String) }),
    expect.objectContaining({ changed: true }),
  ]);
  const { out: told } = await folder.run(["audit"]);
  expect(told).toContain("laptop (admin key 1)");
  expect(service.err()).not.toContain(key.split("\n")[0]!);

  async function askAdmin(line: string): Promise<unknown> {
    const env = { PATH: process.env["PATH"], ADMIN_KEY: key.split("\n")[0] };
    const shell = Bun.spawn(["/bin/sh", "-c", line], { env, stdout: "pipe", stderr: "inherit" });
    const text = await new Response(shell.stdout).text();
    expect(await shell.exited).toBe(0);
    return JSON.parse(text);
  }
});

describe("commands that are shown", () => {
  test("the line that makes a webhook's secret makes one", async () => {
    const shell = Bun.spawn(["bash", "-c", blockOf("docs/channels.md", "echo ")], { stdout: "pipe" });
    const text = (await new Response(shell.stdout).text()).trim();
    expect({ text, isSecret: isConfiguredWebhookSecret(text) }).toEqual({ text, isSecret: true });
  });

  test("a backup is made while rollcall runs, listed, and put back while it does not", async () => {
    await using folder = openFolder();
    let service = await folder.serve();
    expect((await folder.run(["monitor", "create", "backup", "--schedule", "0 3 * * *"])).exitCode).toBe(0);
    const copy = join(folder.path, "copy.db");
    const lines = blockOf("docs/operations.md", "rollcall backup /").replaceAll("/var/lib/rollcall/copy.db", copy);
    for (const line of lines.trim().split("\n")) {
      const [program, ...words] = line.split(" ");
      if (program === "rollcall") expect((await folder.run(words)).exitCode).toBe(0);
      else if (words[0] === "stop") await service.end("SIGTERM");
      else service = await folder.serve();
    }
    expect((await folder.run(["monitor", "list"])).out).toContain("backup");
  });

  test("docs/operations.md names every command of the program once, and no other", async () => {
    const rows = rowsUnder(textOf("docs/operations.md"), "Command", "What it does");
    const named = rows.map(([command = ""]) =>
      codeIn(command)[0]!
        .replace(/^rollcall /, "")
        .replace(/ \[?[A-Z]+\]?$/, ""),
    );
    expect(named.toSorted()).toEqual((await commandsUnder([])).toSorted());
  });

  test("docs/operations.md names every exit code as help does", async () => {
    const told = rowsUnder(textOf("docs/operations.md"), "Exit code", "Meaning").map((cells) => cells.join("  "));
    const { out } = await rollcall(["help"]);
    const [codes = ""] = out.split("Exit codes:\n")[1]!.split("\n\n");
    expect(
      codes
        .trim()
        .split("\n")
        .map((line) => line.trim()),
    ).toEqual(told);
  });

  /** Every command that can be run, in its words, as help lists them. */
  async function commandsUnder(words: readonly string[]): Promise<string[]> {
    const isRoot = words.length === 0;
    const { out } = await rollcall(isRoot ? ["help", "all"] : ["help", ...words]);
    const list = isRoot ? out.split("\nBegin:\n")[1]! : (out.split("\nCommands:\n")[1] ?? "").split("\n\n")[0]!;
    const names = [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name!);
    if (names.length === 0) return [words.join(" ")];
    const below = await Promise.all(names.map((name) => commandsUnder([...words, name])));
    return below.flat();
  }
});

test("each target of make and each task that a document names exists, and bench/README.md has each measurement", () => {
  const targets = [...textOf("Makefile").matchAll(/^([a-z-]+):.*## /gm)].map(([, target]) => target!);
  const tasks = [...textOf("test/task").matchAll(/^([a-z-]+)\|/gm)].map(([, task]) => task!);
  const namedIn = (document: string, word: RegExp): string[] =>
    codeIn(textOf(document)).flatMap((code) => word.exec(code)?.[1] ?? []);
  const [MAKE, TASK] = [/^make ([a-z-]+)/, /^(?:\w+=\S+ )*test\/task ([a-z-]+)/];
  expect(DOCUMENTS.flatMap((document) => namedIn(document, MAKE)).filter((name) => !targets.includes(name))).toEqual(
    [],
  );
  expect(DOCUMENTS.flatMap((document) => namedIn(document, TASK)).filter((name) => !tasks.includes(name))).toEqual([]);
  const measuring = tasks.filter((task) => task.startsWith("bench"));
  expect(measuring.filter((task) => !namedIn("bench/README.md", TASK).includes(task))).toEqual([]);
});

test("each task runs what is there, and an unknown one is refused by name", () => {
  const files = [...textOf("test/task").matchAll(/(?:test|bench|packaging)\/[\w./-]+\.(?:ts|sh)\b/g)].map(
    ([file]) => file,
  );
  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  const { exitCode, stderr } = Bun.spawnSync([join(ROOT, "test/task"), "nonsense"]);
  expect([exitCode, stderr.toString()]).toEqual([
    2,
    'test/task: there is no task "nonsense"; test/task --help lists them\n',
  ]);
});

test("docs/channels.md names each type of destination with its keys, and those it needs", () => {
  const rows = rowsUnder(textOf("docs/channels.md"), "`type`", "Needs", "May have").map(
    ([type = "", needs = "", others = ""]) => ({ type: codeIn(type)[0], needs: codeIn(needs), others: codeIn(others) }),
  );
  const byType = <Row extends { readonly type: string | undefined }>(all: readonly Row[]): Row[] =>
    all.toSorted((a, b) => (a.type ?? "").localeCompare(b.type ?? ""));
  const channels = Object.entries<ChannelEntry>(CHANNELS).map(([type, { keys }]) => {
    const names = Object.keys(keys) as (keyof typeof keys)[];
    const isNeeded = (key: keyof typeof keys): boolean => keys[key] === NEEDED;
    return { type, needs: names.filter(isNeeded), others: names.filter((key) => !isNeeded(key)) };
  });
  expect(byType(rows)).toEqual(byType(channels));
});

describe("documents", () => {
  test.each(DOCUMENTS)("every link in %s leads somewhere", (document) => {
    const dead = linksIn(textOf(document)).filter(({ path, anchor }) => {
      const file = path === "" ? document : join(dirname(document), path);
      return !existsSync(join(ROOT, file)) || (anchor !== "" && !anchorsOf(textOf(file)).includes(anchor));
    });
    expect(dead).toEqual([]);
  });
});

/** Each folder of the tree that ARCHITECTURE.md draws, below `src/`, and the file to read first there. */
function foldersIn(text: string): { readonly folder: string; readonly first: string }[] {
  const above: string[] = [];
  const [, tree = ""] = /^```text\nsrc\/\n([\s\S]*?)^```$/m.exec(text) ?? [];
  return [...tree.matchAll(/^( +)([\w-]+)\/ +(\S+)/gm)].map(([, indent = "", name = "", first = ""]) => {
    above.length = indent.length / 2 - 1;
    above.push(name);
    return { folder: `${above.join("/")}/`, first };
  });
}

describe("ARCHITECTURE.md", () => {
  const text = textOf("ARCHITECTURE.md");
  const folders = foldersIn(text);
  const isThere = (path: string): boolean => existsSync(join(ROOT, path)) || existsSync(join(ROOT, "src", path));

  test("the files and folders that it names are there", () => {
    const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
    const paths = codeIn(prose).filter((code) => /^[\w.-]+\/[\w./-]*$/.test(code));
    expect(paths.length).toBeGreaterThan(100);
    expect([...paths, ...folders.map(({ folder, first }) => folder + first)].filter((path) => !isThere(path))).toEqual(
      [],
    );
  });

  test("each step of a ping names a file", () => {
    const steps = rowsUnder(text, "Step", "File", "Refused with").map(([, file = ""]) => codeIn(file));
    expect(steps.length).toBeGreaterThan(10);
    expect(steps.filter((files) => files.length === 0 || !files.every(isThere))).toEqual([]);
  });

  test("its tree has every folder that holds code, and no other", () => {
    const holding = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(join(ROOT, "src"))]
      .filter((path) => path.includes("/"))
      .map((path) => path.slice(0, path.lastIndexOf("/") + 1));
    expect(folders.map(({ folder }) => folder).toSorted()).toEqual([...new Set(holding)].toSorted());
  });

  test("the names of code among its words are in the code", () => {
    const names = rowsUnder(text, "Word", "Meaning").flatMap(([word = ""]) => codeIn(word));
    const source = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(join(ROOT, "src"))]
      .map((path) => textOf(`src/${path}`))
      .join("\n");
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(source))).toEqual([]);
  });
});
