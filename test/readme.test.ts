// The README taken at its word: its shell blocks are run as they stand in a fresh copy of the repository, its jobs report,
// its examples are loaded, its table of keys is compared with the source, its links are followed.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Type, { type TSchema } from "typebox";
import { KEYS } from "../src/config/keys.ts";
import { annotationsOf } from "../src/config/kinds.ts";
import { loadConfig } from "../src/config/load.ts";
import { cloneRepository, openTerminal, type ServiceTerminal, startService, untilFree } from "./readme-terminal.ts";
import { firstKeyOf, openFolder, ROOT, type Service } from "./support/executable.ts";
import { anchorsOf, blocksOf, codeIn, linksIn, rowsUnder } from "./support/readme.ts";

const textOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const README = textOf("README.md");

/** `make run` fetches and compiles first. Milliseconds. */
const START_WITHIN = 240_000;
const BLOCK_WITHIN = 60_000;
const PORT_FREE_WITHIN = 60_000;

setDefaultTimeout(60_000);

test(
  "its shell blocks, run in order as they stand, end with the failure and the recovery in alerts.log",
  async () => {
    const blocks = blocksOf(README).filter(({ language }) => language === "sh");
    expect(blocks.filter(({ isService }) => isService)).toHaveLength(2);
    for (const port of [8787, 8788]) await untilFree(port, PORT_FREE_WITHIN);

    using clone = cloneRepository();
    await using terminal = openTerminal(clone.path);
    await using services = new AsyncDisposableStack();
    const screens: ServiceTerminal[] = [];
    for (const { text, isService } of blocks) {
      if (!isService) {
        await terminal.run(text, BLOCK_WITHIN);
        continue;
      }
      await screens.at(-1)?.interrupt();
      const service = services.use(startService(clone.path, text));
      screens.push(service);
      await service.shows(/\blistening\b/, START_WITHIN);
      if (screens.length === 1) await tryTheCurlLine(service, (line) => terminal.run(line, BLOCK_WITHIN));
    }
    await screens.at(-1)?.interrupt();

    for (const service of screens) expect(service.screen()).toMatch(/\bstopped\b/);
    const events = readFileSync(join(clone.path, "alerts.log"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.filter(({ data }) => data.monitorKey === "backup")).toMatchObject([
      { type: "monitor.initial_failure", data: { failureMessage: "disk full" } },
      { type: "monitor.recovered" },
    ]);
  },
  START_WITHIN + 180_000,
);

/** "Copy that line into another terminal": it answers what the README shows. */
async function tryTheCurlLine(service: ServiceTerminal, run: (line: string) => Promise<string>): Promise<void> {
  const shown = blocksOf(README).find(({ language, text }) => language === "text" && text.startsWith('{"status"'));
  const [known] = (shown?.text ?? "").split("…");
  const answer = await run(await service.shows(/^ *curl .*$/m, BLOCK_WITHIN));
  const withoutTime = (text: string) => text.replace(/"pingedAt":"[^"]+"/, "");
  expect(withoutTime(answer)).toStartWith(withoutTime(known!));
}

describe("its jobs report", () => {
  const shown = (start: string): string =>
    blocksOf(README).find(({ language, text }) => language === "text" && text.startsWith(start))?.text ?? "";

  /** Runs the lines against this service, with this command for a job. */
  async function runJob(lines: string, service: Service, job: string): Promise<void> {
    const local = lines.replaceAll("https://cron.example.org", service.url).replaceAll("/usr/local/bin/backup", job);
    const env = { PATH: process.env["PATH"], KEY: firstKeyOf(service) };
    const shell = Bun.spawn(["/bin/sh", "-c", local], { env, stdout: "inherit", stderr: "inherit" });
    // What the job ends with is what cron is to see.
    expect(await shell.exited).toBe(job === "true" ? 0 : 1);
  }

  test("from a crontab, as cron reads it, a failure at once and the job's exit status unchanged", async () => {
    const [, line = ""] = shown("KEY=").split("\n");
    const [, schedule = "", command = ""] = /^((?:\S+ ){4}\S+) +(.+)$/.exec(line) ?? [];
    // To cron a bare % is the end of the command, and what follows is typed into it.
    expect(command).not.toMatch(/(?<!\\)%/);
    await using folder = openFolder();
    const service = await folder.serve();
    for (const job of ["true", "false"]) await runJob(command, service, job);
    expect(folder.rows("SELECT key, schedule FROM monitors")).toEqual([{ key: "backup", schedule }]);
    expect(folder.rows("SELECT kind, message FROM pings ORDER BY id")).toEqual([
      { kind: "heartbeat", message: null },
      { kind: "fail", message: "exit status 1" },
    ]);
    expect(folder.rows("SELECT causes FROM incidents")).toHaveLength(1);
  });

  test("R21: from a script, with the start and the end of each run, good or bad, and how long one may take", async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    for (const job of ["true", "false"]) await runJob(shown("#!/bin/sh"), service, job);
    expect(folder.rows("SELECT key, grace_seconds AS grace, max_runtime_seconds AS longest FROM monitors")).toEqual([
      { key: "backup", grace: 1800, longest: 7200 },
    ]);
    expect(folder.rows("SELECT ended_by, legacy FROM runs WHERE started_at IS NOT NULL ORDER BY id")).toEqual([
      { ended_by: "complete", legacy: 0 },
      { ended_by: "fail", legacy: 0 },
    ]);
    expect(folder.rows("SELECT message FROM pings WHERE kind = 'fail'")).toEqual([{ message: "exit 1" }]);
  });
});

