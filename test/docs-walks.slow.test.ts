// The pages for operators taken at their word: the walks of docs/operations.md, line by line with the executable, and
// the messages of docs/troubleshooting.md, each of which the program must know.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  EXECUTABLE,
  type Folder,
  firstKeyOf,
  openFolder,
  ROOT,
  report,
  type Service,
  until,
} from "./support/executable.ts";
import { blocksOf, codeIn } from "./support/readme.ts";

setDefaultTimeout(120_000);

const pageOf = (name: string): string => readFileSync(join(ROOT, "docs", name), "utf8");

/** The lines of the one block of docs/operations.md that has this text. */
function linesOf(text: string): string[] {
  const found = blocksOf(pageOf("operations.md")).filter((block) => block.text.includes(text));
  expect(found).toHaveLength(1);
  return found[0]!.text.trim().split("\n");
}

const REGISTER = "?schedule=0+3+*+*+*";

test("rollcall moves to another machine by the page: every key and report is there, and nobody is alarmed", async () => {
  await using old = openFolder();
  await using fresh = openFolder();
  const before = await old.serve();
  const key = firstKeyOf(before);
  for (const job of ["backup", "import"]) expect(await report(before, key, job, REGISTER)).toBe(200);
  let service: Service = await fresh.serve();
  const here = join(fresh.path, "root");
  mkdirSync(here);
  for (const line of linesOf("systemctl disable --now rollcall")) {
    if (line.startsWith("ssh old systemctl disable")) await before.end("SIGTERM");
    else if (line.startsWith("scp")) {
      for (const name of readdirSync(join(old.path, "data")).filter((each) => each.startsWith("rollcall.db")))
        copyFileSync(join(old.path, "data", name), join(here, name));
    } else if (line === "systemctl stop rollcall") await service.end("SIGTERM");
    else if (line === "systemctl start rollcall") service = await fresh.serve();
    else expect((await fresh.run(wordsOf(line.replace("/root", here)))).exitCode).toBe(0);
  }
  expect(await report(service, key, "backup")).toBe(200);
  expect((await fresh.run(["monitor", "list"])).out).toContain("import");
  expect(fresh.rows("SELECT count(*) AS count FROM pings")).toEqual([{ count: 3 }]);
  expect(fresh.rows("SELECT count(*) AS count FROM incidents")).toEqual([{ count: 0 }]);
});

test("a key is rotated by the page: both work, then only the new one", async () => {
  await using folder = openFolder();
  const service = await folder.serve();
  const old = firstKeyOf(service);
  expect(await report(service, old, "backup", REGISTER)).toBe(200);
  const [list, rotate, show, revoke, ...others] = linesOf("rollcall key rotate 1 > new-key");
  expect(others).toEqual([]);
  expect((await runLine(folder, list!)).out).toContain("\n1 ");
  const fresh = (await runLine(folder, rotate!.replace(" > new-key", ""))).out;
  expect(fresh).toMatch(/^ck_app_default_\w+\n$/);
  for (const key of [old, fresh.trim()]) expect(await report(service, key, "backup")).toBe(200);
  expect((await runLine(folder, show!)).out).toContain("replaced, ends");
  await runLine(folder, revoke!);
  expect(await report(service, old, "backup")).toBe(401);
  expect(await report(service, fresh.trim(), "backup")).toBe(200);
  await service.logged("revoked_key_used", { key: 1, client: "127.0.0.1" });
});

test("a plain copy over a running executable fails, and install makes a new one", async () => {
  await using folder = openFolder();
  const path = join(folder.path, "rollcall");
  copyFileSync(EXECUTABLE, path);
  const running = Bun.spawn(["sh", "-c", `chmod 755 ${path} && exec ${path} serve`], {
    cwd: folder.path,
    env: { ROLLCALL_SERVER__LISTEN: "127.0.0.1:0" },
    stderr: Bun.file(join(folder.path, "log")),
  });
  try {
    const log = () => readFileSync(join(folder.path, "log"), "utf8");
    await until("its start", () => (log().includes('"listening"') ? true : null));
    const over = (program: string) => Bun.spawnSync([program, EXECUTABLE, path]);
    expect(over("cp").stderr.toString()).toContain("Text file busy");
    expect(over("install").exitCode).toBe(0);
    expect((await folder.run(["app", "list"])).exitCode).toBe(0);
  } finally {
    running.kill();
    await running.exited;
  }
});

const wordsOf = (line: string): string[] => {
  const [program, ...words] = line.split(" ");
  expect(program).toBe("rollcall");
  return words;
};

async function runLine(folder: Folder, line: string): ReturnType<Folder["run"]> {
  const ran = await folder.run(wordsOf(line));
  expect({ line, exitCode: ran.exitCode }).toEqual({ line, exitCode: 0 });
  return ran;
}

describe("docs/troubleshooting.md", () => {
  /** What stands in the first cell of each row between backticks. */
  const messages = pageOf("troubleshooting.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => codeIn(line.split(" | ")[0]!));

  const source = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(join(ROOT, "src"))]
    .map((path) => readFileSync(join(ROOT, "src", path), "utf8"))
    .join("\n")
    .replaceAll(/["`] \+\n\s*["`]/g, "");

  /** Of curl, not of ours. */
  const OTHERS = ["Could not resolve host", "Connection refused", "timed out"];

  test("every message is one that the program knows, word by word", () => {
    expect(messages.length).toBeGreaterThan(40);
    const parts = messages.filter((text) => !OTHERS.includes(text)).flatMap((text) => text.split("…"));
    const words = parts.map((part) => part.trim()).filter((part) => /[a-zA-Z]{3}/.test(part));
    expect(words.filter((part) => !source.includes(part))).toEqual([]);
  });
});