/** What a file of that name holds. */
function secretFor(path: string): string {
  if (path.endsWith("-url")) return "https://hooks.example.org/services/T000/B000/secret\n";
  if (path.endsWith("-topic")) return "a-topic\n";
  return `${"0123456789abcdef".repeat(2)}\n`;
}

test.each(blocksOf(README).filter(({ language }) => language === "toml"))(
  "the configuration in line $line loads, given the files it names",
  ({ text }) => {
    const secrets = [...text.matchAll(/_file = "([^"]+)"/g)].map(([, path]) => path);
    const readFile = (path: string): string => {
      if (path === "/example/rollcall.toml") return text;
      if (secrets.includes(path)) return secretFor(path);
      throw Object.assign(new Error(path), { code: "ENOENT" });
    };
    const flags = { config: "rollcall.toml" };
    expect(loadConfig({ flags, environment: {}, cwd: "/example", readFile })).toMatchObject({
      sources: ["rollcall.toml"],
    });
  },
);

test("the systemd credentials that it names are those that are read", () => {
  const names = [...README.matchAll(/^LoadCredential=([^:]+):/gm)].map(([, name = ""]) => name);
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
  expect(loadConfig({ flags: {}, environment, cwd: "/example", readFile })).toMatchObject({
    sources: ["rollcall.toml", ...names.map((name) => `credential ${name}`)],
  });
});

describe("its table of configuration", () => {
  const rows = rowsUnder(README, "Key", "Default", "Meaning").map(([keys = "", standard = "", meaning = ""]) => ({
    names: namesOf(codeIn(keys)),
    standard,
    meaning,
  }));
  const settings = settingsOf(KEYS, []);

  /** `a.b`, `c` and `a.b_one`, `_two` are short for keys beside the first; a free name is written in capitals. */
  function namesOf([first = "", ...others]: string[]): string[] {
    const table = first.slice(0, first.lastIndexOf(".") + 1);
    const stem = first.slice(0, first.lastIndexOf("_"));
    const full = others.map((name) => (name.startsWith("_") ? stem + name : table + name));
    return [first, ...full].map((name) => name.replace(/\b[A-Z]+\b/g, "*"));
  }

  /** `a.*` speaks of the keys directly in a. */
  const speaksOf = (name: string, path: string): boolean =>
    name === path || (name.endsWith(".*") && path.slice(0, path.lastIndexOf(".")) === name.slice(0, -2));

  test("has every key once, and no other", () => {
    const names = rows.flatMap((row) => row.names);
    const counts = settings.map(({ path }) => [path, names.filter((name) => speaksOf(name, path)).length]);
    expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
    expect(names.filter((name) => !settings.some(({ path }) => speaksOf(name, path)))).toEqual([]);
  });

  test("names in words the keys of the rows that stand for several", () => {
    const wordsOf = (text: string): string[] => text.match(/\w+/g) ?? [];
    const several = rows.filter(({ names: [name] }) => name?.endsWith(".*"));
    const unnamed = several.flatMap(({ names: [name = ""], meaning }, place) => {
      const before = meaning.startsWith("the same, and ") ? (several[place - 1]?.meaning ?? "") : "";
      const words = wordsOf(`${before} ${meaning}`);
      const covered = settings.filter(({ path }) => speaksOf(name, path)).map(({ path }) => path);
      return covered.filter((path) => !words.includes(path.slice(path.lastIndexOf(".") + 1)));
    });
    expect(unnamed).toEqual([]);
  });

  test("shows the defaults as they are", () => {
    const wrong = rows
      .filter(({ names: [name] }) => !name?.endsWith("*"))
      .flatMap(({ names, standard }) => {
        const shown = codeIn(standard);
        const actual = names.map((name) => settings.find(({ path }) => path === name)?.standard);
        const isRight = (place: number) =>
          actual[place] === undefined ? standard === "" : shown.length === 0 || shown[place] === actual[place];
        return names.filter((_, place) => !isRight(place));
      });
    // Two networks, which the table calls by one word.
    expect(codeIn(rows.find(({ standard }) => standard === "loopback")?.standard ?? "")).toEqual([]);
    expect(wrong).toEqual([]);
  });
});

interface Setting {
  /** With `*` for a free name. */
  readonly path: string;
  readonly standard: string | undefined;
}

/** Everything that can be set; a table within one entry of many, such as its links, counts as one. */
function settingsOf(schema: TSchema, path: readonly string[]): Setting[] {
  if (Type.IsRecord(schema)) return settingsOf(Type.RecordValue(schema), [...path, "*"]);
  if (Type.IsObject(schema) && (path.length < 2 || path.at(-1) === "*")) {
    return Object.entries(schema.properties).flatMap(([name, property]) => settingsOf(property, [...path, name]));
  }
  const { standard } = annotationsOf(schema);
  const written = Array.isArray(standard) ? standard.join(", ") : standard;
  return [{ path: path.join("."), standard: written === undefined ? undefined : String(written) }];
}

describe("documents", () => {
  const documents = ["README.md", "ARCHITECTURE.md", ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`)];

  test.each(documents)("every link in %s leads somewhere", (document) => {
    const dead = linksIn(textOf(document)).filter(({ path, anchor }) => {
      const file = path === "" ? document : join(dirname(document), path);
      return !existsSync(join(ROOT, file)) || (anchor !== "" && !anchorsOf(textOf(file)).includes(anchor));
    });
    expect(dead).toEqual([]);
  });

  test("the files and folders that ARCHITECTURE.md names are there", () => {
    const text = textOf("ARCHITECTURE.md");
    const paths = codeIn(text).filter((code) => /^[\w.-]+\/[\w./-]*$/.test(code));
    const firstFiles = rowsUnder(text, "Floor", "Begin reading at").flatMap(([floor = "", files = ""]) =>
      codeIn(files).map((file) => `${codeIn(floor)[0]}${file}`),
    );
    expect(firstFiles.length).toBeGreaterThan(10);
    const isThere = (path: string): boolean => existsSync(join(ROOT, path)) || existsSync(join(ROOT, "src", path));
    expect([...paths, ...firstFiles].filter((path) => !isThere(path))).toEqual([]);
  });
});
